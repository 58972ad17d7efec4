import { expect, test } from 'vitest';
import { at, boxFact, changesOf, House, outcomesOf, thrownBy } from '../../support/in-memory/house.ts';
import { box, dropBox, playbookOf, readBox, ref } from '../../support/in-memory/playbooks.ts';

const ADOPT = { verb: 'adopt' } as const;

test('every ensure step is an adoption, whatever its reconcile says; a dry one is held, the rest takes no part', async () => {
  const house = new House();
  house.cloud.addBox('enforced', { title: 'live' });
  house.cloud.addBox('reported');
  house.cloud.addBox('dry');
  const playbook = playbookOf([
    box('enforced', { title: 'declared' }),
    box('reported', {}, { reconcile: 'report' }),
    box('dry', {}, { dryRun: true }),
    readBox('look', 'dry'),
    dropBox('old'),
  ]);
  expect(changesOf(await house.plan(playbook, ADOPT))).toEqual({
    enforced: 'adopt',
    reported: 'adopt',
    dry: 'held adopt',
    look: 'skipped',
    drop_old: 'skipped',
  });
  const report = await house.applied(playbook, ADOPT);
  expect(report.command).toBe('adopt');
  expect(report.summary).toMatchObject({ adopted: 2, held: 1, skipped: 2 });
  expect(house.cloud.writes).toEqual([]);
  expect(changesOf(await house.plan(playbook, ADOPT))).toMatchObject({
    enforced: 'none',
    reported: 'none',
    dry: 'held adopt',
  });
});

test('what is absent is listed, what is owned as it is live is left', async () => {
  const house = new House();
  house.cloud.addBox('same');
  house.log.remember(boxFact('same'));
  const result = await house.plan(playbookOf([box('same'), box('gone')]), ADOPT);
  expect(changesOf(result)).toEqual({ same: 'none', gone: 'none' });
  expect(at(result.plan, 'gone')).toMatchObject({ present: false, record: null });
});

test('an adoption by the verb is not the digest of an apply', async () => {
  const house = new House();
  house.cloud.addBox('a');
  const playbook = playbookOf([box('a', {}, { reconcile: 'adopt' })]);
  const [adopt, apply] = [await house.plan(playbook, ADOPT), await house.plan(playbook)];
  expect(at(adopt.plan, 'a').plan_digest).toBe(at(apply.plan, 'a').plan_digest);
  expect(adopt.plan.digest).not.toBe(apply.plan.digest);
});

test('without auth there is nothing to look at', async () => {
  await thrownBy(new House().plan(playbookOf([box('a', {}, { auth: null })]), ADOPT), 'AUTH_REQUIRED');
});

test('after an adoption of something that differs, the playbook is what has to change', async () => {
  const house = new House();
  house.cloud.addBox('a', { title: 'live' });
  const playbook = playbookOf([box('a', { title: 'declared' })]);
  expect(outcomesOf(await house.applied(playbook, ADOPT))).toEqual({ a: 'adopted' });
  expect(at((await house.plan(playbook)).plan, 'a')).toMatchObject({ change: 'update', recorded: { title: 'live' } });
});

test('what the step says was last desired wins over the log', async () => {
  const house = new House();
  house.cloud.addBox('a', { title: 'live' });
  house.log.remember(boxFact('a', { desired: { name: 'a', title: 'live' } }));
  const known = { knownDesired: { name: 'a', title: 'known' } };
  const { plan } = await house.plan(playbookOf([box('a', { title: 'live' }, known)]), ADOPT);
  expect(at(plan, 'a')).toMatchObject({
    change: 'adopt',
    recorded: { title: 'known' },
    diff: { title: { desired: 'known', actual: 'live' } },
  });
});

test('an adoption shown against what the step says was last desired settles: the next one has nothing to record', async () => {
  const house = new House();
  house.cloud.addBox('a', { title: 'live' });
  const known = { knownDesired: { name: 'a', title: 'known' } };
  const playbook = playbookOf([box('a', { title: 'declared' }, known)]);
  expect(at((await house.plan(playbook, ADOPT)).plan, 'a').change).toBe('adopt');
  expect(outcomesOf(await house.applied(playbook, ADOPT))).toEqual({ a: 'adopted' });
  const facts = house.log.facts.length;
  expect(at((await house.plan(playbook, ADOPT)).plan, 'a').change).toBe('none');
  await house.applied(playbook, ADOPT);
  expect(house.log.facts).toHaveLength(facts);
});

test('an absent one that alone was asked for is a refusal, whatever it brings along', async () => {
  const house = new House();
  const top = house.cloud.addBox('top');
  house.log.remember(boxFact('top', { resource_id: top.id }));
  const playbook = playbookOf([box('top'), box('leaf', { parent: ref('top', 'resource.id') }), box('other')]);
  const alone = await house.plan(playbook, { ...ADOPT, options: { targets: ['leaf'] } });
  expect(at(alone.plan, 'leaf').change).toBe('blocked');
  const among = await house.plan(playbook, { ...ADOPT, options: { targets: ['leaf', 'other'] } });
  expect(at(among.plan, 'leaf').change).toBe('none');
});
