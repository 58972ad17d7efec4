import { expect, test } from 'vitest';
import { isHeldChange } from '../../../src/core/plan.ts';
import { at, boxFact, changesOf, House } from '../../support/in-memory/house.ts';
import { box, dropBox, grant, playbookOf, ref, shelf } from '../../support/in-memory/playbooks.ts';

test('dry_run holds a step and says so, be there something to change or not', async () => {
  const house = new House();
  house.cloud.addBox('same');
  const { plan } = await house.plan(
    playbookOf([
      box('alpha', {}, { dryRun: true }),
      box('same', {}, { dryRun: true }),
      box('free', {}, { dryRun: false }),
    ]),
  );
  expect(at(plan, 'alpha')).toMatchObject({ change: 'create', held: 'dry_run' });
  expect(at(plan, 'same')).toMatchObject({ change: 'none', held: 'dry_run', record: null });
  expect(plan.steps.filter(isHeldChange).map(({ address }) => address)).toEqual(['alpha']);
  expect(at(plan, 'free')).toMatchObject({ change: 'create', held: null });
});

test('what is held and as declared gives its result to others, and an apply of it leaves nothing to do', async () => {
  const house = new House();
  house.cloud.addBox('same');
  const playbook = playbookOf([
    box('same', {}, { dryRun: true }),
    shelf('inside', { parent: ref('same', 'resource.id') }),
  ]);
  expect(changesOf(await house.plan(playbook))).toEqual({ same: 'held none', inside: 'create' });
  const applied = await house.applied(playbook);
  expect(applied.steps.map(({ outcome }) => outcome)).toEqual(['held', 'changed']);
});

test('report shows the change that enforce would make, held, with the drift against what is recorded', async () => {
  const house = new House();
  house.cloud.addBox('moved', { title: 'live' });
  house.cloud.addBox('synced', { title: 't' });
  house.cloud.addBox('stranger');
  house.log.remember(
    boxFact('moved', { desired: { name: 'moved', title: 'recorded' } }),
    boxFact('synced', { desired: { name: 'synced', title: 't' } }),
    boxFact('gone', { desired: { name: 'gone', title: 't' } }),
  );
  const report = { reconcile: 'report' } as const;
  const { plan } = await house.plan(
    playbookOf([
      box('moved', { title: 'declared' }, report),
      box('synced', { title: 't' }, report),
      box('stranger', {}, report),
      box('gone', {}, report),
      box('nothing', {}, report),
    ]),
  );
  expect(at(plan, 'moved')).toMatchObject({
    change: 'update',
    held: 'reconcile is report',
    drift: 'modified',
    recorded: { title: 'recorded' },
    diff: { title: { desired: 'declared', actual: 'live' } },
  });
  expect(at(plan, 'synced')).toMatchObject({ change: 'none', held: null, drift: 'in_sync', record: null });
  expect(at(plan, 'stranger')).toMatchObject({ change: 'none', drift: 'untracked', record: null });
  expect(at(plan, 'gone')).toMatchObject({ change: 'create', held: 'reconcile is report', drift: 'missing' });
  expect(at(plan, 'nothing')).toMatchObject({ change: 'create', drift: 'not_managed' });
});

test('known_desired of the step wins over the log', async () => {
  const house = new House();
  house.cloud.addBox('alpha', { title: 'live' });
  house.log.remember(boxFact('alpha', { desired: { name: 'alpha', title: 'logged' } }));
  const { plan } = await house.plan(
    playbookOf([box('alpha', {}, { reconcile: 'report', knownDesired: { name: 'alpha', title: 'live' } })]),
  );
  expect(at(plan, 'alpha')).toMatchObject({ drift: 'in_sync', recorded: { title: 'live' } });
});

test('what could not be seen is unchecked, never missing', async () => {
  const house = new House();
  house.cloud.hidden.add('alpha');
  house.log.remember(boxFact('alpha'));
  const { plan } = await house.plan(playbookOf([box('alpha', {}, { reconcile: 'report' })]));
  expect(at(plan, 'alpha').drift).toBe('unchecked');
});

test('a step that says nothing is a report; the flag fills in, report from the flag always wins', async () => {
  const house = new House();
  const unsaid = playbookOf([box('alpha', {}, { reconcile: null })]);
  const said = playbookOf([box('alpha', {}, { reconcile: 'enforce' })]);
  const held = 'reconcile is report';
  expect(at((await house.plan(unsaid)).plan, 'alpha').held).toBe(held);
  expect(at((await house.plan(unsaid, { options: { reconcile: 'enforce' } })).plan, 'alpha').held).toBeNull();
  expect(at((await house.plan(said, { options: { reconcile: 'report' } })).plan, 'alpha').held).toBe(held);
  expect(at((await house.plan(said, { options: { reconcile: 'adopt' } })).plan, 'alpha').reconcile).toBe('enforce');
});

test('an explicit delete is held by dry_run alone', async () => {
  const house = new House();
  house.cloud.addBox('alpha');
  house.cloud.addBox('beta');
  const result = await house.plan(playbookOf([dropBox('alpha'), dropBox('beta', { dryRun: true })]), {
    options: { reconcile: 'report' },
  });
  expect(changesOf(result)).toEqual({ drop_alpha: 'delete', drop_beta: 'held delete' });
});

test('a held step blocks only those that need its result', async () => {
  const house = new House();
  const result = await house.plan(
    playbookOf([
      box('top', {}, { dryRun: true }),
      shelf('needs', { parent: ref('top', 'resource.id') }),
      grant('inside', { box: 'top' }),
      box('after', {}, { dependsOn: ['top'] }),
      box('held_too', { parent: ref('top', 'resource.id') }, { dryRun: true }),
    ]),
  );
  expect(changesOf(result)).toEqual({
    top: 'held create',
    needs: 'blocked',
    inside: 'blocked',
    after: 'create',
    held_too: 'held create',
  });
  expect(at(result.plan, 'needs').diagnostics[0]?.detail).toContain('top, which is held (dry_run)');
});

test('a held update blocks nobody who needs only what stays', async () => {
  const house = new House();
  const top = house.cloud.addBox('top', { title: 'old' });
  const result = await house.plan(
    playbookOf([
      box('top', { title: 'new' }, { dryRun: true }),
      shelf('needs', { parent: ref('top', 'resource.id') }),
      grant('inside', { box: 'top' }),
    ]),
  );
  expect(changesOf(result)).toEqual({ top: 'held update', needs: 'create', inside: 'create' });
  expect(at(result.plan, 'needs').desired?.['parent']).toBe(top.id);
});

test('a held change is something that an apply leaves undone', async () => {
  const house = new House();
  const { plan } = await house.plan(playbookOf([box('alpha', {}, { dryRun: true })]));
  expect(plan.steps.map(isHeldChange)).toEqual([true]);
});
