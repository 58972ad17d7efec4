import { expect, test } from 'vitest';
import { codesOf, House, thrownBy } from '../../support/in-memory/house.ts';
import { box, dropBox, ORG_GUARD, playbookOf, readBox, shelf, stepOf } from '../../support/in-memory/playbooks.ts';

test('two unheld steps on one resource are an error that names both places', async () => {
  const house = new House();
  const found = await thrownBy(
    house.plan(playbookOf([box('one', { name: 'same' }), box('two', { name: 'same' })])),
    'DUPLICATE_URN',
  );
  expect(found).toMatchObject([{ address: 'two', urn: 'mem:store:box:same', source: { line: 11 } }]);
  expect(found[0]?.detail).toContain('one at org.yaml:10:5 and two at org.yaml:11:5');
  expect(house.cloud.calls).toEqual([]);
});

test('an ensure and a delete of one resource are two unheld steps as well', async () => {
  const house = new House();
  await thrownBy(house.plan(playbookOf([box('same'), dropBox('same')])), 'DUPLICATE_URN');
});

test('a held second step on the same resource is no error', async () => {
  const house = new House();
  const { plan } = await house.plan(
    playbookOf([box('one', { name: 'same' }), box('two', { name: 'same' }, { dryRun: true })]),
  );
  expect(plan.digest).not.toBeNull();
});

test('two spellings that turn out to be one resource are found once they are resolved', async () => {
  const house = new House();
  const top = house.cloud.addBox('top');
  const found = await thrownBy(
    house.plan(
      playbookOf([shelf('one', { parent: top.id, title: 's' }), shelf('two', { parent: 'by-name/top', title: 's' })]),
    ),
    'DUPLICATE_URN',
  );
  expect(found[0]?.detail).toContain('org.yaml:10:5');
  expect(found[0]?.detail).toContain('org.yaml:11:5');
});

test('a circle is printed with the place of each step', async () => {
  const house = new House();
  const found = await thrownBy(
    house.plan(
      playbookOf([
        box('a', {}, { dependsOn: ['c'] }),
        box('b', {}, { dependsOn: ['a'] }),
        box('c', {}, { dependsOn: ['b'] }),
        box('free'),
      ]),
    ),
    'CYCLE',
  );
  expect(found[0]?.detail).toContain(
    'a (org.yaml:10:5) -> c (org.yaml:12:5) -> b (org.yaml:11:5) -> a (org.yaml:10:5)',
  );
  expect(found[0]?.detail).not.toContain('free');
});

test('a step that waits for itself is a circle of one', async () => {
  const house = new House();
  const found = await thrownBy(house.plan(playbookOf([box('a', {}, { dependsOn: ['a'] })])), 'CYCLE');
  expect(found[0]?.detail).toContain('a (org.yaml:10:5) -> a (org.yaml:10:5)');
});

test('every wrong input is reported, not only the first', async () => {
  const house = new House();
  const found = await thrownBy(
    house.plan(
      playbookOf([
        stepOf('one', 'mem.store.boxes.ensure', { name: 'x', nonsense: 1 }),
        stepOf('two', 'mem.store.boxes.ensure', { parent: 'organizations/1' }),
      ]),
    ),
    'UNKNOWN_KEY',
  );
  expect(codesOf(found)).toEqual(['UNKNOWN_KEY', 'MISSING_KEY', 'MISSING_KEY']);
});

test('the guard refuses another organisation before anything is read', async () => {
  const house = new House();
  const found = await thrownBy(
    house.plan(playbookOf([box('a', { parent: 'organizations/2' }, { guard: ORG_GUARD }), readBox('look', 'a')])),
    'GUARD',
  );
  expect(found).toMatchObject([{ address: 'a', source: { file: 'org.yaml', line: 10 } }]);
  expect(house.cloud.calls).toEqual([]);
  expect(house.pool.opened).toEqual([]);
});

test('the guard looks at held steps and dry ones as well', async () => {
  const house = new House();
  await thrownBy(
    house.plan(playbookOf([box('a', { parent: 'organizations/2' }, { guard: ORG_GUARD, dryRun: true })])),
    'GUARD',
  );
});

test('a place that only the cloud can name is checked once it is known', async () => {
  const house = new House();
  house.cloud.boxes.set('odd', { ...house.cloud.addBox('odd'), id: 'organizations/2' });
  const { plan } = await house.plan(playbookOf([shelf('s', { parent: 'by-name/odd' }, { guard: ORG_GUARD })]));
  expect(plan.steps[0]).toMatchObject({ change: 'blocked', diagnostics: [{ code: 'GUARD', address: 's' }] });
});
