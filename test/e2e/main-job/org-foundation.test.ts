import { expect, it } from 'vitest';
import { infra } from '../../support/cli-process.ts';
import { ACCOUNT, type Cloud, execLines, expectExit, ORG, openCloud, parsed, stepAt } from '../../support/e2e/cloud.ts';
import { applySchema, planSchema } from '../../support/e2e/contract.ts';
import { fixturePath, writeFoundation } from '../../support/e2e/fixtures.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const FOLDERS = ['00-shared', '10-platform', '20-media', '30-websites', '90-sandbox'];

/** Where the first request that fits stands; it has to be there. */
function indexOf(cloud: Cloud, fits: (request: Cloud['emulator']['requests'][number]) => boolean): number {
  const index = cloud.emulator.requests.findIndex(fits);
  expect(index).toBeGreaterThanOrEqual(0);
  return index;
}

async function foundation(): Promise<Cloud> {
  const cloud = await openCloud();
  writeFoundation(cloud);
  return cloud;
}

it.concurrent('is planned whole from an empty organisation: 41 resources to create, nothing held, blocked or unknown', async () => {
  const cloud = await foundation();
  const { plan, code } = await cloud.plan();
  expect(code).toBe(0);
  expect(plan.summary).toMatchObject({ create: 41, held: 0, blocked: 0, unknown: 0, none: 0 });
  expect(plan.steps).toHaveLength(41);
  expect(plan).toMatchObject({ mode: 'live', stack: 'foundation', stacks: ['foundation'], target: cloud.emulator.url });
  expect(cloud.writes).toEqual([]);
});

it.concurrent('is applied whole, in one apply, in the order of its dependencies', async () => {
  const cloud = await foundation();
  const { plan } = await cloud.plan();
  cloud.resetRequests();
  const applied = await cloud.apply(plan.digest);
  expectExit(applied, 0);
  expect(applied.report.summary).toMatchObject({ changed: 41, failed: 0, blocked: 0 });

  const bodyOf = (item: Cloud['emulator']['requests'][number]) => item.body as Record<string, string> | undefined;
  for (const { projectId, name, parent } of Object.values(cloud.state.projects)) {
    const inFolder = indexOf(
      cloud,
      (item) =>
        item.method === 'POST' &&
        item.path === '/v3/folders' &&
        bodyOf(item)?.['displayName'] === cloud.state.folders[parent ?? '']?.displayName,
    );
    const created = indexOf(
      cloud,
      (item) => item.method === 'POST' && item.path === '/v3/projects' && bodyOf(item)?.['projectId'] === projectId,
    );
    const linked = indexOf(
      cloud,
      (item) => item.method === 'PUT' && item.path === `/v1/projects/${projectId}/billingInfo`,
    );
    const enabled = indexOf(cloud, (item) =>
      new RegExp(`^/v1/projects/${projectId}/services(:batchEnable|/[^/]+:enable)$`).test(item.path),
    );
    expect(inFolder, name).toBeLessThan(created);
    expect(created, name).toBeLessThan(linked);
    expect(linked, name).toBeLessThan(enabled);
  }

  expect(
    Object.values(cloud.state.folders)
      .map((item) => [item.parent, item.displayName])
      .sort(),
  ).toEqual(FOLDERS.map((name) => [ORG, name]));
  expect(Object.values(cloud.state.projects)).toHaveLength(10);
  expect(cloud.projectOf('acme-video-prod')).toMatchObject({
    displayName: 'Acme Video Publisher',
    parent: cloud.folderNamed('20-media').name,
    billingAccountName: ACCOUNT,
  });
  expect(cloud.enabledServices('acme-video-prod')).toEqual(
    expect.arrayContaining(['iam.googleapis.com', 'youtube.googleapis.com']),
  );
  expect(cloud.membersOf(ORG, 'roles/resourcemanager.folderAdmin')).toEqual(['group:cloud-admins@example.com']);
  expect(cloud.membersOf(ORG, 'roles/serviceusage.serviceUsageAdmin')).toEqual(['group:cloud-admins@example.com']);
});

it.concurrent('has nothing to do the second time, and an apply of that sends no write', async () => {
  const cloud = await foundation();
  await cloud.converge();
  const { plan, code } = await cloud.plan('--detailed-exitcode');
  expect(code).toBe(0);
  expect(plan.summary).toMatchObject({ none: 41, create: 0, update: 0, held: 0 });
  cloud.resetRequests();
  const before = cloud.rows.length;
  const again = await cloud.apply(plan.digest, '--detailed-exitcode');
  expectExit(again, 0);
  expect(again.report.summary).toMatchObject({ noop: 41, changed: 0 });
  expect(cloud.writes).toEqual([]);
  expect(cloud.rows).toHaveLength(before);
});

it.concurrent('shows exactly the three things that someone changed, and mends them', async () => {
  const cloud = await foundation();
  await cloud.converge();
  const { name: dns } = cloud.projectOf('acme-dns-prod');
  await cloud.outOfBand('POST', '/v1/projects/acme-web-dev/services/run.googleapis.com:disable', {});
  await cloud.outOfBand('PATCH', `/v3/${dns}?updateMask=displayName`, { displayName: 'Renamed by hand' });
  await cloud.outOfBand('POST', `/v3/${ORG}:setIamPolicy`, {
    policy: {
      version: 3,
      bindings: [{ role: 'roles/resourcemanager.folderAdmin', members: ['group:cloud-admins@example.com'] }],
    },
  });

  const { plan, code } = await cloud.plan('--detailed-exitcode');
  expect(code).toBe(2);
  const changed = plan.steps.filter((step) => step.change !== 'none').map((step) => [step.address, step.change]);
  expect(changed.sort()).toEqual([
    ['admins[roles/serviceusage.serviceUsageAdmin]', 'create'],
    ['apis[acme-web-dev][run.googleapis.com]', 'create'],
    ['projects[acme-dns-prod]', 'update'],
  ]);
  expect(stepAt(plan, 'projects[acme-dns-prod]').diff).toEqual({
    display_name: { desired: 'Acme DNS Prod', actual: 'Renamed by hand' },
  });
  cloud.resetRequests();
  const mended = await cloud.apply(plan.digest);
  expectExit(mended, 0);
  expect(cloud.writes).toHaveLength(3);
  expectExit(await cloud.plan('--detailed-exitcode'), 0);
});

it.concurrent('as it stands: plans and applies with --emulator, and the second plan says nothing to do', async () => {
  const cwd = temporaryFolder();
  const path = fixturePath('org-foundation');
  const planned = await infra(['plan', path, '--emulator', '--format', 'json'], { cwd });
  const { digest, target, summary } = parsed(planned, planSchema);
  expect([target, summary.create]).toEqual(['emulator', 41]);
  // By the digest alone: the plan store has the playbook.
  const applied = await infra(['apply', '--emulator', '--confirm', digest ?? '', '--format', 'json'], { cwd });
  expectExit(applied, 0);
  expect(parsed(applied, applySchema).summary).toMatchObject({ changed: 41 });
  const again = await infra(['plan', path, '--emulator', '--detailed-exitcode'], { cwd });
  expectExit(again, 0);
  expect(again.stdout).toMatch(/nothing to do|No changes/i);
});

it.concurrent('runs under exec as well, step by step in written order, and again without a change', async () => {
  const cwd = temporaryFolder();
  const argv = ['exec', fixturePath('org-foundation'), '--emulator', '--set', 'action=apply'];
  const first = await infra(argv, { cwd });
  expectExit(first, 0);
  const lines = execLines(first);
  expect(lines).toHaveLength(41);
  // Enabling one service enables what it needs: those are found as they should be.
  const found = lines.filter((line) => line.data['changed'] !== true).map((line) => line.step);
  expect(found).toEqual(['apis[acme-etl-dev][compute.googleapis.com]', 'apis[acme-etl-prod][compute.googleapis.com]']);
  expect(lines.slice(0, 6).map((line) => line.step)).toEqual([
    ...FOLDERS.map((name) => `folders[${name}]`),
    'projects[acme-billing-admin]',
  ]);
  const again = execLines(await infra(argv, { cwd }));
  expect(again.filter((line) => line.status !== 'success' || line.data['changed'] !== false)).toEqual([]);
  // What exec made is in order for the plan, too.
  expectExit(await infra(['plan', argv[1] ?? '', '--emulator', '--detailed-exitcode'], { cwd }), 0);
});
