import { expect, test } from 'vitest';
import { diagnostic } from '../../../src/core/codes.ts';
import { at, codesOf, House, outcomesOf } from '../../support/in-memory/house.ts';
import { box, boxUrn, grant, grantUrn, playbookOf, readBox } from '../../support/in-memory/playbooks.ts';

const FAIL = { kind: 'fail', why: diagnostic('REQUEST_REFUSED', 'the cloud says no.') } as const;

test('a failure stops what depends on it, at any depth, and nothing else', async () => {
  const house = new House();
  house.cloud.mishap(boxUrn('bad'), FAIL);
  const report = await house.applied(
    playbookOf([
      box('bad'),
      box('child', {}, { dependsOn: ['bad'] }),
      box('grandchild', {}, { dependsOn: ['child'] }),
      readBox('look', 'good', { dependsOn: ['grandchild', 'good'] }),
      box('good'),
      box('after', {}, { dependsOn: ['good'] }),
    ]),
  );
  expect(outcomesOf(report)).toEqual({
    bad: 'failed',
    child: 'blocked',
    grandchild: 'blocked',
    look: 'blocked',
    good: 'changed',
    after: 'changed',
  });
  expect(at(report, 'bad').diagnostics).toMatchObject([
    { code: 'REQUEST_REFUSED', address: 'bad', urn: boxUrn('bad') },
  ]);
  expect(house.log.outcomes.find((row) => row.status === 'failed')).toMatchObject({ code: 'REQUEST_REFUSED' });
});

test('with --fail-fast nothing new starts after a failure; what is under way ends', async () => {
  const house = new House();
  house.cloud.mishap(boxUrn('bad'), FAIL);
  const gate = house.cloud.hold(boxUrn('slow'));
  const running = house.applied(playbookOf([box('bad'), box('slow'), box('later', {}, { dependsOn: ['slow'] })]), {
    settings: { failFast: true },
  });
  await gate.reached;
  gate.open();
  expect(outcomesOf(await running)).toEqual({ bad: 'failed', slow: 'changed', later: 'skipped' });
});

test('without --fail-fast the others run on', async () => {
  const house = new House();
  house.cloud.mishap(boxUrn('a_bad'), FAIL);
  const report = await house.applied(playbookOf([box('a_bad'), box('b'), box('c')]), { settings: { parallelism: 1 } });
  expect(outcomesOf(report)).toEqual({ a_bad: 'failed', b: 'changed', c: 'changed' });
});

test('a lost answer is uncertain: the intent stays open and dependants wait', async () => {
  const house = new House();
  house.cloud.mishap(boxUrn('a'), { kind: 'lose', applied: true });
  const report = await house.applied(playbookOf([box('a'), box('b', {}, { dependsOn: ['a'] })]));
  expect(outcomesOf(report)).toEqual({ a: 'uncertain', b: 'blocked' });
  expect(codesOf(at(report, 'a').diagnostics)).toEqual(['OUTCOME_UNKNOWN']);
  expect(house.log.outcomes).toMatchObject([{ status: 'uncertain', code: 'OUTCOME_UNKNOWN' }]);
  expect((await house.log.read('cloud')).openIntents).toHaveLength(1);
  expect(house.log.facts).toEqual([]);
});

test('an operation that a lost answer named is in the log and the report, to be looked up', async () => {
  const house = new House();
  house.cloud.mishap(boxUrn('a'), { kind: 'lose', applied: false, operation: 'operations/1' });
  const report = await house.applied(playbookOf([box('a')]));
  expect(at(report, 'a')).toMatchObject({ outcome: 'uncertain', operation: 'operations/1' });
  expect(house.log.outcomes).toMatchObject([{ status: 'uncertain', operation_name: 'operations/1' }]);
  expect((await house.log.read('cloud')).openIntents).toMatchObject([
    { operationName: null, namedOperation: 'operations/1' },
  ]);
});

test('an operation that outlasts its bound is pending: its name is in the log, the intent stays open', async () => {
  const house = new House();
  house.cloud.mishap(boxUrn('a'), { kind: 'pending', operation: 'operations/1' });
  const report = await house.applied(playbookOf([box('a'), box('b', {}, { dependsOn: ['a'] })]));
  expect(outcomesOf(report)).toEqual({ a: 'pending', b: 'blocked' });
  expect(at(report, 'a').operation).toBe('operations/1');
  expect(house.log.outcomes).toMatchObject([{ status: 'pending', operation_name: 'operations/1' }]);
  expect((await house.log.read('cloud')).openIntents).toMatchObject([{ operationName: 'operations/1' }]);
  expect(house.log.facts).toEqual([]);
  expect(house.events).toContainEqual({ type: 'operation', address: 'a', operation: 'operations/1', attempt: 1 });
});

test('what the provider finds moved right before the write is refused', async () => {
  const house = new House();
  house.cloud.addBox('a', { title: 'x' });
  house.cloud.mishap(boxUrn('a'), { kind: 'stale' });
  const report = await house.applied(playbookOf([box('a', { title: 'y' }), box('b', {}, { dependsOn: ['a'] })]));
  expect(outcomesOf(report)).toEqual({ a: 'refused', b: 'blocked' });
  expect(house.log.outcomes).toMatchObject([{ status: 'failed', code: 'STALE' }]);
});

test('one grant of a batch may fail alone', async () => {
  const house = new House();
  house.cloud.addBox('box');
  house.cloud.mishap(grantUrn('box', 'bad'), FAIL);
  const report = await house.applied(
    playbookOf([grant('bad', { box: 'box', role: 'bad' }), grant('good', { box: 'box', role: 'good' })]),
  );
  expect(outcomesOf(report)).toEqual({ bad: 'failed', good: 'changed' });
  expect(house.cloud.writes).toHaveLength(1);
});

test('a read that fails late stops its dependants', async () => {
  const house = new House();
  house.cloud.addBox('top', { title: 'old' });
  house.cloud.unreadable.set('elsewhere', diagnostic('UNAVAILABLE', '503'));
  const report = await house.applied(
    playbookOf([
      box('top', { title: 'new' }),
      readBox('look', 'elsewhere', { dependsOn: ['top'] }),
      box('after', {}, { dependsOn: ['look'] }),
    ]),
  );
  expect(outcomesOf(report)).toEqual({ top: 'changed', look: 'failed', after: 'blocked' });
});

test('a held step stays held whatever becomes of what it depends on; who waits for it does not go on', async () => {
  const house = new House();
  house.cloud.mishap(boxUrn('first'), FAIL);
  const playbook = playbookOf([
    box('first'),
    box('held', {}, { dryRun: true, dependsOn: ['first'] }),
    box('last', {}, { dependsOn: ['held'] }),
  ]);
  const report = await house.applied(playbook);
  expect(outcomesOf(report)).toEqual({ first: 'failed', held: 'held', last: 'blocked' });
});
