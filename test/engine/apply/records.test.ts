import { expect, test } from 'vitest';
import { hasChanges } from '../../../src/core/plan.ts';
import { at, boxFact, House, outcomesOf } from '../../support/in-memory/house.ts';
import { box, boxUrn, dropBox, playbookOf, type StepMaker, shelf } from '../../support/in-memory/playbooks.ts';

/** Applies and checks that what the plan promised to record is all that was, and that nothing is left to record. */
async function recorded(house: House, steps: readonly StepMaker[], run: Parameters<House['applied']>[1] = {}) {
  const before = house.log.rows.length;
  const report = await house.applied(playbookOf(steps), run);
  expect(house.cloud.writes).toEqual([]);
  const rows = house.log.rows.slice(before);
  expect(rows.every((row) => row.type === 'provider.fact')).toBe(true);
  expect(hasChanges((await house.plan(playbookOf(steps), run)).plan)).toBe(false);
  return { report, facts: house.log.facts.slice(-rows.length) };
}

test('a first ownership: one noop fact that says found', async () => {
  const house = new House();
  house.cloud.addBox('a', { id: 'folders/7' });
  const { report, facts } = await recorded(house, [box('a', {}, { stack: 's' })]);
  expect(outcomesOf(report)).toEqual({ a: 'noop' });
  expect(facts).toMatchObject([
    { verb: 'ensure', outcome: 'noop', origin: 'found', stack: 's', resource_id: 'folders/7', step: 'a' },
  ]);
  expect(at(report, 'a').provider_fact).toEqual(facts[0]);
  expect(facts[0]?.execution_id).toBe(report.execution_id);
  expect(facts[0]?.digest).toBe(report.digest);
});

test('protection alone: one noop fact, and the origin stays', async () => {
  const house = new House();
  house.cloud.addBox('a', { id: 'folders/7' });
  house.log.remember(boxFact('a', { resource_id: 'folders/7' }));
  const { facts } = await recorded(house, [box('a', {}, { protect: true })]);
  expect(facts).toMatchObject([{ verb: 'ensure', outcome: 'noop', protect: true }]);
  const { model } = await house.log.read('cloud');
  expect(model.owned.get(boxUrn('a'))?.origin).toBe('created');
  expect(model.protection.get(boxUrn('a'))).toBe(true);
});

test('protection of what is adopted already: one adopted fact, and the origin stays', async () => {
  const house = new House();
  house.cloud.addBox('a', { id: 'folders/7' });
  house.log.remember(boxFact('a', { resource_id: 'folders/7' }));
  const { facts, report } = await recorded(house, [box('a', {}, { protect: true, reconcile: 'adopt' })]);
  expect(outcomesOf(report)).toEqual({ a: 'noop' });
  expect(facts).toMatchObject([{ verb: 'adopt', outcome: 'adopted', protect: true, origin: 'created' }]);
});

test('a tombstone for what someone else deleted', async () => {
  const house = new House();
  house.log.remember(boxFact('a', { resource_id: 'folders/7' }));
  const { facts, report } = await recorded(house, [dropBox('a')]);
  expect(outcomesOf(report)).toEqual({ drop_a: 'absent' });
  expect(facts).toMatchObject([{ verb: 'delete', outcome: 'absent', urn: boxUrn('a') }]);
});

test('another URN for the same resource: owned under the new, then given up under the old', async () => {
  const house = new House();
  const live = house.cloud.addShelf('organizations/1', 'new');
  const old = 'mem:store:shelf:organizations/1/old';
  house.log.remember({
    ...boxFact('x'),
    urn: old,
    resource_type: 'shelf',
    resource_id: live.id,
    desired: { parent: 'organizations/1', title: 'old' },
    protect: true,
  });
  const { facts } = await recorded(house, [shelf('new')]);
  const fresh = 'mem:store:shelf:organizations/1/new';
  expect(facts).toMatchObject([
    { urn: fresh, verb: 'ensure', outcome: 'changed', renamed_from: old, origin: 'created' },
    { urn: old, verb: 'delete', outcome: 'absent', renamed_to: fresh, desired: { title: 'old' } },
  ]);
  const { model } = await house.log.read('cloud');
  expect([...model.owned.keys()]).toEqual([fresh]);
  expect(model.protection.get(fresh)).toBe(true);
});

test('what the log knows already is not written again', async () => {
  const house = new House();
  house.cloud.addBox('a');
  const playbook = playbookOf([box('a')]);
  await house.applied(playbook);
  const rows = house.log.rows.length;
  await house.applied(playbook);
  expect(house.log.rows).toHaveLength(rows);
});

test('an import: one adopted fact with what is live, and drift against the playbook afterwards', async () => {
  const house = new House();
  house.cloud.addBox('a', { id: 'folders/7', title: 'live', labels: { mine: 'live', theirs: 'x' } });
  const { facts, report } = await recorded(house, [
    box('a', { title: 'declared', labels: { mine: 'declared' } }, { reconcile: 'adopt', stack: 's', protect: true }),
  ]);
  expect(outcomesOf(report)).toEqual({ a: 'adopted' });
  expect(facts).toMatchObject([
    { verb: 'adopt', outcome: 'adopted', origin: 'adopted', stack: 's', resource_id: 'folders/7', protect: true },
  ]);
  expect(facts[0]?.desired).toMatchObject({ name: 'a', parent: 'organizations/1', title: 'live' });
});

test('a take-over writes both facts: given up by the one stack, adopted by the other', async () => {
  const house = new House();
  house.cloud.addBox('a', { id: 'folders/7' });
  house.log.remember(boxFact('a', { stack: 'other', resource_id: 'folders/7' }));
  const { facts } = await recorded(house, [box('a', {}, { reconcile: 'adopt', stack: 'mine' })], {
    options: { takeOver: 'other' },
  });
  expect(facts).toMatchObject([
    { verb: 'delete', outcome: 'absent', stack: 'other', forgotten: true },
    { verb: 'adopt', outcome: 'adopted', stack: 'mine' },
  ]);
  expect(facts[0]).not.toHaveProperty('protect');
  expect((await house.log.read('cloud')).model.owned.get(boxUrn('a'))?.stack).toBe('mine');
});

test('an adoption gives its live values to other steps', async () => {
  const house = new House();
  const top = house.cloud.addBox('top');
  const report = await house.applied(
    playbookOf([box('top', {}, { reconcile: 'adopt' }), shelf('s', { parent: 'by-name/top' })]),
  );
  expect(outcomesOf(report)).toEqual({ top: 'adopted', s: 'changed' });
  expect([...house.cloud.shelves.values()]).toMatchObject([{ parent: top.id }]);
});

test('a renaming update writes both names', async () => {
  const house = new House();
  const live = house.cloud.addShelf('organizations/1', 'old');
  const old = 'mem:store:shelf:organizations/1/old';
  house.log.remember({
    ...boxFact('x'),
    urn: old,
    resource_type: 'shelf',
    resource_id: live.id,
    desired: { parent: 'organizations/1', title: 'old' },
  });
  house.cloud.addBox('top', { id: 'folders/50' });
  // Owned under its old URN, found by its new one once someone moved it: the note still differs.
  house.cloud.shelves.set(live.id, { ...live, title: 'new' });
  const report = await house.applied(playbookOf([shelf('new', { note: 'n' })]));
  expect(outcomesOf(report)).toEqual({ new: 'changed' });
  expect(house.log.facts.slice(1)).toMatchObject([
    { verb: 'ensure', outcome: 'changed', renamed_from: old },
    { urn: old, verb: 'delete', renamed_to: 'mem:store:shelf:organizations/1/new' },
  ]);
});
