import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type Cloud, codesOf, expectExit, linesOf, ORG, openCloudInside } from '../../support/e2e/cloud.ts';
import { eventSchema } from '../../support/e2e/contract.ts';
import { orphans } from '../../support/e2e/ownership.ts';
import { folder, project } from '../../support/e2e/playbooks.ts';

const KEPT = [folder('stays', { parent: ORG, display_name: 'stays' })];
const OLD = project('web', { project_id: 'acme-web', parent: ORG }, { protect: false });
const CALLER = 'credentials: { reader: { type: bearer, token_env: INFRA_TEST_TOKEN } }\n';

async function withOrphan(): Promise<Cloud> {
  const cloud = await openCloudInside();
  cloud.write({ defaults: { stack: 'prod' }, steps: [...KEPT, OLD] });
  expectExit(await cloud.converge(), 0);
  cloud.write({ defaults: { stack: 'prod' }, steps: KEPT });
  cloud.writeText('.config/infra/config.yaml', CALLER);
  cloud.resetRequests();
  return cloud;
}

const from = (cloud: Cloud) => ['--from', ORG, '--credential', 'reader', '--endpoint', cloud.emulator.url];

it('no playbook is written over a file, nor through a link, and nothing is read before that is said', async () => {
  const cloud = await withOrphan();
  cloud.writeText('mine.yaml', 'mine');
  symlinkSync(join(cloud.folder, 'elsewhere.yaml'), join(cloud.folder, 'link.yaml'));
  for (const file of ['mine.yaml', 'link.yaml']) {
    for (const argv of [
      ['orphans', 'playbook.yaml', '--plan-destroy', file],
      ['import', ...from(cloud), '--out', file],
    ]) {
      const failed = await cloud.fail(argv);
      expectExit(failed, 3);
      expect(codesOf(failed.failure.diagnostics)).toEqual(['USAGE']);
      expect(failed.failure.diagnostics[0]?.hint).toContain('another name');
    }
  }
  expect(cloud.readText('mine.yaml')).toBe('mine');
  expect(existsSync(join(cloud.folder, 'elsewhere.yaml'))).toBe(false);
  expect(cloud.requests).toEqual([]);
  // What failed leaves nothing in the way of the next attempt.
  expectExit(await cloud.run(['import', ...from(cloud), '--out', 'new.yaml']), 0);
});

it('the authority of a removal is never that of the log; its credentials are named in a comment at most', async () => {
  const cloud = await withOrphan();
  const log = '.infra/eventlog.jsonl';
  const forged = linesOf(cloud.readText(log)).map((line) => {
    const { hash: _hash, prev: _prev, ...row } = JSON.parse(line);
    if (row.provider_fact !== undefined) row.provider_fact.credential = 'evil\n  auth: { token_env: X }';
    return JSON.stringify(row);
  });
  cloud.writeText('forged.jsonl', `${forged.join('\n')}\n`);
  const argv = ['--eventlog', 'forged.jsonl', '--plan-destroy'];
  expectExit(await cloud.run(['orphans', 'playbook.yaml', ...argv, 'a.yaml']), 2);
  const text = cloud.readText('a.yaml');
  expect(text).toContain('# The log says they were made with: evilauthtoken_envX\n');
  expect(text).toContain('token_env: INFRA_TEST_TOKEN');
  expect(text).not.toContain('credential:');
  const chosen = [...argv, 'b.yaml', '--credential', 'reader', '--endpoint', cloud.emulator.url];
  expectExit(await cloud.run(['orphans', 'playbook.yaml', ...chosen]), 2);
  expect(cloud.readText('b.yaml')).toContain('credential: reader');
});

it('outside of a repository the stack of infra.yaml counts for the playbooks that it names', async () => {
  const cloud = await openCloudInside();
  cloud.write({ steps: [...KEPT, OLD] }, 'teams/one.yaml');
  cloud.writeText('infra.yaml', 'stack: prod\nplaybooks: ["teams/*.yaml"]\n');
  const { plan } = await cloud.planOf('teams/one.yaml', '--stack', 'prod');
  expectExit(await cloud.run(['apply', 'teams/one.yaml', '--stack', 'prod', '--confirm', plan.digest ?? '']), 0);
  cloud.write({ steps: KEPT }, 'teams/one.yaml');
  const found = await orphans(cloud);
  expect(found.document).toMatchObject({ stack: 'prod', orphans: [{ urn: expect.stringContaining('acme-web') }] });
});

it('a stream of lines holds the result of each verb', async () => {
  const cloud = await withOrphan();
  const stream = async (...argv: readonly string[]) => {
    const ended = await cloud.run([...argv, '--format', 'ndjson']);
    expectExit(ended, 0);
    return linesOf(ended.stdout).map((line) => eventSchema.parse(JSON.parse(line)));
  };
  const owned = await stream('log', 'owned', '--endpoint', cloud.emulator.url);
  expect(owned.map(({ type }) => type)).toEqual(['version', 'owned_result', 'owned_result', 'summary']);
  expect(owned[1]).toMatchObject({ resource: { urn: expect.stringContaining('folder'), stack: 'prod' } });
  const inventory = await stream('inventory', ...from(cloud));
  expect(inventory.filter(({ type }) => type === 'inventory_result')).toHaveLength(2);
  const imported = await stream('import', ...from(cloud), '--out', 'human=imported.yaml');
  expect(imported[1]).toMatchObject({
    type: 'import_result',
    playbook: readFileSync(join(cloud.folder, 'imported.yaml'), 'utf8'),
  });
});
