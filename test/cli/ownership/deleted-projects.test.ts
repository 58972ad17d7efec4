import { expect, it } from 'vitest';
import { ACCOUNT, type Cloud, expectExit, ORG, openCloudInside, stepAt } from '../../support/e2e/cloud.ts';
import { confirmed, drift, json, verbPlanSchema, verdicts } from '../../support/e2e/ownership.ts';
import { enable, folder, grant, link, project } from '../../support/e2e/playbooks.ts';

const STEPS = [
  folder('outer', { parent: ORG, display_name: 'outer' }, { protect: false }),
  project('web', { project_id: 'acme-web', parent: '{{ steps.outer.resource.name }}' }, { protect: false }),
  link('billing', { project_id: 'acme-web', billing_account: ACCOUNT }),
  enable('apis', { project_id: 'acme-web', services: ['dns.googleapis.com', 'iam.googleapis.com'] }),
  grant('team', { project_id: 'acme-web', role: 'roles/browser', member: 'group:team@example.com' }),
];

async function applied(): Promise<Cloud> {
  const cloud = await openCloudInside();
  cloud.write({ defaults: { stack: 'prod' }, steps: STEPS });
  expectExit(await cloud.converge(), 0);
  cloud.resetRequests();
  return cloud;
}

it('services and grants of a project that is being deleted are missing with it, at no further request', async () => {
  const cloud = await applied();
  const before = await drift(cloud, 'playbook.yaml');
  expect(new Set(Object.values(verdicts(before)))).toEqual(new Set(['in_sync']));
  const reads = [...cloud.requests].sort();
  await cloud.outOfBand('DELETE', `/v3/${cloud.projectOf('acme-web').name}`);
  const seen = await drift(cloud, 'playbook.yaml');
  expectExit(seen, 2);
  const { [`google:cloudresourcemanager:folder:${ORG}/outer`]: outer, ...rest } = verdicts(seen);
  expect(outer).toBe('in_sync');
  expect(Object.values(rest)).toEqual(['missing', 'missing', 'missing', 'missing', 'missing']);
  // Only the billing link, which is cut, is looked for once more.
  expect(cloud.requests.filter((request) => !request.endsWith('/billingInfo')).sort()).toEqual(reads);
});

it('one look at a project tells for all that is in it, where no list shows it', async () => {
  const cloud = await applied();
  await cloud.outOfBand('DELETE', `/v3/${cloud.projectOf('acme-web').name}`);
  const urns = ['dns', 'iam'].map((name) => `google:serviceusage:service:acme-web/${name}.googleapis.com`);
  const seen = await drift(cloud, 'playbook.yaml', ...urns.flatMap((urn) => ['--target', urn]));
  expect(Object.values(verdicts(seen))).toEqual(['missing', 'missing']);
  expect(cloud.requests).toEqual(['GET /v1/projects/acme-web/services', 'GET /v3/projects/acme-web']);
});

it('after a destruction nothing of it is untracked', async () => {
  const cloud = await applied();
  const { done } = await confirmed(cloud, 'destroy', 'playbook.yaml');
  expectExit(done, 0);
  const seen = await drift(cloud, 'playbook.yaml');
  expect(new Set(Object.values(verdicts(seen)))).toEqual(new Set(['not_managed']));
});

it('an adoption of one that is being deleted says until when it can be restored, and how', async () => {
  const cloud = await applied();
  await cloud.outOfBand('DELETE', `/v3/${cloud.projectOf('acme-web').name}`);
  const { document } = await json(cloud, verbPlanSchema, 'adopt', 'playbook.yaml', '--target', 'web');
  expect(stepAt(document, 'web').diagnostics).toMatchObject([
    {
      code: 'ADOPT_ABSENT',
      detail: expect.stringMatching(/will be purged on \d{4}-/),
      hint: expect.stringContaining('undelete: true'),
    },
  ]);
});
