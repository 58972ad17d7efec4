import { expect, it, vi } from 'vitest';
import { type Cloud, codesOf, expectExit, ORG, openCloud, stepAt } from '../../support/e2e/cloud.ts';
import { enable, folder, project } from '../../support/e2e/playbooks.ts';

const DENIED = {
  error: { code: 403, status: 'PERMISSION_DENIED', message: 'The caller does not have permission' },
};

function write(cloud: Cloud): void {
  cloud.write({
    defaults: { stack: 'prod' },
    steps: [
      folder('shared', { parent: ORG, display_name: '00-shared' }),
      project('dns', { project_id: 'acme-dns', parent: '{{ steps.shared.resource.name }}' }),
      enable('apis', { project_id: 'acme-dns', service: 'iam.googleapis.com' }),
    ],
  });
}

/** Whether the last digest is done: exit 0, and nothing but reads. */
async function expectDone(cloud: Cloud, digest: string | null): Promise<void> {
  cloud.resetRequests();
  const again = await cloud.apply(digest);
  expectExit(again, 0);
  expect(again.report.digest).toBe(digest);
  expect(cloud.writes).toEqual([]);
  expect(again.report.summary).toMatchObject({ changed: 0, failed: 0, blocked: 0 });
}

it.concurrent('goes on by the same digest after a definite refusal half-way; after the last step it sends nothing any more', async () => {
  const cloud = await openCloud();
  cloud.write({
    steps: [
      folder('shared', { parent: ORG, display_name: '00-shared' }),
      project('dns', { project_id: 'acme-dns', parent: ORG }),
      enable('apis', { project_id: 'acme-dns', service: 'iam.googleapis.com' }),
    ],
  });
  const { plan } = await cloud.plan();
  cloud.emulator.addFault({
    method: 'POST',
    path: '^/v3/projects$',
    action: { kind: 'respond', status: 403, body: DENIED },
  });
  const half = await cloud.apply(plan.digest);
  expectExit(half, 7);
  const outcomes = Object.fromEntries(half.report.steps.map((step) => [step.address, step.outcome]));
  expect(outcomes).toEqual({ shared: 'changed', dns: 'failed', apis: 'blocked' });
  const people = await cloud.run(['apply', 'playbook.yaml', '--confirm', plan.digest ?? '']);
  expect(people.stdout).toContain(`--confirm ${plan.digest}`);

  cloud.emulator.clearFaults();
  cloud.resetRequests();
  const rest = await cloud.apply(plan.digest);
  expectExit(rest, 0);
  expect(cloud.writes).toEqual(['POST /v3/projects', 'POST /v1/projects/acme-dns/services/iam.googleapis.com:enable']);
  expect(Object.values(cloud.state.folders)).toHaveLength(1);
  await expectDone(cloud, plan.digest);
});

it.concurrent('goes on by the same digest after kill -9 in the middle of a write, and makes nothing twice', async () => {
  const cloud = await openCloud();
  write(cloud);
  const { plan } = await cloud.plan();
  // The project is made, and the answer never comes.
  cloud.emulator.addFault({ method: 'POST', path: '^/v3/projects$', action: { kind: 'hangAfter' } });
  const { child, ended } = cloud.start(['apply', 'playbook.yaml', '--confirm', plan.digest ?? '']);
  await vi.waitFor(() => expect(cloud.writes).toContain('POST /v3/projects'), { timeout: 10_000, interval: 10 });
  child.kill('SIGKILL');
  expect((await ended).signal).toBe('SIGKILL');
  cloud.emulator.clearFaults();
  cloud.resetRequests();

  const locked = await cloud.fail(['apply', 'playbook.yaml', '--confirm', plan.digest ?? '']);
  expect(locked.code).toBe(5);
  expect(codesOf(locked.failure.diagnostics)).toEqual(['LOCK_STALE']);
  const unlock = /infra unlock ([0-9a-f]+)/.exec(JSON.stringify(locked.failure.diagnostics))?.[1];
  expect(cloud.writes).toEqual([]);
  expectExit(await cloud.run(['unlock', unlock ?? '']), 0);

  const rest = await cloud.apply(plan.digest);
  expectExit(rest, 0);
  expect(cloud.writes).toEqual(['POST /v1/projects/acme-dns/services/iam.googleapis.com:enable']);
  expect(Object.values(cloud.state.projects)).toHaveLength(1);
  await expectDone(cloud, plan.digest);
  const { plan: after } = await cloud.plan('--detailed-exitcode');
  expect(after.summary).toMatchObject({ none: 3 });
});

it.concurrent('a write that never reached the cloud is sent again by the same digest', async () => {
  const cloud = await openCloud();
  write(cloud);
  const { plan } = await cloud.plan();
  cloud.emulator.addFault({ method: 'POST', path: '^/v3/projects$', action: { kind: 'hang' } });
  const { child, ended } = cloud.start(['apply', 'playbook.yaml', '--confirm', plan.digest ?? '']);
  await vi.waitFor(() => expect(cloud.writes).toContain('POST /v3/projects'), { timeout: 10_000, interval: 10 });
  child.kill('SIGKILL');
  await ended;
  cloud.emulator.clearFaults();
  const locked = await cloud.run(['apply', '--confirm', plan.digest ?? '']);
  expectExit(await cloud.run(['unlock', /infra unlock (\S+)/.exec(locked.stderr)?.[1] ?? '']), 0);
  const rest = await cloud.apply(plan.digest);
  expectExit(rest, 0);
  expect(stepAt(rest.report, 'dns').outcome).toBe('changed');
  expect(cloud.projectOf('acme-dns').parent).toBe(cloud.folderNamed('00-shared').name);
  await expectDone(cloud, plan.digest);
});

it.concurrent('a digest applied in part is refused once something else moved as well', async () => {
  const cloud = await openCloud({ seed: { projects: [{ projectId: 'acme-web', parent: ORG, displayName: 'Web' }] } });
  cloud.write({
    steps: [
      folder('shared', { parent: ORG, display_name: '00-shared' }),
      project('web', { project_id: 'acme-web', parent: ORG, display_name: 'Acme Web' }),
    ],
  });
  const { plan } = await cloud.plan();
  cloud.emulator.addFault({
    method: 'PATCH',
    path: '^/v3/projects',
    action: { kind: 'respond', status: 403, body: DENIED },
  });
  expectExit(await cloud.apply(plan.digest), 7);
  cloud.emulator.clearFaults();
  await cloud.outOfBand('PATCH', '/v3/projects/acme-web?updateMask=displayName', { displayName: 'By hand' });
  const refused = await cloud.fail(['apply', 'playbook.yaml', '--confirm', plan.digest ?? '']);
  expect(refused.code).toBe(5);
  expect(refused.failure.differences).toEqual([
    { address: 'web', field: 'actual.display_name', then: 'Web', now: 'By hand' },
  ]);
  expect(cloud.writes).toEqual([]);
});
