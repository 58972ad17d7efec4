import { expect, test } from 'vitest';
import { at, codesOf, digestOf, House, outcomesOf } from '../../support/in-memory/house.ts';
import { box, boxUrn, playbookOf, readBox } from '../../support/in-memory/playbooks.ts';

const THREE = playbookOf([box('a'), box('b', {}, { dependsOn: ['a'] }), box('c', {}, { dependsOn: ['b'] })]);

test('the first interrupt starts nothing new and lets what is under way settle [F1]', async () => {
  const house = new House();
  const stop = new AbortController();
  const confirm = digestOf(await house.plan(THREE));
  const gate = house.cloud.hold(boxUrn('a'));
  const running = house.applied(THREE, { confirm, settings: { stop: stop.signal } });
  await gate.reached;
  stop.abort();
  gate.open();
  const report = await running;
  expect(outcomesOf(report)).toEqual({ a: 'changed', b: 'skipped', c: 'skipped' });
  expect(at(report, 'b').diagnostics).toMatchObject([{ code: 'INTERRUPTED', severity: 'note' }]);
  expect(house.log.facts.map((fact) => fact.urn)).toEqual([boxUrn('a')]);
  expect([...house.log.held]).toEqual([]);
  expect(outcomesOf(await house.applied(THREE, { confirm }))).toEqual({ a: 'noop', b: 'changed', c: 'changed' });
  expect(house.cloud.written).toEqual(['a', 'b', 'c'].map(boxUrn));
});

test('an interrupt before the first write sends nothing', async () => {
  const house = new House();
  const report = await house.applied(playbookOf([box('a'), readBox('look', 'a', { dependsOn: ['a'] })]), {
    settings: { stop: AbortSignal.abort() },
  });
  expect(outcomesOf(report)).toEqual({ a: 'skipped', look: 'skipped' });
  expect(house.cloud.writes).toEqual([]);
});

test('the second interrupt records what is under way as uncertain and ends', async () => {
  const house = new House();
  const [stop, abort] = [new AbortController(), new AbortController()];
  const confirm = digestOf(await house.plan(THREE));
  const gate = house.cloud.hold(boxUrn('a'));
  const running = house.applied(THREE, { confirm, settings: { stop: stop.signal, abort: abort.signal } });
  await gate.reached;
  stop.abort();
  abort.abort();
  const report = await running;
  expect(outcomesOf(report)).toEqual({ a: 'uncertain', b: 'blocked', c: 'blocked' });
  expect(house.log.outcomes).toMatchObject([{ status: 'uncertain' }]);
  expect([...house.log.held]).toEqual([]);
  expect(outcomesOf(await house.applied(THREE, { confirm }))).toEqual({ a: 'changed', b: 'changed', c: 'changed' });
  expect(house.log.outcomes.map((row) => row.status)).toEqual(['uncertain', 'failed', 'done', 'done', 'done']);
});

test('an interrupt during the look before a write comes in time', async () => {
  const house = new House();
  const stop = new AbortController();
  house.cloud.addBox('b', { title: 'x' });
  const gate = house.cloud.hold(boxUrn('a'));
  const playbook = playbookOf([box('a'), box('b', { title: 'y' }, { dependsOn: ['a'] })]);
  const running = house.applied(playbook, { settings: { stop: stop.signal } });
  await gate.reached;
  house.clock.advance(6000);
  house.cloud.onObserve = (urn) => {
    if (urn === boxUrn('b')) stop.abort();
  };
  gate.open();
  expect(outcomesOf(await running)).toEqual({ a: 'changed', b: 'skipped' });
  expect(house.cloud.written).toEqual([boxUrn('a')]);
});

test('when the time of the whole run is over, nothing new starts', async () => {
  const house = new House();
  const abort = AbortSignal.abort();
  const report = await house.applied(playbookOf([box('a')]), { settings: { abort } });
  expect(outcomesOf(report)).toEqual({ a: 'skipped' });
  expect(codesOf(at(report, 'a').diagnostics)).toEqual(['TIMEOUT']);
});
