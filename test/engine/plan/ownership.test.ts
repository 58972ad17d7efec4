import { expect, test } from 'vitest';
import { at, boxFact, codesOf, House } from '../../support/in-memory/house.ts';
import { box, boxUrn, dropBox, playbookOf, shelf } from '../../support/in-memory/playbooks.ts';

test('what is as declared and in no log will be recorded as found', async () => {
  const house = new House();
  house.cloud.addBox('alpha');
  expect(at((await house.plan(playbookOf([box('alpha')]))).plan, 'alpha')).toMatchObject({
    change: 'none',
    record: 'own',
  });
});

test('a change of protection alone is recorded', async () => {
  const house = new House();
  house.cloud.addBox('alpha', { id: 'folders/7' });
  house.log.remember(boxFact('alpha', { resource_id: 'folders/7' }));
  const { plan } = await house.plan(playbookOf([box('alpha', {}, { protect: true })]));
  expect(at(plan, 'alpha')).toMatchObject({ change: 'none', record: 'protect' });
});

test('another declaration of what is already so is recorded', async () => {
  const house = new House();
  house.cloud.addBox('alpha', { id: 'folders/7', title: 't' });
  house.log.remember(boxFact('alpha', { resource_id: 'folders/7' }));
  expect(at((await house.plan(playbookOf([box('alpha', { title: 't' })]))).plan, 'alpha').record).toBe('own');
});

test('a deleted thing that the log still owns gets a tombstone', async () => {
  const house = new House();
  house.log.remember(boxFact('alpha'));
  const { plan } = await house.plan(playbookOf([dropBox('alpha'), dropBox('never')]));
  expect(at(plan, 'drop_alpha')).toMatchObject({ change: 'none', record: 'tombstone' });
  expect(at(plan, 'drop_never')).toMatchObject({ change: 'none', record: null });
});

test('the same resource under another URN is recorded as renamed', async () => {
  const house = new House();
  const live = house.cloud.addShelf('organizations/1', 'new');
  house.log.remember({
    ...boxFact('x'),
    urn: 'mem:store:shelf:organizations/1/old',
    resource_type: 'shelf',
    resource_id: live.id,
    desired: { parent: 'organizations/1', title: 'old' },
  });
  expect(at((await house.plan(playbookOf([shelf('new')]))).plan, 'new')).toMatchObject({
    change: 'none',
    record: 'rename',
  });
});

test('a held step records nothing', async () => {
  const house = new House();
  house.cloud.addBox('alpha');
  house.cloud.addBox('beta');
  const { plan } = await house.plan(
    playbookOf([box('alpha', {}, { dryRun: true }), box('beta', {}, { reconcile: 'report' })]),
  );
  expect(plan.steps.map((step) => step.record)).toEqual([null, null]);
});

test("an ensure on another stack's resource warns and says whose it is", async () => {
  const house = new House();
  house.cloud.addBox('alpha', { title: 'live' });
  house.log.remember(boxFact('alpha', { stack: 'other' }));
  const step = at((await house.plan(playbookOf([box('alpha', { title: 'new' }, { stack: 'mine' })]))).plan, 'alpha');
  expect(step.change).toBe('update');
  expect(step.diagnostics).toMatchObject([
    { code: 'OTHER_STACK', severity: 'warning', urn: boxUrn('alpha'), address: 'alpha' },
  ]);
  expect(step.diagnostics[0]?.detail).toContain('"other"');
});

test('a stack comes from the step, else from the flag, and reads have none', async () => {
  const house = new House();
  const { plan } = await house.plan(playbookOf([box('a', {}, { stack: 'own' }), box('b')]), {
    options: { stack: 'flag' },
  });
  expect(plan).toMatchObject({ stacks: ['flag', 'own'], stack: null });
  expect(plan.steps.map((step) => step.stack)).toEqual(['own', 'flag']);
});

test('what another target recorded is not looked at', async () => {
  const house = new House();
  house.cloud.addBox('alpha');
  house.log.remember(boxFact('alpha', { desired: { name: 'alpha', parent: 'organizations/1' } }));
  const { plan } = await house.plan(playbookOf([box('alpha')]), { options: { emulator: true } });
  expect(plan.target).toBe('emulator');
  expect(at(plan, 'alpha')).toMatchObject({ record: 'own', recorded: null });
});

test('a delete of what a fact or the step protects is held', async () => {
  const house = new House();
  house.cloud.addBox('alpha');
  house.cloud.addBox('beta');
  house.cloud.addBox('gamma');
  house.log.remember(boxFact('alpha', { protect: true }), boxFact('gamma', { protect: false }));
  const { plan } = await house.plan(
    playbookOf([dropBox('alpha'), dropBox('beta', { protect: true }), dropBox('gamma')]),
  );
  expect(plan.steps.map((step) => step.held)).toEqual(['protected', 'protected', null]);
  expect(plan.summary).toMatchObject({ held: 2, delete: 1, blocked: 0 });
  expect(codesOf(at(plan, 'drop_alpha').diagnostics)).toEqual(['PROTECTED']);
});

test('protection outlives ownership', async () => {
  const house = new House();
  house.cloud.addBox('alpha');
  house.log.remember(
    boxFact('alpha', { protect: true }),
    boxFact('alpha', { verb: 'delete', outcome: 'absent', forgotten: true }),
  );
  expect(at((await house.plan(playbookOf([dropBox('alpha')]))).plan, 'drop_alpha').held).toBe('protected');
});

test('nothing that cannot be seen is deleted, unless this log shows that it is gone', async () => {
  const house = new House();
  house.cloud.hidden.add('alpha');
  house.cloud.hidden.add('beta');
  house.log.remember(boxFact('beta'), boxFact('beta', { verb: 'delete', outcome: 'deleted' }));
  const { plan } = await house.plan(playbookOf([dropBox('alpha'), dropBox('beta')]));
  expect(at(plan, 'drop_alpha')).toMatchObject({ change: 'blocked', present: 'unknown' });
  expect(at(plan, 'drop_alpha').diagnostics[0]?.hint).toContain("can't be seen");
  expect(at(plan, 'drop_beta')).toMatchObject({ change: 'none', present: 'unknown' });
});
