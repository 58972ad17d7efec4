import { expect, it } from 'vitest';
import { codesOf, expectExit, ORG, openCloudInside } from '../../support/e2e/cloud.ts';
import { orphans } from '../../support/e2e/ownership.ts';
import { project } from '../../support/e2e/playbooks.ts';

const DENIED = { error: { code: 403, status: 'PERMISSION_DENIED', message: 'denied' } };

it('one policy that can not be read: the grants of the others are listed, that one is named, and "no orphans" is not all that is said', async () => {
  const cloud = await openCloudInside();
  cloud.write({
    defaults: { stack: 'prod' },
    steps: [
      project('web', { project_id: 'acme-web', parent: ORG }),
      project('dns', { project_id: 'acme-dns', parent: ORG }),
    ],
  });
  expectExit(await cloud.converge(), 0);
  await cloud.outOfBand('POST', '/v3/projects/acme-dns:setIamPolicy', {
    policy: { version: 3, bindings: [{ role: 'roles/browser', members: ['user:eve@example.com'] }] },
  });
  const deny = () =>
    cloud.emulator.addFault({
      path: 'acme-web:getIamPolicy',
      action: { kind: 'respond', status: 403, body: DENIED },
    });
  deny();
  const found = await orphans(cloud, 'playbook.yaml', '--grants');
  expectExit(found, 4);
  expect(found.document.grants).toMatchObject([{ resource: 'projects/acme-dns', member: 'user:eve@example.com' }]);
  expect(codesOf(found.document.diagnostics)).toEqual(['PERMISSION_DENIED']);
  expect(found.document.diagnostics[0]?.detail).toContain('projects/acme-web');
  expect(found.document.diagnostics[0]?.detail).toContain('unchecked');
  expect(found.document.diagnostics[0]?.detail).not.toContain('nothing is listed');
  deny();
  const human = await cloud.run(['orphans', 'playbook.yaml', '--grants']);
  expectExit(human, 4);
  expect(human.stdout).toContain('No orphans, 1 grant that no fact covers, 1 unchecked.');
});

it.each([
  ['/v3/folders', 'folders/10'],
  ['/v3/projects', 'folders/10'],
  ['/v3/projects/acme-web', 'projects/acme-web'],
  ['/v1/projects/acme-web/services', 'folders/10'],
  ['/v1/projects/acme-web/billingInfo', 'folders/10'],
])('a 403 on %s below %s ends inventory and import alike with 4', async (path, scope) => {
  const cloud = await openCloudInside({
    seed: {
      folders: [{ id: '10', displayName: 'shared', parent: ORG }],
      projects: [{ projectId: 'acme-web', parent: 'folders/10' }],
    },
  });
  cloud.writeText(
    '.config/infra/config.yaml',
    'credentials: { reader: { type: bearer, token_env: INFRA_TEST_TOKEN } }\n',
  );
  const reading = ['--from', scope, '--credential', 'reader', '--endpoint', cloud.emulator.url];
  cloud.emulator.addFault({ method: 'GET', path, action: { kind: 'respond', status: 403, body: DENIED } });
  const codes = [];
  for (const verb of ['inventory', 'import']) {
    const ended = await cloud.run([verb, ...reading, '--format', 'json']);
    codes.push(ended.code);
  }
  expect(codes).toEqual([4, 4]);
});
