import { expect, test } from 'vitest';
import { House, outcomesOf, until } from '../../support/in-memory/house.ts';
import {
  AUTH,
  box,
  boxUrn,
  dropBox,
  dropGrant,
  grant,
  grantUrn,
  playbookOf,
  readBox,
  ref,
} from '../../support/in-memory/playbooks.ts';

test('a hundred grants on one box go out in one write, one intent each before it', async () => {
  const house = new House();
  house.cloud.addBox('box');
  const members = Array.from({ length: 100 }, (_, index) => `user:${index}`);
  const report = await house.applied(
    playbookOf(members.map((member) => grant(`g[${member}]`, { box: 'box', member }))),
  );
  expect(report.summary.changed).toBe(100);
  expect(house.cloud.writes).toHaveLength(1);
  expect(house.cloud.writes[0]).toHaveLength(100);
  expect(house.log.rows.slice(0, 100).every((row) => row.type === 'provider.intent')).toBe(true);
  // One nonce for all writes of a run.
  expect(new Set(house.log.intents.map((row) => row.operation_id)).size).toBe(1);
  expect(house.log.facts).toHaveLength(100);
});

test('grants of different boxes go out apart, at once', async () => {
  const house = new House();
  house.cloud.addBox('one');
  house.cloud.addBox('two');
  const [first, second] = [house.cloud.hold(grantUrn('one')), house.cloud.hold(grantUrn('two'))];
  const running = house.applied(playbookOf([grant('a', { box: 'one' }), grant('b', { box: 'two' })]));
  await Promise.all([first.reached, second.reached]);
  expect(house.cloud.writesAtOnce).toBe(2);
  first.open();
  second.open();
  await running;
});

test('what becomes ready while a batch of its box is under way waits and goes out together', async () => {
  const house = new House();
  house.cloud.addBox('box');
  const gate = house.cloud.hold(grantUrn('box', 'first'));
  const [one, two] = [house.cloud.hold(boxUrn('one')), house.cloud.hold(boxUrn('two'))];
  const running = house.applied(
    playbookOf([
      grant('first', { box: 'box', role: 'first' }),
      box('one'),
      box('two'),
      grant('second', { box: 'box', role: 'second' }, { dependsOn: ['one'] }),
      grant('third', { box: 'box', role: 'third' }, { dependsOn: ['two'] }),
    ]),
  );
  await Promise.all([gate.reached, one.reached, two.reached]);
  one.open();
  two.open();
  await until(() => house.log.facts.length === 2);
  expect(house.cloud.writesAtOnce).toBe(1);
  gate.open();
  await running;
  const batches = house.cloud.writes.filter((urns) => urns.some((urn) => urn.includes(':grant:')));
  expect(batches).toEqual([[grantUrn('box', 'first')], [grantUrn('box', 'second'), grantUrn('box', 'third')]]);
});

test('one policy is written one batch at a time, whatever credentials its grants use', async () => {
  const house = new House();
  house.cloud.addBox('box');
  const gate = house.cloud.hold(grantUrn('box', 'a'));
  const running = house.applied(
    playbookOf([
      grant('a', { box: 'box', role: 'a' }),
      grant('b', { box: 'box', role: 'b' }, { auth: { ...AUTH, credential: 'other' } }),
      box('free'),
    ]),
  );
  await gate.reached;
  await until(() => house.log.facts.some((fact) => fact.urn === boxUrn('free')));
  expect(house.cloud.written).not.toContain(grantUrn('box', 'b'));
  gate.open();
  expect(outcomesOf(await running)).toEqual({ a: 'changed', b: 'changed', free: 'changed' });
});

test('no more writes at once than parallelism allows', async () => {
  const house = new House();
  const names = Array.from({ length: 20 }, (_, index) => `b${index}`);
  const gates = names.map((name) => house.cloud.hold(boxUrn(name)));
  const running = house.applied(playbookOf(names.map((name) => box(name))), { settings: { parallelism: 3 } });
  await Promise.race(gates.map((gate) => gate.reached));
  for (const gate of gates) gate.open();
  const report = await running;
  expect(report.summary.changed).toBe(20);
  expect(house.cloud.mostWritesAtOnce).toBe(3);
});

test('with parallelism 1 everything goes one after the other, by address within a layer', async () => {
  const house = new House();
  await house.applied(playbookOf([box('b'), box('a'), box('c', {}, { dependsOn: ['b'] })]), {
    settings: { parallelism: 1 },
  });
  expect(house.cloud.writes).toEqual([[boxUrn('a')], [boxUrn('b')], [boxUrn('c')]]);
  expect(house.cloud.mostWritesAtOnce).toBe(1);
});

test('a deep chain and a wide fan are walked to the end', async () => {
  const house = new House();
  const chain = Array.from({ length: 200 }, (_, index) =>
    box(`c${index}`, {}, index === 0 ? {} : { dependsOn: [`c${index - 1}`] }),
  );
  const fan = Array.from({ length: 200 }, (_, index) => box(`f${index}`, {}, { dependsOn: ['c0'] }));
  const report = await house.applied(playbookOf([...chain, ...fan]));
  expect(report.summary.changed).toBe(400);
});

test('deletes of what lies on a box go before the box', async () => {
  const house = new House();
  house.cloud.addBox('box');
  house.cloud.grants.add(grantUrn('box'));
  await house.applied(playbookOf([dropBox('box'), dropGrant('drop_grant', { box: 'box' })]));
  expect(house.cloud.written).toEqual([grantUrn('box'), boxUrn('box')]);
});

test('a step behind a read whose answer the plan has already is reached', async () => {
  const house = new House();
  house.cloud.addBox('same', { title: 'T' });
  const report = await house.applied(
    playbookOf([
      box('same'),
      readBox('look', 'same', { dependsOn: ['same'] }),
      box('leaf', { title: ref('look', 'resource.title') }),
      box('last', {}, { dependsOn: ['leaf'] }),
    ]),
  );
  expect(outcomesOf(report)).toEqual({ same: 'noop', look: 'read', leaf: 'changed', last: 'changed' });
});
