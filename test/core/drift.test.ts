import { expect, test } from 'vitest';
import { computeDrift, driftBetween } from '../../src/core/drift.ts';
import { foldFacts } from '../../src/core/fold.ts';
import { fact } from './support/facts.ts';

const desired = { project_id: 'a', parent: 'folders/1', labels: { env: 'prod' } };
const model = foldFacts([fact('a', { desired })]);
const rules = { project_id: 'identity', parent: 'movable', labels: 'merged' } as const;

test("owned and live as desired is in sync; unmanaged fields don't count", () => {
  expect(computeDrift(model, fact('a').urn, { ...desired, display_name: 'whatever' }, rules)).toEqual({
    kind: 'in_sync',
  });
  expect(computeDrift(model, fact('a').urn, { ...desired, labels: { env: 'prod', other: 'x' } }, rules)).toEqual({
    kind: 'in_sync',
  });
});

test('what differs is told field by field', () => {
  expect(computeDrift(model, fact('a').urn, { ...desired, parent: 'folders/2' }, rules)).toEqual({
    kind: 'modified',
    fields: { parent: { desired: 'folders/1', actual: 'folders/2' } },
  });
});

test('owned and gone is missing; live and unowned is untracked; neither is not managed', () => {
  expect(computeDrift(model, fact('a').urn, null)).toEqual({ kind: 'missing' });
  expect(computeDrift(model, fact('b').urn, desired)).toEqual({ kind: 'untracked' });
  expect(computeDrift(model, fact('b').urn, null)).toEqual({ kind: 'not_managed' });
});

test('without rules every desired field counts, maps as a whole', () => {
  expect(Object.keys(driftBetween(desired, { project_id: 'b', labels: { env: 'prod', other: 'x' } }))).toEqual([
    'project_id',
    'parent',
    'labels',
  ]);
  expect(driftBetween(null, desired)).toEqual({});
});
