import { expect, test } from 'vitest';
import { at, changesOf, codesOf, House, refusalOf } from '../../support/in-memory/house.ts';
import { BROKEN_AUTH, box, dropBox, playbookOf, readBox, ref } from '../../support/in-memory/playbooks.ts';

const NONE = { auth: null };

test('without auth an ensure is unknown, the plan has no digest and says why', async () => {
  const house = new House();
  const { plan } = await house.plan(playbookOf([box('alpha', {}, NONE), box('beta')]));
  expect(plan).toMatchObject({ digest: null, mode: 'mixed', summary: { unknown: 1, create: 1 } });
  expect(at(plan, 'alpha')).toMatchObject({
    change: 'unknown',
    present: 'unknown',
    held: null,
    diagnostics: [{ code: 'AUTH_REQUIRED', severity: 'note' }],
  });
  expect(at(plan, 'alpha').would_call).toMatchObject([{ method: 'POST' }]);
  expect(codesOf(plan.diagnostics)).toContain('UNDECIDED');
});

test('a credential that cannot be had is the same as none, with its own reason', async () => {
  const house = new House();
  const { plan } = await house.plan(playbookOf([box('alpha', {}, { auth: BROKEN_AUTH })]));
  expect(at(plan, 'alpha')).toMatchObject({ change: 'unknown', diagnostics: [{ code: 'AUTHENTICATION' }] });
});

test('a read without auth is held and the plan keeps its digest', async () => {
  const house = new House();
  const { plan } = await house.plan(playbookOf([readBox('look', 'top', NONE), box('alpha')]));
  expect(at(plan, 'look')).toMatchObject({ change: 'read', held: 'no auth', present: 'unknown' });
  expect(plan.digest).not.toBeNull();
});

test('what needs the result of a read without auth is blocked', async () => {
  const house = new House();
  const result = await house.plan(
    playbookOf([readBox('look', 'top', NONE), box('alpha', { title: ref('look', 'resource.title') })]),
  );
  expect(changesOf(result)).toEqual({ look: 'held read', alpha: 'blocked' });
});

test('a held ensure without auth takes no digest away', async () => {
  const house = new House();
  const { plan } = await house.plan(playbookOf([box('alpha', {}, { auth: null, dryRun: true })]));
  expect(at(plan, 'alpha')).toMatchObject({ change: 'unknown', held: 'dry_run' });
  expect(plan.digest).not.toBeNull();
});

test('a delete and an adoption without auth are blocked', async () => {
  const house = new House();
  house.cloud.addBox('alpha');
  house.cloud.addBox('beta');
  const result = await house.plan(
    playbookOf([dropBox('alpha', NONE), box('beta', {}, { auth: null, reconcile: 'adopt' })]),
  );
  expect(changesOf(result)).toEqual({ drop_alpha: 'blocked', beta: 'blocked' });
  expect(result.plan.digest).not.toBeNull();
});

test('offline nothing is opened and nothing is read', async () => {
  const house = new House();
  const result = await house.plan(playbookOf([box('alpha'), readBox('look', 'alpha'), dropBox('old')]), {
    options: { offline: true },
  });
  expect(changesOf(result)).toEqual({ alpha: 'unknown', look: 'held read', drop_old: 'blocked' });
  expect(result.plan).toMatchObject({ mode: 'offline', digest: null });
  expect(at(result.plan, 'look').held).toBe('no auth');
  expect(house.pool.opened).toEqual([]);
  expect(house.cloud.calls).toEqual([]);
});

test('what stands on the result of an undecided step is undecided as well: nothing says that it is absent', async () => {
  const house = new House();
  const result = await house.plan(
    playbookOf([box('top', {}, NONE), box('child', { parent: ref('top', 'resource.id') })]),
  );
  expect(changesOf(result)).toEqual({ top: 'unknown', child: 'unknown' });
  expect(at(result.plan, 'child').unknown).toEqual(['parent']);
});

test('an apply tells one cause once, with the steps that it keeps from going on', async () => {
  const house = new House();
  const playbook = playbookOf([box('alpha', {}, { auth: BROKEN_AUTH }), box('beta', {}, { auth: BROKEN_AUTH })]);
  const { diagnostics } = refusalOf(await house.apply(playbook, { confirm: 'a'.repeat(64) }));
  expect(diagnostics).toMatchObject([
    { code: 'AUTHENTICATION', address: null, detail: expect.stringMatching(/ It is so for alpha, beta\.$/) },
  ]);
});

test('a destruction without auth says so, also where all of it would be kept', async () => {
  const house = new House();
  await house.applied(playbookOf([box('alpha', {}, { protect: true })]));
  const destroyed = (auth: object) =>
    house.plan(playbookOf([box('alpha', {}, { protect: true, ...auth })]), { verb: 'destroy' });
  expect(at((await destroyed(NONE)).plan, 'alpha')).toMatchObject({
    held: 'protected',
    diagnostics: [{ code: 'AUTH_REQUIRED', severity: 'error' }],
  });
  expect(at((await destroyed({})).plan, 'alpha').diagnostics).toEqual([]);
});
