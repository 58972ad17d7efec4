import { expect, it } from 'vitest';
import { ACCOUNT, type Cloud, expectExit, ORG, openCloudInside, stepAt } from '../../support/e2e/cloud.ts';
import { google, type Step } from '../../support/e2e/playbooks.ts';

const COMMON = ['action', 'backend', 'provider'];
const DRY = [
  ...COMMON,
  'changed',
  'confirm_hint',
  'converge',
  'destroy',
  'dry_run',
  'plan',
  'plan_digest',
  'present',
  'provider_fact',
].sort();
const APPLIED = [...COMMON, 'changed', 'converge', 'destroy', 'dry_run', 'provider_fact', 'resource'].sort();

const INPUT = { parent: ORG, display_name: '20-media' };
const PLAN = google('plan_destroy_folder', 'cloudresourcemanager.folders.delete', INPUT, { dry_run: true });

function apply(confirm: string | undefined): Step {
  return google('apply_destroy_folder', 'cloudresourcemanager.folders.delete', INPUT, {
    dry_run: false,
    ...(confirm === undefined ? {} : { confirm }),
  });
}

async function cloudWithFolder(): Promise<Cloud> {
  return openCloudInside({ seed: { folders: [{ id: '20', displayName: '20-media', parent: ORG }] } });
}

async function planDigest(cloud: Cloud): Promise<string> {
  cloud.write({ steps: [PLAN] });
  const { lines } = await cloud.exec();
  return String(lines[0]?.data['plan_digest']);
}

it.concurrent('plans against live state: the exact target, its etag and state, a digest, and no write', async () => {
  const cloud = await cloudWithFolder();
  cloud.write({ steps: [PLAN] });
  const ended = await cloud.exec();
  expectExit(ended, 0);
  const [line] = ended.lines;
  expect(Object.keys(line?.data ?? {}).sort()).toEqual(DRY);
  expect(line?.data).toMatchObject({
    dry_run: true,
    changed: false,
    destroy: true,
    converge: 'destroy',
    present: true,
    plan_digest: expect.stringMatching(/^[0-9a-f]{64}$/),
    plan: {
      urn: `google:cloudresourcemanager:folder:${ORG}/20-media`,
      resolved_name: 'folders/20',
      etag: cloud.folderNamed('20-media').etag,
      state: 'ACTIVE',
      present: true,
      request: { method: 'DELETE', url: `${cloud.emulator.url}/v3/folders/20` },
    },
    provider_fact: { verb: 'delete', outcome: 'planned' },
  });
  expect(Object.keys(line?.data['plan'] as object).sort()).toEqual([
    'etag',
    'present',
    'request',
    'resolved_name',
    'state',
    'urn',
  ]);
  expect(cloud.writes).toEqual([]);
});

it.concurrent('works with the digest as a template, both steps in one playbook', async () => {
  const cloud = await cloudWithFolder();
  cloud.write({ steps: [PLAN, apply('{{ steps.plan_destroy_folder.plan_digest }}')] });
  const ended = await cloud.exec();
  expectExit(ended, 0);
  const line = ended.lines[1];
  expect(Object.keys(line?.data ?? {}).sort()).toEqual(APPLIED);
  expect(line?.data).toMatchObject({
    dry_run: false,
    changed: true,
    destroy: true,
    provider_fact: { verb: 'delete', outcome: 'deleted', resource_id: 'folders/20' },
  });
  expect(cloud.writes).toEqual(['DELETE /v3/folders/20']);
  expect(cloud.state.folders['folders/20']?.state).toBe('DELETE_REQUESTED');
});

it.concurrent('takes the digest from any of the spellings of a result', async () => {
  const cloud = await cloudWithFolder();
  for (const path of ['plan_destroy_folder.data.plan_digest', 'plan_destroy_folder.result.plan_digest']) {
    cloud.write({ steps: [PLAN, apply(`{{ ${path} }}`)] });
    const ended = await cloud.exec();
    expectExit(ended, 0);
    expect(ended.lines[1]?.data).toMatchObject({ changed: true });
    await cloud.outOfBand('POST', '/v3/folders/20:undelete', {});
  }
});

it.concurrent('works with the digest as a literal in a second run', async () => {
  const cloud = await cloudWithFolder();
  const digest = await planDigest(cloud);
  cloud.write({ steps: [apply(digest)] });
  const ended = await cloud.exec();
  expectExit(ended, 0);
  expect(ended.lines[0]?.data).toMatchObject({ changed: true, provider_fact: { outcome: 'deleted' } });
  expect(cloud.state.folders['folders/20']?.state).toBe('DELETE_REQUESTED');
});

it.concurrent('is refused when the live resource changed in between: nothing is deleted', async () => {
  const cloud = await cloudWithFolder();
  const digest = await planDigest(cloud);
  // Renamed and back: the same name, another etag.
  await cloud.outOfBand('PATCH', '/v3/folders/20?updateMask=displayName', { displayName: '21-media' });
  await cloud.outOfBand('PATCH', '/v3/folders/20?updateMask=displayName', { displayName: '20-media' });
  cloud.write({ steps: [apply(digest)] });
  const ended = await cloud.exec();
  expect(ended.code).toBe(5);
  expect(ended.lines[0]).toMatchObject({ status: 'error', error: { code: 'DIGEST_STALE' } });
  expect(cloud.writes).toEqual([]);
  expect(cloud.state.folders['folders/20']?.state).toBe('ACTIVE');
});

it.concurrent('is refused when the resource is gone in between', async () => {
  const cloud = await cloudWithFolder();
  const digest = await planDigest(cloud);
  await cloud.outOfBand('DELETE', '/v3/folders/20');
  cloud.write({ steps: [apply(digest)] });
  const ended = await cloud.exec();
  expect(ended.code).toBe(5);
  expect(cloud.writes).toEqual([]);
});

it.concurrent('is refused without a digest and with another one', async () => {
  const cloud = await cloudWithFolder();
  for (const [confirm, code] of [
    [undefined, 'CONFIRM_REQUIRED'],
    ['a'.repeat(64), 'DIGEST_STALE'],
  ] as const) {
    cloud.write({ steps: [apply(confirm)] });
    const ended = await cloud.exec();
    expect(ended.code).toBe(5);
    expect(ended.lines[0]).toMatchObject({ status: 'error', error: { code } });
  }
  expect(cloud.writes).toEqual([]);
});

it.concurrent('says so when there is nothing to delete any more', async () => {
  const cloud = await openCloudInside();
  cloud.write({ steps: [PLAN, apply('{{ steps.plan_destroy_folder.plan_digest }}')] });
  const ended = await cloud.exec();
  expectExit(ended, 0);
  expect(ended.lines[0]?.data).toMatchObject({ present: false, plan: { present: false, resolved_name: '<absent>' } });
  expect(Object.keys(ended.lines[1]?.data ?? {}).sort()).toEqual([...APPLIED, 'already_absent'].sort());
  expect(ended.lines[1]?.data).toMatchObject({
    changed: false,
    already_absent: true,
    provider_fact: { outcome: 'absent' },
  });
  expect(cloud.writes).toEqual([]);
});

it.concurrent('in a plan the confirming step is the one that deletes, under the digest of the plan; confirm is for exec', async () => {
  const cloud = await cloudWithFolder();
  cloud.write({ steps: [PLAN, apply('{{ steps.plan_destroy_folder.plan_digest }}')] });
  const { plan } = await cloud.plan();
  expect(stepAt(plan, 'plan_destroy_folder')).toMatchObject({ change: 'delete', held: 'dry_run' });
  expect(stepAt(plan, 'apply_destroy_folder')).toMatchObject({ change: 'delete', held: null });
  const digests = new Set(plan.steps.map((step) => step.plan_digest));
  expect(digests.size).toBe(1);
  const applied = await cloud.apply(plan.digest);
  expect(stepAt(applied.report, 'apply_destroy_folder').outcome).toBe('deleted');
  expect(cloud.writes).toEqual(['DELETE /v3/folders/20']);
});

it.concurrent('the digest of a plan is the one that exec confirms', async () => {
  const cloud = await cloudWithFolder();
  cloud.write({ steps: [apply(undefined)] });
  const { plan } = await cloud.plan();
  expect(stepAt(plan, 'apply_destroy_folder').plan_digest).toBe(await planDigest(cloud));
});

it.concurrent.each([
  [
    'projects.delete',
    'cloudresourcemanager.projects.delete',
    { project_id: 'acme-web' },
    'PATCH',
    '/v3/projects/acme-web?updateMask=labels',
    { labels: { a: 'b' } },
  ],
  [
    'services.disable',
    'serviceusage.services.disable',
    { project_id: 'acme-web', service_name: 'dlp.googleapis.com' },
    'POST',
    '/v1/projects/acme-web/services/dlp.googleapis.com:disable',
    {},
  ],
  [
    'projects.unlink',
    'cloudbilling.projects.unlink',
    { project_id: 'acme-web' },
    'PUT',
    '/v1/projects/acme-web/billingInfo',
    { billingAccountName: '' },
  ],
  [
    'remove_binding',
    'cloudresourcemanager.organizations.iam.remove_binding',
    { organization: ORG, role: 'roles/viewer', member: 'user:a@example.com' },
    'POST',
    `/v3/${ORG}:setIamPolicy`,
    { policy: { version: 3, bindings: [] } },
  ],
])('every destroy has the same gate: %s', async (_name, action, input, method, path, body) => {
  const cloud = await openCloudInside({
    seed: {
      projects: [
        {
          projectId: 'acme-web',
          number: '555',
          parent: ORG,
          displayName: 'Acme Web',
          billingAccountName: ACCOUNT,
          services: ['dlp.googleapis.com'],
        },
      ],
      policies: [
        {
          resource: ORG,
          policy: {
            bindings: [
              { role: 'roles/viewer', members: ['user:a@example.com'] },
              { role: 'roles/owner', members: ['user:o@example.com'] },
            ],
          },
        },
      ],
    },
  });
  const dry = google('plan_it', action, input, { dry_run: true });
  const real = (confirm: string) => google('do_it', action, input, { dry_run: false, confirm });
  cloud.write({ steps: [dry] });
  const planned = await cloud.exec();
  expect(Object.keys(planned.lines[0]?.data ?? {}).sort()).toEqual(DRY);
  await cloud.outOfBand(method, path, body);
  cloud.write({ steps: [real(String(planned.lines[0]?.data['plan_digest']))] });
  const stale = await cloud.exec();
  expect([stale.code, stale.lines[0]?.error?.code]).toEqual([5, 'DIGEST_STALE']);
  expect(cloud.writes).toEqual([]);
  cloud.write({ steps: [dry, real('{{ steps.plan_it.plan_digest }}')] });
  expectExit(await cloud.exec(), 0);
});
