import { expect, test } from 'vitest';
import type { ExecLine } from '../../../src/engine/ports.ts';
import { boxFact, House, lineOf } from '../../support/in-memory/house.ts';
import { box, boxUrn, dropBox, playbookOf, readBox, ref, type StepMaker } from '../../support/in-memory/playbooks.ts';

const COMMON = ['provider', 'action', 'backend'];
const DRY = { dryRun: null } as const;
const REAL = { dryRun: false } as const;

function keysOf(line: ExecLine): readonly string[] {
  return Object.keys(line.data).sort();
}

function withCommon(...keys: readonly string[]): readonly string[] {
  return [...COMMON, ...keys].sort();
}

async function lineAlone(house: House, step: StepMaker): Promise<ExecLine> {
  const { lines } = await house.exec(playbookOf([step]));
  return lineOf(lines);
}

test('ensure, enforce, dry: what would be called, and no network', async () => {
  const house = new House();
  const line = await lineAlone(house, box('a', { title: 'T', secret: 'hunter2' }, DRY));
  expect(line).toMatchObject({ step: 'a', status: 'success' });
  expect(keysOf(line)).toEqual(withCommon('dry_run', 'changed', 'converge', 'would_call', 'input', 'provider_fact'));
  expect(line.data).toMatchObject({
    provider: 'mem',
    action: 'mem.store.boxes.ensure',
    backend: 'rest',
    dry_run: true,
    changed: false,
    converge: 'ensure_box',
    would_call: { method: 'POST', url: 'https://store.example/v1/box/a', body: { title: 'T' } },
    input: { name: 'a', title: 'T' },
    provider_fact: { verb: 'ensure', outcome: 'planned', urn: boxUrn('a'), execution_id: 0, stack: '<unscoped>' },
  });
  expect(JSON.stringify(line)).not.toContain('hunter2');
  expect(house.pool.opened).toEqual([]);
  expect(house.log.rows).toEqual([]);
});

test('ensure, enforce, applied: the resource and a changed fact', async () => {
  const house = new House();
  const line = await lineAlone(house, box('a', { title: 'T' }, REAL));
  expect(keysOf(line)).toEqual(withCommon('dry_run', 'changed', 'converge', 'resource', 'provider_fact'));
  expect(line.data).toMatchObject({
    dry_run: false,
    changed: true,
    converge: 'ensure_box',
    resource: { boxName: 'a', title: 'T' },
    provider_fact: { outcome: 'changed', origin: 'created', step: 'a' },
  });
  expect(house.log.facts).toEqual([line.data['provider_fact']]);
  expect(house.log.intents).toMatchObject([{ digest: null, operation: 'create' }]);
});

test('ensure, enforce, applied to what is so already: noop, and recorded where the log did not know', async () => {
  const house = new House();
  house.cloud.addBox('a');
  const line = await lineAlone(house, box('a', {}, REAL));
  expect(keysOf(line)).toEqual(withCommon('dry_run', 'changed', 'converge', 'resource', 'provider_fact'));
  expect(line.data).toMatchObject({ changed: false, resource: { boxName: 'a' }, provider_fact: { outcome: 'noop' } });
  expect(house.log.facts).toHaveLength(1);
  await lineAlone(house, box('a', {}, REAL));
  expect(house.log.facts).toHaveLength(1);
});

test('read, dry', async () => {
  const line = await lineAlone(new House(), readBox('look', 'a', DRY));
  expect(keysOf(line)).toEqual(withCommon('dry_run', 'changed', 'converge', 'would_call', 'input'));
  expect(line.data).toMatchObject({ dry_run: true, changed: false, converge: 'single', input: { name: 'a' } });
});

test('read, real', async () => {
  const house = new House();
  house.cloud.addBox('a');
  const line = await lineAlone(house, readBox('look', 'a', REAL));
  expect(keysOf(line)).toEqual(withCommon('dry_run', 'changed', 'converge', 'resource'));
  expect(line.data).toMatchObject({ dry_run: false, changed: false, converge: 'single', resource: { boxName: 'a' } });
});

test('report: drift against the log, never a fact, whatever dry_run says', async () => {
  const house = new House();
  house.cloud.addBox('a', { title: 'live' });
  house.log.remember(boxFact('a', { desired: { name: 'a', title: 'was' } }));
  for (const dryRun of [null, true, false]) {
    const line = await lineAlone(house, box('a', {}, { reconcile: 'report', dryRun }));
    expect(keysOf(line)).toEqual(
      withCommon('reconcile', 'converge', 'urn', 'drift', 'diff', 'desired', 'actual', 'present', 'changed'),
    );
    expect(line.data).toMatchObject({
      reconcile: 'report',
      converge: 'ensure_box',
      urn: boxUrn('a'),
      drift: 'modified',
      diff: { title: { desired: 'was', actual: 'live' } },
      desired: { name: 'a', title: 'was' },
      actual: { title: 'live' },
      present: true,
      changed: false,
    });
    // What the log does not manage is shown as it is, and is no difference.
    expect(line.data['diff']).toEqual({ title: { desired: 'was', actual: 'live' } });
    expect(line.data['actual']).toMatchObject({ parent: 'organizations/1' });
  }
  expect(house.log.rows).toHaveLength(1);
  expect(house.log.lockings).toEqual([]);
});

test('report of what is gone, of a stranger and of nothing', async () => {
  const house = new House();
  house.cloud.addBox('stranger');
  house.log.remember(boxFact('gone'));
  const report = { reconcile: 'report' } as const;
  const { lines } = await house.exec(
    playbookOf([box('gone', {}, report), box('stranger', {}, report), box('nothing', {}, report)]),
  );
  expect(lines.map((line) => [line.data['drift'], line.data['present']])).toEqual([
    ['missing', false],
    ['untracked', true],
    ['not_managed', false],
  ]);
});

test('report with known_desired of the step, in the words of others', async () => {
  const house = new House();
  house.cloud.addBox('a', { title: 'live' });
  const line = await lineAlone(
    house,
    box('a', {}, { reconcile: 'report', knownDesired: { name: 'a', displayTitle: 'live' } }),
  );
  expect(line.data).toMatchObject({ drift: 'in_sync', desired: { title: 'live' } });
});

test('report without auth: undetermined with a note, and a success', async () => {
  const house = new House();
  house.log.remember(boxFact('a'));
  const line = await lineAlone(house, box('a', {}, { reconcile: 'report', auth: null }));
  expect(line).toMatchObject({ status: 'success', data: { drift: 'undetermined', changed: false, urn: boxUrn('a') } });
  expect(String(line.data['note'])).toContain('auth');
  expect(house.cloud.calls).toEqual([]);
});

test('adopt, dry: the diff and the digest to confirm', async () => {
  const house = new House();
  house.cloud.addBox('a', { title: 'live' });
  const line = await lineAlone(house, box('a', { title: 'declared' }, { ...DRY, reconcile: 'adopt' }));
  expect(keysOf(line)).toEqual(
    withCommon(
      ...['reconcile', 'dry_run', 'adopt', 'import', 'urn', 'drift', 'diff', 'desired', 'actual', 'present'],
      ...['plan_digest', 'confirm_hint', 'provider_fact', 'changed', 'converge'],
    ),
  );
  expect(line.data).toMatchObject({
    dry_run: true,
    adopt: true,
    import: true,
    drift: 'untracked',
    plan_digest: expect.stringMatching(/^[0-9a-f]{64}$/),
    provider_fact: { verb: 'adopt', outcome: 'planned' },
  });
  expect(house.log.rows).toEqual([]);
});

test('adopt, applied: adopted, with its fact, and no request but reads', async () => {
  const house = new House();
  house.cloud.addBox('a', { title: 'live' });
  const { lines } = await house.exec(
    playbookOf([
      box('plan_a', { name: 'a', title: 'declared' }, { ...DRY, reconcile: 'adopt' }),
      box(
        'do_a',
        { name: 'a', title: 'declared' },
        { ...REAL, reconcile: 'adopt', confirm: ref('plan_a', 'plan_digest'), dependsOn: ['plan_a'] },
      ),
    ]),
  );
  expect(lines[1]).toMatchObject({
    status: 'success',
    data: { dry_run: false, adopted: true, import: true, provider_fact: { verb: 'adopt', outcome: 'adopted' } },
  });
  expect(house.log.facts).toMatchObject([{ outcome: 'adopted', origin: 'adopted', desired: { title: 'live' } }]);
  expect(house.cloud.writes).toEqual([]);
});

test('destroy, dry: the plan that is confirmed, from a live look', async () => {
  const house = new House();
  const live = house.cloud.addBox('a');
  const line = await lineAlone(house, dropBox('a', DRY));
  expect(keysOf(line)).toEqual(
    withCommon(
      ...['dry_run', 'changed', 'destroy', 'converge', 'plan_digest', 'plan', 'present', 'confirm_hint'],
      'provider_fact',
    ),
  );
  expect(line.data).toMatchObject({
    dry_run: true,
    changed: false,
    destroy: true,
    converge: 'destroy',
    present: true,
    plan: {
      urn: boxUrn('a'),
      resolved_name: live.id,
      etag: '1',
      state: 'ACTIVE',
      present: true,
      request: { method: 'DELETE' },
    },
    provider_fact: { verb: 'delete', outcome: 'planned' },
  });
  expect(Object.keys(line.data['plan'] as object)).toEqual([
    'urn',
    'resolved_name',
    'etag',
    'state',
    'present',
    'request',
  ]);
});

test('destroy, dry, of nothing', async () => {
  const line = await lineAlone(new House(), dropBox('a', DRY));
  expect(line.data).toMatchObject({ present: false, plan: { resolved_name: '<absent>', etag: null, present: false } });
});

test('destroy in two steps, confirmed by the result of the first', async () => {
  const house = new House();
  house.cloud.addBox('a');
  const { lines, handedOut } = await house.exec(
    playbookOf([
      dropBox('a', { ...DRY, address: 'plan_x' }),
      dropBox('a', { ...REAL, confirm: ref('plan_x', 'plan_digest'), dependsOn: ['plan_x'] }),
    ]),
  );
  const line = lineOf(lines, 1);
  expect(keysOf(line)).toEqual(withCommon('dry_run', 'changed', 'destroy', 'converge', 'resource', 'provider_fact'));
  expect(line.data).toMatchObject({
    dry_run: false,
    changed: true,
    destroy: true,
    provider_fact: { outcome: 'deleted' },
  });
  expect(house.cloud.boxes.has('a')).toBe(false);
  expect(handedOut).toEqual(lines);
});

test('destroy, applied, of nothing: already absent', async () => {
  const house = new House();
  house.log.remember(boxFact('a'));
  const { lines } = await house.exec(
    playbookOf([
      dropBox('a', { ...DRY, address: 'plan_x' }),
      dropBox('a', { ...REAL, confirm: ref('plan_x', 'plan_digest'), dependsOn: ['plan_x'] }),
    ]),
  );
  const line = lineOf(lines, 1);
  expect(keysOf(line)).toEqual(
    withCommon('dry_run', 'changed', 'destroy', 'converge', 'resource', 'provider_fact', 'already_absent'),
  );
  expect(line.data).toMatchObject({ changed: false, already_absent: true, provider_fact: { outcome: 'absent' } });
  expect(house.log.facts.at(-1)).toMatchObject({ verb: 'delete', outcome: 'absent' });
});
