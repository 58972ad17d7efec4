import { expect, test } from 'vitest';
import { diagnostic } from '../../../src/core/codes.ts';
import { boxFact, codesOf, House, lineOf, thrownBy } from '../../support/in-memory/house.ts';
import { box, boxUrn, dropBox, grant, ORG_GUARD, playbookOf, readBox, ref } from '../../support/in-memory/playbooks.ts';

const REAL = { dryRun: false } as const;

test('a destroy and an adoption without confirm are errors of configuration; nothing is sent', async () => {
  const house = new House();
  house.cloud.addBox('a');
  house.cloud.addBox('b');
  const { lines } = await house.exec(playbookOf([dropBox('a', REAL), box('b', {}, { ...REAL, reconcile: 'adopt' })]));
  for (const line of lines)
    expect(line).toMatchObject({ status: 'error', error: { kind: 'Configuration', code: 'CONFIRM_REQUIRED' } });
  expect(house.cloud.writes).toEqual([]);
  expect(house.log.rows).toEqual([]);
});

test('a confirm that is not of what is live now is refused, and an empty one counts as none', async () => {
  const house = new House();
  house.cloud.addBox('a');
  const dry = await house.exec(playbookOf([dropBox('a')]));
  const confirm = String(lineOf(dry.lines).data['plan_digest']);
  house.cloud.changeBox('a', { title: 'in use' });
  const stale = await house.exec(playbookOf([dropBox('a', { ...REAL, confirm })]));
  expect(lineOf(stale.lines)).toMatchObject({
    status: 'error',
    error: { kind: 'ExecutionFailed', code: 'DIGEST_STALE', message: expect.stringContaining('Nothing was deleted') },
  });
  const empty = await house.exec(playbookOf([dropBox('a', { ...REAL, confirm: '' })]));
  expect(lineOf(empty.lines).error?.code).toBe('CONFIRM_REQUIRED');
  expect(house.cloud.boxes.has('a')).toBe(true);
});

test('a result of a dry step stands as known after apply in a dry step, and is an error in a real one', async () => {
  const house = new House();
  const { lines } = await house.exec(
    playbookOf([
      box('top'),
      box('dry', { parent: ref('top', 'resource.id') }),
      box('real', { parent: ref('top', 'resource.id') }, REAL),
    ]),
  );
  expect(lines[1]).toMatchObject({
    status: 'success',
    data: {
      input: { parent: '(known after apply: top.resource.id)' },
      would_call: { body: { parent: '(known after apply: top.resource.id)' } },
    },
  });
  expect(lines[2]).toMatchObject({ status: 'error', error: { kind: 'Configuration', code: 'TEMPLATE_UNDEFINED' } });
  expect(lines[2]?.error?.message).toContain('(known after apply: top.resource.id)');
  expect(house.cloud.writes).toEqual([]);
});

test('a result of a step that was applied is there for the next', async () => {
  const house = new House();
  await house.exec(playbookOf([box('top', {}, REAL), box('leaf', { parent: ref('top', 'resource.id') }, REAL)]));
  expect(house.cloud.boxes.get('leaf')?.parent).toBe(house.cloud.boxes.get('top')?.id);
});

test('a failure stops what depends on it; what does not runs on', async () => {
  const house = new House();
  house.cloud.mishap(boxUrn('bad'), { kind: 'fail', why: diagnostic('REQUEST_REFUSED', 'no.') });
  const { lines, diagnostics } = await house.exec(
    playbookOf([box('bad', {}, REAL), box('after', {}, { ...REAL, dependsOn: ['bad'] }), box('good', {}, REAL)]),
  );
  expect(lines.map((line) => [line.step, line.status, line.error?.kind, line.error?.code])).toEqual([
    ['bad', 'error', 'Provider', 'REQUEST_REFUSED'],
    ['after', 'error', 'ExecutionFailed', 'BLOCKED'],
    ['good', 'success', undefined, undefined],
  ]);
  expect(codesOf(diagnostics)).toEqual(['REQUEST_REFUSED', 'BLOCKED']);
});

test('with --fail-fast nothing runs after a failure, and after an interrupt nothing either', async () => {
  const house = new House();
  house.cloud.mishap(boxUrn('bad'), { kind: 'fail', why: diagnostic('REQUEST_REFUSED', 'no.') });
  const steps = playbookOf([box('bad', {}, REAL), box('next', {}, REAL)]);
  const fast = await house.exec(steps, { settings: { failFast: true } });
  expect(fast.lines.map((line) => line.status)).toEqual(['error', 'error']);
  const stopped = await new House().exec(steps, { settings: { stop: AbortSignal.abort() } });
  expect(stopped.lines.map((line) => line.error?.code)).toEqual(['INTERRUPTED', 'INTERRUPTED']);
});

test('real steps without auth are errors of configuration', async () => {
  const house = new House();
  const none = { dryRun: false, auth: null };
  const { lines } = await house.exec(
    playbookOf([box('a', {}, none), readBox('look', 'a', none), dropBox('b', { auth: null })]),
  );
  for (const line of lines)
    expect(line).toMatchObject({ status: 'error', error: { kind: 'Configuration', code: 'AUTH_REQUIRED' } });
  expect(house.cloud.calls).toEqual([]);
});

test('a lost answer is an error that leaves its intent open; the next run settles it first', async () => {
  const house = new House();
  house.cloud.mishap(boxUrn('a'), { kind: 'lose', applied: true });
  const playbook = playbookOf([box('a', {}, REAL)]);
  const lost = await house.exec(playbook);
  expect(lineOf(lost.lines).error).toMatchObject({ kind: 'ExecutionFailed', code: 'OUTCOME_UNKNOWN' });
  const again = await house.exec(playbook);
  expect(lineOf(again.lines)).toMatchObject({ status: 'success', data: { changed: false } });
  expect(house.cloud.writes).toHaveLength(1);
  expect(house.log.outcomes.map((row) => row.status)).toEqual(['uncertain', 'done']);
  expect(house.log.facts).toMatchObject([{ outcome: 'changed', origin: 'created' }]);
});

test('an intent is settled once, however many steps name its resource', async () => {
  const house = new House();
  house.cloud.mishap(boxUrn('a'), { kind: 'lose', applied: true });
  await house.exec(playbookOf([box('a', {}, REAL)]));
  await house.exec(playbookOf([box('a', {}, REAL), box('again', { name: 'a', title: 'T' }, REAL)]));
  expect(house.log.outcomes.filter((row) => row.intent_sequence === 1).map((row) => row.status)).toEqual([
    'uncertain',
    'done',
  ]);
});

test('an operation still running is an error with its name in the log', async () => {
  const house = new House();
  house.cloud.mishap(boxUrn('a'), { kind: 'pending', operation: 'operations/1' });
  const { lines } = await house.exec(playbookOf([box('a', {}, REAL)]));
  expect(lineOf(lines).error?.code).toBe('OPERATION_PENDING');
  expect(house.log.outcomes).toMatchObject([{ status: 'pending', operation_name: 'operations/1' }]);
});

test('what is blocked says why', async () => {
  const house = new House();
  house.cloud.addBox('kept');
  house.cloud.addBox('taken');
  house.log.remember(boxFact('kept', { protect: true }), boxFact('taken', { stack: 'other' }));
  const { lines } = await house.exec(
    playbookOf([
      dropBox('kept'),
      box('taken', {}, { reconcile: 'adopt', stack: 'mine' }),
      box('gone', {}, { reconcile: 'adopt' }),
    ]),
  );
  expect(lines.map((line) => line.error?.code)).toEqual(['PROTECTED', 'NOT_OURS', 'ADOPT_ABSENT']);
});

test('the guard is checked offline for all, and live before each real call', async () => {
  const house = new House();
  await thrownBy(house.exec(playbookOf([box('a', { parent: 'organizations/2' }, { guard: ORG_GUARD })])), 'GUARD');
  const foreign = house.cloud.addBox('foreign', { parent: 'organizations/2' });
  const { lines } = await house.exec(
    playbookOf([
      box('dry', { parent: foreign.id }, { guard: ORG_GUARD }),
      box('real', { parent: foreign.id }, { guard: ORG_GUARD, ...REAL }),
    ]),
  );
  expect(lines.map((line) => [line.status, line.error?.kind])).toEqual([
    ['success', undefined],
    ['error', 'Configuration'],
  ]);
  expect(house.cloud.writes).toEqual([]);
});

test('the lock is taken where a step writes, and given back; dry runs take none', async () => {
  const house = new House();
  await house.exec(
    playbookOf([box('a'), box('b', {}, { ...REAL, stack: 's' }), grant('g', { box: 'b' }, { ...REAL })]),
  );
  expect(house.log.lockings).toEqual(['lock <unscoped> s', 'release <unscoped> s']);
  house.log.held.add('s');
  await thrownBy(house.exec(playbookOf([box('c', {}, { ...REAL, stack: 's' })])), 'LOCK_HELD');
  await house.exec(playbookOf([box('c', {}, { stack: 's' })]));
  house.log.writable = false;
  await thrownBy(house.exec(playbookOf([box('c', {}, REAL)])), 'LOG_READ_ONLY');
});

test('a fact that cannot be written is an error, not a success', async () => {
  const house = new House();
  house.cloud.addBox('a');
  house.log.failAppend(1);
  const { lines } = await house.exec(playbookOf([box('a', {}, REAL)]));
  expect(lineOf(lines)).toMatchObject({ status: 'error', error: { code: 'LOG_WRITE' } });
});

test('steps run in written order, after what they depend on', async () => {
  const house = new House();
  const { lines } = await house.exec(playbookOf([box('c', {}, { dependsOn: ['b'] }), box('a'), box('b'), box('d')]));
  expect(lines.map((line) => line.step)).toEqual(['b', 'c', 'a', 'd']);
});

test('what an earlier step of the run made is seen by the next', async () => {
  const house = new House();
  const { lines } = await house.exec(
    playbookOf([box('a', {}, REAL), readBox('look', 'a', REAL), box('again', { name: 'a' }, REAL)]),
  );
  expect(lines.map((line) => line.data['changed'])).toEqual([true, false, false]);
});

test('a chain of any length is put in order', async () => {
  const length = 30_000;
  const chain = Array.from({ length }, (_, index) =>
    box(`s${index}`, {}, index + 1 < length ? { dependsOn: [`s${index + 1}`] } : {}),
  );
  const { lines } = await new House().exec(playbookOf(chain));
  expect(lines[0]?.step).toBe(`s${length - 1}`);
}, 20_000);

test.each(['report', 'adopt'] as const)(
  'under %s the id of what is there is the one that was read',
  async (reconcile) => {
    const house = new House();
    const top = house.cloud.addBox('top');
    house.cloud.addBox('leaf', { parent: top.id });
    const { lines } = await house.exec(
      playbookOf([box('top', {}, { reconcile }), box('leaf', { parent: ref('top', 'resource.id') }, { reconcile })]),
    );
    expect(lines.map(({ status }) => status)).toEqual(['success', 'success']);
    expect(lines[1]?.data).toMatchObject({ reconcile, actual: { parent: top.id }, present: true });
  },
);

test('under report what is absent gives its id after an apply, and what refers to it is absent with it', async () => {
  const house = new House();
  const { lines } = await house.exec(
    playbookOf([
      box('top', {}, { reconcile: 'report' }),
      box('leaf', { parent: ref('top', 'resource.id') }, { reconcile: 'report' }),
    ]),
  );
  expect(lines.map(({ status, data }) => [status, data['drift'], data['present']])).toEqual([
    ['success', 'not_managed', false],
    ['success', 'not_managed', false],
  ]);
});
