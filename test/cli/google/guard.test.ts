import { expect, it } from 'vitest';
import {
  ACCOUNT,
  type Cloud,
  codesOf,
  execLines,
  expectExit,
  ORG,
  ORG_ID,
  openCloudInside,
  stepAt,
} from '../../support/e2e/cloud.ts';
import { folder, google, grant, link, project, type Step } from '../../support/e2e/playbooks.ts';

const OTHER = 'organizations/999999999999';
const OTHER_ACCOUNT = 'billingAccounts/FFFFFF-FFFFFF-FFFFFF';
const GUARD = { require_org: ORG, require_billing_account: ACCOUNT };
const MEMBER = 'group:team@example.com';

/** Every place where another organisation or billing account could stand. */
const STRAYS: Readonly<Record<string, Step>> = {
  parent: folder('s', { parent: OTHER, display_name: '00-shared' }),
  'the parent of a project': project('s', { project_id: 'acme-dns', parent: OTHER }),
  'the tree of a folder path': project('s', {
    project_id: 'acme-dns',
    parent: 'folders/by-display-name/a',
    organization: OTHER,
  }),
  'a former parent': folder('s', { parent: ORG, display_name: '00-shared', was: { parent: OTHER } }),
  'a grant': grant('s', { organization: OTHER, role: 'roles/browser', member: MEMBER }),
  'the owner of a role': grant('s', { organization: ORG, role: `${OTHER}/roles/auditor`, member: MEMBER }),
  'the role of a removal': google('s', 'cloudresourcemanager.projects.iam.remove_binding', {
    project_id: 'acme-dns',
    role: `${OTHER}/roles/auditor`,
    member: MEMBER,
  }),
  'a member that is a whole organisation': grant('s', {
    organization: ORG,
    role: 'roles/browser',
    member: `principalSet://cloudresourcemanager.googleapis.com/${OTHER}`,
  }),
  'a read': google('s', 'cloudresourcemanager.folders.list', { parent: OTHER }),
  'an organisation read': google('s', 'cloudresourcemanager.organizations.get', { organization_id: OTHER }),
  'a delete': google('s', 'cloudresourcemanager.folders.delete', { parent: OTHER, display_name: 'old one' }),
  'a billing account': link('s', { project_id: 'acme-dns', billing_account: OTHER_ACCOUNT }),
  'a grant on a billing account': google('s', 'cloudbilling.billing_accounts.iam.ensure_binding', {
    billing_account: OTHER_ACCOUNT,
    role: 'roles/billing.user',
    member: MEMBER,
  }),
  'an unlink': google('s', 'cloudbilling.projects.unlink', { project_id: 'acme-dns', billing_account: OTHER_ACCOUNT }),
};

async function guarded(steps: readonly Step[], guard: object = GUARD): Promise<Cloud> {
  const cloud = await openCloudInside();
  cloud.write({ steps, defaults: { guard } });
  return cloud;
}

it.concurrent('the offline pass: another organisation or billing account anywhere is exit 5, without a request', async () => {
  const cloud = await openCloudInside();
  const steps = Object.entries(STRAYS).map(([name, step]) => ({ ...step, step: name.replaceAll(' ', '_') }));
  for (const [name, step] of Object.entries(STRAYS)) {
    cloud.write({ steps: [step], defaults: { guard: GUARD } });
    const { code, failure } = await cloud.fail(['plan', 'playbook.yaml']);
    expect([name, code, codesOf(failure.diagnostics)]).toEqual([name, 5, ['GUARD']]);
    expect(failure.diagnostics[0]?.source, name).not.toBeNull();
  }
  cloud.write({ steps, defaults: { guard: GUARD } });
  const all = await cloud.fail(['apply', 'playbook.yaml', '--confirm', 'a'.repeat(64)]);
  expect(all.code).toBe(5);
  expect(codesOf(all.failure.diagnostics).filter((code) => code === 'GUARD').length).toBeGreaterThanOrEqual(
    steps.length,
  );
  for (const argv of [
    ['plan', 'playbook.yaml', '--offline'],
    ['exec', 'playbook.yaml'],
  ])
    expect((await cloud.run(argv)).code).toBe(5);
  expect(cloud.requests).toEqual([]);
});

it.concurrent('with or without the collection prefix, from the flag and from infra.yaml alike', async () => {
  const cloud = await openCloudInside();
  const stray = [folder('s', { parent: OTHER, display_name: '00-shared' })];
  cloud.write({ steps: stray, defaults: { guard: { require_org: ORG_ID } } });
  expect((await cloud.run(['plan', 'playbook.yaml'])).code).toBe(5);
  cloud.write({ steps: stray });
  expect((await cloud.run(['plan', 'playbook.yaml', '--guard-org', ORG_ID])).code).toBe(5);
  cloud.writeText('infra.yaml', `guard: { require_org: ${ORG} }\n`);
  expect((await cloud.run(['plan', 'playbook.yaml'])).code).toBe(5);
  // A contradiction between them is an error.
  cloud.write({ steps: stray, defaults: { guard: { require_org: OTHER } } });
  const { code, failure } = await cloud.fail(['plan', 'playbook.yaml']);
  expect([code, new Set(codesOf(failure.diagnostics))]).toEqual([3, new Set(['GUARD_CONTRADICTION'])]);
  expect(cloud.requests).toEqual([]);
});

async function refusedLive(cloud: Cloud): Promise<string> {
  const { plan } = await cloud.plan();
  cloud.resetRequests();
  const { code, failure } = await cloud.fail(['apply', 'playbook.yaml', '--confirm', plan.digest ?? '']);
  expect([code, new Set(codesOf(failure.diagnostics))]).toEqual([5, new Set(['GUARD'])]);
  expect(cloud.writes).toEqual([]);
  return failure.diagnostics.map(({ detail }) => detail).join('\n');
}

it.concurrent("the live pass: the organisation's display name", async () => {
  const cloud = await guarded([folder('s', { parent: ORG, display_name: '00-shared' })], {
    ...GUARD,
    require_org_display_name: 'acme-test.example',
  });
  expect(await refusedLive(cloud)).toContain('acme.example');
});

it.concurrent("the live pass: the billing account's parent", async () => {
  const account = 'billingAccounts/AAAAAA-BBBBBB-CCCCCC';
  const cloud = await openCloudInside({
    seed: {
      billingAccounts: [{ id: 'AAAAAA-BBBBBB-CCCCCC', parent: OTHER }],
      projects: [{ projectId: 'acme-dns', parent: ORG }],
    },
  });
  cloud.write({
    steps: [link('s', { project_id: 'acme-dns', billing_account: account })],
    defaults: { guard: { require_org: ORG, require_billing_account: account } },
  });
  expect(await refusedLive(cloud)).toContain(OTHER);
});

it.concurrent('the live pass: the ancestry of every parent folder up to the pinned organisation', async () => {
  const cloud = await openCloudInside({
    seed: {
      organizations: [
        { id: ORG_ID, displayName: 'acme.example' },
        { id: '999999999999', displayName: 'other.example' },
      ],
      folders: [
        { id: '7', displayName: 'theirs', parent: OTHER },
        { id: '8', displayName: 'deeper', parent: 'folders/7' },
      ],
    },
  });
  cloud.write({ steps: [folder('s', { parent: 'folders/8', display_name: '00-shared' })], defaults: { guard: GUARD } });
  expect(await refusedLive(cloud)).toContain('folders/8');
  cloud.write({
    steps: [
      google('s', 'cloudresourcemanager.folders.iam.ensure_binding', {
        folder: 'folders/8',
        role: 'roles/browser',
        member: MEMBER,
      }),
    ],
    defaults: { guard: GUARD },
  });
  await refusedLive(cloud);
});

it.concurrent('a project that lives in another organisation is not changed under the guard', async () => {
  const cloud = await openCloudInside({
    seed: {
      organizations: [
        { id: ORG_ID, displayName: 'acme.example' },
        { id: '999999999999', displayName: 'other.example' },
      ],
      projects: [{ projectId: 'their-web', parent: OTHER, displayName: 'Their Web' }],
    },
  });
  cloud.write({
    steps: [project('s', { project_id: 'their-web', parent: ORG, display_name: 'Ours now' })],
    defaults: { guard: GUARD },
  });
  await refusedLive(cloud);
  cloud.write({
    steps: [google('s', 'serviceusage.services.enable', { project_id: 'their-web', service: 'iam.googleapis.com' })],
    defaults: { guard: GUARD },
  });
  await refusedLive(cloud);
  cloud.write({
    steps: [google('s', 'cloudresourcemanager.projects.delete', { project_id: 'their-web' })],
    defaults: { guard: GUARD },
  });
  await refusedLive(cloud);
});

it.concurrent('what is inside the guard goes through, exec likewise; a guard that can not be verified refuses', async () => {
  const guard = { ...GUARD, require_org_display_name: 'acme.example' };
  const cloud = await guarded([folder('s', { parent: ORG, display_name: '00-shared' }, { dry_run: false })], guard);
  expectExit(await cloud.converge(), 0);
  cloud.write({
    steps: [folder('t', { parent: ORG, display_name: '01-more' }, { dry_run: false })],
    defaults: { guard: { ...guard, require_org_display_name: 'wrong.example' } },
  });
  cloud.resetRequests();
  const refused = await cloud.exec();
  expect([refused.code, refused.lines[0]?.error]).toMatchObject([5, { kind: 'Configuration', code: 'GUARD' }]);
  expect(cloud.writes).toEqual([]);

  cloud.write({ steps: [folder('t', { parent: ORG, display_name: '01-more' })], defaults: { guard } });
  const { plan } = await cloud.plan();
  expect(stepAt(plan, 't').change).toBe('create');
  cloud.deny(`^/v3/${ORG}$`);
  expect((await cloud.fail(['apply', 'playbook.yaml', '--confirm', plan.digest ?? ''])).code).toBe(5);
  expect(cloud.writes).toEqual([]);
});

const FOREIGN = {
  organizations: [
    { id: ORG_ID, displayName: 'acme.example' },
    { id: '999999999999', displayName: 'other.example' },
  ],
  billingAccounts: [{ id: 'AAAAAA-BBBBBB-CCCCCC', parent: OTHER }],
  folders: [{ id: '600', displayName: 'theirs', parent: OTHER }],
  projects: [{ projectId: 'their-web', parent: 'folders/600', displayName: 'Their Web' }],
};

it.concurrent('exec: nothing of another organisation is written under the guard, whatever the step', async () => {
  const real = { dry_run: false };
  const strays = [
    project('move', { project_id: 'their-web', parent: ORG, display_name: 'Ours now' }, real),
    google(
      'add',
      'cloudresourcemanager.projects.iam.ensure_binding',
      { project_id: 'their-web', role: 'roles/viewer', member: MEMBER },
      real,
    ),
    google('on', 'serviceusage.services.enable', { project_id: 'their-web', service: 'iam.googleapis.com' }, real),
    link('bill', { project_id: 'their-web', billing_account: ACCOUNT }, real),
    google(
      'grant',
      'cloudresourcemanager.folders.iam.ensure_binding',
      { folder: 'folders/600', role: 'roles/viewer', member: MEMBER },
      real,
    ),
    folder('inside', { parent: 'folders/600', display_name: 'more of it' }, real),
  ];
  const cloud = await openCloudInside({ seed: FOREIGN });
  for (const stray of strays) {
    cloud.write({ steps: [stray], defaults: { guard: { require_org: ORG } } });
    const ended = await cloud.run(['exec', 'playbook.yaml']);
    expect([ended.code, execLines(ended)[0]?.error?.code], stray.step).toEqual([5, 'GUARD']);
  }
  expect(cloud.writes).toEqual([]);
});

it.concurrent('a place that becomes known only while a plan is applied is held to the guard before the write', async () => {
  const cloud = await openCloudInside({ seed: FOREIGN });
  cloud.write({
    steps: [
      folder('first', { parent: ORG, display_name: 'first of all' }),
      google(
        'look',
        'cloudresourcemanager.projects.describe',
        { project_id: 'their-web' },
        {},
        { depends_on: ['first'] },
      ),
      project(
        'smuggled',
        { project_id: 'own-web-1', parent: '{{ steps.look.resource.parent }}' },
        { guard: { require_org: ORG } },
      ),
    ],
  });
  const { plan } = await cloud.plan();
  const ended = await cloud.run(['apply', 'playbook.yaml', '--confirm', plan.digest ?? '', '--format', 'json']);
  expect(ended.code).toBe(5);
  expect(
    JSON.parse(ended.stdout).steps.map((step: { address: string; outcome: string }) => [step.address, step.outcome]),
  ).toEqual([
    ['first', 'changed'],
    ['look', 'read'],
    ['smuggled', 'refused'],
  ]);
  expect(cloud.writes.filter((request) => request.includes('/projects'))).toEqual([]);
});

it.concurrent('a billing account of another organisation is refused where only the organisation is pinned', async () => {
  const cloud = await openCloudInside({ seed: { ...FOREIGN, projects: [{ projectId: 'acme-dns', parent: ORG }] } });
  cloud.write({
    steps: [link('s', { project_id: 'acme-dns', billing_account: 'billingAccounts/AAAAAA-BBBBBB-CCCCCC' })],
    defaults: { guard: { require_org: ORG } },
  });
  expect(await refusedLive(cloud)).toContain(OTHER);
});

const LINKED = {
  seed: {
    billingAccounts: [
      { id: ACCOUNT.slice('billingAccounts/'.length), parent: ORG },
      { id: 'FFFFFF-FFFFFF-FFFFFF', parent: ORG },
    ],
    projects: [{ projectId: 'acme-dns', parent: ORG, billingAccountName: OTHER_ACCOUNT }],
  },
};

it.concurrent('a project that is linked to another account than the pinned one is not unlinked', async () => {
  const cloud = await openCloudInside(LINKED);
  const unlink = (tool: object = {}) =>
    google('s', 'cloudbilling.projects.unlink', { project_id: 'acme-dns' }, { ...tool });
  cloud.write({ steps: [unlink()], defaults: { guard: GUARD } });
  const { plan } = await cloud.plan();
  expect(stepAt(plan, 's')).toMatchObject({ change: 'blocked', diagnostics: [{ code: 'GUARD' }] });
  expectExit(await cloud.apply(plan.digest), 5);
  const report = await cloud.run(['exec', 'playbook.yaml']);
  expect(report.code, report.stdout).toBe(5);
  expect(report.stdout).toContain(OTHER_ACCOUNT);
  expect(cloud.writes).toEqual([]);
});

it.concurrent('a link to the pinned account may replace another one, which is told by name', async () => {
  const cloud = await openCloudInside(LINKED);
  cloud.write({ steps: [link('s', { project_id: 'acme-dns', billing_account: ACCOUNT })], defaults: { guard: GUARD } });
  const { plan } = await cloud.plan();
  expect(stepAt(plan, 's')).toMatchObject({
    change: 'update',
    diagnostics: [{ code: 'BILLING_LINKED', severity: 'warning', detail: expect.stringContaining(OTHER_ACCOUNT) }],
  });
  expectExit(await cloud.apply(plan.digest), 0);
});
