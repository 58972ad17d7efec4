import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ProviderFact, UNSCOPED } from '../../src/core/facts.ts';
import {
  altersFold,
  foldFacts,
  forStack,
  originOf,
  ownerOf,
  stackName,
  stacksOf,
  startFold,
} from '../../src/core/fold.ts';
import { fact, facts } from './support/facts.ts';

const gone = { verb: 'delete', outcome: 'deleted' } as const;

test.each<[string, Partial<ProviderFact>, boolean]>([
  ['a changed ensure', {}, true],
  ['a noop', { outcome: 'noop' }, true],
  ['an adoption', { verb: 'adopt', outcome: 'adopted' }, true],
  ['a planned ensure', { outcome: 'planned' }, false],
  ['a planned adoption', { verb: 'adopt', outcome: 'planned' }, false],
  ['an outcome that does not fit its verb', { verb: 'adopt', outcome: 'changed' }, false],
])('%s owns: %s', (_, fields, owns) => {
  expect(foldFacts([fact('a', fields)]).owned.has(fact('a').urn)).toBe(owns);
});

test('the last writer wins, with the last desired', () => {
  const model = foldFacts([
    fact('a', { desired: 1 }),
    fact('a', { desired: 2, stack: 'test', execution_id: '9223372036854775807' }),
  ]);
  expect(model.owned.get(fact('a').urn)).toMatchObject({
    lastDesired: 2,
    stack: 'test',
    lastExecutionId: '9223372036854775807',
  });
});

test.each(['deleted', 'absent'] as const)(
  '%s ends ownership and leaves a tombstone, which a new ensure removes',
  (outcome) => {
    const end = fact('a', { verb: 'delete', outcome });
    const after = foldFacts([fact('a'), end]);
    expect([after.owned.size, after.tombstones.get(fact('a').urn)]).toEqual([0, end]);
    const again = foldFacts([fact('a'), end, fact('a')]);
    expect([again.owned.size, again.tombstones.size]).toEqual([1, 0]);
  },
);

test('a planned fact never changes what is owned', () => {
  fc.assert(
    fc.property(fc.array(facts()), fc.array(facts()), (before, after) => {
      const planned = before.map((item) => ({ ...item, outcome: 'planned' as const, protect: true }));
      expect(foldFacts([...before, ...planned, ...after])).toEqual(foldFacts([...before, ...after]));
    }),
  );
});

test("facts of different resources fold alike in any order that keeps each resource's own", () => {
  fc.assert(
    fc.property(fc.array(facts().map(({ renamed_from: _, ...item }): ProviderFact => item)), (list) => {
      // Sorting is stable: each resource's facts keep their order.
      expect(foldFacts(list.toSorted((a, b) => a.urn.localeCompare(b.urn)))).toEqual(foldFacts(list));
    }),
  );
});

test('a fact that comes twice in a row counts once', () => {
  fc.assert(
    fc.property(facts(), (item) => {
      expect(foldFacts([item, item])).toEqual(foldFacts([item]));
    }),
  );
});

test('a fact that does not alter the fold leaves it as it was', () => {
  fc.assert(
    fc.property(fc.array(facts()), facts(), (list, next) => {
      const model = foldFacts(list);
      if (next.outcome === 'planned' || altersFold(model, next)) return;
      const after = foldFacts([...list, next]);
      expect(
        [...after.owned].map(([urn, { stack, resourceId, lastDesired }]) => [urn, stack, resourceId, lastDesired]),
      ).toEqual(
        [...model.owned].map(([urn, { stack, resourceId, lastDesired }]) => [urn, stack, resourceId, lastDesired]),
      );
    }),
  );
});

test('ids, origin and credential stay when a later fact does not name them, and end with the resource', () => {
  const full = fact('a', { resource_id: 'projects/1', origin: 'created', credential: 'admin' });
  const kept = foldFacts([full, fact('a')]).owned.get(full.urn);
  expect(kept).toMatchObject({ resourceId: 'projects/1', origin: 'created', credential: 'admin' });
  const anew = foldFacts([full, fact('a', gone), fact('a')]).owned.get(full.urn);
  expect(anew).toMatchObject({ resourceId: null, origin: null, credential: null });
});

test('what was as desired when it was first recorded, without an origin, was found', () => {
  const origins = (...facts: readonly ProviderFact[]) => {
    const owned = foldFacts(facts).owned.get(fact('a').urn);
    return owned === undefined ? 'gone' : originOf(owned);
  };
  const seen = fact('a', { outcome: 'noop' });
  expect(origins(seen)).toBe('found');
  expect(origins(seen, seen)).toBe('found');
  expect(origins(fact('a'), seen)).toBe(null);
  expect(origins(fact('a', { verb: 'adopt', outcome: 'adopted' }), seen)).toBe(null);
  expect(origins(seen, fact('a'))).toBe('found');
  expect(origins(seen, fact('a', { verb: 'adopt', outcome: 'adopted' }))).toBe(null);
  expect(origins(fact('a'), fact('a', gone), seen)).toBe('found');
  expect(origins(fact('a', { origin: 'created' }), seen)).toBe('created');
});

test('the newest word about protection counts, after deletion too', () => {
  const urn = fact('a').urn;
  expect(foldFacts([fact('a', { protect: true }), fact('a'), fact('a', gone)]).protection.get(urn)).toBe(true);
  expect(foldFacts([fact('a', { protect: true }), fact('a', { protect: false })]).protection.get(urn)).toBe(false);
});

test('a resource under its new URN is as protected as under the old one', () => {
  const renamed = [
    fact('a', { verb: 'delete', outcome: 'absent', renamed_to: fact('b').urn }),
    fact('b', { renamed_from: fact('a').urn }),
  ];
  expect(foldFacts([fact('a', { protect: true }), ...renamed]).protection.get(fact('b').urn)).toBe(true);
  expect(foldFacts(renamed).protection.has(fact('b').urn)).toBe(false);
});

test('a take-over moves a resource from one stack to the other; forgetting what another stack owns ends nothing', () => {
  const forgotten = { verb: 'delete', outcome: 'absent', forgotten: true } as const;
  const moved = foldFacts([
    fact('a'),
    fact('a', forgotten),
    fact('a', { verb: 'adopt', outcome: 'adopted', stack: 'test' }),
  ]);
  expect(ownerOf(moved, fact('a').urn)).toBe('test');
  const kept = foldFacts([fact('a'), fact('a', { ...forgotten, stack: 'test' })]);
  expect(ownerOf(kept, fact('a').urn)).toBe('prod');
  expect(altersFold(kept, fact('a', { ...forgotten, stack: 'test' }))).toBe(false);
});

test.each<[string, Partial<ProviderFact>, boolean]>([
  ['the same again', {}, false],
  ['another desired', { desired: { x: 1 } }, true],
  ['another stack', { stack: 'test' }, true],
  ['a resource id that is known', { resource_id: 'projects/1' }, false],
  ['another resource id', { resource_id: 'projects/2' }, true],
  ['protection', { protect: true }, true],
  ['its deletion', gone, true],
])('%s alters the fold: %s', (_, fields, alters) => {
  expect(altersFold(foldFacts([fact('a', { resource_id: 'projects/1' })]), fact('a', fields))).toBe(alters);
});

test('the deletion of what is not owned alters nothing', () => {
  expect(altersFold(foldFacts([]), fact('a', gone))).toBe(false);
});

test('the model of one stack, and the stacks there are', () => {
  const model = foldFacts([
    fact('a'),
    fact('b', { stack: UNSCOPED }),
    fact('c', { stack: 'test' }),
    fact('d'),
    fact('d', gone),
  ]);
  expect(stacksOf(model)).toEqual([UNSCOPED, 'prod', 'test']);
  expect([...forStack(model, 'prod').owned.keys()]).toEqual([fact('a').urn]);
  expect([...forStack(model, 'prod').tombstones.keys()]).toEqual([fact('d').urn]);
  expect(forStack(model, 'test').tombstones.size).toBe(0);
});

test('a fold that is going on shows what it has so far', () => {
  const fold = startFold();
  fold.add(fact('a'));
  expect(fold.model.owned.size).toBe(1);
  expect(ownerOf(fold.model, 'urn of nothing')).toBeNull();
  expect([stackName(null), stackName('prod')]).toEqual([UNSCOPED, 'prod']);
});
