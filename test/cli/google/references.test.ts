import { expect, it } from 'vitest';
import {
  ACCOUNT,
  codesOf,
  expectExit,
  linesOf,
  ORG,
  ORG_ID,
  openCloudInside,
  stepAt,
} from '../../support/e2e/cloud.ts';
import { enable, folder, google, grant, link, project, type Step } from '../../support/e2e/playbooks.ts';

const TEAM = 'group:team@example.com';
const FOLDERS: Step = folder(
  'folders',
  { parent: ORG, display_name: '{{ iter.name }}' },
  {},
  { loop: { in: "{{ ['00-shared', '10-platform'] }}", iterator: 'name' } },
);

it.concurrent('grants on folders of the playbook, by reference and by display name: planned whole, then at rest', async () => {
  const cloud = await openCloudInside();
  cloud.write({
    defaults: { guard: { require_org: ORG } },
    steps: [
      FOLDERS,
      grant('by_reference', {
        folder: "{{ steps.folders['00-shared'].resource.name }}",
        role: 'roles/viewer',
        member: TEAM,
      }),
      grant('by_name', { folder: 'folders/by-display-name/10-platform', role: 'roles/viewer', member: TEAM }),
      grant('by_name_too', { folder: 'folders/by-display-name/10-platform', role: 'roles/browser', member: TEAM }),
    ],
  });
  const { plan } = await cloud.plan();
  expect(plan.summary).toMatchObject({ create: 5, blocked: 0, unknown: 0 });
  expect(stepAt(plan, 'by_reference').depends_on).toEqual(['folders[00-shared]']);
  expect(stepAt(plan, 'by_name').depends_on).toEqual(['folders[10-platform]']);
  cloud.resetRequests();
  const applied = await cloud.apply(plan.digest);
  expectExit(applied, 0);
  expect(cloud.writes.filter((request) => request.endsWith(':setIamPolicy'))).toHaveLength(2);
  expect(cloud.membersOf(cloud.folderNamed('00-shared').name, 'roles/viewer')).toEqual([TEAM]);
  expect(cloud.membersOf(cloud.folderNamed('10-platform').name, 'roles/browser')).toEqual([TEAM]);
  const again = await cloud.plan('--detailed-exitcode');
  expect([again.code, again.plan.summary['none']]).toEqual([0, 5]);
});

it.concurrent('a result inside a string, a project made from another, and services of a loop', async () => {
  const cloud = await openCloudInside();
  cloud.write({
    workload: {
      projects: [
        { id: 'acme-one', apis: ['iam.googleapis.com'] },
        { id: 'acme-two', apis: ['dlp.googleapis.com', 'iap.googleapis.com'] },
      ],
    },
    steps: [
      folder('shared', { parent: ORG, display_name: '00-shared' }),
      project(
        'projects',
        {
          project_id: '{{ iter.p.id }}',
          parent: '{{ steps.shared.resource.name }}',
          labels: { index: '{{ iter.index }}' },
        },
        {},
        { loop: { in: '{{ workload.projects }}', iterator: 'p' } },
      ),
      link('money', { project_id: 'acme-two', billing_account: ACCOUNT }),
      {
        ...enable('apis', { project_id: '{{ iter.p.id }}', services: '{{ iter.p.apis }}' }),
        loop: { in: '{{ workload.projects }}', iterator: 'p' },
      },
      folder(
        'inside',
        { parent: "folders/{{ steps.shared.resource.name | replace('folders/', '') }}", display_name: 'inside it' },
        { dry_run: true },
      ),
    ].slice(0, 4),
  });
  const { plan } = await cloud.plan();
  expect(plan.steps.map((step) => step.address).sort()).toEqual([
    'apis[acme-one][iam.googleapis.com]',
    'apis[acme-two][dlp.googleapis.com]',
    'apis[acme-two][iap.googleapis.com]',
    'money',
    'projects[acme-one]',
    'projects[acme-two]',
    'shared',
  ]);
  // The same project: first the project, then its billing link, then its services.
  expect(stepAt(plan, 'apis[acme-two][dlp.googleapis.com]').depends_on).toEqual(expect.arrayContaining(['money']));
  expectExit(await cloud.apply(plan.digest), 0);
  expect(cloud.projectOf('acme-two').labels).toEqual({ index: '1' });
  expect((await cloud.plan('--detailed-exitcode')).code).toBe(0);
});

const IMPOSSIBLE: readonly (readonly [path: string, hint: string])[] = [
  ['resource.nmae', 'did you mean "name"?'],
  ['resouce.name', 'did you mean "resource"?'],
  ['resource.projectNumber', 'it has name, state,'],
  ['resource.name.text', 'resource.name is one plain value'],
  ['changed', 'it has provider, action, backend, urn, resource'],
];
it.concurrent.each(IMPOSSIBLE)(
  '%s, which no result has, is an error before anything is read, with its place and a way out',
  async (path, hint) => {
    const cloud = await openCloudInside();
    const steps = [
      folder('shared', { parent: ORG, display_name: '00-shared' }),
      project('p', { project_id: 'acme-p', parent: `{{ steps.shared.${path} }}` }),
    ];
    cloud.write({ steps });
    const { code, failure } = await cloud.fail(['plan', 'playbook.yaml']);
    expect(code).toBe(3);
    expect(failure.diagnostics).toMatchObject([
      {
        code: 'TEMPLATE_UNDEFINED',
        address: 'p',
        source: { file: 'playbook.yaml' },
        hint: expect.stringContaining(hint),
      },
    ]);
    expect(cloud.emulator.requests).toEqual([]);
  },
);

it.concurrent('what a result lacks in the end is told of the step that wanted it, with its place and a way out', async () => {
  const cloud = await openCloudInside();
  cloud.write({
    steps: [
      folder('shared', { parent: ORG, display_name: '00-shared' }),
      project('p', { project_id: 'acme-p', parent: '{{ steps.shared.resource.deleteTime }}' }),
    ],
  });
  const { plan } = await cloud.plan();
  const applied = await cloud.apply(plan.digest);
  expect(applied.code).toBe(7);
  const found = stepAt(applied.report, 'p').diagnostics.find(({ code }) => code === 'TEMPLATE_UNDEFINED');
  expect(found).toMatchObject({ code: 'TEMPLATE_UNDEFINED', address: 'p', source: { file: 'playbook.yaml' } });
  const line = cloud.readText('playbook.yaml').split('\n')[(found?.source?.line ?? 0) - 1] ?? '';
  expect(line.slice((found?.source?.column ?? 0) - 1)).toContain('steps.shared.resource.deleteTime');
  expect(found?.hint).toContain('from workload');
  expect(found?.hint).not.toContain('default');
});

it.concurrent('what infra exec alone gives is taken there, and by what is held', async () => {
  const cloud = await openCloudInside();
  const labels = { changed: 'x{{ steps.shared.changed }}' };
  const steps = (tool: Record<string, unknown>) => [
    folder('shared', { parent: ORG, display_name: '00-shared' }),
    project('p', { project_id: 'acme-p', parent: ORG, labels }, tool),
  ];
  cloud.write({ steps: steps({ dry_run: true }) });
  expect((await cloud.plan()).code).toBe(0);
  cloud.write({ steps: steps({}) });
  expect((await cloud.fail(['plan', 'playbook.yaml'])).code).toBe(3);
  expect((await cloud.exec()).code).toBe(0);
});

it.concurrent('whatever must decide on a result that is known only after apply is an error of the plan; what is known already is not', async () => {
  const cloud = await openCloudInside();
  for (const parent of [
    "{{ steps.shared.resource.name | replace('folders/', '') }}",
    "{{ 'a' if steps.shared.resource.name == 'folders/1' else 'b' }}",
  ]) {
    cloud.write({
      steps: [
        folder('shared', { parent: ORG, display_name: '00-shared' }),
        project('p', { project_id: 'acme-p', parent }),
      ],
    });
    for (const flags of [[], ['--offline'], ['--untrusted']]) {
      const { plan, code } = await cloud.plan(...flags);
      const step = stepAt(plan, 'p');
      expect([code, step.change, codesOf(step.diagnostics)]).toEqual([3, 'blocked', ['TEMPLATE_DECIDES']]);
      expect(step.diagnostics[0]?.source?.file).toBe('playbook.yaml');
    }
    expectExit(await cloud.plan('--offline', '--reconcile', 'report'), 0);
  }
  await cloud.outOfBand('POST', '/v3/folders', { parent: ORG, displayName: '00-shared' });
  cloud.write({
    steps: [
      folder('shared', { parent: ORG, display_name: '00-shared' }),
      project('p', {
        project_id: 'acme-p',
        parent: "folders/{{ steps.shared.resource.name | replace('folders/', '') }}",
      }),
    ],
  });
  const { plan } = await cloud.plan();
  expect(stepAt(plan, 'p')).toMatchObject({
    change: 'create',
    desired: { parent: cloud.folderNamed('00-shared').name },
  });
});

it.concurrent('a read after what it looks at: known after apply in the plan, the new state in the apply', async () => {
  const cloud = await openCloudInside();
  cloud.write({
    steps: [
      folder('shared', { parent: ORG, display_name: '00-shared' }),
      google('list', 'cloudresourcemanager.folders.list', { parent: ORG }),
      project('dns', { project_id: 'acme-dns', parent: '{{ steps.shared.resource.name }}' }),
      google('describe', 'cloudresourcemanager.projects.describe', { project_id: 'acme-dns' }),
      google('enabled', 'serviceusage.services.list_enabled', { project_id: 'acme-dns' }),
      google('policy', 'cloudresourcemanager.projects.iam.get_policy', { project_id: 'acme-dns' }),
    ],
  });
  const { plan } = await cloud.plan();
  expect(plan.summary).toMatchObject({ create: 2, read: 4, blocked: 0 });
  const applied = await cloud.apply(plan.digest);
  expectExit(applied, 0);
  expect(stepAt(applied.report, 'list').resource).toMatchObject({ folders: [{ displayName: '00-shared' }] });
  expect(stepAt(applied.report, 'describe').resource).toMatchObject({ projectId: 'acme-dns', state: 'ACTIVE' });
});

it.concurrent('a folder that was deleted comes back by undelete, where the log knows its id', async () => {
  const cloud = await openCloudInside();
  const input = { parent: ORG, display_name: '00-shared' };
  cloud.write({ steps: [folder('shared', input)] });
  expectExit(await cloud.converge(), 0);
  const { name } = cloud.folderNamed('00-shared');
  await cloud.outOfBand('DELETE', `/v3/${name}`);
  cloud.write({ steps: [folder('shared', { ...input, undelete: true })] });
  const { plan } = await cloud.plan();
  expect(stepAt(plan, 'shared').change).toBe('undelete');
  expectExit(await cloud.apply(plan.digest), 0);
  expect(cloud.folderNamed('00-shared').name).toBe(name);
});

it.concurrent('what belongs to a project pending deletion is not planned as if the project were there', async () => {
  const cloud = await openCloudInside({
    seed: {
      projects: [
        { projectId: 'acme-web', number: '555', parent: ORG, displayName: 'Acme Web', state: 'DELETE_REQUESTED' },
      ],
    },
  });
  const steps = [
    project('web', { project_id: 'acme-web', parent: ORG }),
    link('money', { project_id: 'acme-web', billing_account: ACCOUNT }),
    enable('api', { project_id: 'acme-web', service: 'dlp.googleapis.com' }),
    grant('team', { project_id: 'acme-web', role: 'roles/viewer', member: TEAM }),
    folder('free', { parent: ORG, display_name: 'free one' }),
  ];
  cloud.write({ steps });
  const { plan } = await cloud.plan();
  expect(Object.fromEntries(plan.steps.map((step) => [step.address, step.change]))).toEqual({
    web: 'blocked',
    money: 'blocked',
    api: 'blocked',
    team: 'blocked',
    free: 'create',
  });
  cloud.write({ steps: [project('web', { project_id: 'acme-web', parent: ORG, undelete: true }), ...steps.slice(1)] });
  const back = await cloud.plan();
  expect(back.plan.summary).toMatchObject({ undelete: 1, blocked: 0 });
  expectExit(await cloud.apply(back.plan.digest), 0);
  expect(cloud.projectOf('acme-web')).toMatchObject({ state: 'ACTIVE', billingAccountName: ACCOUNT });
  expect((await cloud.plan('--detailed-exitcode')).code).toBe(0);
});

it.concurrent('--fail-fast: nothing new starts after a failure', async () => {
  const cloud = await openCloudInside();
  cloud.emulator.addFault({
    method: 'POST',
    path: '^/v3/folders$',
    nth: 1,
    action: { kind: 'respond', status: 400, body: { error: { code: 400, status: 'INVALID_ARGUMENT', message: 'no' } } },
  });
  cloud.write({
    steps: ['aa', 'bb', 'cc'].map((name) => folder(name, { parent: ORG, display_name: `folder ${name}` })),
  });
  const { plan } = await cloud.plan();
  const applied = await cloud.apply(plan.digest, '--fail-fast', '--parallelism', '1');
  expectExit(applied, 6);
  expect(applied.report.summary).toMatchObject({ failed: 1, changed: 0 });
  expect(cloud.writes).toHaveLength(1);
});

it.concurrent('numbers and booleans as they are written: an id of digits, a value that YAML would change', async () => {
  const cloud = await openCloudInside();
  cloud.writeText(
    'playbook.yaml',
    `apiVersion: infra/v1
metadata: { name: scalars }
defaults: { reconcile: enforce, endpoint: "${cloud.emulator.url}", auth: { type: bearer, token_env: INFRA_TEST_TOKEN } }
workflow:
  - step: f
    tool: { kind: provider, provider: google, action: google.cloudresourcemanager.folders.ensure, input: { parent: "${ORG}", display_name: 0123 } }
  - step: g
    tool: { kind: provider, provider: google, action: google.cloudresourcemanager.organizations.iam.ensure_binding, input: { organization: ${ORG_ID}, role: roles/viewer, member: "${TEAM}" } }
  - step: p
    tool: { kind: provider, provider: google, action: google.cloudresourcemanager.projects.ensure, input: { project_id: acme-web, parent: "${ORG}", labels: { a: no, b: 1e3, c: true, d: 007 } } }
`,
  );
  const { plan } = await cloud.plan();
  expect(stepAt(plan, 'f').desired).toMatchObject({ display_name: '0123' });
  expect(stepAt(plan, 'g').desired).toMatchObject({ resource: ORG });
  expect(stepAt(plan, 'p').desired).toMatchObject({ labels: { a: 'no', b: '1e3', c: 'true', d: '007' } });
});

it.concurrent('two applies at once: one is let in, the other is told who holds the lock or that nothing is left', async () => {
  const cloud = await openCloudInside();
  cloud.write({ steps: ['aa', 'bb'].map((name) => folder(name, { parent: ORG, display_name: `folder ${name}` })) });
  const { plan } = await cloud.plan();
  const argv = ['apply', 'playbook.yaml', '--confirm', plan.digest ?? ''];
  const ended = await Promise.all([cloud.run(argv), cloud.run(argv)]);
  expect(ended.map(({ code }) => code)).toContain(0);
  for (const { code, stderr } of ended)
    if (code !== 0) expect([code, stderr]).toEqual([5, expect.stringContaining('LOCK_HELD')]);
  expect(Object.values(cloud.state.folders)).toHaveLength(2);
});

it.concurrent('a failure as lines of JSON: version, then the diagnostics', async () => {
  const cloud = await openCloudInside();
  cloud.write({ steps: [folder('f', { parent: 'organisations/1', display_name: 'aaa' })] });
  const ended = await cloud.run(['plan', 'playbook.yaml', '--format', 'ndjson']);
  expect(ended.code).toBe(3);
  expect(linesOf(ended.stdout).map((line) => JSON.parse(line).type)).toEqual(['version', 'diagnostic']);
});

it.concurrent('--eventlog and INFRA_EVENTLOG put the facts elsewhere; --actor says who', async () => {
  const cloud = await openCloudInside();
  cloud.write({ steps: [folder('f', { parent: ORG, display_name: 'aaa' })] });
  const { plan } = await cloud.plan('--eventlog', 'logs/a.jsonl');
  expectExit(await cloud.apply(plan.digest, '--eventlog', 'logs/a.jsonl', '--actor', 'robot'), 0);
  const rows = linesOf(cloud.readText('logs/a.jsonl')).map((line) => JSON.parse(line));
  expect(rows.map((row) => row.actor.user)).toEqual(['robot', 'robot', 'robot']);
  expect(() => cloud.rows).toThrow();
  const seen = await cloud.run(['plan', 'playbook.yaml', '--format', 'json'], { INFRA_EVENTLOG: 'logs/a.jsonl' });
  expect(JSON.parse(seen.stdout).steps[0]).toMatchObject({ change: 'none', record: null });
  const unseen = await cloud.plan();
  expect(stepAt(unseen.plan, 'f')).toMatchObject({ change: 'none', record: 'own' });
});
