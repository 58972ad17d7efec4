import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runInfra } from '../../support/cli-host.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const PREFIX = 'google:iam:binding:';
const OURS = `${PREFIX}organizations/1/roles/viewer/user:a@example.com`;
const WRITTEN = [
  `${PREFIX}https://cloudresourcemanager.googleapis.com/v3/organizations/1:getIamPolicy/roles/viewer/user:A@Example.com`,
  `${PREFIX}organizations/1/roles/viewer/user:A@Example.com`,
  OURS,
];

/** A grant as the ancestor writes it: two ways in one log. */
function folderWithLog(): string {
  const cwd = temporaryFolder();
  const rows = WRITTEN.slice(0, 2).map((urn) =>
    JSON.stringify({
      provider_fact: {
        urn,
        provider: 'google',
        service: 'iam',
        resource_type: 'binding',
        verb: 'ensure',
        stack: 'prod',
        desired: { resource: 'organizations/1', role: 'roles/viewer', member: 'user:A@Example.com' },
        execution_id: 7,
        outcome: 'changed',
      },
    }),
  );
  writeFileSync(join(cwd, 'log'), `${rows.join('\n')}\n`);
  return cwd;
}

it.each(WRITTEN)('a grant is found by any way to write it: %s', async (urn) => {
  const cwd = folderWithLog();
  const told = await runInfra(['why', urn, '--eventlog', 'log', '--format', 'json'], { cwd });
  expect(JSON.parse(told.stdout).history).toHaveLength(2);
  const forgotten = await runInfra(['forget', urn, '--eventlog', 'log', '--format', 'json'], { cwd });
  expect(JSON.parse(forgotten.stdout).digest).toMatch(/^[0-9a-f]{64}$/);
  const drifting = ['drift', '--eventlog', 'log', '--offline', '--target', urn, '--format', 'json'];
  const seen = await runInfra(drifting, { cwd });
  expect(JSON.parse(seen.stdout).resources).toMatchObject([{ urn: OURS, drift: 'unchecked' }]);
});
