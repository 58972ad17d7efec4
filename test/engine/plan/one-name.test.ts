import { expect, test } from 'vitest';
import { at, boxFact, changesOf, codesOf, House, outcomesOf } from '../../support/in-memory/house.ts';
import { box, boxUrn, dropGrant, grant, grantUrn, playbookOf } from '../../support/in-memory/playbooks.ts';

const ID = 'folders/7';
const SITE = playbookOf([box('alpha'), grant('g', { box: 'alpha' })]);

/** What is live and owned is a box with a grant on it, which the log has under the id of the box. */
function houseWith(fields: Parameters<typeof boxFact>[1] = {}): House {
  const house = new House();
  house.cloud.addBox('alpha', { id: ID });
  house.cloud.grants.add(grantUrn('alpha'));
  house.log.remember(boxFact('alpha', { resource_id: ID }), {
    ...boxFact('alpha', fields),
    urn: grantUrn(ID),
    resource_type: 'grant',
    desired: { box: ID, role: 'reader', member: 'user:a' },
  });
  return house;
}

const ownedBy = async (house: House) => [...(await house.log.read('cloud')).model.owned.keys()];

test('what is owned under another way to write its URN moves to the declared one, with nothing sent', async () => {
  const house = houseWith();
  expect(at((await house.plan(SITE)).plan, 'g')).toMatchObject({ change: 'none', record: 'rename', diagnostics: [] });
  await house.applied(SITE);
  expect(house.cloud.written).toEqual([]);
  expect(await ownedBy(house)).toEqual([boxUrn('alpha'), grantUrn('alpha')]);
  expect(house.log.facts.slice(-2)).toMatchObject([
    { urn: grantUrn('alpha'), renamed_from: grantUrn(ID), origin: 'created' },
    { urn: grantUrn(ID), outcome: 'absent', renamed_to: grantUrn('alpha') },
  ]);
  expect(at((await house.plan(SITE)).plan, 'g')).toMatchObject({ change: 'none', record: null });
});

test('what the log does not tell stays another resource', async () => {
  const house = houseWith();
  house.log.remember(boxFact('alpha', { verb: 'delete', outcome: 'absent', resource_id: 'folders/8' }));
  expect(at((await house.plan(SITE)).plan, 'g').record).toBe('own');
});

test('the id of something given up still tells whose it was', async () => {
  const house = houseWith();
  house.log.remember(boxFact('alpha', { verb: 'delete', outcome: 'absent', resource_id: ID, forgotten: true }));
  expect(at((await house.plan(SITE)).plan, 'g').record).toBe('rename');
});

test('a destruction gives it up under both, whether it goes by itself or with what it lies in', async () => {
  for (const playbook of [SITE, playbookOf([grant('g', { box: 'alpha' })])]) {
    const house = houseWith();
    const report = await house.applied(playbook, { verb: 'destroy' });
    expect(outcomesOf(report)['g']).toMatch(/^(absent|deleted)$/);
    expect(await ownedBy(house)).not.toContain(grantUrn(ID));
  }
});

test('a grant that is gone is given up under the other URN, too', async () => {
  const house = houseWith();
  house.cloud.grants.clear();
  const drop = playbookOf([dropGrant('drop', { box: 'alpha' })]);
  expect(at((await house.plan(drop)).plan, 'drop')).toMatchObject({ change: 'none', record: 'tombstone' });
  await house.applied(drop);
  expect(await ownedBy(house)).toEqual([boxUrn('alpha')]);
});

test('what is protected under one URN is protected under the other', async () => {
  const house = houseWith({ protect: true });
  const drop = playbookOf([dropGrant('drop', { box: 'alpha' })]);
  expect(changesOf(await house.plan(drop))).toEqual({ drop: 'held delete' });
  expect(changesOf(await house.plan(SITE, { verb: 'destroy' }))).toEqual({ alpha: 'held delete', g: 'held delete' });
});

test("another stack's is another stack's, whichever URN it has it under", async () => {
  const house = houseWith({ stack: 'net' });
  expect(codesOf(at((await house.plan(SITE)).plan, 'g').diagnostics)).toEqual(['OTHER_STACK']);
  const going = await house.plan(playbookOf([grant('g', { box: 'alpha' })]), { verb: 'destroy' });
  expect(codesOf(at(going.plan, 'g').diagnostics)).toEqual(['NOT_OURS']);
  const adopting = (options: object) => house.plan(SITE, { verb: 'adopt', options });
  expect(at((await adopting({})).plan, 'g').change).toBe('blocked');
  expect(at((await adopting({ takeOver: 'net' })).plan, 'g').change).toBe('adopt');
});
