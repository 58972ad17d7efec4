import { expect, test } from 'vitest';
import { diagnostic } from '../../../src/core/codes.ts';
import { hasChanges } from '../../../src/core/plan.ts';
import { at, boxFact, codesOf, digestOf, House, outcomesOf, refusalOf } from '../../support/in-memory/house.ts';
import { box, boxUrn, dropBox, playbookOf, ref, shelf } from '../../support/in-memory/playbooks.ts';

const ONE = playbookOf([box('a', { title: 'T' })]);

/** An apply whose one write lost its answer, or is still running. */
async function interrupted(house: House, mishap: Parameters<House['cloud']['mishap']>[1], playbook = ONE) {
  const confirm = digestOf(await house.plan(playbook));
  house.cloud.mishap(boxUrn('a'), mishap);
  await house.applied(playbook, { confirm });
  return confirm;
}

test('it happened: the outcome and the fact are recorded under the digest of its intent, nothing is sent', async () => {
  const house = new House();
  const confirm = await interrupted(house, { kind: 'lose', applied: true });
  const planned = await house.plan(ONE);
  expect(at(planned.plan, 'a')).toMatchObject({ change: 'none', record: null });
  expect(house.log.facts).toEqual([]);
  expect(outcomesOf(await house.applied(ONE))).toEqual({ a: 'noop' });
  expect(house.cloud.written).toHaveLength(1);
  expect(house.log.facts).toMatchObject([
    {
      verb: 'ensure',
      outcome: 'changed',
      origin: 'created',
      digest: confirm,
      resource_id: house.cloud.boxes.get('a')?.id,
    },
  ]);
  expect((await house.log.read('cloud')).openIntents).toEqual([]);
});

test('its outcome is there and its fact was cut off: the fact is recorded from a read', async () => {
  const house = new House();
  await house.applied(ONE, { confirm: digestOf(await house.plan(ONE)) });
  expect(house.log.rows.map(({ type }) => type)).toEqual(['provider.intent', 'provider.outcome', 'provider.fact']);
  const fact = house.log.facts[0];
  house.log.rows.pop();
  expect(outcomesOf(await house.applied(ONE))).toEqual({ a: 'noop' });
  expect(house.cloud.written).toHaveLength(1);
  expect(house.log.facts).toEqual([fact]);
  expect((await house.log.read('cloud')).openIntents).toEqual([]);
});

test('it did not happen: the intent is closed as not applied, and it is sent again as a repeat', async () => {
  const house = new House();
  const confirm = await interrupted(house, { kind: 'lose', applied: false });
  expect(outcomesOf(await house.applied(ONE, { confirm }))).toEqual({ a: 'changed' });
  expect(house.log.outcomes.map((row) => [row.intent_sequence, row.status, row.code])).toEqual([
    [1, 'uncertain', 'OUTCOME_UNKNOWN'],
    [1, 'failed', 'NOT_APPLIED'],
    [4, 'done', null],
  ]);
  expect(new Set(house.cloud.nonces).size).toBe(2);
});

test('an operation that a lost answer named is no operation to be taken up again', async () => {
  const house = new House();
  const confirm = await interrupted(house, { kind: 'lose', applied: false, operation: 'operations/1' });
  expect(outcomesOf(await house.applied(ONE, { confirm }))).toEqual({ a: 'changed' });
  expect(house.cloud.creations).toEqual([boxUrn('a')]);
  expect(house.log.outcomes.map((row) => [row.intent_sequence, row.status])).toEqual([
    [1, 'uncertain'],
    [1, 'failed'],
    [4, 'done'],
  ]);
});

test('it may not be seen: sent again as a repeat, and what is there then is ours', async () => {
  const house = new House();
  const confirm = await interrupted(house, { kind: 'lose', applied: true });
  house.cloud.hidden.add('a');
  const planned = await house.plan(ONE);
  expect(planned.plan.digest).not.toBe(confirm);
  expect(outcomesOf(await house.applied(ONE))).toEqual({ a: 'changed' });
  expect(house.cloud.creations).toEqual([boxUrn('a')]);
});

test('it cannot be read: the resource and its dependants are blocked, everything else goes on', async () => {
  const house = new House();
  await interrupted(house, { kind: 'lose', applied: true });
  house.cloud.unreadable.set('a', diagnostic('UNAVAILABLE', '503'));
  const more = playbookOf([box('a', { title: 'T' }), box('b', {}, { dependsOn: ['a'] }), box('c')]);
  const report = await house.applied(more);
  expect(outcomesOf(report)).toEqual({ a: 'blocked', b: 'blocked', c: 'changed' });
  expect(codesOf(at(report, 'a').diagnostics)).toEqual(['OUTCOME_UNKNOWN']);
  expect((await house.log.read('cloud')).openIntents).toHaveLength(1);
});

test('a delete that happened is a tombstone; one that cannot be told stays open', async () => {
  const house = new House();
  house.cloud.addBox('a');
  house.log.remember(boxFact('a'));
  const drop = playbookOf([dropBox('a')]);
  await interrupted(house, { kind: 'lose', applied: true }, drop);
  house.cloud.hidden.add('a');
  expect(at((await house.plan(drop)).plan, 'drop_a').change).toBe('blocked');
  house.cloud.hidden.clear();
  expect(outcomesOf(await house.applied(drop))).toEqual({ drop_a: 'absent' });
  expect(house.log.facts.at(-1)).toMatchObject({ verb: 'delete', outcome: 'deleted' });
  expect(house.cloud.written).toHaveLength(1);
});

test('a delete that did not happen is sent again', async () => {
  const house = new House();
  house.cloud.addBox('a');
  const drop = playbookOf([dropBox('a')]);
  const confirm = await interrupted(house, { kind: 'lose', applied: false }, drop);
  expect(outcomesOf(await house.applied(drop, { confirm }))).toEqual({ drop_a: 'deleted' });
});

test('an update that happened is recorded with what it set', async () => {
  const house = new House();
  house.cloud.addBox('a', { title: 'old' });
  await interrupted(house, { kind: 'lose', applied: true });
  expect(outcomesOf(await house.applied(ONE))).toEqual({ a: 'noop' });
  expect(house.log.facts).toMatchObject([{ outcome: 'changed', origin: 'found', desired: { title: 'T' } }]);
});

test('an operation still running is taken up again under its own nonce and intent', async () => {
  const house = new House();
  const confirm = await interrupted(house, { kind: 'pending', operation: 'operations/1' });
  const still = await house.applied(ONE, { confirm });
  expect(outcomesOf(still)).toEqual({ a: 'pending' });
  expect(house.log.intents).toHaveLength(1);
  expect(new Set(house.cloud.nonces).size).toBe(1);
  const gate = house.cloud.hold(boxUrn('a'));
  const running = house.applied(ONE, { confirm });
  await gate.reached;
  house.cloud.finishOperation('operations/1');
  gate.open();
  expect(outcomesOf(await running)).toEqual({ a: 'changed' });
  expect(house.log.intents).toHaveLength(1);
  expect(house.log.outcomes.at(-1)).toMatchObject({ intent_sequence: 1, status: 'done' });
  expect(house.log.facts).toMatchObject([{ outcome: 'changed', origin: 'created' }]);
  expect(house.cloud.creations).toEqual([boxUrn('a')]);
});

test('an operation that ended in the meantime is settled by reading, nothing is sent', async () => {
  const house = new House();
  const confirm = await interrupted(house, { kind: 'pending', operation: 'operations/1' });
  house.cloud.finishOperation('operations/1');
  expect(outcomesOf(await house.applied(ONE, { confirm }))).toEqual({ a: 'noop' });
  expect(house.cloud.writes).toHaveLength(1);
  expect(house.log.facts).toMatchObject([{ digest: confirm }]);
});

test('an operation that ends while the run looks again is closed and recorded by that run', async () => {
  const house = new House();
  const playbook = playbookOf([box('first'), box('a', { title: 'T' }, { dependsOn: ['first'] })]);
  const confirm = digestOf(await house.plan(playbook));
  house.cloud.mishap(boxUrn('a'), { kind: 'pending', operation: 'operations/1' });
  await house.applied(playbook, { confirm });
  house.cloud.boxes.delete('first');
  const gate = house.cloud.hold(boxUrn('first'));
  const running = house.applied(playbook);
  await gate.reached;
  house.cloud.finishOperation('operations/1');
  house.clock.advance(6000);
  gate.open();
  expect(at(await running, 'a').outcome).toBe('noop');
  expect((await house.log.read('cloud')).openIntents).toEqual([]);
  expect((await house.log.read('cloud')).model.owned.has(boxUrn('a'))).toBe(true);
  expect(hasChanges((await house.plan(playbook)).plan)).toBe(false);
});

test('a renaming write that was cut short is recorded under both names', async () => {
  const house = new House();
  const old = 'mem:store:shelf:organizations/1/old';
  const fresh = 'mem:store:shelf:organizations/1/new';
  const live = house.cloud.addShelf('organizations/1', 'new');
  house.log.remember({
    ...boxFact('x'),
    urn: old,
    resource_type: 'shelf',
    resource_id: live.id,
    desired: { parent: 'organizations/1', title: 'old' },
  });
  const playbook = playbookOf([shelf('new', { note: 'n' })]);
  const confirm = digestOf(await house.plan(playbook));
  house.cloud.mishap(fresh, { kind: 'lose', applied: true });
  await house.applied(playbook, { confirm });
  await house.applied(playbook, { confirm });
  const { model } = await house.log.read('cloud');
  expect([...model.owned.keys()]).toEqual([fresh]);
  expect(model.owned.get(fresh)?.origin).toBe('created');
});

test('a plan shows settlements and writes none', async () => {
  const house = new House();
  await interrupted(house, { kind: 'lose', applied: true });
  const rows = house.log.rows.length;
  await house.plan(ONE);
  expect(house.log.rows).toHaveLength(rows);
});

test('settlements are recorded even where the digest is then refused', async () => {
  const house = new House();
  await interrupted(house, { kind: 'lose', applied: true });
  refusalOf(await house.apply(ONE, { confirm: 'a'.repeat(64) }));
  expect(house.log.facts).toHaveLength(1);
  expect(house.cloud.written).toHaveLength(1);
});

test('the result of a settled step is there for those that wait for it', async () => {
  const house = new House();
  const playbook = playbookOf([box('a'), box('b', { parent: ref('a', 'resource.id') })]);
  const confirm = await interrupted(house, { kind: 'lose', applied: true }, playbook);
  expect(outcomesOf(await house.applied(playbook, { confirm }))).toEqual({ a: 'noop', b: 'changed' });
  expect(house.cloud.boxes.get('b')?.parent).toBe(house.cloud.boxes.get('a')?.id);
});

test('an intent of another target is not settled here', async () => {
  const house = new House();
  await interrupted(house, { kind: 'lose', applied: true });
  await house.applied(ONE, { options: { emulator: true } });
  expect(house.log.outcomes.map((row) => row.status)).toEqual(['uncertain']);
});

test('an operation under way for another declaration blocks its resource until that is known', async () => {
  const house = new House();
  house.cloud.addBox('a', { title: 'old' });
  await interrupted(house, { kind: 'pending', operation: 'operations/1' });
  const other = playbookOf([box('a', { title: 'U' }), box('b', {}, { dependsOn: ['a'] }), box('c')]);
  const report = await house.applied(other);
  expect(outcomesOf(report)).toEqual({ a: 'blocked', b: 'blocked', c: 'changed' });
  expect(at(report, 'a').diagnostics[0]?.detail).toContain('operations/1');
  house.cloud.finishOperation('operations/1');
  expect(at(await house.applied(other), 'a').outcome).toBe('changed');
  expect(house.cloud.boxes.get('a')?.title).toBe('U');
  expect(house.log.facts.filter((fact) => fact.step === 'a').map((fact) => fact.desired)).toMatchObject([
    { title: 'T' },
    { title: 'U' },
  ]);
});

test('after a delete that is settled, what a stranger made under the name is not ours', async () => {
  const house = new House();
  house.cloud.addBox('a');
  await interrupted(house, { kind: 'lose', applied: true }, playbookOf([dropBox('a')]));
  const gate = house.cloud.hold(boxUrn('a'));
  const running = house.applied(ONE);
  await gate.reached;
  house.cloud.addBox('a', { title: 'theirs' });
  gate.open();
  expect(at(await running, 'a')).toMatchObject({
    outcome: 'failed',
    diagnostics: [{ code: 'OPEN_INTENT' }, { code: 'ALREADY_EXISTS' }],
  });
});

test('a plan shows an interrupted request, of what it declares and of what it does not', async () => {
  const house = new House();
  await interrupted(house, { kind: 'lose', applied: true });
  const { plan } = await house.plan(ONE);
  expect(plan.steps.flatMap(({ diagnostics }) => diagnostics)).toMatchObject([
    { code: 'OPEN_INTENT', detail: expect.stringContaining('was done') },
  ]);
  const other = await house.plan(playbookOf([box('b')]));
  expect(other.plan.diagnostics).toMatchObject([{ code: 'OPEN_INTENT', urn: boxUrn('a') }]);
});

test('a held step is settled all the same, one that is left out is not', async () => {
  const house = new House();
  await interrupted(house, { kind: 'lose', applied: true });
  await house.applied(playbookOf([box('a', { title: 'T' }), box('c')]), { options: { excludes: ['a'] } });
  expect((await house.log.read('cloud')).openIntents).toHaveLength(1);
  await house.applied(playbookOf([box('a', { title: 'U' }, { dryRun: true })]));
  expect((await house.log.read('cloud')).openIntents).toEqual([]);
  expect(house.log.facts).toMatchObject([{ urn: boxUrn('c') }, { urn: boxUrn('a'), desired: { title: 'T' } }]);
});
