import { expect, it } from 'vitest';
import { codesOf, expectExit, ORG, ORG_ID, openCloudInside, stepAt, TOKEN } from '../support/e2e/cloud.ts';
import { enable, folder, project } from '../support/e2e/playbooks.ts';

const FOLDERS = [
  { id: '1', displayName: 'one', parent: ORG },
  { id: '2', displayName: 'two', parent: ORG },
];
const WEB = { projectId: 'acme-web', number: '555', displayName: 'Acme Web', parent: 'folders/1' };

it.concurrent("A1 a folder renamed to a sibling's name: names are unique under a parent, and the folder that holds it is named", async () => {
  const cloud = await openCloudInside({ seed: { folders: FOLDERS } });
  cloud.write({ steps: [folder('f', { parent: ORG, display_name: 'three', was: { display_name: 'one' } })] });
  const { plan } = await cloud.plan();
  // Someone takes the name after the re-plan: at the write, by way of a fault that the emulator answers in earnest.
  cloud.emulator.addFault({
    method: 'PATCH',
    path: '^/v3/folders/1',
    action: {
      kind: 'respond',
      status: 400,
      body: { error: { code: 400, status: 'FAILED_PRECONDITION', message: 'Precondition check failed.' } },
    },
  });
  cloud.emulator.addFault({
    method: 'GET',
    path: '^/v3/folders\\?',
    nth: 2,
    times: 100,
    action: {
      kind: 'respond',
      status: 200,
      body: {
        folders: [
          { name: 'folders/1', parent: ORG, displayName: 'one', state: 'ACTIVE' },
          { name: 'folders/3', parent: ORG, displayName: 'three', state: 'ACTIVE' },
        ],
      },
    },
  });
  const applied = await cloud.apply(plan.digest);
  expectExit(applied, 6);
  const found = stepAt(applied.report, 'f').diagnostics.find(({ code }) => code === 'FOLDER_NAME_TAKEN');
  expect(found?.detail).toContain('unique');
  expect(found?.detail).toContain('folders/3');
});

it.concurrent('A1 a rename to a name that a sibling has already shows both folders before anything is done', async () => {
  const cloud = await openCloudInside({ seed: { folders: FOLDERS } });
  cloud.write({ steps: [folder('f', { parent: ORG, display_name: 'two', was: { display_name: 'one' } })] });
  // The declared folder is there: it is taken as it is, and nothing is renamed.
  expect(stepAt((await cloud.plan()).plan, 'f')).toMatchObject({ change: 'none', resource_id: 'folders/2' });
});

it.concurrent('A2 a declared folder that exists is found by the read; one that appears in between is offered for adoption, by its id', async () => {
  const cloud = await openCloudInside({ seed: { folders: FOLDERS } });
  cloud.write({ steps: [folder('one', { parent: ORG, display_name: 'one' })] });
  expect(stepAt((await cloud.plan()).plan, 'one').change).toBe('none');

  cloud.write({ steps: [folder('new', { parent: ORG, display_name: 'new one' })] });
  const { plan } = await cloud.plan();
  cloud.emulator.addFault({
    method: 'POST',
    path: '^/v3/folders$',
    action: {
      kind: 'lroError',
      error: { code: 9, message: 'The folder operation violates display name uniqueness within the parent.' },
    },
  });
  cloud.emulator.addFault({
    method: 'GET',
    path: '^/v3/folders\\?',
    nth: 2,
    times: 100,
    action: {
      kind: 'respond',
      status: 200,
      body: { folders: [{ name: 'folders/777', parent: ORG, displayName: 'new one', state: 'ACTIVE' }] },
    },
  });
  const applied = await cloud.apply(plan.digest);
  const step = stepAt(applied.report, 'new');
  expect(step.outcome).toBe('failed');
  const found = step.diagnostics.find(({ code }) => code === 'FOLDER_NAME_TAKEN');
  expect(found?.detail).toContain('folders/777');
  expect(found?.hint).toMatch(/adopt/);
  expect(cloud.writes).toEqual(['POST /v3/folders']);
});

it.concurrent('A3 what a run that died half-way made is there for the next: converged, no-op', async () => {
  const cloud = await openCloudInside();
  cloud.write({
    steps: [
      folder('shared', { parent: ORG, display_name: '00-shared' }),
      project('dns', { project_id: 'acme-dns', parent: ORG }),
    ],
  });
  // As if another run, whose log is lost, had done it all.
  await cloud.outOfBand('POST', '/v3/folders', { parent: ORG, displayName: '00-shared' });
  await cloud.outOfBand('POST', '/v3/projects', { projectId: 'acme-dns', parent: ORG, displayName: 'acme-dns' });
  const { plan } = await cloud.plan();
  expect(plan.summary).toMatchObject({ none: 2, create: 0 });
  cloud.resetRequests();
  expectExit(await cloud.apply(plan.digest), 0);
  expect(cloud.writes).toEqual([]);
});

it.concurrent('A7 a project removed by hand is "no permission, or it does not exist"; all else is still planned', async () => {
  const cloud = await openCloudInside({
    seed: { folders: FOLDERS, projects: [WEB, { projectId: 'acme-hidden', parent: 'folders/1' }] },
    tokens: { [TOKEN]: { name: 'user:me@example.com', permissions: '*', hidden: ['projects/acme-hidden'] } },
  });
  cloud.write({
    steps: [
      project('hidden', { project_id: 'acme-hidden', parent: 'folders/1' }),
      enable('hidden_api', { project_id: 'acme-hidden', service: 'iam.googleapis.com' }),
      project('web', { project_id: 'acme-web', parent: 'folders/2' }),
      enable('web_api', { project_id: 'acme-web', service: 'iam.googleapis.com' }),
    ],
  });
  const { plan } = await cloud.plan();
  expect(stepAt(plan, 'hidden')).toMatchObject({ change: 'create', present: 'unknown' });
  expect(stepAt(plan, 'hidden').diagnostics[0]?.detail).toMatch(/does not exist, or/);
  expect(stepAt(plan, 'web').change).toBe('move');
  expect(stepAt(plan, 'web_api').change).toBe('create');
  expect(plan.digest).not.toBeNull();
});

it.concurrent('A9 nothing is ever replaced as a side effect: no plan that changes a resource deletes it', async () => {
  const cloud = await openCloudInside({ seed: { folders: FOLDERS, projects: [WEB] } });
  cloud.write({
    steps: [
      project('web', { project_id: 'acme-web', parent: 'folders/2', display_name: 'New Name', labels: { a: 'b' } }),
      folder('one', { parent: 'folders/2', display_name: 'uno', was: { parent: ORG, display_name: 'one' } }),
    ],
  });
  const { plan } = await cloud.plan();
  for (const step of plan.steps) {
    expect(['update', 'move']).toContain(step.change);
    for (const call of step.would_call) expect('method' in call && call.method).not.toBe('DELETE');
  }
  cloud.resetRequests();
  expectExit(await cloud.apply(plan.digest), 0);
  expect(cloud.writes.filter((request) => /^DELETE|^POST \/v3\/(projects|folders)$/.test(request))).toEqual([]);
  expect(cloud.projectOf('acme-web').name).toBe('projects/555');
  expect(cloud.folderNamed('uno').name).toBe('folders/1');
});

it.concurrent('A9 an id that changes in the playbook makes another project, and leaves the old one alone', async () => {
  const cloud = await openCloudInside({ seed: { folders: FOLDERS, projects: [WEB] } });
  cloud.write({ steps: [project('web', { project_id: 'acme-web', parent: 'folders/1' })] });
  await cloud.converge();
  cloud.write({ steps: [project('web', { project_id: 'acme-web-2', parent: 'folders/1' })] });
  const { plan } = await cloud.plan();
  expect(plan.summary).toMatchObject({ create: 1, delete: 0 });
  expectExit(await cloud.apply(plan.digest), 0);
  expect(cloud.projectOf('acme-web').state).toBe('ACTIVE');
});

it.concurrent('C3 a 403 that names a project never seen is the quota project: which it is, and what to run', async () => {
  const cloud = await openCloudInside();
  const text = 'Cloud Resource Manager API has not been used in project 764086051850 before or it is disabled.';
  cloud.emulator.addFault({
    action: {
      kind: 'respond',
      status: 403,
      body: {
        error: {
          code: 403,
          status: 'PERMISSION_DENIED',
          message: text,
          details: [
            {
              '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
              reason: 'SERVICE_DISABLED',
              domain: 'googleapis.com',
              metadata: { consumer: 'projects/764086051850', service: 'cloudresourcemanager.googleapis.com' },
            },
          ],
        },
      },
    },
  });
  cloud.write({ steps: [folder('shared', { parent: ORG, display_name: '00-shared' })] });
  const { plan, code } = await cloud.plan();
  expect(code).toBe(4);
  const found = stepAt(plan, 'shared').diagnostics.find(({ severity }) => severity === 'error');
  expect(['API_DISABLED', 'QUOTA_PROJECT']).toContain(found?.code);
  const said = `${found?.detail} ${found?.hint}`;
  expect(said).toContain('764086051850');
  expect(said).toMatch(/quota project/);
  expect(said).toMatch(/gcloud/);
});

it.concurrent('C5 all pages of everything: of services, folders, projects and links', async () => {
  const services = ['dlp', 'iam', 'iap', 'drive', 'gmail', 'docs', 'fcm'].map((name) => `${name}.googleapis.com`);
  const cloud = await openCloudInside({ pageSize: 2, seed: { folders: FOLDERS, projects: [{ ...WEB, services }] } });
  cloud.write({ steps: [enable('apis', { project_id: 'acme-web', services })] });
  expect((await cloud.plan()).plan.summary).toMatchObject({ none: 7, create: 0 });
});

it.concurrent('D5 the ancestry of a guard is read once a run, however many steps are inside', async () => {
  const cloud = await openCloudInside({
    seed: { folders: [...FOLDERS, { id: '3', displayName: 'deep', parent: 'folders/1' }] },
  });
  cloud.write({
    defaults: { guard: { require_org: ORG_ID, require_org_display_name: 'acme.example' } },
    steps: ['aa', 'bb', 'cc', 'dd'].map((name) => folder(name, { parent: 'folders/3', display_name: `sub ${name}` })),
  });
  const { plan } = await cloud.plan();
  cloud.resetRequests();
  expectExit(await cloud.apply(plan.digest), 0);
  for (const path of ['/v3/folders/3', '/v3/folders/1', `/v3/${ORG}`])
    expect(cloud.requests.filter((request) => request === `GET ${path}`).length).toBeLessThanOrEqual(1);
});

it.concurrent('D6 a rate limit slows the run down and does not fail it', async () => {
  const cloud = await openCloudInside({ seed: { folders: FOLDERS } });
  const limited = {
    kind: 'respond' as const,
    status: 429,
    headers: { 'retry-after': '0' },
    body: {
      error: {
        code: 429,
        status: 'RESOURCE_EXHAUSTED',
        message: "Quota exceeded for quota metric 'Read requests' and limit 'Read requests per minute'",
        details: [
          {
            '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
            reason: 'RATE_LIMIT_EXCEEDED',
            domain: 'googleapis.com',
            metadata: { quota_limit_value: '600' },
          },
        ],
      },
    },
  };
  for (const nth of [1, 2]) cloud.emulator.addFault({ method: 'GET', path: '^/v3/projects', nth, action: limited });
  cloud.write({
    steps: ['1', '2'].map((id) => project(`p${id}`, { project_id: `acme-${id}-new`, parent: `folders/${id}` })),
  });
  const { plan, code } = await cloud.plan();
  expect(code).toBe(0);
  expect(plan.summary).toMatchObject({ create: 2 });
  expect(codesOf(plan.diagnostics)).not.toContain('THROTTLED');
});
