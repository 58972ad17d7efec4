import { expect, it } from 'vitest';
import { codesOf, expectExit, ORG, ORG_ID, openCloudInside, stepAt } from '../../support/e2e/cloud.ts';
import { folder, google, project } from '../../support/e2e/playbooks.ts';

const FOLDERS = [
  { id: '1', displayName: 'one', parent: ORG },
  { id: '2', displayName: 'two', parent: ORG },
];
const WEB = { projectId: 'acme-web', number: '555', displayName: 'Acme Web', parent: 'folders/1' };

it.concurrent('a project elsewhere is moved, by one request, to a folder named by its display name', async () => {
  const cloud = await openCloudInside({ seed: { folders: FOLDERS, projects: [WEB] } });
  cloud.write({
    defaults: { guard: { require_org: ORG } },
    steps: [project('web', { project_id: 'acme-web', parent: 'folders/by-display-name/two' })],
  });
  const { plan } = await cloud.plan();
  expect(stepAt(plan, 'web')).toMatchObject({
    change: 'move',
    diff: { parent: { desired: 'folders/2', actual: 'folders/1' } },
  });
  expectExit(await cloud.apply(plan.digest), 0);
  expect(cloud.writes).toEqual(['POST /v3/projects/acme-web:move']);
  expect(cloud.projectOf('acme-web').parent).toBe('folders/2');
});

it.concurrent('G7 an update sends a mask of just what differs from live', async () => {
  const cloud = await openCloudInside({ seed: { folders: FOLDERS, projects: [{ ...WEB, labels: { env: 'x' } }] } });
  cloud.write({
    steps: [
      project('web', { project_id: 'acme-web', parent: 'folders/1', display_name: 'New Web', labels: { env: 'x' } }),
    ],
  });
  await cloud.converge();
  const patch = cloud.emulator.requests.find((item) => item.method === 'PATCH');
  expect(patch?.query).toEqual({ updateMask: ['displayName'] });
  expect(patch?.body).toMatchObject({ displayName: 'New Web' });
  expect(patch?.body).not.toHaveProperty('labels');
});

it.concurrent('a folder renamed with was keeps its id; without was a new name is a new folder', async () => {
  const cloud = await openCloudInside({ seed: { folders: FOLDERS } });
  cloud.write({ steps: [folder('f', { parent: ORG, display_name: 'uno', was: { display_name: 'one' } })] });
  const { plan } = await cloud.plan();
  expect(stepAt(plan, 'f')).toMatchObject({
    change: 'update',
    diff: { display_name: { desired: 'uno', actual: 'one' } },
  });
  expectExit(await cloud.apply(plan.digest), 0);
  expect(cloud.folderNamed('uno').name).toBe('folders/1');
  expect((await cloud.plan('--detailed-exitcode')).code).toBe(0);

  cloud.write({ steps: [folder('g', { parent: ORG, display_name: 'dos' })] });
  expect(stepAt((await cloud.plan()).plan, 'g').change).toBe('create');
});

it.concurrent('a folder renamed whose move is refused is done in part: exit 7, and the next run does the rest', async () => {
  const cloud = await openCloudInside();
  cloud.write({
    steps: [folder('a', { parent: ORG, display_name: 'a' }), folder('f', { parent: ORG, display_name: 'one' })],
  });
  expectExit(await cloud.converge(), 0);
  const was = { parent: ORG, display_name: 'one' };
  cloud.write({
    steps: [
      folder('a', { parent: ORG, display_name: 'a' }),
      folder('f', { parent: '{{ steps.a.resource.name }}', display_name: 'uno', was }),
    ],
  });
  const body = { error: { code: 400, status: 'FAILED_PRECONDITION', message: 'no' } };
  cloud.emulator.addFault({ path: ':move$', nth: 1, action: { kind: 'respond', status: 400, body } });
  const failed = await cloud.converge();
  expectExit(failed, 7);
  expect(codesOf(stepAt(failed.report, 'f').diagnostics)).toContain('PARTLY_DONE');
  // The log knows which folder it is; without it a person has to say, and no second one is made.
  const blind = await cloud.plan('--eventlog', 'other.jsonl');
  expect(codesOf(stepAt(blind.plan, 'f').diagnostics)).toContain('AMBIGUOUS');
  expect(stepAt(blind.plan, 'f').diagnostics[0]?.hint).toContain(`was: { parent: ${ORG}, display_name: "uno" }`);
  const { plan } = await cloud.plan();
  expect(stepAt(plan, 'f').change).toBe('move');
  cloud.resetRequests();
  expectExit(await cloud.apply(failed.report.digest), 0);
  expect(cloud.writes).toEqual([expect.stringMatching(/:move$/)]);
  expect((await cloud.plan('--detailed-exitcode')).code).toBe(0);
});

it.concurrent('a folder that no log knew and that is renamed and not moved is the same one for the next plan', async () => {
  const cloud = await openCloudInside({ seed: { folders: FOLDERS } });
  const was = { parent: ORG, display_name: 'one' };
  cloud.write({ steps: [folder('f', { parent: 'folders/2', display_name: 'uno', was })] });
  const { plan } = await cloud.plan();
  const body = { error: { code: 403, status: 'PERMISSION_DENIED', message: 'no' } };
  cloud.emulator.addFault({ path: ':move$', nth: 1, action: { kind: 'respond', status: 403, body } });
  expectExit(await cloud.apply(plan.digest), 7);
  const next = await cloud.plan();
  expect(stepAt(next.plan, 'f')).toMatchObject({
    change: 'move',
    resource_id: 'folders/1',
    diff: { parent: { desired: 'folders/2', actual: ORG } },
    recorded: { parent: ORG, display_name: 'uno' },
  });
  cloud.resetRequests();
  const rest = await cloud.apply(plan.digest);
  expectExit(rest, 0);
  expect(cloud.writes).toEqual(['POST /v3/folders/1:move']);
  expect((await cloud.plan('--detailed-exitcode')).code).toBe(0);
});

it.concurrent('a half that someone else has changed since is another plan', async () => {
  const cloud = await openCloudInside({ seed: { folders: FOLDERS, projects: [WEB] } });
  cloud.write({ steps: [project('web', { project_id: 'acme-web', parent: 'folders/2', display_name: 'New Web' })] });
  const { plan } = await cloud.plan();
  const body = { error: { code: 403, status: 'PERMISSION_DENIED', message: 'no' } };
  cloud.emulator.addFault({ path: ':move$', nth: 1, action: { kind: 'respond', status: 403, body } });
  expectExit(await cloud.apply(plan.digest), 7);
  await fetch(`${cloud.emulator.url}/v3/projects/acme-web?updateMask=displayName`, {
    method: 'PATCH',
    headers: { authorization: 'Bearer x', 'content-type': 'application/json' },
    body: JSON.stringify({ displayName: 'Third Party' }),
  });
  const stale = await cloud.run(['apply', 'playbook.yaml', '--confirm', plan.digest ?? '']);
  expect(stale.code).toBe(5);
  expect(stale.stderr).toContain('Third Party');
});

it.concurrent.each([
  [
    'the new name is taken in the old parent: moved first',
    { displayName: 'uno', parent: ORG },
    [/:move$/, /folders\/1$/],
  ],
  [
    'the old name is taken in the new one: renamed first',
    { displayName: 'one', parent: 'folders/2' },
    [/folders\/1$/, /:move$/],
  ],
])('a folder gets another name and parent where %s', async (_, other, order) => {
  const cloud = await openCloudInside({ seed: { folders: [...FOLDERS, { id: '9', ...other }] } });
  const was = { parent: ORG, display_name: 'one' };
  cloud.write({ steps: [folder('f', { parent: 'folders/2', display_name: 'uno', was })] });
  const { plan } = await cloud.plan();
  expectExit(await cloud.apply(plan.digest), 0);
  expect(cloud.writes).toEqual(order.map((path) => expect.stringMatching(path)));
  expect((await cloud.plan('--detailed-exitcode')).code).toBe(0);
});

it.concurrent('a folder for which neither order works is blocked by the two that are in the way', async () => {
  const cloud = await openCloudInside({
    seed: {
      folders: [
        ...FOLDERS,
        { id: '8', displayName: 'uno', parent: ORG },
        { id: '9', displayName: 'one', parent: 'folders/2' },
      ],
    },
  });
  const was = { parent: ORG, display_name: 'one' };
  cloud.write({ steps: [folder('f', { parent: 'folders/2', display_name: 'uno', was })] });
  const { plan } = await cloud.plan();
  const step = stepAt(plan, 'f');
  expect(step).toMatchObject({ change: 'blocked', diagnostics: [{ code: 'FOLDER_NAME_TAKEN' }] });
  expect(step.diagnostics[0]?.detail).toMatch(/folders\/8.*folders\/9/);
  expect(cloud.writes).toEqual([]);
});

it.concurrent('a folder moved with was: the old parent, one move', async () => {
  const cloud = await openCloudInside({
    seed: { folders: [...FOLDERS, { id: '3', displayName: 'inner', parent: 'folders/1' }] },
  });
  cloud.write({ steps: [folder('f', { parent: 'folders/2', display_name: 'inner', was: { parent: 'folders/1' } })] });
  const { plan } = await cloud.plan();
  expect(stepAt(plan, 'f').change).toBe('move');
  expectExit(await cloud.apply(plan.digest), 0);
  expect(cloud.writes).toEqual(['POST /v3/folders/3:move']);
  expect(cloud.state.folders['folders/3']?.parent).toBe('folders/2');
});

it.concurrent('a rename of what the log owns: the log learns both names', async () => {
  const cloud = await openCloudInside({ seed: { folders: FOLDERS } });
  cloud.write({ steps: [folder('f', { parent: ORG, display_name: 'one' })] });
  await cloud.converge();
  cloud.write({ steps: [folder('f', { parent: ORG, display_name: 'uno', was: { display_name: 'one' } })] });
  const { plan } = await cloud.plan();
  expect(stepAt(plan, 'f')).toMatchObject({ change: 'update' });
  expectExit(await cloud.apply(plan.digest), 0);
  const facts = cloud.rows.flatMap((row) => (row['type'] === 'provider.fact' ? [row['provider_fact']] : []));
  expect(facts.slice(-2)).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ verb: 'delete', outcome: 'absent', renamed_to: expect.stringContaining('/uno') }),
      expect.objectContaining({ verb: 'ensure', outcome: 'changed', renamed_from: expect.stringContaining('/one') }),
    ]),
  );
  expect((await cloud.plan('--detailed-exitcode')).code).toBe(0);
});

it.concurrent('what only its parent was renamed under: the same resource, recorded as renamed, without a write', async () => {
  const cloud = await openCloudInside();
  const inner = folder('inner', { parent: '{{ steps.outer.resource.name }}', display_name: 'inner' });
  cloud.write({ steps: [folder('outer', { parent: ORG, display_name: 'outer' }), inner] });
  expectExit(await cloud.converge(), 0);
  const { name } = cloud.folderNamed('inner');
  cloud.write({
    steps: [folder('outer', { parent: ORG, display_name: 'shell', was: { display_name: 'outer' } }), inner],
  });
  const { plan } = await cloud.plan();
  expect(stepAt(plan, 'inner')).toMatchObject({ change: 'none', record: 'rename' });
  cloud.resetRequests();
  expectExit(await cloud.apply(plan.digest), 0);
  expect(cloud.writes).toHaveLength(1);
  expect(cloud.folderNamed('inner').name).toBe(name);
  expect((await cloud.plan('--detailed-exitcode')).code).toBe(0);
});

it.concurrent("labels merge: others' labels stay; labels_authoritative replaces", async () => {
  const cloud = await openCloudInside({
    seed: { folders: FOLDERS, projects: [{ ...WEB, labels: { theirs: 'x', team: 'old' } }] },
  });
  const input = { project_id: 'acme-web', parent: 'folders/1', labels: { team: 'web' } };
  cloud.write({ steps: [project('web', input)] });
  expectExit(await cloud.converge(), 0);
  expect(cloud.projectOf('acme-web').labels).toEqual({ theirs: 'x', team: 'web' });
  expect((await cloud.plan('--detailed-exitcode')).code).toBe(0);
  cloud.write({ steps: [project('web', { ...input, labels_authoritative: true })] });
  const { plan } = await cloud.plan();
  expect(stepAt(plan, 'web')).toMatchObject({ change: 'update', diff: { labels: expect.anything() } });
  expectExit(await cloud.apply(plan.digest), 0);
  expect(cloud.projectOf('acme-web').labels).toEqual({ team: 'web' });
});

it.concurrent('an omitted input is never patched and never drift', async () => {
  const cloud = await openCloudInside({ seed: { folders: FOLDERS, projects: [{ ...WEB, labels: { theirs: 'x' } }] } });
  cloud.write({ steps: [project('web', { project_id: 'acme-web', parent: 'folders/1' })] });
  expect(stepAt((await cloud.plan()).plan, 'web')).toMatchObject({ change: 'none', diff: {} });
});

it.concurrent('A5 a project in DELETE_REQUESTED is never converged: its purge date and the undelete are offered; asked for, it is undeleted', async () => {
  const cloud = await openCloudInside({
    seed: { folders: FOLDERS, projects: [{ ...WEB, state: 'DELETE_REQUESTED' }] },
  });
  const input = { project_id: 'acme-web', parent: 'folders/1' };
  cloud.write({ steps: [project('web', input)] });
  const { plan } = await cloud.plan();
  const step = stepAt(plan, 'web');
  expect(step.change).not.toBe('none');
  const found = step.diagnostics.find(({ code }) => code === 'PENDING_DELETION');
  expect(found?.detail).toMatch(/\d{4}-\d{2}-\d{2}/);
  expect(found?.hint).toContain('undelete: true');

  cloud.write({ steps: [project('web', { ...input, undelete: true })] });
  const back = await cloud.plan();
  expect(stepAt(back.plan, 'web').change).toBe('undelete');
  expectExit(await cloud.apply(back.plan.digest), 0);
  expect(cloud.projectOf('acme-web').state).toBe('ACTIVE');
  expect((await cloud.plan('--detailed-exitcode')).code).toBe(0);
});

it.concurrent('A4 a project id of someone else: planned as a create that a create proves, then PROJECT_ID_TAKEN', async () => {
  const cloud = await openCloudInside({
    seed: { folders: FOLDERS, projects: [{ projectId: 'taken-by-them', parent: 'organizations/999999999999' }] },
    tokens: {
      'token-of-the-test-and-of-nothing-else': {
        name: 'user:me@example.com',
        permissions: '*',
        hidden: ['projects/taken-by-them'],
      },
    },
  });
  cloud.write({ steps: [project('p', { project_id: 'taken-by-them', parent: 'folders/1' })] });
  const { plan } = await cloud.plan();
  expect(stepAt(plan, 'p')).toMatchObject({ change: 'create', present: 'unknown' });
  expect(codesOf(stepAt(plan, 'p').diagnostics)).toContain('NOT_VISIBLE');
  const applied = await cloud.apply(plan.digest);
  expectExit(applied, 6);
  const step = stepAt(applied.report, 'p');
  expect(step.outcome).toBe('failed');
  expect(codesOf(step.diagnostics)).toContain('PROJECT_ID_TAKEN');
  expect(cloud.writes).toEqual(['POST /v3/projects']);
});

it.concurrent('folders of the playbook by display name, several levels deep, planned whole from nothing', async () => {
  const cloud = await openCloudInside();
  cloud.write({
    defaults: { guard: { require_org: ORG } },
    steps: [
      project('p', { project_id: 'acme-deep', parent: 'folders/by-display-name/outer/inner' }),
      folder('inner', { parent: 'folders/by-display-name/outer', display_name: 'inner' }),
      folder('outer', { parent: ORG, display_name: 'outer' }),
    ],
  });
  const { plan } = await cloud.plan();
  expect(plan.steps.map((step) => step.address)).toEqual(['outer', 'inner', 'p']);
  expect(stepAt(plan, 'inner').urn).toBe(`google:cloudresourcemanager:folder:${ORG}/outer/inner`);
  expectExit(await cloud.apply(plan.digest), 0);
  expect(cloud.projectOf('acme-deep').parent).toBe(cloud.folderNamed('inner').name);
  expect((await cloud.plan('--detailed-exitcode')).code).toBe(0);
});

it.concurrent('by display name from what is live; an ambiguous or missing name is an error that lists the candidates', async () => {
  const cloud = await openCloudInside({
    seed: {
      folders: [
        ...FOLDERS,
        { id: '3', displayName: 'two', parent: 'folders/1' },
        { id: '4', displayName: 'twin', parent: ORG },
        { id: '5', displayName: 'twin', parent: ORG },
      ],
    },
  });
  const plan = async (parent: string, extra: object = { organization: ORG_ID }) => {
    cloud.write({ steps: [project('p', { project_id: 'acme-new', parent, ...extra })] });
    return (await cloud.plan()).plan;
  };
  expect(stepAt(await plan('folders/by-display-name/one'), 'p')).toMatchObject({
    change: 'create',
    desired: { parent: 'folders/1' },
  });
  expect(stepAt(await plan('folders/by-display-name/one/two'), 'p').desired).toMatchObject({ parent: 'folders/3' });
  const twin = stepAt(await plan('folders/by-display-name/twin'), 'p');
  expect([twin.change, codesOf(twin.diagnostics)]).toEqual(['blocked', ['AMBIGUOUS']]);
  expect(JSON.stringify(twin.diagnostics)).toMatch(/folders\/4.*folders\/5/);
  const missing = stepAt(await plan('folders/by-display-name/tow'), 'p');
  expect(missing.change).toBe('blocked');
  expect(JSON.stringify(missing.diagnostics)).toContain('two');
  cloud.write({ steps: [project('p', { project_id: 'acme-new', parent: 'folders/by-display-name/one' })] });
  const without = await cloud.fail(['plan', 'playbook.yaml']);
  expect(without.code).toBe(3);
  expect(JSON.stringify(without.failure.diagnostics)).toContain('organization');
});

it.concurrent('one page at a time: with pages of one nothing is missed', async () => {
  const cloud = await openCloudInside({
    pageSize: 1,
    seed: {
      folders: [...FOLDERS, { id: '3', displayName: 'three', parent: ORG }],
      projects: [
        WEB,
        { projectId: 'acme-a', parent: 'folders/1' },
        { projectId: 'acme-z', parent: 'folders/1', services: ['iam.googleapis.com', 'dns.googleapis.com'] },
      ],
    },
  });
  cloud.write({
    steps: [
      ...['one', 'two', 'three'].map((display_name) => folder(display_name, { parent: ORG, display_name })),
      ...['acme-a', 'acme-web', 'acme-z'].map((project_id, index) =>
        project(`p${index}`, { project_id, parent: 'folders/1' }),
      ),
      google('apis', 'serviceusage.services.enable', {
        project_id: 'acme-z',
        services: ['iam.googleapis.com', 'dns.googleapis.com'],
      }),
    ],
  });
  expect((await cloud.plan()).plan.summary).toMatchObject({ none: 8, create: 0 });
  expect(cloud.requests.filter((request) => request === 'GET /v3/folders')).toHaveLength(3);
});

it.concurrent('explicit delete steps are planned with a digest, done dependants first, and refused when what they delete moved', async () => {
  const cloud = await openCloudInside({
    seed: {
      folders: [{ id: '9', displayName: 'old', parent: ORG }],
      projects: [{ projectId: 'acme-old', number: '900', parent: 'folders/9' }],
    },
  });
  cloud.write({
    steps: [
      google('folder', 'cloudresourcemanager.folders.delete', { parent: ORG, display_name: 'old' }),
      google('project', 'cloudresourcemanager.projects.delete', { project_id: 'acme-old' }),
    ],
  });
  const { plan } = await cloud.plan();
  expect(plan.summary).toMatchObject({ delete: 2, blocked: 0 });
  for (const step of plan.steps) expect(step.plan_digest).toMatch(/^[0-9a-f]{64}$/);
  await cloud.outOfBand('PATCH', '/v3/projects/acme-old?updateMask=labels', { labels: { still: 'used' } });
  const refused = await cloud.fail(['apply', 'playbook.yaml', '--confirm', plan.digest ?? '']);
  expect(refused.code).toBe(5);
  expect(cloud.writes).toEqual([]);
  const again = await cloud.plan();
  cloud.resetRequests();
  const applied = await cloud.apply(again.plan.digest);
  expectExit(applied, 0);
  expect(cloud.writes).toEqual(['DELETE /v3/projects/acme-old', 'DELETE /v3/folders/9']);
  expect(applied.report.summary).toMatchObject({ deleted: 2 });
  expect((await cloud.plan('--detailed-exitcode')).code).toBe(0);
});

it.concurrent('projects.delete: billing, liens and what is already gone are said; a lien blocks', async () => {
  const cloud = await openCloudInside({
    seed: {
      folders: FOLDERS,
      projects: [
        { ...WEB, billingAccountName: 'billingAccounts/0A1B2C-3D4E5F-6A7B8C' },
        { projectId: 'acme-gone', parent: ORG, state: 'DELETE_REQUESTED' },
      ],
    },
  });
  await cloud.outOfBand('POST', '/v3/liens', {
    parent: 'projects/555',
    reason: 'holds the DNS',
    origin: 'dns team',
    restrictions: ['resourcemanager.projects.delete'],
  });
  cloud.write({
    steps: [
      google('web', 'cloudresourcemanager.projects.delete', { project_id: 'acme-web' }),
      google('gone', 'cloudresourcemanager.projects.delete', { project_id: 'acme-gone' }),
    ],
  });
  const { plan } = await cloud.plan();
  expect(stepAt(plan, 'web').change).toBe('blocked');
  expect(codesOf(stepAt(plan, 'web').diagnostics)).toEqual(expect.arrayContaining(['LIEN', 'BILLING_LINKED']));
  expect(stepAt(plan, 'gone')).toMatchObject({ change: 'none', present: false });
});

it.concurrent('A13 a folder that is not empty is not deleted: the plan says what is inside, and emptiness is checked again', async () => {
  const cloud = await openCloudInside({ seed: { folders: FOLDERS, projects: [WEB] } });
  cloud.write({
    steps: [
      google('one', 'cloudresourcemanager.folders.delete', { parent: ORG, display_name: 'one' }),
      google('two', 'cloudresourcemanager.folders.delete', { parent: ORG, display_name: 'two' }),
    ],
  });
  const { plan, code } = await cloud.plan('--detailed-exitcode');
  expect(code).toBe(2);
  expect(stepAt(plan, 'one').change).toBe('blocked');
  expect(JSON.stringify(stepAt(plan, 'one').diagnostics)).toContain('acme-web');
  expect(stepAt(plan, 'two').change).toBe('delete');
  // Someone starts to use it in between.
  await cloud.outOfBand('POST', '/v3/projects', { projectId: 'acme-minutes-old', parent: 'folders/2' });
  const refused = await cloud.fail(['apply', 'playbook.yaml', '--confirm', plan.digest ?? '']);
  expect(refused.code).toBe(5);
  expect(codesOf(refused.failure.diagnostics)).toEqual(['DIGEST_STALE']);
  expect(refused.failure.differences).toEqual(
    expect.arrayContaining([{ address: 'two', field: 'change', then: 'delete', now: 'blocked' }]),
  );
  expect(cloud.writes).toEqual([]);
});

it.concurrent('projects.delete of something that is not visible is refused as unresolvable', async () => {
  const cloud = await openCloudInside();
  cloud.write({ steps: [google('p', 'cloudresourcemanager.projects.delete', { project_id: 'nobody-knows' })] });
  const { plan } = await cloud.plan();
  expect(stepAt(plan, 'p')).toMatchObject({ change: 'blocked', present: 'unknown' });
  expectExit(await cloud.apply(plan.digest), 5);
  expect(cloud.writes).toEqual([]);
});

it.concurrent('every spelling of an input is one input: equal ones may stand together, others are an error', async () => {
  const cloud = await openCloudInside({ seed: { folders: FOLDERS } });
  const A = 'billingAccounts/0A1B2C-3D4E5F-6A7B8C';
  const member = 'group:team@example.com';
  const actions: readonly (readonly [string, readonly Readonly<Record<string, unknown>>[]])[] = [
    [
      'cloudresourcemanager.folders.ensure',
      [
        { parent: ORG, display_name: 'xx-y' },
        { parent: ORG, displayName: 'xx-y' },
      ],
    ],
    [
      'cloudresourcemanager.projects.ensure',
      [
        { project_id: 'acme-new', parent: 'folders/1', display_name: 'Acme New' },
        { projectId: 'acme-new', parent: 'folders/1', displayName: 'Acme New' },
        { projectId: 'acme-new', project_id: 'acme-new', parent: 'folders/1', displayName: 'Acme New' },
      ],
    ],
    [
      'cloudbilling.projects.link',
      [
        { project_id: 'acme-new', billing_account: A },
        { projectId: 'acme-new', billingAccount: A },
        { project_id: 'acme-new', billingAccountName: A },
        { project_id: 'acme-new', billing_account_name: '0A1B2C-3D4E5F-6A7B8C' },
      ],
    ],
    [
      'serviceusage.services.enable',
      [
        { project_id: 'acme-new', service_name: 'iam.googleapis.com' },
        { projectId: 'acme-new', service: 'iam.googleapis.com' },
      ],
    ],
    [
      'cloudresourcemanager.organizations.iam.ensure_binding',
      [
        { organization: ORG, role: 'roles/browser', member },
        { org_id: ORG_ID, role: 'roles/browser', member },
        { organization_id: ORG, role: 'roles/browser', member },
      ],
    ],
  ];
  const steps = actions.map(([action, inputs]) => inputs.map((input, index) => google(`s${index}`, action, input)));
  const widest = Math.max(...steps.map((of) => of.length));
  const seen: string[][] = [];
  for (let variant = 0; variant < widest; variant += 1) {
    cloud.write({
      steps: steps.map((of, index) => ({ ...(of[variant] ?? of[0] ?? { step: '' }), step: `s${index}` })),
    });
    const { plan } = await cloud.plan('--no-save');
    seen.push(
      [...plan.steps]
        .sort((a, b) => a.address.localeCompare(b.address))
        .map((step) => JSON.stringify([step.urn, step.desired, step.would_call])),
    );
  }
  for (const one of seen) expect(one).toEqual(seen[0]);
  cloud.write({ steps: [project('p', { project_id: 'acme-new', projectId: 'acme-old', parent: ORG })] });
  const { code, failure } = await cloud.fail(['plan', 'playbook.yaml']);
  expect([code, codesOf(failure.diagnostics)]).toEqual([3, ['INPUT_CONFLICT']]);
});

it.concurrent('short actions with service:, and runtime rust-sdk as rest', async () => {
  const cloud = await openCloudInside();
  cloud.write({
    steps: [
      {
        step: 'f',
        tool: {
          kind: 'provider',
          provider: 'google',
          runtime: 'rust-sdk',
          service: 'cloudresourcemanager.googleapis.com',
          action: 'folders.ensure',
          input: { parent: ORG, display_name: '00-shared' },
        },
      },
    ],
  });
  const { plan } = await cloud.plan();
  expect(plan.steps[0]).toMatchObject({ action: 'google.cloudresourcemanager.folders.ensure', backend: 'rest' });
  cloud.write({
    steps: [
      google('f', 'cloudresourcemanager.folders.ensure', { parent: ORG, display_name: 'aa' }, { runtime: 'grpc' }),
    ],
  });
  expect((await cloud.run(['plan', 'playbook.yaml'])).code).toBe(3);
});

it.concurrent('a step of two requests whose second is refused says that the first was done, and a new plan shows the rest', async () => {
  const cloud = await openCloudInside({ seed: { folders: FOLDERS, projects: [WEB] } });
  cloud.write({
    steps: [project('web', { project_id: 'acme-web', parent: 'folders/2', display_name: 'New Web' })],
  });
  const { plan } = await cloud.plan();
  cloud.emulator.addFault({
    method: 'POST',
    path: ':move$',
    nth: 1,
    action: {
      kind: 'respond',
      status: 400,
      body: { error: { code: 400, status: 'FAILED_PRECONDITION', message: 'no' } },
    },
  });
  const applied = await cloud.apply(plan.digest);
  const step = stepAt(applied.report, 'web');
  expect(step.outcome).toBe('failed');
  expect(step.diagnostics.find(({ code }) => code === 'PARTLY_DONE')?.detail).toContain('PATCH projects/acme-web');
  expectExit(applied, 7);
  const rest = await cloud.plan();
  expect(stepAt(rest.plan, 'web').diff).toEqual({ parent: { desired: 'folders/2', actual: 'folders/1' } });
  expectExit(await cloud.apply(rest.plan.digest), 0);
});
