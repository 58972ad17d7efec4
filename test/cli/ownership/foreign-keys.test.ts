import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runInfra } from '../../support/cli-host.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

function fact(service: string, resource_type: string, name: string, desired: object) {
  const urn = `google:${service}:${resource_type}:${name}`;
  const said = { verb: 'ensure', stack: 'prod', execution_id: 7, outcome: 'changed' };
  return JSON.stringify({ provider_fact: { urn, provider: 'google', service, resource_type, ...said, desired } });
}

async function ownedOf(...rows: readonly string[]) {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, 'log'), `${rows.join('\n')}\n`);
  const { stdout } = await runInfra(['log', 'owned', '--eventlog', 'log', '--format', 'json'], { cwd });
  return JSON.parse(stdout);
}

it('keys that mean nothing here are dropped from facts of others, with a note that names them once', async () => {
  const web = { projectId: 'acme-web', displayName: 'Web', parent: 'folders/1', colour: 'red' };
  const { owned, diagnostics } = await ownedOf(
    fact('cloudresourcemanager', 'project', 'acme-web', web),
    fact('cloudresourcemanager', 'project', 'acme-dns', { ...web, projectId: 'acme-dns', size: 3 }),
  );
  expect(owned.map((item: { last_desired: object }) => Object.keys(item.last_desired))).toEqual([
    ['project_id', 'parent', 'display_name'],
    ['project_id', 'parent', 'display_name'],
  ]);
  expect(diagnostics).toMatchObject([
    {
      code: 'FOREIGN_KEYS',
      severity: 'note',
      detail: expect.stringMatching(/^In rows of others in .*log: project\.colour, project\.size\.$/),
    },
  ]);
});

it('what the ancestor writes is known', async () => {
  const { diagnostics } = await ownedOf(
    fact('serviceusage', 'service', 'acme-web/run.googleapis.com', { state: 'ENABLED' }),
    fact('cloudbilling', 'billing-link', 'acme-web', {
      project_id: 'acme-web',
      billingAccountName: 'billingAccounts/0',
    }),
    fact('iam', 'binding', 'projects/acme-web/roles/viewer/user:a@example.com', {
      role: 'roles/viewer',
      member: 'user:a@example.com',
      bound: true,
    }),
    fact('cloudresourcemanager', 'folder', 'organizations/1/shared', {
      display_name: 'shared',
      parent: 'organizations/1',
    }),
  );
  expect(diagnostics).toEqual([]);
});
