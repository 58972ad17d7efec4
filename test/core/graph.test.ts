import fc from 'fast-check';
import { expect, test } from 'vitest';
import { closureOf, compareText, type Edges, topologicalOrder } from '../../src/core/graph.ts';

const edgesOf = (entries: Readonly<Record<string, readonly string[]>>): Edges => new Map(Object.entries(entries));

/** Graphs without circles: each node needs only such that come before it. */
const acyclic: fc.Arbitrary<Edges> = fc
  .array(fc.array(fc.nat(), { maxLength: 4 }), { minLength: 1, maxLength: 25 })
  .map(
    (needs) =>
      new Map(needs.map((list, index) => [`n${index}`, index === 0 ? [] : list.map((need) => `n${need % index}`)])),
  );

test('everything comes once, after what it needs', () => {
  fc.assert(
    fc.property(acyclic, (edges) => {
      const result = topologicalOrder(edges);
      const order = result.kind === 'ordered' ? result.order : [];
      expect([...order].sort()).toEqual([...edges.keys()].sort());
      for (const [node, needs] of edges)
        for (const need of needs) expect(order.indexOf(need)).toBeLessThan(order.indexOf(node));
    }),
  );
});

test('the order does not depend on the order in which the graph was written', () => {
  fc.assert(
    fc.property(acyclic, (edges) => {
      const turned = new Map([...edges].reverse().map(([node, needs]) => [node, [...needs].reverse()]));
      expect(topologicalOrder(turned)).toEqual(topologicalOrder(edges));
    }),
  );
});

test('ties go by address', () => {
  expect(topologicalOrder(edgesOf({ b: [], a: ['c'], c: [], 'b[1]': [] }))).toEqual({
    kind: 'ordered',
    order: ['b', 'b[1]', 'c', 'a'],
  });
});

test('a circle is printed as one, first and last the same', () => {
  expect(topologicalOrder(edgesOf({ a: ['b'], b: ['c'], c: ['b'], d: [] }))).toEqual({
    kind: 'cycles',
    cycles: [['b', 'c', 'b']],
  });
  expect(topologicalOrder(edgesOf({ a: ['a'] }))).toEqual({ kind: 'cycles', cycles: [['a', 'a']] });
});

test('circles apart from each other are told each, and what only waits for one is in none', () => {
  const edges = edgesOf({ a: ['b'], b: ['a'], c: ['a'], d: ['e', 'c'], e: ['d'], f: [], g: ['g', 'f'] });
  expect(topologicalOrder(edges)).toEqual({
    kind: 'cycles',
    cycles: [
      ['a', 'b', 'a'],
      ['d', 'e', 'd'],
      ['g', 'g'],
    ],
  });
});

test('no more circles are told than anyone reads', () => {
  const many = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`n${index}`, [`n${index}`]]));
  const result = topologicalOrder(edgesOf(many));
  expect(result.kind === 'cycles' ? result.cycles.length : 0).toBe(20);
});

test('any circle is found, and every step of it is a dependency', () => {
  fc.assert(
    fc.property(acyclic, fc.nat(), fc.nat(), (edges, one, other) => {
      const [low = 0, high = 0] = [one % edges.size, other % edges.size].sort((a, b) => a - b);
      const closed = new Map(edges);
      closed.set(`n${low}`, [...(edges.get(`n${low}`) ?? []), `n${high}`]);
      closed.set(`n${high}`, [...(closed.get(`n${high}`) ?? []), `n${low}`]);
      const result = topologicalOrder(closed);
      const [cycle = []] = result.kind === 'cycles' ? result.cycles : [];
      expect(cycle.length).toBeGreaterThan(1);
      expect(cycle.at(-1)).toBe(cycle[0]);
      for (const [index, node] of cycle.slice(0, -1).entries()) expect(closed.get(node)).toContain(cycle[index + 1]);
    }),
  );
});

test('a closure has what is needed, directly or not, and nothing else', () => {
  const edges = edgesOf({ a: ['b'], b: ['c', 'a'], c: [], d: ['a'] });
  expect([...closureOf(['a'], edges)].sort()).toEqual(['a', 'b', 'c']);
  expect([...closureOf([], edges)]).toEqual([]);
});

test('texts compare by UTF-16 code units', () => {
  expect(['b', 'ä', 'a', 'B', 'a'].sort(compareText)).toEqual(['B', 'a', 'a', 'b', 'ä']);
});
