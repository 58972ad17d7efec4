import fc from 'fast-check';
import { expect, test } from 'vitest';
import { changeOf, diffFields, managedFields } from '../../src/core/diff.ts';
import type { JsonObject } from '../../src/core/json.ts';
import { unknownOf } from '../../src/core/value.ts';

const rules = { id: 'identity', name: 'mutable', parent: 'movable', labels: 'merged', kind: 'fixed' } as const;
const objects = fc
  .dictionary(fc.constantFrom('id', 'name', 'parent', 'labels', 'kind'), fc.jsonValue({ maxDepth: 2 }))
  .map((value) => JSON.parse(JSON.stringify(value)) as JsonObject);

test('nothing differs from itself, whatever else is there', () => {
  fc.assert(
    fc.property(objects, fc.jsonValue(), (desired, other) => {
      const stranger = JSON.parse(JSON.stringify({ other })) as JsonObject;
      expect(diffFields(desired, { ...desired, ...stranger }, rules)).toEqual({});
    }),
  );
});

test('what differs is among what was desired, and shows both sides', () => {
  fc.assert(
    fc.property(objects, objects, (desired, actual) => {
      for (const [field, { desired: wanted }] of Object.entries(diffFields(desired, actual, rules))) {
        expect(field).not.toBe('id');
        expect(wanted).toEqual(desired[field]);
      }
    }),
  );
});

test('of a merged map only the desired keys count; other maps count whole', () => {
  const actual = { labels: { env: 'prod', other: 'x' }, kind: { env: 'prod', other: 'x' } };
  const env = { env: 'prod' };
  expect(Object.keys(diffFields({ labels: env, kind: env }, actual, rules))).toEqual(['kind']);
  expect(diffFields({ labels: { env: 'test' } }, actual, rules)).toEqual({
    labels: { desired: { env: 'test' }, actual: { env: 'prod' } },
  });
  expect(diffFields({ labels: {} }, {}, rules)).toEqual({});
  expect(diffFields({ labels: env }, {}, rules)).toEqual({ labels: { desired: env, actual: null } });
});

test('a value known only after another step differs from anything', () => {
  const parent = unknownOf([{ address: 'folder', path: 'name' }]);
  const shown = '(known after apply: folder.name)';
  expect(diffFields({ parent }, { parent: shown }, rules)).toEqual({ parent: { desired: shown, actual: shown } });
});

test('the managed fields are those that desired names', () => {
  const actual = { name: 'n', labels: { a: '1', b: '2' }, stranger: true };
  expect(managedFields({ name: 'x', labels: { a: '0', c: '3' }, kind: 'k' }, actual, rules)).toEqual({
    name: 'n',
    labels: { a: '1' },
    kind: null,
  });
});

test.each([
  [[], 'none', []],
  [['name'], 'update', []],
  [['name', 'parent'], 'move', []],
  [['kind'], 'update', ['kind']],
  [['kind', 'parent', 'unheard_of'], 'move', ['kind', 'unheard_of']],
] as const)("a diff of %j asks for %s, %j can't be changed in place", (names, change, fixed) => {
  const diff = Object.fromEntries(names.map((name) => [name, { desired: 1, actual: 2 }]));
  expect(changeOf(diff, rules)).toEqual({ change, fixed });
});
