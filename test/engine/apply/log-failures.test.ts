import { expect, test } from 'vitest';
import { hasChanges } from '../../../src/core/plan.ts';
import { at, codesOf, digestOf, House, outcomesOf, thrownBy } from '../../support/in-memory/house.ts';
import { box, boxUrn, grant, playbookOf, ref } from '../../support/in-memory/playbooks.ts';

const CHAIN = playbookOf([box('top'), box('child', { parent: ref('top', 'resource.id') }), box('other')]);

test('no room for the first intent: nothing is sent, and nothing new starts', async () => {
  const house = new House();
  house.log.failAppend(1);
  const report = await house.applied(CHAIN, { settings: { parallelism: 1 } });
  expect(house.cloud.writes).toEqual([]);
  expect(house.log.rows).toEqual([]);
  expect(outcomesOf(report)).toEqual({ other: 'failed', top: 'skipped', child: 'skipped' });
  expect(codesOf(at(report, 'other').diagnostics)).toEqual(['LOG_WRITE']);
});

test('no room for the outcome: the step is uncertain, and the next run settles it without sending it again', async () => {
  const house = new House();
  const playbook = playbookOf([box('a')]);
  const confirm = digestOf(await house.plan(playbook));
  house.log.failAppend(2);
  const report = await house.applied(playbook, { confirm });
  expect(outcomesOf(report)).toEqual({ a: 'uncertain' });
  expect(at(report, 'a').diagnostics[0]?.detail).toContain('the next run settles it');
  expect(house.log.facts).toEqual([]);

  const again = await house.applied(playbook, { confirm });
  expect(outcomesOf(again)).toEqual({ a: 'noop' });
  expect(house.cloud.written).toEqual([boxUrn('a')]);
  expect(house.log.outcomes).toMatchObject([{ intent_sequence: 1, status: 'done' }]);
  expect(house.log.facts).toMatchObject([{ outcome: 'changed', origin: 'created', digest: confirm, step: 'a' }]);
  expect(hasChanges((await house.plan(playbook)).plan)).toBe(false);
});

test('a fact that cannot be written makes its step fail, not succeed', async () => {
  const house = new House();
  house.cloud.addBox('a');
  house.log.failAppend(1);
  const report = await house.applied(playbookOf([box('a'), box('b', {}, { dependsOn: ['a'] })]));
  expect(outcomesOf(report)).toEqual({ a: 'failed', b: 'blocked' });
  expect(at(report, 'a')).toMatchObject({ provider_fact: null, diagnostics: [{ code: 'LOG_WRITE' }] });
  expect(house.events.filter((event) => event.type === 'fact')).toEqual([]);
});

test('a batch is recorded whole or not at all', async () => {
  const house = new House();
  house.cloud.addBox('box');
  house.log.failAppend(2);
  const playbook = playbookOf(['r1', 'r2', 'r3'].map((role) => grant(role, { box: 'box', role })));
  const confirm = digestOf(await house.plan(playbook));
  const report = await house.applied(playbook, { confirm });
  expect(outcomesOf(report)).toEqual({ r1: 'uncertain', r2: 'uncertain', r3: 'uncertain' });
  const again = await house.applied(playbook, { confirm });
  expect(outcomesOf(again)).toEqual({ r1: 'noop', r2: 'noop', r3: 'noop' });
  expect(house.cloud.writes).toHaveLength(1);
  expect(house.log.facts).toHaveLength(3);
});

test('a settlement that cannot be written stops the run before anything is sent', async () => {
  const house = new House();
  const playbook = playbookOf([box('a'), box('b')]);
  const confirm = digestOf(await house.plan(playbook));
  house.cloud.mishap(boxUrn('a'), { kind: 'lose', applied: true });
  await house.applied(playbook, { confirm, options: {}, settings: { parallelism: 1 } });
  const sent = house.cloud.written.length;
  house.log.failAppend(1);
  await thrownBy(house.apply(playbook, { confirm }), 'LOG_WRITE');
  expect(house.cloud.written).toHaveLength(sent);
  expect([...house.log.held]).toEqual([]);
});
