import { expect, it, vi } from 'vitest';
import { type Cloud, codesOf, expectExit, ORG, openCloud } from '../../support/e2e/cloud.ts';
import { folder, project } from '../../support/e2e/playbooks.ts';

const PROJECT = 'google:cloudresourcemanager:project:acme-dns';
const CREDENTIAL =
  'credentials:\n  ci: { type: bearer, token_env: INFRA_TEST_TOKEN }\nstacks:\n  prod: { credential: ci }\n';

/** An apply that is killed between a request and its outcome. */
async function killed(kind: 'hang' | 'hangAfter'): Promise<{ cloud: Cloud; digest: string }> {
  const cloud = await openCloud();
  cloud.writeText('.config/infra/config.yaml', CREDENTIAL);
  cloud.write({
    defaults: { stack: 'prod', auth: { type: 'bearer', token_env: 'INFRA_TEST_TOKEN', credential: 'ci' } },
    steps: [
      folder('shared', { parent: ORG, display_name: '00-shared' }),
      project('dns', { project_id: 'acme-dns', parent: '{{ steps.shared.resource.name }}' }),
    ],
  });
  const { plan } = await cloud.plan();
  cloud.emulator.addFault({ method: 'POST', path: '^/v3/projects$', action: { kind } });
  const { child, ended } = cloud.start(['apply', 'playbook.yaml', '--confirm', plan.digest ?? '']);
  await vi.waitFor(() => expect(cloud.writes).toContain('POST /v3/projects'), { timeout: 10_000, interval: 10 });
  child.kill('SIGKILL');
  await ended;
  cloud.emulator.clearFaults();
  const locked = await cloud.fail(['recover', '--endpoint', cloud.emulator.url]);
  expectExit(locked, 5);
  expect(codesOf(locked.failure.diagnostics)).toEqual(['LOCK_STALE']);
  const id = /infra unlock (\S+)/.exec(locked.stderr)?.[1] ?? '';
  expectExit(await cloud.run(['unlock', id]), 0);
  cloud.resetRequests();
  return { cloud, digest: plan.digest ?? '' };
}

async function recovered(cloud: Cloud, ...flags: readonly string[]) {
  const ended = await cloud.run(['recover', '--endpoint', cloud.emulator.url, '--format', 'json', ...flags]);
  return { ...ended, document: JSON.parse(ended.stdout) };
}

it('records what an interrupted create made, without a write, and the next apply makes nothing twice', async () => {
  const { cloud, digest } = await killed('hangAfter');
  const { code, document } = await recovered(cloud);
  expect(code).toBe(0);
  expect(document.resolved).toMatchObject([
    { urn: PROJECT, address: 'dns', verdict: 'found', resource_id: cloud.projectOf('acme-dns').name },
  ]);
  expect(document.unresolved).toEqual([]);
  expect(cloud.writes).toEqual([]);
  expectExit(await cloud.apply(digest), 0);
  expect(cloud.writes).toEqual([]);
});

it('closes what had no effect, so that the next apply sends it', async () => {
  const { cloud, digest } = await killed('hang');
  const { code, document } = await recovered(cloud, '--stack', 'prod');
  expect(code).toBe(0);
  expect(document.resolved).toMatchObject([{ urn: PROJECT, verdict: 'not_found', resource_id: null }]);
  expect(cloud.writes).toEqual([]);
  expectExit(await cloud.apply(digest), 0);
  expect(cloud.writes).toEqual(['POST /v3/projects']);
});

it('is uncertain where it may not look, says so, and closes it only by hand', async () => {
  const { cloud } = await killed('hang');
  cloud.emulator.addFault({
    method: 'GET',
    path: '^/v3/projects',
    action: {
      kind: 'respond',
      status: 503,
      body: { error: { code: 503, status: 'UNAVAILABLE', message: 'not now' } },
    },
  });
  const { code, document } = await recovered(cloud, '--timeout', '2s');
  expect(code).toBe(7);
  expect(document.unresolved).toMatchObject([{ urn: PROJECT, verdict: 'unreadable' }]);
  expect(document.unresolved[0].hint).toContain(`infra recover --endpoint ${cloud.emulator.url} --abandon ${PROJECT}`);
  const none = await cloud.fail(['recover', '--endpoint', cloud.emulator.url, '--abandon', `${PROJECT}-2`]);
  expectExit(none, 3);
  const abandoned = await recovered(cloud, '--abandon', PROJECT, '--timeout', '2s');
  expect(abandoned.code).toBe(0);
  expect(abandoned.document.abandoned).toMatchObject([{ urn: PROJECT, verdict: 'unreadable' }]);
  expectExit(await recovered(cloud), 0);
});

it('undoes nothing that no nonce proves', async () => {
  const { cloud } = await killed('hangAfter');
  const { code, document } = await recovered(cloud, '--rollback');
  expect(code).toBe(7);
  expect(document.rolled_back).toEqual([]);
  expect(document.unresolved.map(({ urn }: { urn: string }) => urn)).toContain(PROJECT);
  expect(cloud.writes).toEqual([]);
  expect(cloud.projectOf('acme-dns').state).toBe('ACTIVE');
});
