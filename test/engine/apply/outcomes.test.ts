import { expect, test } from 'vitest';
import { hasChanges } from '../../../src/core/plan.ts';
import {
  at,
  boxFact,
  codesOf,
  digestOf,
  House,
  outcomesOf,
  refusalOf,
  thrownBy,
} from '../../support/in-memory/house.ts';
import {
  box,
  boxUrn,
  dropBox,
  grant,
  grantUrn,
  playbookOf,
  readBox,
  ref,
  shelf,
  textWith,
} from '../../support/in-memory/playbooks.ts';

test('a tree is built in order, each result used by the next, and then there is nothing left to do', async () => {
  const house = new House();
  const playbook = playbookOf([
    grant('g', { box: 'leaf' }),
    shelf('s', { parent: ref('leaf', 'resource.id'), note: textWith('in ', { address: 'top', path: 'resource.id' }) }),
    box('leaf', { parent: ref('top', 'resource.id') }),
    box('top', { title: 'T' }),
  ]);
  const report = await house.applied(playbook);
  expect(outcomesOf(report)).toEqual({ top: 'changed', leaf: 'changed', s: 'changed', g: 'changed' });
  const [top, leaf] = [house.cloud.boxes.get('top'), house.cloud.boxes.get('leaf')];
  expect(leaf?.parent).toBe(top?.id);
  expect([...house.cloud.shelves.values()]).toMatchObject([{ parent: leaf?.id, note: `in ${top?.id}` }]);
  expect([...house.cloud.grants]).toEqual([grantUrn('leaf')]);
  expect(at(report, 'leaf').resource).toMatchObject({ id: leaf?.id });
  const again = await house.plan(playbook);
  expect(hasChanges(again.plan)).toBe(false);
});

test('updates, moves and restorations are made and reported as changed', async () => {
  const house = new House();
  house.cloud.retention = true;
  const top = house.cloud.addBox('top');
  house.cloud.addBox('edit', { title: 'old', labels: { theirs: '1' } });
  house.cloud.addBox('move');
  house.cloud.addBox('back', { state: 'DELETE_REQUESTED' });
  const playbook = playbookOf([
    box('edit', { title: 'new', labels: { mine: '1' } }),
    box('move', { parent: top.id }),
    box('back', { undelete: true }),
  ]);
  expect(outcomesOf(await house.applied(playbook))).toEqual({ back: 'changed', edit: 'changed', move: 'changed' });
  expect(house.cloud.boxes.get('edit')).toMatchObject({ title: 'new', labels: { theirs: '1', mine: '1' } });
  expect(house.cloud.boxes.get('move')?.parent).toBe(top.id);
  expect(house.cloud.boxes.get('back')?.state).toBe('ACTIVE');
  expect(hasChanges((await house.plan(playbook)).plan)).toBe(false);
});

test('a write leaves its intent, then outcome and fact, under one digest and id', async () => {
  const house = new House();
  const playbook = playbookOf([box('alpha', { title: 'T' }, { stack: 's', protect: true })]);
  const digest = digestOf(await house.plan(playbook));
  const report = await house.applied(playbook);
  expect(house.log.rows[0]?.type).toBe('provider.intent');
  expect(house.log.rows.map((row) => row.type).sort()).toEqual([
    'provider.fact',
    'provider.intent',
    'provider.outcome',
  ]);
  const fact = {
    urn: boxUrn('alpha'),
    provider: 'mem',
    service: 'store',
    resource_type: 'box',
    verb: 'ensure',
    stack: 's',
    desired: { name: 'alpha', parent: 'organizations/1', title: 'T' },
    execution_id: report.execution_id,
    outcome: 'changed',
    resource_id: house.cloud.boxes.get('alpha')?.id,
    origin: 'created',
    protect: true,
    step: 'alpha',
    digest,
  };
  expect(house.log.facts).toEqual([fact]);
  expect(house.log.intents).toMatchObject([
    {
      address: 'alpha',
      urn: boxUrn('alpha'),
      stack: 's',
      operation: 'create',
      digest,
      operation_id: house.cloud.nonces[0],
    },
  ]);
  expect(house.cloud.nonces[0]).toMatch(/^[0-9a-f]{32}$/);
  expect(house.log.outcomes).toMatchObject([{ intent_sequence: 1, status: 'done', code: null, operation_name: null }]);
  expect(at(report, 'alpha')).toMatchObject({ outcome: 'changed', provider_fact: fact, operation: null });
  expect(report).toMatchObject({ command: 'apply', head: await house.log.head() });
  expect(Number.isSafeInteger(report.execution_id)).toBe(true);
});

test('a fact names the credential, and never a token', async () => {
  const house = new House();
  const auth = { type: 'mem', credential: 'admin', scopes: [], token: 'hunter2', tokenEnv: null };
  await house.applied(playbookOf([box('alpha', {}, { auth })]));
  expect(house.log.facts).toMatchObject([{ credential: 'admin' }]);
  expect(JSON.stringify([house.log.rows, house.events])).not.toContain('hunter2');
});

test('deletes leave delete facts without protection and without a word on origin', async () => {
  const house = new House();
  house.cloud.addBox('alpha', { id: 'folders/7' });
  house.log.remember(boxFact('alpha', { protect: false }));
  const report = await house.applied(playbookOf([dropBox('alpha')]));
  expect(at(report, 'drop_alpha').outcome).toBe('deleted');
  const fact = house.log.facts.at(-1);
  expect(fact).toMatchObject({ verb: 'delete', outcome: 'deleted', resource_id: 'folders/7', step: 'drop_alpha' });
  expect(fact).not.toHaveProperty('protect');
  expect(fact).not.toHaveProperty('origin');
  const after = await house.plan(playbookOf([dropBox('alpha')]));
  expect(hasChanges(after.plan)).toBe(false);
});

test('an update of what nobody here made says found; of what we made, created', async () => {
  const house = new House();
  house.cloud.addBox('found', { title: 'x' });
  house.cloud.addBox('ours', { title: 'x' });
  house.log.remember(boxFact('ours', { origin: 'created' }));
  await house.applied(playbookOf([box('found', { title: 'y' }), box('ours', { title: 'y' })]));
  expect(house.log.facts.slice(1).map((fact) => [fact.urn, fact.origin])).toEqual([
    [boxUrn('found'), 'found'],
    [boxUrn('ours'), 'created'],
  ]);
});

test("another stack's creation is found by this one, whether it is changed or only recorded", async () => {
  const house = new House();
  house.cloud.addBox('edit', { title: 'x' });
  house.cloud.addBox('same');
  house.log.remember(boxFact('edit', { stack: 'other' }), boxFact('same', { stack: 'other' }));
  await house.applied(playbookOf([box('edit', { title: 'y' }, { stack: 'mine' }), box('same', {}, { stack: 'mine' })]));
  const { model } = await house.log.read('cloud');
  expect(model.owned.get(boxUrn('edit'))).toMatchObject({ stack: 'mine', origin: 'found' });
  expect(model.owned.get(boxUrn('same'))).toMatchObject({ stack: 'mine', origin: 'found' });
});

test('steps that need no write: noop, read, held, skipped; nothing is sent', async () => {
  const house = new House();
  house.cloud.addBox('same');
  const report = await house.applied(
    playbookOf([
      box('same'),
      readBox('look', 'same'),
      box('dry', {}, { dryRun: true }),
      box('told', {}, { reconcile: 'report' }),
      box('off', {}, { skip: { kind: 'routing', detail: 'routing only' } }),
      dropBox('gone'),
      readBox('dry_look', 'same', { dryRun: true }),
    ]),
  );
  expect(outcomesOf(report)).toEqual({
    same: 'noop',
    look: 'read',
    dry: 'held',
    told: 'held',
    off: 'skipped',
    drop_gone: 'absent',
    dry_look: 'held',
  });
  expect(report.summary).toMatchObject({ noop: 1, read: 1, held: 3, skipped: 1, absent: 1, changed: 0 });
  expect(house.cloud.writes).toEqual([]);
});

test('a blocked step is left, what does not depend on it is done', async () => {
  const house = new House();
  house.cloud.addBox('going', { state: 'DELETE_REQUESTED' });
  const report = await house.applied(
    playbookOf([box('going'), box('after', {}, { dependsOn: ['going'] }), box('free')]),
  );
  expect(outcomesOf(report)).toEqual({ going: 'blocked', after: 'blocked', free: 'changed' });
  expect(house.cloud.written).toEqual([boxUrn('free')]);
});

test('a read that waited for a change is made after it, and gives to what takes from it', async () => {
  const house = new House();
  house.cloud.addBox('top', { title: 'old' });
  const report = await house.applied(
    playbookOf([
      box('top', { title: 'new' }),
      readBox('look', 'top', { dependsOn: ['top'] }),
      box('child', { title: ref('look', 'resource.title') }),
    ]),
  );
  expect(outcomesOf(report)).toEqual({ top: 'changed', look: 'read', child: 'changed' });
  expect(house.cloud.boxes.get('child')?.title).toBe('new');
});

test('something that appeared between plan and write is refused with adoption as the way out [A2]', async () => {
  const house = new House();
  const gate = house.cloud.hold(boxUrn('alpha'));
  const running = house.applied(playbookOf([box('alpha')]));
  await gate.reached;
  house.cloud.addBox('alpha');
  gate.open();
  const report = await running;
  expect(at(report, 'alpha').outcome).toBe('failed');
  expect(at(report, 'alpha').diagnostics).toMatchObject([{ code: 'ALREADY_EXISTS' }]);
  expect(house.log.outcomes).toMatchObject([{ status: 'failed', code: 'ALREADY_EXISTS' }]);
  expect(house.log.facts).toEqual([]);
});

test('without auth the apply is refused with the reason of the auth, and nothing is sent', async () => {
  const house = new House();
  const playbook = playbookOf([box('alpha', {}, { auth: null }), box('beta')]);
  const refusal = refusalOf(await house.apply(playbook, { confirm: '0'.repeat(64) }));
  expect(refusal.diagnostics).toMatchObject([{ code: 'AUTH_REQUIRED', severity: 'error', address: 'alpha' }]);
  expect(house.cloud.writes).toEqual([]);
  expect(house.log.rows).toEqual([]);
});

test('a log that can only be read stops an apply before any request', async () => {
  const house = new House();
  const playbook = playbookOf([box('alpha')]);
  const confirm = digestOf(await house.plan(playbook));
  house.log.writable = false;
  house.cloud.forgetCalls();
  await thrownBy(house.apply(playbook, { confirm }), 'LOG_READ_ONLY');
  expect(house.cloud.calls).toEqual([]);
});

test('the guard is checked live before the first write, over every parent that the plan touches', async () => {
  const house = new House();
  const top = house.cloud.addBox('top', { parent: 'organizations/2' });
  const guard = {
    requireOrg: '1',
    requireOrgDisplayName: 'acme.example',
    requireBillingAccount: null,
    requireCloudId: null,
    requireFolder: null,
  };
  const refusal = refusalOf(await house.apply(playbookOf([box('child', { parent: top.id }, { guard }), box('free')])));
  expect(codesOf(refusal.diagnostics)).toEqual(['GUARD']);
  expect(refusal.diagnostics).toMatchObject([{ address: 'child', source: { file: expect.any(String) } }]);
  expect(house.cloud.writes).toEqual([]);
  expect(house.cloud.calls.flatMap((call) => (call.kind === 'guard' ? call.what : []))).toEqual([top.id]);
});

test('a move is checked against where the resource comes from as well', async () => {
  const house = new House();
  const foreign = house.cloud.addBox('foreign', { parent: 'organizations/2' });
  house.cloud.addBox('child', { parent: foreign.id });
  const guard = {
    requireOrg: '1',
    requireOrgDisplayName: null,
    requireBillingAccount: null,
    requireCloudId: null,
    requireFolder: null,
  };
  refusalOf(await house.apply(playbookOf([box('child', {}, { guard })])));
  expect(house.cloud.writes).toEqual([]);
});

test('an organisation of another name than the pinned one is refused', async () => {
  const house = new House();
  const guard = {
    requireOrg: '1',
    requireOrgDisplayName: 'other.example',
    requireBillingAccount: null,
    requireCloudId: null,
    requireFolder: null,
  };
  expect(codesOf(refusalOf(await house.apply(playbookOf([box('child', {}, { guard })]))).diagnostics)).toEqual([
    'GUARD',
  ]);
  expect(house.cloud.writes).toEqual([]);
});

test('events tell the run from lock to summary, each step once', async () => {
  const house = new House();
  const playbook = playbookOf([box('alpha'), box('beta', {}, { dryRun: true })]);
  const confirm = digestOf(await house.plan(playbook));
  house.events.length = 0;
  await house.applied(playbook, { confirm });
  expect(house.events.map((event) => event.type)).toEqual([
    'lock_acquired',
    'plan_start',
    'step_planned',
    'step_planned',
    'plan_summary',
    'step_outcome',
    'step_start',
    'fact',
    'step_outcome',
    'summary',
  ]);
});
