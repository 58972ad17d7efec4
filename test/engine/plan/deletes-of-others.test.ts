import { expect, test } from 'vitest';
import { at, boxFact, codesOf, House, lineOf, outcomesOf } from '../../support/in-memory/house.ts';
import { boxUrn, dropBox, dropGrant, grantUrn, playbookOf } from '../../support/in-memory/playbooks.ts';

const GRANT = {
  urn: grantUrn('folders/10'),
  resource_type: 'grant',
  desired: { box: 'folders/10', role: 'reader', member: 'user:a' },
};

/** A box `theirs` of another stack, one `ours`, and one `free` that nobody owns. */
function withThree(): House {
  const house = new House();
  for (const name of ['theirs', 'ours', 'free']) house.cloud.addBox(name);
  house.log.remember(boxFact('theirs', { stack: 'other' }), boxFact('ours'));
  return house;
}

test('an explicit delete of what another stack owns is blocked; what is ours or nobody’s goes', async () => {
  const house = withThree();
  const playbook = playbookOf([dropBox('theirs'), dropBox('ours'), dropBox('free')]);
  const { plan } = await house.plan(playbook);
  expect(at(plan, 'drop_theirs')).toMatchObject({ change: 'blocked', present: true });
  expect(at(plan, 'drop_theirs').diagnostics).toMatchObject([
    { code: 'NOT_OURS', urn: boxUrn('theirs'), hint: expect.stringContaining('--take-over other') },
  ]);
  const report = await house.applied(playbook);
  expect(outcomesOf(report)).toEqual({ drop_theirs: 'blocked', drop_ours: 'deleted', drop_free: 'deleted' });
  expect([...house.cloud.boxes.keys()]).toEqual(['theirs']);
});

test('so it is under exec, dry or not', async () => {
  const house = withThree();
  for (const dryRun of [true, false]) {
    const { lines } = await house.exec(playbookOf([dropBox('theirs', { dryRun, confirm: 'f'.repeat(64) })]));
    expect(lineOf(lines)).toMatchObject({ status: 'error', error: { code: 'NOT_OURS' } });
  }
  expect(house.cloud.writes).toEqual([]);
});

test('a take-over deletes it, and so does the stack that owns it', async () => {
  for (const run of [{ options: { takeOver: 'other' } }, { options: { stack: 'other' } }]) {
    const house = withThree();
    expect(outcomesOf(await house.applied(playbookOf([dropBox('theirs')]), run))).toEqual({ drop_theirs: 'deleted' });
    expect([...(await house.log.read('cloud')).model.owned.keys()]).toEqual([boxUrn('ours')]);
  }
});

test('what is gone already is no one’s to keep, and another name of it changes nothing', async () => {
  const house = new House();
  house.cloud.addBox('a');
  house.cloud.grants.add(grantUrn('a'));
  house.log.remember(boxFact('a', { resource_id: 'folders/10' }), boxFact('a', { ...GRANT, stack: 'other' }));
  const byName = playbookOf([dropGrant('g', { box: 'a' })]);
  expect(codesOf(at((await house.plan(byName)).plan, 'g').diagnostics)).toEqual(['NOT_OURS']);
  house.cloud.grants.clear();
  expect(at((await house.plan(byName)).plan, 'g')).toMatchObject({ change: 'none', present: false });
});
