import { expect, test } from 'vitest';
import { digestOf, House, refusalOf, rounds, thrownBy } from '../../support/in-memory/house.ts';
import { box, boxUrn, playbookOf } from '../../support/in-memory/playbooks.ts';

test('the locks of all stacks are taken in order and given back', async () => {
  const house = new House();
  await house.applied(playbookOf([box('a', {}, { stack: 'two' }), box('b', {}, { stack: 'one' })]));
  expect(house.log.lockings).toEqual(['lock one two', 'release one two']);
});

test('steps without a stack lock the unscoped one, beside whatever others lock', async () => {
  const house = new House();
  await house.applied(playbookOf([box('a', {}, { stack: 'one' }), box('b')]));
  expect(house.log.lockings[0]).toBe('lock <unscoped> one');
});

test('another holder stops the run before anything is read', async () => {
  const house = new House();
  const playbook = playbookOf([box('a', {}, { stack: 'one' })]);
  const confirm = digestOf(await house.plan(playbook));
  house.log.held.add('one');
  house.cloud.forgetCalls();
  await thrownBy(house.apply(playbook, { confirm }), 'LOCK_HELD');
  expect(house.cloud.calls).toEqual([]);
  expect(house.log.held.has('one')).toBe(true);
});

test('locks are held while writes are under way', async () => {
  const house = new House();
  const gate = house.cloud.hold(boxUrn('a'));
  const running = house.applied(playbookOf([box('a', {}, { stack: 'one' })]));
  await gate.reached;
  expect([...house.log.held]).toEqual(['one']);
  gate.open();
  await running;
  expect([...house.log.held]).toEqual([]);
});

test('locks are given back after a refusal, a broken chain and a bug', async () => {
  const house = new House();
  const playbook = playbookOf([box('a', {}, { stack: 'one' })]);
  refusalOf(await house.apply(playbook, { confirm: 'a'.repeat(64) }));
  expect([...house.log.held]).toEqual([]);
  const confirm = digestOf(await house.plan(playbook));
  house.log.broken = true;
  await thrownBy(house.apply(playbook, { confirm }), 'CHAIN_BROKEN');
  expect([...house.log.held]).toEqual([]);
  house.log.broken = false;
  house.cloud.mishap(boxUrn('a'), { kind: 'throw' });
  await expect(house.apply(playbook, { confirm })).rejects.toThrow('a bug in the provider');
  expect([...house.log.held]).toEqual([]);
});

test('a bug in one write lets the others that are under way be recorded before the locks go', async () => {
  const house = new House();
  const gate = house.cloud.hold(boxUrn('slow'));
  house.cloud.mishap(boxUrn('bad'), { kind: 'throw' });
  const running = house.apply(playbookOf([box('slow'), box('bad', {}), box('later', {}, { dependsOn: ['slow'] })]));
  let over = false;
  const ended = running.catch((error: unknown) => error).finally(() => (over = true));
  await gate.reached;
  await rounds(20);
  expect(over).toBe(false);
  expect([...house.log.held]).toEqual(['<unscoped>']);
  gate.open();
  expect(await ended).toMatchObject({ message: 'a bug in the provider' });
  expect(house.log.facts.map((fact) => fact.urn)).toEqual([boxUrn('slow')]);
  expect(house.cloud.written).not.toContain(boxUrn('later'));
  expect(house.log.lockings.at(-1)).toBe('release <unscoped>');
});
