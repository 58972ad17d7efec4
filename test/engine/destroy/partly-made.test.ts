import { expect, test } from 'vitest';
import { diagnostic } from '../../../src/core/codes.ts';
import { at, boxFact, changesOf, codesOf, House, outcomesOf, thrownBy } from '../../support/in-memory/house.ts';
import {
  box,
  boxUrn,
  grant,
  grantUrn,
  playbookOf,
  readBox,
  ref,
  shelf,
  textWith,
} from '../../support/in-memory/playbooks.ts';

const DESTROY = { verb: 'destroy' } as const;

/** A box that needs another one, and what lies in it; the place of the shelf only an apply gives. */
const NESTED = playbookOf([
  box('top'),
  box('mid', {}, { dependsOn: ['top'] }),
  shelf('s', { parent: ref('mid', 'resource.name') }),
  grant('g', { box: 'mid' }),
]);

test('what was made of a stack goes, and what was never made is no obstacle', async () => {
  const house = new House();
  await house.applied(NESTED, { options: { targets: ['top'] } });
  house.cloud.forgetCalls();
  const result = await house.plan(NESTED, DESTROY);
  expect(changesOf(result)).toEqual({ top: 'delete', mid: 'none', s: 'none', g: 'none' });
  expect(at(result.plan, 'mid')).toMatchObject({ present: false, record: null, diagnostics: [] });
  const report = await house.applied(NESTED, DESTROY);
  expect(outcomesOf(report)).toEqual({ top: 'deleted', mid: 'absent', s: 'absent', g: 'absent' });
  expect(house.cloud.written).toEqual([boxUrn('top')]);
  expect((await house.log.read('cloud')).model.owned.size).toBe(0);
});

test('a stack of which nothing was made has nothing to destroy', async () => {
  const house = new House();
  const result = await house.plan(NESTED, DESTROY);
  expect(result.plan.summary).toMatchObject({ none: 4, blocked: 0, delete: 0 });
});

test('what is live and unowned is blocked, and so is what it stands on; the rest goes', async () => {
  const house = new House();
  const playbook = playbookOf([
    box('top'),
    box('free'),
    box('mid', {}, { dependsOn: ['top'] }),
    shelf('s', { parent: ref('mid', 'resource.name') }),
  ]);
  await house.applied(playbook, { options: { targets: ['top', 'free'] } });
  const mid = house.cloud.addBox('mid');
  house.cloud.addShelf(mid.id, 's');
  const result = await house.plan(playbook, DESTROY);
  expect(changesOf(result)).toEqual({ top: 'blocked', free: 'delete', mid: 'blocked', s: 'blocked' });
  for (const address of ['mid', 's'])
    expect(at(result.plan, address)).toMatchObject({ present: true, diagnostics: [{ code: 'NOT_OURS' }] });
  expect(codesOf(at(result.plan, 'top').diagnostics)).toEqual(['BLOCKED']);
});

test('what can not be read is blocked with the reason, what is not to be seen is nothing of ours', async () => {
  const house = new House();
  const playbook = playbookOf([box('a'), box('dark', {}, { dependsOn: ['a'] }), box('b'), box('hidden')]);
  await house.applied(playbook, { options: { targets: ['a', 'b'] } });
  house.cloud.unreadable.set('dark', diagnostic('UNAVAILABLE', 'no answer.'));
  house.cloud.hidden.add('hidden');
  const result = await house.plan(playbook, DESTROY);
  expect(changesOf(result)).toEqual({ a: 'blocked', dark: 'blocked', b: 'delete', hidden: 'none' });
  expect(codesOf(at(result.plan, 'dark').diagnostics)).toEqual(['UNAVAILABLE']);
  expect(at(result.plan, 'hidden').present).toBe('unknown');
  expect(at(result.plan, 'hidden').diagnostics).toMatchObject([{ code: 'NOT_VISIBLE', severity: 'note' }]);
});

test('what is in the way of something that was never made is in the way of what that stands on', async () => {
  const house = new House();
  const playbook = playbookOf([
    box('low'),
    box('between', {}, { dependsOn: ['low'] }),
    box('high', {}, { dependsOn: ['between'] }),
  ]);
  await house.applied(playbookOf([box('low'), box('high')]));
  house.cloud.blockers.set('high', diagnostic('LIEN', 'a lien.'));
  expect(changesOf(await house.plan(playbook, DESTROY))).toEqual({
    low: 'blocked',
    between: 'blocked',
    high: 'blocked',
  });
});

test('a place that a read gives is read, and a value of what is not there is no place', async () => {
  const house = new House();
  house.cloud.addBox('outer');
  const playbook = playbookOf([
    readBox('look', 'outer'),
    shelf('in_it', { parent: ref('look', 'resource.name') }),
    box('never'),
    box('named', { title: textWith('of ', { address: 'never', path: 'resource.name' }) }),
  ]);
  expect(changesOf(await house.plan(playbook, DESTROY))).toMatchObject({ in_it: 'none', never: 'none', named: 'none' });
  house.cloud.addShelf(house.cloud.boxes.get('outer')?.id ?? '', 'in_it');
  house.cloud.addBox('named');
  const result = await house.plan(playbook, DESTROY);
  expect(changesOf(result)).toMatchObject({ in_it: 'blocked', never: 'blocked', named: 'blocked' });
  house.cloud.unreadable.set('outer', diagnostic('UNAVAILABLE', 'no answer.'));
  const dark = await house.plan(playbook, DESTROY);
  expect(at(dark.plan, 'in_it')).toMatchObject({ change: 'blocked', diagnostics: [{ code: 'UNAVAILABLE' }] });
});

test('what is unowned is decided by looking too: without auth there is nothing to decide on', async () => {
  const house = new House();
  await thrownBy(house.plan(playbookOf([box('a', {}, { auth: null })]), DESTROY), 'AUTH_REQUIRED');
});

test('what an interrupted create made goes, and its settlement is written down', async () => {
  const house = new House();
  house.cloud.mishap(boxUrn('mid'), { kind: 'lose', applied: true });
  expect(outcomesOf(await house.applied(NESTED))).toMatchObject({ top: 'changed', mid: 'uncertain', s: 'blocked' });
  const before = house.log.rows.length;
  const result = await house.plan(NESTED, DESTROY);
  expect(house.log.rows.length).toBe(before);
  expect(changesOf(result)).toEqual({ top: 'delete', mid: 'delete', s: 'skipped', g: 'skipped' });
  expect(codesOf(at(result.plan, 'mid').diagnostics)).toContain('OPEN_INTENT');
  const report = await house.applied(NESTED, DESTROY);
  expect(outcomesOf(report)).toMatchObject({ top: 'deleted', mid: 'deleted' });
  const { openIntents, model } = await house.log.read('cloud');
  expect(openIntents).toEqual([]);
  expect(model.owned.size).toBe(0);
});

test('an interrupted create of which nothing is there is written down as that', async () => {
  const house = new House();
  house.cloud.mishap(boxUrn('mid'), { kind: 'lose', applied: false });
  await house.applied(NESTED);
  const report = await house.applied(NESTED, DESTROY);
  expect(outcomesOf(report)).toEqual({ top: 'deleted', mid: 'absent', s: 'absent', g: 'absent' });
  expect((await house.log.read('cloud')).openIntents).toEqual([]);
});

test('a create that may still run blocks what it stands on until it is settled', async () => {
  const house = new House();
  house.cloud.mishap(boxUrn('mid'), { kind: 'pending', operation: 'operations/1' });
  await house.applied(NESTED);
  const result = await house.plan(NESTED, DESTROY);
  expect(changesOf(result)).toEqual({ top: 'blocked', mid: 'blocked', s: 'none', g: 'none' });
  expect(at(result.plan, 'mid').diagnostics).toMatchObject([
    { code: 'OUTCOME_UNKNOWN', operation: 'operations/1', hint: expect.stringContaining('infra recover') },
  ]);
  house.cloud.finishOperation('operations/1');
  expect(outcomesOf(await house.applied(NESTED, DESTROY))).toMatchObject({ top: 'deleted', mid: 'deleted' });
});

test('an interrupted request of what goes with its container is settled with it', async () => {
  for (const applied of [true, false]) {
    const house = new House();
    house.cloud.mishap(grantUrn('mid'), { kind: 'lose', applied });
    expect(outcomesOf(await house.applied(NESTED))).toMatchObject({ g: 'uncertain' });
    const report = await house.applied(NESTED, DESTROY);
    expect(outcomesOf(report)).toEqual({ top: 'deleted', mid: 'deleted', s: 'absent', g: 'absent' });
    const { openIntents, model } = await house.log.read('cloud');
    expect(openIntents).toEqual([]);
    expect(model.owned.size).toBe(0);
  }
});

test('what an interrupted create made is kept where its step protects it', async () => {
  const house = new House();
  const mid = box('mid', { parent: ref('top', 'resource.name') }, { protect: true });
  const playbook = playbookOf([box('top'), mid]);
  house.cloud.mishap(boxUrn('mid'), { kind: 'lose', applied: true });
  await house.applied(playbook);
  const report = await house.applied(playbook, DESTROY);
  expect(outcomesOf(report)).toEqual({ top: 'held', mid: 'held' });
  const { openIntents, model } = await house.log.read('cloud');
  expect(openIntents).toEqual([]);
  expect([...model.owned.keys()]).toContain(boxUrn('mid'));
});

test('an interrupted create of what was destroyed before counts all the same', async () => {
  const house = new House();
  const playbook = playbookOf([box('a')]);
  house.log.remember(boxFact('a'), boxFact('a', { verb: 'delete', outcome: 'deleted' }));
  house.cloud.mishap(boxUrn('a'), { kind: 'lose', applied: true });
  await house.applied(playbook);
  expect(outcomesOf(await house.applied(playbook, DESTROY))).toEqual({ a: 'deleted' });
});

test('an interrupted change of what is kept, or goes with its container, is settled too', async () => {
  const house = new House();
  const playbookWith = (title: string) =>
    playbookOf([
      box('top'),
      box('kept', { title }, { protect: true }),
      shelf('s', { parent: ref('top', 'resource.name'), note: title }),
    ]);
  await house.applied(playbookWith('old'));
  house.cloud.mishap(boxUrn('kept'), { kind: 'lose', applied: true });
  house.cloud.mishap(`mem:store:shelf:${house.cloud.boxes.get('top')?.id}/s`, { kind: 'lose', applied: true });
  expect(outcomesOf(await house.applied(playbookWith('new')))).toMatchObject({ kept: 'uncertain', s: 'uncertain' });
  const report = await house.applied(playbookWith('new'), DESTROY);
  expect(outcomesOf(report)).toEqual({ top: 'deleted', kept: 'held', s: 'absent' });
  expect((await house.log.read('cloud')).openIntents).toEqual([]);
});

test('a change that may still run blocks the deletion until it is settled', async () => {
  const house = new House();
  await house.applied(playbookOf([box('a', { title: 'old' })]));
  house.cloud.mishap(boxUrn('a'), { kind: 'pending', operation: 'operations/1' });
  const playbook = playbookOf([box('a', { title: 'new' })]);
  await house.applied(playbook);
  const { plan } = await house.plan(playbook, DESTROY);
  expect(at(plan, 'a')).toMatchObject({ change: 'blocked', diagnostics: [{ code: 'OUTCOME_UNKNOWN' }] });
});
