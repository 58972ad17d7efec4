import { expect, it } from 'vitest';
import { codesOf, expectExit, ORG, openCloud, TOKEN } from '../../support/e2e/cloud.ts';
import { drift, orphans, owned } from '../../support/e2e/ownership.ts';
import { folder } from '../../support/e2e/playbooks.ts';
import { sendJson, startEhdbServer, tierRow } from '../../support/ehdb/server.ts';

const FACT = {
  urn: `google:cloudresourcemanager:folder:${ORG}/one`,
  provider: 'google',
  service: 'cloudresourcemanager',
  resource_type: 'folder',
  verb: 'ensure',
  stack: 'prod',
  desired: { parent: ORG, display_name: 'one' },
  execution_id: 1152921504606847000,
  outcome: 'changed',
};
const ROW = tierRow(1, JSON.stringify({ provider_fact: FACT }));

async function cloudWithFolder() {
  const cloud = await openCloud({ seed: { folders: [{ id: '10', displayName: 'one', parent: ORG }] } });
  cloud.write({ defaults: { stack: 'prod' }, steps: [folder('one', { parent: ORG, display_name: 'one' })] });
  return cloud;
}

it("reads who owns what from a NoETL server, with the caller's token for it", async () => {
  const cloud = await cloudWithFolder();
  const server = await startEhdbServer({ rows: [ROW] });
  const log = ['--eventlog', server.origin];
  expect((await drift(cloud, 'playbook.yaml', ...log)).document.summary).toMatchObject({ in_sync: 1, untracked: 0 });
  expectExit(await orphans(cloud, 'playbook.yaml', ...log), 0);
  const ended = await cloud.run(['log', 'owned', '--endpoint', cloud.emulator.url, ...log], {
    INFRA_EVENTLOG_TOKEN: TOKEN,
  });
  expect(ended.stdout).toContain('1 resource owned');
  expect(server.requests.at(-1)?.authorization).toBe(`Bearer ${TOKEN}`);
  const verified = await cloud.fail(['log', 'verify', ...log]);
  expectExit(verified, 3);
});

it('what a server refuses is an error, never "nothing owned"', async () => {
  const cloud = await cloudWithFolder();
  for (const [status, body] of [
    [200, '{"outcome":"unavailable"}'],
    [501, '{}'],
    [200, '<html>'],
    [200, '{"outcome":"served","result":{"records":[{'],
    [200, '{"outcome":"served","result":{}}'],
  ] as const) {
    const server = await startEhdbServer({ rows: [ROW] });
    for (let times = 0; times < 10; times += 1)
      server.faults.push((_request, response) => sendJson(response, status, body));
    for (const verb of ['drift', 'orphans']) {
      const failed = await cloud.fail([verb, 'playbook.yaml', '--eventlog', server.origin]);
      expectExit(failed, 6);
    }
  }
});

it('is folded beside the writable log', async () => {
  const cloud = await cloudWithFolder();
  const server = await startEhdbServer({ rows: [ROW] });
  const both = ['--read-eventlog', server.origin];
  expect((await owned(cloud, ...both)).document.owned.map(({ urn }) => urn)).toEqual([FACT.urn]);
  const { plan } = await cloud.plan(...both);
  expect(plan.steps[0]).toMatchObject({ change: 'none', recorded: FACT.desired });
  const failed = await cloud.fail([
    'apply',
    'playbook.yaml',
    '--confirm',
    plan.digest ?? '',
    '--eventlog',
    server.origin,
  ]);
  expectExit(failed, 3);
  expect(codesOf(failed.failure.diagnostics)).toEqual(['LOG_READ_ONLY']);
});

it.each([
  ['drift', 'playbook.yaml'],
  ['log', 'owned'],
  ['log', 'show'],
  ['why', 'google:x:y:z'],
  ['forget', 'google:x:y:z'],
])('--timeout bounds the reading of the log, too: %s %s', async (...verb) => {
  const cloud = await cloudWithFolder();
  const server = await startEhdbServer({ rows: [ROW] });
  server.faults.push(() => undefined);
  const late = await cloud.fail([...verb, '--eventlog', server.origin, '--timeout', '1s']);
  expectExit(late, 6);
  expect(late.failure.diagnostics[0]?.detail).toContain('--timeout');
  expect(server.requests).toHaveLength(1);
});
