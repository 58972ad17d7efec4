import { expect, it } from 'vitest';
import {
  type Cloud,
  codesOf,
  expectExit,
  ORG,
  ORG_ID,
  openCloudInside,
  parsed,
  stepAt,
  TOKEN,
} from '../../support/e2e/cloud.ts';
import { planSchema } from '../../support/e2e/contract.ts';
import { enable, folder, google, grant, project } from '../../support/e2e/playbooks.ts';

const SEED = {
  folders: [{ id: '10', displayName: '10-platform', parent: ORG }],
  projects: [{ projectId: 'acme-web', number: '555', displayName: 'Old Web', parent: ORG }],
};
const RENAME = { project_id: 'acme-web', parent: ORG, display_name: 'Acme Web' };

const factsOf = (cloud: Cloud) =>
  cloud.rows.flatMap((row) =>
    row['type'] === 'provider.fact' ? [row['provider_fact'] as Record<string, unknown>] : [],
  );

it.concurrent('plan and apply render with workload.action = apply, unless --set or --workload says otherwise; exec leaves it', async () => {
  const cloud = await openCloudInside();
  const dry_run = "{{ workload.action != 'apply' }}";
  cloud.write({
    workload: { action: 'plan' },
    steps: [folder('shared', { parent: ORG, display_name: '00-shared' }, { dry_run })],
  });
  expect((await cloud.plan()).plan.summary).toMatchObject({ create: 1, held: 0 });
  expect((await cloud.plan('--set', 'action=plan')).plan.summary).toMatchObject({ create: 0, held: 1 });
  expect((await cloud.plan('--set', 'workload.action=plan')).plan.summary).toMatchObject({ held: 1 });
  cloud.writeText('w.yaml', 'action: plan\n');
  expect((await cloud.plan('--workload', 'w.yaml')).plan.summary).toMatchObject({ held: 1 });
  expect((await cloud.exec()).lines[0]?.data).toMatchObject({ dry_run: true });
  expect(cloud.writes).toEqual([]);
});

it.concurrent('a read without usable auth is held and the plan keeps its digest', async () => {
  const cloud = await openCloudInside();
  cloud.write({
    steps: [
      google(
        'list',
        'cloudresourcemanager.folders.list',
        { parent: ORG },
        { auth: { type: 'bearer', token_env: 'INFRA_NO_SUCH' } },
      ),
      folder('shared', { parent: ORG, display_name: '00-shared' }),
    ],
  });
  const { plan } = await cloud.plan();
  expect(stepAt(plan, 'list')).toMatchObject({ change: 'read', held: 'no auth' });
  expect(plan.digest).not.toBeNull();
  expectExit(await cloud.apply(plan.digest), 0);
});

it.concurrent('an unheld ensure without usable auth is planned offline: no digest, apply exit 4, nothing sent', async () => {
  const cloud = await openCloudInside();
  cloud.write({
    steps: [
      folder(
        'blind',
        { parent: ORG, display_name: '01-blind' },
        { auth: { type: 'bearer', token_env: 'INFRA_NO_SUCH' } },
      ),
      folder('shared', { parent: ORG, display_name: '00-shared' }),
    ],
  });
  const { plan } = await cloud.plan();
  expect(plan).toMatchObject({ mode: 'mixed', digest: null, summary: { unknown: 1, create: 1 } });
  expect(stepAt(plan, 'blind')).toMatchObject({ change: 'unknown', present: 'unknown' });
  const refused = await cloud.fail(['apply', 'playbook.yaml', '--confirm', 'a'.repeat(64)]);
  expect(refused.code).toBe(4);
  expect(cloud.writes).toEqual([]);
});

it.concurrent('a destroy or adopt step without usable auth, or under --offline, is blocked', async () => {
  const cloud = await openCloudInside({ seed: SEED });
  const steps = (auth: object) => [
    google(
      'gone',
      'cloudresourcemanager.folders.delete',
      { parent: ORG, display_name: '10-platform' },
      auth as Record<string, unknown>,
    ),
    project('mine', { project_id: 'acme-web', parent: ORG }, { reconcile: 'adopt', ...auth }),
  ];
  cloud.write({ steps: steps({ auth: { type: 'bearer', token_env: 'INFRA_NO_SUCH' } }) });
  const blind = await cloud.plan();
  expect(blind.plan.steps.map((step) => [step.address, step.change]).sort()).toEqual([
    ['gone', 'blocked'],
    ['mine', 'blocked'],
  ]);
  cloud.write({ steps: steps({}) });
  const offline = await cloud.plan('--offline');
  expect(offline.plan.steps.map((step) => step.change)).toEqual(['blocked', 'blocked']);
  expect(cloud.requests).toEqual([]);
});

it.concurrent('after the last step was done the same digest is exit 0 and sends nothing; where the world is again what it was, it holds again', async () => {
  const cloud = await openCloudInside({ seed: SEED });
  cloud.write({ steps: [project('web', RENAME)] });
  const { plan } = await cloud.plan();
  expectExit(await cloud.apply(plan.digest), 0);
  cloud.resetRequests();
  const done = await cloud.apply(plan.digest);
  expectExit(done, 0);
  expect(cloud.writes).toEqual([]);
  await cloud.outOfBand('PATCH', '/v3/projects/acme-web?updateMask=displayName', { displayName: 'Old Web' });
  const again = await cloud.apply(plan.digest);
  expectExit(again, 0);
  expect(cloud.projectOf('acme-web').displayName).toBe('Acme Web');
});

it.concurrent('a report step shows the change that enforce would make, held; with nothing to change it is none, not held', async () => {
  const cloud = await openCloudInside({ seed: SEED });
  cloud.write({
    defaults: { reconcile: 'report' },
    steps: [project('web', RENAME), folder('platform', { parent: ORG, display_name: '10-platform' })],
  });
  const { plan, code } = await cloud.plan('--detailed-exitcode');
  expect(code).toBe(2);
  expect(stepAt(plan, 'web')).toMatchObject({
    change: 'update',
    held: 'reconcile is report',
    reconcile: 'report',
    drift: 'untracked',
    diff: { display_name: { desired: 'Acme Web', actual: 'Old Web' } },
  });
  expect(stepAt(plan, 'platform')).toMatchObject({ change: 'none', held: null });
  const applied = await cloud.apply(plan.digest);
  expectExit(applied, 2);
  expect(cloud.writes).toEqual([]);
});

it.concurrent('report shows drift against what is recorded', async () => {
  const cloud = await openCloudInside({ seed: SEED });
  cloud.write({ steps: [project('web', RENAME)] });
  expectExit(await cloud.converge(), 0);
  await cloud.outOfBand('PATCH', '/v3/projects/acme-web?updateMask=displayName', { displayName: 'By hand' });
  const { plan } = await cloud.plan('--reconcile', 'report');
  expect(stepAt(plan, 'web')).toMatchObject({
    held: 'reconcile is report',
    drift: 'modified',
    recorded: { display_name: 'Acme Web' },
    actual: { display_name: 'By hand' },
  });
});

it.concurrent('reconcile governs ensure steps only: reads and explicit deletes are null and unaffected', async () => {
  const cloud = await openCloudInside({ seed: SEED });
  cloud.write({
    defaults: { reconcile: 'report' },
    steps: [
      google('list', 'cloudresourcemanager.projects.describe', { project_id: 'acme-web' }),
      google('gone', 'cloudresourcemanager.folders.delete', { parent: ORG, display_name: '10-platform' }),
    ],
  });
  const { plan } = await cloud.plan('--reconcile', 'report');
  expect(plan.steps.map((step) => [step.address, step.reconcile, step.change, step.held]).sort()).toEqual([
    ['gone', null, 'delete', null],
    ['list', null, 'read', null],
  ]);
});

it.concurrent('--reconcile fills in where neither step nor defaults says; report always wins', async () => {
  const cloud = await openCloudInside();
  const steps = (tool: object) => [
    folder('shared', { parent: ORG, display_name: '00-shared' }, tool as Record<string, unknown>),
  ];
  const bare = { endpoint: cloud.emulator.url, auth: cloud.defaults['auth'] };
  const reconcileOf = async (tool: object, defaults: object, ...flags: string[]) => {
    cloud.write({ steps: steps(tool), defaults: { ...bare, reconcile: undefined, ...defaults } });
    const { plan } = await cloud.plan('--no-save', ...flags);
    return [stepAt(plan, 'shared').reconcile, stepAt(plan, 'shared').held];
  };
  expect(await reconcileOf({}, {})).toEqual(['report', 'reconcile is report']);
  expect(await reconcileOf({}, {}, '--reconcile', 'enforce')).toEqual(['enforce', null]);
  expect(await reconcileOf({}, { reconcile: 'report' }, '--reconcile', 'enforce')).toEqual([
    'report',
    'reconcile is report',
  ]);
  expect(await reconcileOf({ reconcile: 'enforce' }, { reconcile: 'report' })).toEqual(['enforce', null]);
  expect(await reconcileOf({ reconcile: 'enforce' }, {}, '--reconcile', 'report')).toEqual([
    'report',
    'reconcile is report',
  ]);
});

it.concurrent('adopt in a playbook: covered by the digest, a fact and no cloud write', async () => {
  const cloud = await openCloudInside({ seed: SEED });
  cloud.write({ defaults: { stack: 'prod' }, steps: [project('web', RENAME, { reconcile: 'adopt' })] });
  const { plan, code } = await cloud.plan('--detailed-exitcode');
  expect(code).toBe(2);
  expect(stepAt(plan, 'web')).toMatchObject({
    change: 'adopt',
    diff: { display_name: { desired: 'Acme Web', actual: 'Old Web' } },
    plan_digest: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
  const applied = await cloud.apply(plan.digest);
  expectExit(applied, 0);
  expect(applied.report.steps[0]?.outcome).toBe('adopted');
  expect(cloud.writes).toEqual([]);
  expect(factsOf(cloud)).toMatchObject([
    {
      verb: 'adopt',
      outcome: 'adopted',
      stack: 'prod',
      desired: { display_name: 'Old Web' },
      resource_id: 'projects/555',
    },
  ]);
});

it.concurrent('adopt of something that moved in between is refused', async () => {
  const cloud = await openCloudInside({ seed: SEED });
  cloud.write({ steps: [project('web', RENAME, { reconcile: 'adopt' })] });
  const { plan } = await cloud.plan();
  await cloud.outOfBand('PATCH', '/v3/projects/acme-web?updateMask=displayName', { displayName: 'Other' });
  const refused = await cloud.fail(['apply', 'playbook.yaml', '--confirm', plan.digest ?? '']);
  expect([refused.code, codesOf(refused.failure.diagnostics)]).toEqual([5, ['DIGEST_STALE']]);
});

it.concurrent('dry_run: true holds; empty or null means true; missing follows the verb; false never makes plan write', async () => {
  const cloud = await openCloudInside();
  const steps = [true, null, '', undefined, false].map((dry_run, index) =>
    folder(`f${index}`, { parent: ORG, display_name: `folder ${index}` }, dry_run === undefined ? {} : { dry_run }),
  );
  cloud.write({ steps });
  const { plan } = await cloud.plan();
  expect(plan.steps.map((step) => step.held)).toEqual(['dry_run', 'dry_run', 'dry_run', null, null]);
  expect(cloud.writes).toEqual([]);
  expectExit(await cloud.apply(plan.digest), 2);
  expect(cloud.writes).toHaveLength(2);
});

it.concurrent('what needs the unknown result of a held step is blocked, unless it is held itself; others go on', async () => {
  const cloud = await openCloudInside();
  const parent = '{{ steps.shared.resource.name }}';
  cloud.write({
    steps: [
      folder('shared', { parent: ORG, display_name: '00-shared' }, { dry_run: true }),
      project('needs', { project_id: 'acme-needs', parent }),
      project('held', { project_id: 'acme-held', parent }, { dry_run: true }),
      folder('free', { parent: ORG, display_name: '01-free' }),
    ],
  });
  const { plan } = await cloud.plan();
  const of = (address: string) => [stepAt(plan, address).change, stepAt(plan, address).held];
  expect(of('needs')[0]).toBe('blocked');
  expect(of('held')[1]).toBe('dry_run');
  expect(of('free')).toEqual(['create', null]);
  const applied = await cloud.apply(plan.digest);
  // Blocked steps under apply; what does not depend on them was done.
  expectExit(applied, 5);
  expect(stepAt(applied.report, 'free').outcome).toBe('changed');
  expect(stepAt(applied.report, 'needs').outcome).toBe('blocked');
  expect(cloud.writes).toEqual(['POST /v3/folders']);
});

it.concurrent('one URN may have one unheld step: a second is an error with both positions', async () => {
  const cloud = await openCloudInside();
  const input = { parent: ORG, display_name: '00-shared' };
  cloud.write({ steps: [folder('one', input), folder('two', input)] });
  const { code, failure } = await cloud.fail(['plan', 'playbook.yaml']);
  expect([code, codesOf(failure.diagnostics)]).toEqual([3, ['DUPLICATE_URN']]);
  const said = JSON.stringify(failure.diagnostics[0]);
  const lines = [...cloud.readText('playbook.yaml').matchAll(/- step: /g)].map(
    (found) => cloud.readText('playbook.yaml').slice(0, found.index).split('\n').length,
  );
  for (const line of lines) expect(said).toContain(String(line));
  cloud.write({ steps: [folder('one', input), folder('two', input, { dry_run: true })] });
  expectExit(await cloud.plan(), 0);
});

it.concurrent('with a start step or any next, what can not be reached is skipped with a note', async () => {
  const cloud = await openCloudInside();
  cloud.write({
    steps: [
      { step: 'start', next: [{ step: 'one' }] },
      folder('one', { parent: ORG, display_name: 'folder one' }),
      folder('lost', { parent: ORG, display_name: 'folder lost' }),
    ],
  });
  const { plan } = await cloud.plan();
  expect(stepAt(plan, 'one').change).toBe('create');
  expect(JSON.stringify(plan.diagnostics) + JSON.stringify(plan.steps)).toContain('lost');
  expect(plan.summary).toMatchObject({ create: 1 });
});

it.concurrent('--target brings what it depends on; the rest is skipped, unread; --exclude and --step likewise', async () => {
  const cloud = await openCloudInside({ seed: SEED });
  cloud.write({
    steps: [
      folder('shared', { parent: ORG, display_name: '00-shared' }),
      project('dns', { project_id: 'acme-dns', parent: '{{ steps.shared.resource.name }}' }),
      grant('team', { organization: ORG, role: 'roles/browser', member: 'group:team@example.com' }),
      enable('apis', { project_id: 'acme-web', services: ['iam.googleapis.com', 'dns.googleapis.com'] }),
    ],
  });
  const changes = async (...flags: string[]) => {
    cloud.resetRequests();
    const { plan } = await cloud.plan('--no-save', ...flags);
    return Object.fromEntries(plan.steps.map((step) => [step.address, step.change]));
  };
  const skipped = { team: 'skipped', 'apis[iam.googleapis.com]': 'skipped', 'apis[dns.googleapis.com]': 'skipped' };
  expect(await changes('--target', 'dns')).toEqual({ ...skipped, shared: 'create', dns: 'create' });
  expect(cloud.requests.filter((request) => /Policy|services/.test(request))).toEqual([]);
  expect(await changes('--step', 'shared')).toMatchObject({ shared: 'create', dns: 'skipped' });
  expect(await changes('--target', 'apis')).toMatchObject({
    'apis[iam.googleapis.com]': 'create',
    'apis[dns.googleapis.com]': 'create',
    team: 'skipped',
  });
  expect(await changes('--target', 'apis[dns.googleapis.com]')).toMatchObject({
    'apis[dns.googleapis.com]': 'create',
    'apis[iam.googleapis.com]': 'skipped',
  });
  const urn = `google:iam:binding:${ORG}/roles/browser/group:team@example.com`;
  expect(await changes('--target', urn)).toMatchObject({ team: 'create', shared: 'skipped' });
  expect(await changes('--exclude', 'team', '--exclude', 'apis')).toEqual({
    ...skipped,
    shared: 'create',
    dns: 'create',
  });
  expect((await cloud.run(['plan', 'playbook.yaml', '--target', 'tema'])).code).toBe(3);
});

it.concurrent('a plan with --target is applied as it was reviewed, from its digest alone', async () => {
  const cloud = await openCloudInside();
  cloud.write({
    steps: [
      folder('one', { parent: ORG, display_name: 'folder one' }),
      folder('two', { parent: ORG, display_name: 'folder two' }),
    ],
  });
  const { plan } = await cloud.plan('--target', 'one');
  const ended = await cloud.run(['apply', '--confirm', plan.digest ?? '', '--format', 'json']);
  expectExit(ended, 0);
  expect(cloud.writes).toEqual(['POST /v3/folders']);
  expect(Object.values(cloud.state.folders).map((item) => item.displayName)).toEqual(['folder one']);
});

it.concurrent('stack: step before defaults before flag before infra.yaml before <unscoped>', async () => {
  const cloud = await openCloudInside();
  const stackOf = async (tool: object, defaults: object, ...flags: string[]) => {
    cloud.write({
      steps: [folder('shared', { parent: ORG, display_name: '00-shared' }, tool as Record<string, unknown>)],
      defaults: defaults as Record<string, unknown>,
    });
    const { plan } = await cloud.plan('--no-save', ...flags);
    expect(plan.stack).toBe(stepAt(plan, 'shared').stack);
    return stepAt(plan, 'shared').stack;
  };
  expect(await stackOf({}, {})).toBeNull();
  cloud.writeText('infra.yaml', 'stack: from-config\n');
  expect(await stackOf({}, {})).toBe('from-config');
  expect(await stackOf({}, {}, '--stack', 'from-flag')).toBe('from-flag');
  expect(await stackOf({}, { stack: 'from-defaults' }, '--stack', 'from-flag')).toBe('from-defaults');
  expect(await stackOf({ stack: 'from-step' }, { stack: 'from-defaults' }, '--stack', 'from-flag')).toBe('from-step');
});

it.concurrent('--set and --workload: dotted paths, list indexes, YAML values, a workload. prefix, the flag over the file', async () => {
  const cloud = await openCloudInside();
  cloud.write({
    workload: { org: ORG_ID, names: [{ folder: 'first name' }, { folder: 'second name' }], deep: { er: 'x' } },
    steps: [
      folder(
        'f',
        { parent: 'organizations/{{ workload.org }}', display_name: '{{ iter.name.folder }}' },
        {},
        { loop: { in: '{{ workload.names }}', iterator: 'name' } },
      ),
    ],
  });
  const names = async (...flags: string[]) =>
    (await cloud.plan('--no-save', ...flags)).plan.steps.map((step) => step.input['display_name']);
  expect(await names('--set', 'names[1].folder=third name')).toEqual(['first name', 'third name']);
  expect(await names('--set', 'workload.names[0].folder=007')).toEqual(['007', 'second name']);
  cloud.writeText('w.yaml', 'names: [ { folder: from the file } ]\n');
  expect(await names('--workload', 'w.yaml')).toEqual(['from the file']);
  expect(await names('--workload', 'w.yaml', '--set', 'names=[{folder: from the flag}]')).toEqual(['from the flag']);
  expect((await cloud.run(['plan', 'playbook.yaml', '--set', 'novalue'])).code).toBe(3);
  expect((await cloud.run(['plan', 'playbook.yaml', '--workload', 'none.yaml'])).code).toBe(3);
});

it.concurrent('plan writes nothing but its plan store; --no-save nothing at all', async () => {
  const cloud = await openCloudInside();
  cloud.write({ steps: [folder('shared', { parent: ORG, display_name: '00-shared' })] });
  await cloud.plan('--no-save');
  expect(() => cloud.readText('.infra/.gitignore')).toThrow();
  const { plan } = await cloud.plan();
  expect(JSON.parse(cloud.readText(`.infra/plans/${plan.digest}.json`))).toMatchObject({
    plan: { digest: plan.digest },
  });
  expect(() => cloud.rows).toThrow();
  expect(cloud.readText(`.infra/plans/${plan.digest}.json`)).not.toContain(TOKEN);
});

it.concurrent('an endpoint that the caller did not allow: planned offline, refused by apply and exec, and no token goes there', async () => {
  const cloud = await openCloudInside();
  cloud.write({
    steps: [
      folder('shared', { parent: ORG, display_name: '00-shared' }, { dry_run: '{{ workload.dry | default(false) }}' }),
    ],
  });
  for (const origin of ['', 'http://127.0.0.1:1']) {
    const env = { INFRA_ALLOW_ENDPOINT: origin };
    const planned = await cloud.run(['plan', 'playbook.yaml', '--format', 'json', '--detailed-exitcode'], env);
    expectExit(planned, 2);
    expect(parsed(planned, planSchema)).toMatchObject({ mode: 'offline', digest: null, summary: { unknown: 1 } });
    const refused = await cloud.fail(['apply', 'playbook.yaml', '--confirm', 'a'.repeat(64)], env);
    expect([refused.code, codesOf(refused.failure.diagnostics)]).toEqual([5, ['ENDPOINT_NOT_ALLOWED']]);
    expect((await cloud.run(['exec', 'playbook.yaml'], env)).code).toBe(5);
  }
  expect(cloud.requests).toEqual([]);
  const flag = ['--allow-endpoint', cloud.emulator.url];
  const allowed = await cloud.run(['plan', 'playbook.yaml', '--detailed-exitcode', ...flag], {
    INFRA_ALLOW_ENDPOINT: '',
  });
  expectExit(allowed, 2);
  expect(cloud.requests).toEqual(['GET /v3/folders']);
});
