import { expect, it } from 'vitest';
import { codesOf, expectExit, ORG, openCloud } from '../../support/e2e/cloud.ts';
import { folder, google, grant, project } from '../../support/e2e/playbooks.ts';

const COMMON = ['action', 'backend', 'provider'];
const REPORT = [...COMMON, 'actual', 'changed', 'converge', 'desired', 'diff', 'drift', 'present', 'reconcile', 'urn'];
const ADOPT = [
  ...COMMON,
  'actual',
  'adopt',
  'changed',
  'confirm_hint',
  'converge',
  'desired',
  'diff',
  'drift',
  'dry_run',
  'import',
  'plan_digest',
  'present',
  'provider_fact',
  'reconcile',
  'urn',
];
const SEED = {
  projects: [{ projectId: 'st-prod', number: '77', displayName: 'st-prod', parent: 'folders/2' }],
  folders: [
    { id: '1', displayName: 'one', parent: ORG },
    { id: '2', displayName: 'two', parent: ORG },
  ],
};
const KNOWN = { known_desired: { project_id: 'st-prod', parent: 'folders/1' } };

const keysOf = (data: object | undefined) => Object.keys(data ?? {}).sort();

it.concurrent('report: drift against what is known, field by field; never a fact, never a write, exit 0', async () => {
  const cloud = await openCloud({ seed: SEED });
  cloud.write({
    steps: [
      project('p', { project_id: 'st-prod', parent: 'folders/1' }, { reconcile: 'report', dry_run: false, ...KNOWN }),
    ],
  });
  const ended = await cloud.exec();
  expectExit(ended, 0);
  const [line] = ended.lines;
  expect(keysOf(line?.data)).toEqual(REPORT.sort());
  expect(line?.data).toMatchObject({
    reconcile: 'report',
    drift: 'modified',
    changed: false,
    present: true,
    diff: { parent: { desired: 'folders/1', actual: 'folders/2' } },
    desired: { project_id: 'st-prod', parent: 'folders/1' },
    actual: { parent: 'folders/2' },
  });
  expect(cloud.writes).toEqual([]);
});

it.concurrent('report is the default, and without auth the drift is undetermined, with a note and without a request', async () => {
  const cloud = await openCloud({ seed: SEED });
  cloud.writeText(
    'playbook.yaml',
    `apiVersion: infra/v1
metadata: { name: bare }
workflow:
  - step: p
    tool: { kind: provider, provider: google, action: google.cloudresourcemanager.projects.ensure, endpoint: ${cloud.emulator.url}, input: { project_id: st-prod, parent: folders/1 } }
`,
  );
  const ended = await cloud.exec();
  expectExit(ended, 0);
  expect(ended.lines[0]?.data).toMatchObject({
    reconcile: 'report',
    drift: 'undetermined',
    changed: false,
    note: expect.any(String),
  });
  expect(ended.lines[0]?.data).not.toHaveProperty('provider_fact');
  expect(cloud.requests).toEqual([]);
});

it.concurrent('report of what may not be read says why, and not that it is absent', async () => {
  const cloud = await openCloud();
  cloud.write({ steps: [project('p', { project_id: 'not-mine', parent: ORG }, { reconcile: 'report', ...KNOWN })] });
  const ended = await cloud.exec();
  expectExit(ended, 0);
  expect(ended.lines[0]?.data).toMatchObject({ drift: 'unchecked', present: 'unknown' });
  expect(ended.lines[0]?.data['note']).toContain('could not be read');
});

it.concurrent('adopt: the diff and a digest first; with the digest a fact and no write; a stale digest is refused', async () => {
  const cloud = await openCloud({ seed: SEED });
  const input = { project_id: 'st-prod', parent: 'folders/1' };
  cloud.write({ steps: [project('adopt_plan', input, { reconcile: 'adopt', dry_run: true, ...KNOWN })] });
  const dry = await cloud.exec();
  expectExit(dry, 0);
  const [planned] = dry.lines;
  expect(keysOf(planned?.data)).toEqual(ADOPT.sort());
  expect(planned?.data).toMatchObject({
    adopt: true,
    dry_run: true,
    import: false,
    diff: { parent: { desired: 'folders/1', actual: 'folders/2' } },
    provider_fact: { verb: 'adopt', outcome: 'planned' },
  });
  const confirm = planned?.data['plan_digest'];

  cloud.write({ steps: [project('adopt_apply', input, { reconcile: 'adopt', dry_run: false, confirm, ...KNOWN })] });
  const applied = await cloud.exec();
  expectExit(applied, 0);
  expect(keysOf(applied.lines[0]?.data)).toEqual([...ADOPT, 'adopted'].sort());
  expect(applied.lines[0]?.data).toMatchObject({
    adopted: true,
    provider_fact: { verb: 'adopt', outcome: 'adopted', desired: { parent: 'folders/2' } },
  });
  expect(cloud.rows.map((row) => row['type'])).toEqual(['provider.fact']);

  await cloud.outOfBand('POST', '/v3/projects/st-prod:move', { destinationParent: ORG });
  const stale = await cloud.exec();
  expect([stale.code, stale.lines[0]?.error?.code]).toEqual([5, 'DIGEST_STALE']);
  expect(cloud.writes).toEqual([]);
  expect(cloud.rows).toHaveLength(1);
});

it.concurrent('adopt of what nobody owns is an import; of what is not there it is refused', async () => {
  const cloud = await openCloud({ seed: SEED });
  cloud.write({
    steps: [
      project('p', { project_id: 'st-prod', parent: 'folders/2' }, { reconcile: 'adopt', dry_run: true }),
      folder('none', { parent: ORG, display_name: 'not there' }, { reconcile: 'adopt', dry_run: true }),
    ],
  });
  const ended = await cloud.exec();
  expect(ended.code).toBe(5);
  expect(ended.lines[0]?.data).toMatchObject({ import: true, drift: 'untracked', present: true });
  expect(ended.lines[1]).toMatchObject({ status: 'error', error: { code: 'ADOPT_ABSENT' } });
});

it.concurrent('no auth on a real call is a Configuration error before any request, exit 4', async () => {
  const cloud = await openCloud();
  const text = `apiVersion: infra/v1
metadata: { name: bare }
workflow:
  - step: f
    tool: { kind: provider, provider: google, action: google.cloudresourcemanager.folders.ensure, reconcile: enforce, dry_run: false, endpoint: ${cloud.emulator.url}, input: { parent: ${ORG}, display_name: 00-shared } }
`;
  cloud.writeText('playbook.yaml', text);
  const ended = await cloud.exec();
  expect(ended.code).toBe(4);
  expect(ended.lines[0]).toMatchObject({ status: 'error', error: { kind: 'Configuration', code: 'AUTH_REQUIRED' } });
  expect(cloud.requests).toEqual([]);
});

it.concurrent('a reference to a step that ran dry is a placeholder in a dry step, and an error in one that is not', async () => {
  const cloud = await openCloud();
  const shared = folder('shared', { parent: ORG, display_name: '00-shared' }, { dry_run: true });
  const input = { project_id: 'acme-dns', parent: '{{ steps.shared.resource.name }}' };
  cloud.write({ steps: [shared, project('dns', input, { dry_run: true })] });
  const dry = await cloud.exec();
  expectExit(dry, 0);
  expect(dry.lines[1]?.data).toMatchObject({
    would_call: { body: { parent: '(known after apply: shared.resource.name)' } },
  });
  cloud.write({ steps: [shared, project('dns', input, { dry_run: false })] });
  const real = await cloud.exec();
  expect(real.code).toBe(3);
  expect(real.lines[1]).toMatchObject({ status: 'error', error: { kind: 'Configuration' } });
  expect(cloud.writes).toEqual([]);
});

it.concurrent('applied steps take the lock and write intents and facts; dry ones write nothing', async () => {
  const cloud = await openCloud();
  const input = { parent: ORG, display_name: '00-shared' };
  cloud.write({ steps: [folder('shared', input)] });
  expectExit(await cloud.exec(), 0);
  expect(() => cloud.rows).toThrow();
  cloud.write({ steps: [folder('shared', input, { dry_run: false })] });
  const ended = await cloud.exec();
  expectExit(ended, 0);
  expect(cloud.rows.map((row) => row['type']).sort()).toEqual(['provider.fact', 'provider.intent', 'provider.outcome']);
  expect(ended.stderr).toContain('locked stack');
});

it.concurrent('dry_run in every spelling: present but empty or null means dry, nonsense is an error', async () => {
  const cloud = await openCloud();
  const dry: unknown[] = [true, 'true', 'YES', '1', 'Yes', null, ''];
  for (const [index, value] of dry.entries()) {
    cloud.write({ steps: [folder('shared', { parent: ORG, display_name: `0${index}-shared` }, { dry_run: value })] });
    const { lines, ...ended } = await cloud.exec();
    expectExit(ended, 0);
    expect(lines[0]?.data['dry_run'], String(value)).toBe(true);
  }
  expect(cloud.requests).toEqual([]);
  for (const value of [false, 'no', '0', 'False']) {
    cloud.write({ steps: [folder('shared', { parent: ORG, display_name: '00-shared' }, { dry_run: value })] });
    const { lines } = await cloud.exec();
    expect(lines[0]?.data['dry_run'], String(value)).toBe(false);
  }
  cloud.write({ steps: [folder('shared', { parent: ORG, display_name: '00-shared' }, { dry_run: 'maybe' })] });
  expect((await cloud.run(['exec', 'playbook.yaml'])).code).toBe(3);
});

it.concurrent('one step after the other, in next order where the playbook has one', async () => {
  const cloud = await openCloud();
  const of = (name: string, beside: object) =>
    folder(
      name,
      { parent: ORG, display_name: `folder ${name}` },
      { dry_run: false },
      beside as Record<string, unknown>,
    );
  cloud.write({
    steps: [
      { step: 'start', next: [{ step: 'three' }] },
      of('one', { next: [{ step: 'end' }] }),
      of('two', { next: { arcs: [{ step: 'one' }] } }),
      of('three', { next: [{ step: 'two' }] }),
      of('never', {}),
      { step: 'end' },
    ],
  });
  const ended = await cloud.exec();
  expectExit(ended, 0);
  expect(ended.lines.map((line) => line.step)).toEqual(['three', 'two', 'one']);
  const bodies = cloud.emulator.requests.filter((item) => item.method === 'POST').map((item) => item.body);
  expect(bodies).toMatchObject([
    { displayName: 'folder three' },
    { displayName: 'folder two' },
    { displayName: 'folder one' },
  ]);
});

it.concurrent('a step after a failed one that it needs is not run; others are, and the exit code says so', async () => {
  const cloud = await openCloud();
  cloud.emulator.addFault({
    method: 'POST',
    path: '^/v3/folders$',
    times: 1,
    action: {
      kind: 'respond',
      status: 400,
      body: { error: { code: 400, status: 'INVALID_ARGUMENT', message: 'Request contains an invalid argument.' } },
    },
  });
  cloud.write({
    steps: [
      folder('a', { parent: ORG, display_name: 'folder a' }, { dry_run: false }),
      project('in_a', { project_id: 'acme-in-a', parent: '{{ steps.a.resource.name }}' }, { dry_run: false }),
      folder('b', { parent: ORG, display_name: 'folder b' }, { dry_run: false }),
    ],
  });
  const ended = await cloud.exec();
  expect(ended.code).toBe(7);
  expect(ended.lines.map((line) => [line.step, line.status])).toEqual([
    ['a', 'error'],
    ['in_a', 'error'],
    ['b', 'success'],
  ]);
  expect(codesOf(ended.lines.flatMap((line) => (line.error === undefined ? [] : [line.error])))[1]).toBe('BLOCKED');
});

it.concurrent('reads: what the seed calls a single GET, whatever provider spelling the runtime has', async () => {
  const cloud = await openCloud({ seed: SEED });
  const auth = { dry_run: false };
  cloud.write({
    steps: [
      google('org', 'cloudresourcemanager.organizations.get', { org_id: ORG }, auth),
      google('policy', 'cloudresourcemanager.organizations.iam.get_policy', { organization: ORG }, auth),
      google('folders', 'cloudresourcemanager.folders.list', { parent: ORG }, { ...auth, runtime: 'rust-sdk' }),
      google('project', 'cloudresourcemanager.projects.describe', { projectId: 'st-prod' }, auth),
      google('services', 'serviceusage.services.list_enabled', { project_id: 'st-prod' }, auth),
      google('project_policy', 'cloudresourcemanager.projects.iam.get_policy', { project_id: 'st-prod' }, auth),
      google('folder_policy', 'cloudresourcemanager.folders.iam.get_policy', { folder: '1' }, auth),
      google(
        'billing',
        'cloudbilling.billing_accounts.iam.get_policy',
        { billing_account: '0A1B2C-3D4E5F-6A7B8C' },
        auth,
      ),
    ],
  });
  const ended = await cloud.exec();
  expectExit(ended, 0);
  for (const line of ended.lines) {
    expect(keysOf(line.data)).toEqual([...COMMON, 'changed', 'converge', 'dry_run', 'resource'].sort());
    expect(line.data).toMatchObject({ changed: false, converge: 'single', backend: 'rest' });
  }
  expect(ended.lines[0]?.data['resource']).toMatchObject({ displayName: 'acme.example' });
  expect(ended.lines[3]?.data['resource']).toMatchObject({ projectId: 'st-prod', name: 'projects/77' });
  expect(ended.lines[2]?.data['resource']).toMatchObject({ folders: [{ displayName: 'one' }, { displayName: 'two' }] });
  expect(cloud.writes).toEqual([]);
});

it.concurrent('a wildcard in a destroy target is refused before any request', async () => {
  const cloud = await openCloud({ seed: SEED });
  for (const display_name of ['*', 'two*', 'tw?']) {
    cloud.write({ steps: [google('d', 'cloudresourcemanager.folders.delete', { parent: ORG, display_name })] });
    const ended = await cloud.run(['exec', 'playbook.yaml']);
    expect([ended.code, display_name]).toEqual([5, display_name]);
  }
  cloud.write({ steps: [grant('g', { organization: ORG, role: 'roles/browser', member: 'group:a@example.com' })] });
  expect(cloud.requests).toEqual([]);
});
