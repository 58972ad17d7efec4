import { expect, it } from 'vitest';
import { ACCOUNT, type Cloud, codesOf, expectExit, ORG, openCloudInside } from '../../support/e2e/cloud.ts';
import { confirmed, drift, orphans } from '../../support/e2e/ownership.ts';
import { changesBetween, treeOf } from '../../support/safety/tree.ts';

const CREDENTIALS = 'credentials: { reader: { type: bearer, token_env: INFRA_TEST_TOKEN } }\n';

async function withWorld(): Promise<Cloud> {
  const cloud = await openCloudInside({
    seed: {
      folders: [{ id: '10', displayName: 'Shared', parent: ORG }],
      projects: [
        {
          projectId: 'acme-web',
          number: '555',
          displayName: 'Web',
          parent: 'folders/10',
          labels: { team: 'web' },
          billingAccountName: ACCOUNT,
          services: ['dns.googleapis.com'],
        },
      ],
      policies: [
        {
          resource: 'projects/acme-web',
          policy: { bindings: [{ role: 'roles/browser', members: ['group:t@example.com'] }] },
        },
      ],
    },
  });
  cloud.writeText('.config/infra/config.yaml', CREDENTIALS);
  return cloud;
}

const reading = (cloud: Cloud) => ['--credential', 'reader', '--endpoint', cloud.emulator.url];

it('at an endpoint, names that Google would not take are imported', async () => {
  const cloud = await openCloudInside();
  cloud.writeText('.config/infra/config.yaml', CREDENTIALS);
  await cloud.outOfBand('POST', '/v3/folders', { parent: ORG, displayName: 'F' });
  const imported = await cloud.run(['import', '--from', ORG, '--stack', 'prod', ...reading(cloud)]);
  expectExit(imported, 0);
  expect(imported.stdout).not.toContain('Left out: what a playbook can not declare');
  cloud.writeText('org.yaml', imported.stdout);
  const { plan } = await cloud.planOf('org.yaml');
  expect(plan.steps).toMatchObject([{ change: 'none', record: 'own', input: { display_name: 'F' } }]);
});

it('an imported playbook has nothing to do; adopting it owns it all', async () => {
  const cloud = await withWorld();
  const before = treeOf(cloud.folder);
  const imported = await cloud.run(['import', '--from', ORG, '--stack', 'prod', ...reading(cloud)]);
  expectExit(imported, 0);
  expect(cloud.writes).toEqual([]);
  expect(changesBetween(before, treeOf(cloud.folder))).toEqual([]);
  cloud.writeText('org.yaml', imported.stdout);
  const { plan, ...planned } = await cloud.planOf('org.yaml');
  expectExit(planned, 0);
  expect(plan.summary).toMatchObject({ create: 0, update: 0, move: 0, delete: 0, blocked: 0, unknown: 0 });
  const { done } = await confirmed(cloud, 'adopt', 'org.yaml');
  expectExit(done, 0);
  const found = await drift(cloud, 'org.yaml');
  expectExit(found, 0);
  expect(found.document.summary.in_sync).toBe(plan.steps.length);
  expectExit(await orphans(cloud, 'org.yaml', '--grants', '--leave-out', 'nobody'), 0);
  expect(cloud.writes).toEqual([]);
});

it('--out writes the playbook to a file, --format json wraps it', async () => {
  const cloud = await withWorld();
  const human = await cloud.run(['import', '--folder', '10', ...reading(cloud), '--out', 'shared.yaml']);
  expectExit(human, 0);
  expect(cloud.readText('shared.yaml')).toBe(human.stdout);
  const json = JSON.parse(
    (await cloud.run(['import', '--from', 'folders/10', ...reading(cloud), '--format', 'json'])).stdout,
  );
  expect(json).toMatchObject({
    command: 'import',
    scope: 'folders/10',
    playbook: human.stdout,
    left_out: expect.any(Array),
  });
});

it('inventory lists a scope whole, or fails', async () => {
  const cloud = await withWorld();
  const before = treeOf(cloud.folder);
  const ended = await cloud.run(['inventory', '--from', 'folders/10', ...reading(cloud), '--format', 'json']);
  expectExit(ended, 0);
  const { resources } = JSON.parse(ended.stdout);
  expect(resources).toContainEqual({
    provider_id: 'google',
    scope_id: 'folders/10',
    kind: 'project',
    id: 'acme-web',
    name: 'Web',
    status: 'ACTIVE',
    zone_id: null,
    labels: { team: 'web' },
    public_addresses: [],
  });
  const human = await cloud.run(['inventory', '--from', 'folders/10', ...reading(cloud)]);
  expect(human.stdout).toContain('acme-web');
  expect(changesBetween(before, treeOf(cloud.folder))).toEqual([]);
  cloud.emulator.addFault({
    path: 'acme-web:getIamPolicy',
    action: {
      kind: 'respond',
      status: 403,
      body: { error: { code: 403, status: 'PERMISSION_DENIED', message: 'no' } },
    },
  });
  const failed = await cloud.fail(['inventory', '--from', 'folders/10', ...reading(cloud)]);
  expectExit(failed, 4);
  expectExit(await cloud.fail(['import', '--from', 'folders/10', ...reading(cloud)]), 4);
});

it('needs a scope and an auth', async () => {
  const cloud = await withWorld();
  for (const [argv, code, exit] of [
    [['inventory', ...reading(cloud)], 'USAGE', 3],
    [['inventory', '--from', 'folders/x', ...reading(cloud)], 'USAGE', 3],
    [['inventory', '--from', 'folders/1', '--folder', '2', ...reading(cloud)], 'USAGE', 3],
    [['inventory', '--from', 'folders/10'], 'AUTH_REQUIRED', 4],
    [['import', '--from', 'folders/10', '--provider', 'yandex'], 'AUTH_REQUIRED', 4],
    [['inventory', '--from', 'folders/10', '--credential', 'x'], 'UNKNOWN_CREDENTIAL', 3],
    [
      ['inventory', '--from', 'folders/10', '--credential', 'reader', '--endpoint', 'http://u:p@127.0.0.1:1'],
      'USAGE',
      3,
    ],
  ] as const) {
    const failed = await cloud.fail(argv);
    expectExit(failed, exit);
    expect(codesOf(failed.failure.diagnostics)).toEqual([code]);
  }
  expect(cloud.requests).toEqual([]);
});

it.each([
  ['10', 'folders/10'],
  ['https://console.cloud.google.com/cloud-resource-manager?folder=10&organizationId=1', 'folders/10'],
  [`https://console.cloud.google.com/iam-admin/settings?organizationId=${ORG.slice('organizations/'.length)}`, ORG],
  ['https://console.cloud.google.com/welcome?project=acme-web', 'projects/acme-web'],
])('a scope may be written as people have it: %s', async (from, scope) => {
  const cloud = await withWorld();
  const imported = await cloud.run(['import', '--from', from, ...reading(cloud), '--format', 'json']);
  expectExit(imported, 0);
  expect(JSON.parse(imported.stdout)).toMatchObject({ scope });
});
