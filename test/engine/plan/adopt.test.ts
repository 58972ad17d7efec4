import { expect, test } from 'vitest';
import { at, boxFact, codesOf, House } from '../../support/in-memory/house.ts';
import { box, playbookOf } from '../../support/in-memory/playbooks.ts';

const ADOPT = { reconcile: 'adopt' } as const;

test('what is live and unowned is imported: the diff is shown, the cloud is not written to', async () => {
  const house = new House();
  house.cloud.addBox('alpha', { title: 'live' });
  const step = at((await house.plan(playbookOf([box('alpha', { title: 'declared' }, ADOPT)]))).plan, 'alpha');
  expect(step).toMatchObject({
    change: 'adopt',
    record: 'own',
    recorded: null,
    diff: { title: { desired: 'declared', actual: 'live' } },
    would_call: [],
    plan_digest: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
});

test('what this stack owns and someone changed is updated in place', async () => {
  const house = new House();
  house.cloud.addBox('alpha', { title: 'live' });
  house.log.remember(boxFact('alpha', { desired: { name: 'alpha', parent: 'organizations/1', title: 'was' } }));
  const step = at((await house.plan(playbookOf([box('alpha', { title: 'was' }, ADOPT)]))).plan, 'alpha');
  expect(step).toMatchObject({ change: 'adopt', recorded: { title: 'was' } });
});

test('what this stack already owns as it is live is not adopted again', async () => {
  const house = new House();
  house.cloud.addBox('alpha', { title: 'live' });
  house.log.remember(boxFact('alpha', { desired: { name: 'alpha', parent: 'organizations/1', title: 'live' } }));
  const step = at((await house.plan(playbookOf([box('alpha', { title: 'declared' }, ADOPT)]))).plan, 'alpha');
  expect(step).toMatchObject({ change: 'none', record: null });
});

test('protection declared on what is owned as it is live is recorded all the same', async () => {
  const house = new House();
  house.cloud.addBox('alpha', { id: 'folders/7', title: 'live' });
  house.log.remember(
    boxFact('alpha', {
      resource_id: 'folders/7',
      desired: { name: 'alpha', parent: 'organizations/1', title: 'live' },
    }),
  );
  const step = at(
    (await house.plan(playbookOf([box('alpha', { title: 'x' }, { ...ADOPT, protect: true })]))).plan,
    'alpha',
  );
  expect(step).toMatchObject({ change: 'none', record: 'protect' });
});

test('what is absent, or on its way out, is blocked', async () => {
  const house = new House();
  house.cloud.addBox('going', { state: 'DELETE_REQUESTED' });
  const { plan } = await house.plan(playbookOf([box('gone', {}, ADOPT), box('going', {}, ADOPT)]));
  expect(plan.steps.map((step) => step.change)).toEqual(['blocked', 'blocked']);
  expect(codesOf(at(plan, 'gone').diagnostics)).toEqual(['ADOPT_ABSENT']);
});

test('what cannot be seen is not adopted blindly', async () => {
  const house = new House();
  house.cloud.hidden.add('alpha');
  expect(at((await house.plan(playbookOf([box('alpha', {}, ADOPT)]))).plan, 'alpha')).toMatchObject({
    change: 'blocked',
    present: 'unknown',
  });
});

test('what another stack owns is refused unless that stack is named', async () => {
  const house = new House();
  house.cloud.addBox('alpha');
  house.log.remember(boxFact('alpha', { stack: 'other' }));
  const playbook = playbookOf([box('alpha', {}, { ...ADOPT, stack: 'mine' })]);
  const refused = at((await house.plan(playbook)).plan, 'alpha');
  expect(refused.change).toBe('blocked');
  expect(refused.diagnostics[0]).toMatchObject({ code: 'NOT_OURS' });
  expect(refused.diagnostics[0]?.detail).toContain('--take-over other');
  const wrong = await house.plan(playbook, { options: { takeOver: 'third' } });
  expect(at(wrong.plan, 'alpha').change).toBe('blocked');
  const right = await house.plan(playbook, { options: { takeOver: 'other' } });
  expect(at(right.plan, 'alpha').change).toBe('adopt');
});

test('what another stack owns under another URN is refused as well, and can be taken over', async () => {
  const house = new House();
  house.cloud.addBox('alpha', { id: 'folders/7' });
  const elsewhere = 'demo:boxes:box:organizations/1/theirs';
  house.log.remember(boxFact('alpha', { urn: elsewhere, stack: 'other', resource_id: 'folders/7' }));
  const playbook = playbookOf([box('alpha', {}, { ...ADOPT, stack: 'mine' })]);
  const refused = at((await house.plan(playbook)).plan, 'alpha');
  expect(refused.change).toBe('blocked');
  expect(refused.diagnostics[0]).toMatchObject({ code: 'NOT_OURS' });
  await house.applied(playbook, { options: { takeOver: 'other' } });
  expect(house.log.facts.slice(1)).toEqual([
    expect.objectContaining({ urn: elsewhere, stack: 'other', verb: 'delete', outcome: 'absent', forgotten: true }),
    expect.objectContaining({ stack: 'mine', verb: 'adopt', outcome: 'adopted' }),
  ]);
});

test('to enforce what another stack owns under another URN is told', async () => {
  const house = new House();
  house.cloud.addBox('alpha', { id: 'folders/7' });
  house.log.remember(boxFact('alpha', { urn: 'demo:boxes:box:x/theirs', stack: 'other', resource_id: 'folders/7' }));
  const step = at((await house.plan(playbookOf([box('alpha', {}, { stack: 'mine' })]))).plan, 'alpha');
  expect(codesOf(step.diagnostics)).toContain('OTHER_STACK');
});
