import { expect, test } from 'vitest';
import { boxFact, digestOf, House, outcomesOf, refusalOf } from '../../support/in-memory/house.ts';
import { box, dropBox, playbookOf } from '../../support/in-memory/playbooks.ts';

const PLAYBOOK = playbookOf([box('alpha', { title: 'new' }), box('beta'), dropBox('old')]);

function houseWithAlpha(): House {
  const house = new House();
  house.cloud.addBox('alpha', { title: 'was' });
  house.cloud.addBox('old');
  return house;
}

test('a live field that moved since the review is named with what it was and is', async () => {
  const house = houseWithAlpha();
  const confirm = digestOf(await house.plan(PLAYBOOK));
  house.cloud.changeBox('alpha', { title: 'moved' });
  const refusal = refusalOf(await house.apply(PLAYBOOK, { confirm }));
  expect(refusal.diagnostics).toMatchObject([{ code: 'DIGEST_STALE' }]);
  expect(refusal.diagnostics[0]?.detail).toContain('Nothing was sent');
  expect(refusal.differences).toEqual([{ address: 'alpha', field: 'actual.title', then: 'was', now: 'moved' }]);
  expect(house.cloud.writes).toEqual([]);
  expect(house.log.rows).toEqual([]);
});

test('a delete whose resource changed in some way that nobody manages is named by its etag', async () => {
  const house = houseWithAlpha();
  const confirm = digestOf(await house.plan(PLAYBOOK));
  house.cloud.changeBox('old', { title: 'in use' });
  const refusal = refusalOf(await house.apply(PLAYBOOK, { confirm }));
  expect(refusal.differences).toEqual([{ address: 'drop_old', field: 'etag', then: '1', now: '2' }]);
});

test('a change that turned into another one is named', async () => {
  const house = houseWithAlpha();
  const confirm = digestOf(await house.plan(PLAYBOOK));
  house.cloud.addBox('beta');
  const refusal = refusalOf(await house.apply(PLAYBOOK, { confirm }));
  expect(refusal.differences).toContainEqual({ address: 'beta', field: 'change', then: 'create', now: 'none' });
});

test('a step that is new and one that is gone are named', async () => {
  const house = houseWithAlpha();
  const confirm = digestOf(await house.plan(PLAYBOOK));
  const other = playbookOf([box('alpha', { title: 'new' }), dropBox('old'), box('gamma')]);
  const refusal = refusalOf(await house.apply(other, { confirm }));
  expect(refusal.differences).toEqual([
    { address: 'beta', field: 'step', then: 'planned', now: '(none)' },
    { address: 'gamma', field: 'step', then: '(none)', now: 'planned' },
  ]);
});

test('an edited playbook is named by address and field', async () => {
  const house = houseWithAlpha();
  const confirm = digestOf(await house.plan(PLAYBOOK));
  const edited = playbookOf([box('alpha', { title: 'newer' }, { protect: true }), box('beta'), dropBox('old')]);
  const refusal = refusalOf(await house.apply(edited, { confirm }));
  expect(refusal.differences).toEqual([
    { address: 'alpha', field: 'protect', then: '(none)', now: 'true' },
    { address: 'alpha', field: 'desired.title', then: 'new', now: 'newer' },
  ]);
});

test('a log that changed what would be recorded is named', async () => {
  const house = new House();
  house.cloud.addBox('alpha', { id: 'folders/7' });
  const playbook = playbookOf([box('alpha')]);
  const confirm = digestOf(await house.plan(playbook));
  house.log.remember(boxFact('alpha', { resource_id: 'folders/7' }));
  const refusal = refusalOf(await house.apply(playbook, { confirm }));
  expect(refusal.differences).toEqual([{ address: 'alpha', field: 'record', then: 'own', now: '(none)' }]);
  expect(refusal.diagnostics).toMatchObject([{ code: 'DIGEST_STALE' }, { code: 'RECORD_MISMATCH', severity: 'note' }]);
  expect(refusal.diagnostics[1]?.detail).toContain('alpha');
});

test('a digest that no plan here has is refused without differences', async () => {
  const house = houseWithAlpha();
  const refusal = refusalOf(await house.apply(PLAYBOOK, { confirm: 'a'.repeat(64) }));
  expect(refusal).toMatchObject({ differences: [], diagnostics: [{ code: 'DIGEST_STALE' }] });
});

test('a stored plan that was tampered with proves nothing', async () => {
  const house = houseWithAlpha();
  const reviewed = await house.plan(PLAYBOOK);
  const confirm = digestOf(reviewed);
  house.cloud.changeBox('alpha', { title: 'moved' });
  const tampered = { ...reviewed, digestInput: { ...reviewed.digestInput, stacks: ['x'] } };
  expect(refusalOf(await house.apply(PLAYBOOK, { confirm, reviewed: tampered })).differences).toEqual([]);
});

test('a digest is bound to its verb', async () => {
  const house = houseWithAlpha();
  const confirm = digestOf(await house.plan(PLAYBOOK));
  refusalOf(await house.apply(PLAYBOOK, { confirm, verb: 'destroy' }));
  expect(house.cloud.writes).toEqual([]);
});

test('a digest of the emulator is none of the cloud', async () => {
  const house = houseWithAlpha();
  const confirm = digestOf(await house.plan(PLAYBOOK, { options: { emulator: true } }));
  refusalOf(await house.apply(PLAYBOOK, { confirm }));
  expect(house.cloud.writes).toEqual([]);
});

test('where the world is again what the plan was made for, its digest is valid again', async () => {
  const house = houseWithAlpha();
  const confirm = digestOf(await house.plan(PLAYBOOK));
  house.cloud.changeBox('alpha', { title: 'moved' });
  refusalOf(await house.apply(PLAYBOOK, { confirm }));
  house.cloud.changeBox('alpha', { title: 'was' });
  expect(outcomesOf(await house.applied(PLAYBOOK, { confirm }))).toEqual({
    alpha: 'changed',
    beta: 'changed',
    drop_old: 'deleted',
  });
});

test('a plan is kept before the first write, so that what was interrupted can go on elsewhere', async () => {
  const house = houseWithAlpha();
  const confirm = digestOf(await house.plan(PLAYBOOK));
  house.stored.clear();
  const gate = house.cloud.hold('mem:store:box:alpha');
  const running = house.applied(PLAYBOOK, { confirm });
  await gate.reached;
  expect([...house.stored.keys()]).toEqual([confirm]);
  gate.open();
  await running;
});
