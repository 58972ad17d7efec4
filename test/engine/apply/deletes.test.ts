import { expect, test } from 'vitest';
import { diagnostic } from '../../../src/core/codes.ts';
import { hasChanges } from '../../../src/core/plan.ts';
import { at, boxFact, codesOf, House, outcomesOf } from '../../support/in-memory/house.ts';
import { box, boxUrn, dropBox, playbookOf, stepOf } from '../../support/in-memory/playbooks.ts';

test('an explicit delete needs no ownership', async () => {
  const house = new House();
  house.cloud.addBox('a');
  expect(outcomesOf(await house.applied(playbookOf([dropBox('a')])))).toEqual({ drop_a: 'deleted' });
});

test('what is protected stays, whatever else goes', async () => {
  const house = new House();
  house.cloud.addBox('kept');
  house.cloud.addBox('gone');
  house.log.remember(boxFact('kept', { protect: true }));
  const report = await house.applied(playbookOf([dropBox('kept'), dropBox('gone')]));
  expect(outcomesOf(report)).toEqual({ drop_gone: 'deleted', drop_kept: 'held' });
  expect(codesOf(at(report, 'drop_kept').diagnostics)).toEqual(['PROTECTED']);
});

test('what stands in the way blocks the delete and is named', async () => {
  const house = new House();
  house.cloud.addBox('a');
  house.cloud.blockers.set('a', diagnostic('LIEN', 'a lien of the network team.'));
  const report = await house.applied(playbookOf([dropBox('a')]));
  expect(at(report, 'drop_a')).toMatchObject({
    outcome: 'blocked',
    diagnostics: [{ code: 'LIEN', address: 'drop_a' }],
  });
  expect(house.cloud.writes).toEqual([]);
});

test('something that is on its way out already is absent', async () => {
  const house = new House();
  house.cloud.addBox('a', { state: 'DELETE_REQUESTED' });
  house.log.remember(boxFact('a'));
  const playbook = playbookOf([dropBox('a')]);
  expect(outcomesOf(await house.applied(playbook))).toEqual({ drop_a: 'absent' });
  expect(house.cloud.writes).toEqual([]);
  expect(hasChanges((await house.plan(playbook)).plan)).toBe(false);
});

test('deleting what we made, then making it again, is two confirmed plans', async () => {
  const house = new House();
  await house.applied(playbookOf([box('a')]));
  await house.applied(playbookOf([dropBox('a')]));
  await house.applied(playbookOf([box('a')]));
  expect(house.cloud.written).toEqual([boxUrn('a'), boxUrn('a'), boxUrn('a')]);
  expect((await house.log.read('cloud')).model.owned.has(boxUrn('a'))).toBe(true);
});

test('what was gone when the delete arrived was absent, not deleted by us', async () => {
  const house = new House();
  house.cloud.addBox('a');
  const gate = house.cloud.hold(boxUrn('a'));
  const running = house.applied(playbookOf([dropBox('a')]));
  await gate.reached;
  house.cloud.boxes.delete('a');
  gate.open();
  expect(outcomesOf(await running)).toEqual({ drop_a: 'absent' });
  expect(house.log.facts).toMatchObject([{ verb: 'delete', outcome: 'absent' }]);
});

test('a delete under another URN than the one it is owned by ends both', async () => {
  const house = new House();
  const live = house.cloud.addShelf('organizations/1', 'new');
  const old = 'mem:store:shelf:organizations/1/old';
  house.log.remember({
    ...boxFact('x'),
    urn: old,
    resource_type: 'shelf',
    resource_id: live.id,
    desired: { parent: 'organizations/1', title: 'old' },
  });
  await house.applied(
    playbookOf([stepOf('drop', 'mem.store.shelves.delete', { parent: 'organizations/1', title: 'new' })]),
  );
  const { model } = await house.log.read('cloud');
  expect(model.owned.size).toBe(0);
  expect(house.log.facts.slice(1).map((fact) => [fact.urn, fact.outcome])).toEqual([
    [old, 'deleted'],
    ['mem:store:shelf:organizations/1/new', 'deleted'],
  ]);
});
