import { expect, it } from 'vitest';
import { type Cloud, codesOf, expectExit, ORG, openCloudInside } from '../../support/e2e/cloud.ts';
import { drift, orphans, verdicts } from '../../support/e2e/ownership.ts';
import { folder, grant, project } from '../../support/e2e/playbooks.ts';

const steps = (top: object, inner: object = {}) => ({
  defaults: { stack: 'prod' },
  steps: [
    folder('outer', { parent: ORG, ...top }),
    folder('inner', { parent: '{{ steps.outer.resource.name }}', display_name: 'inner', ...inner }),
    project('web', { project_id: 'acme-web', parent: '{{ steps.inner.resource.name }}' }),
    grant('team', { folder: '{{ steps.inner.resource.name }}', role: 'roles/browser', member: 'group:t@example.com' }),
  ],
});

async function applied(): Promise<Cloud> {
  const cloud = await openCloudInside();
  cloud.write(steps({ display_name: 'xtop' }));
  expectExit(await cloud.converge(), 0);
  cloud.resetRequests();
  return cloud;
}

async function expectNoOrphan(cloud: Cloud, ...files: readonly string[]): Promise<void> {
  const found = await orphans(cloud, ...files);
  expect(found.document).toMatchObject({ orphans: [], aliases: [], conflicts: [] });
  expectExit(found, 0);
}

it('a rename that is not applied yet makes no orphan of the folder, nor of what lies in it; the log is enough to tell', async () => {
  const cloud = await applied();
  cloud.write(steps({ display_name: 'xnew', was: { display_name: 'xtop' } }));
  await expectNoOrphan(cloud, 'playbook.yaml');
  expect(cloud.requests).toEqual([]);
});

it('a parent that the log knows by another name is the same folder by its id', async () => {
  const cloud = await applied();
  const top = cloud.folderNamed('xtop').name;
  cloud.write(steps({ display_name: 'xtop' }, { parent: top }));
  await expectNoOrphan(cloud, 'playbook.yaml');
  const seen = await drift(cloud, 'playbook.yaml');
  expectExit(seen, 0);
  expect(Object.values(verdicts(seen))).toEqual(['in_sync', 'in_sync', 'in_sync', 'in_sync']);
});

it('a name that only the cloud resolves is looked up there', async () => {
  const cloud = await applied();
  const { defaults, steps: all } = steps({ display_name: 'xtop' });
  cloud.write({ defaults, steps: all.slice(0, 1) }, 'top.yaml');
  const path = { parent: 'folders/by-display-name/xtop', organization: ORG };
  cloud.write({ defaults, steps: [folder('inner', { ...path, display_name: 'inner' }), ...all.slice(2)] });
  await expectNoOrphan(cloud, 'top.yaml', 'playbook.yaml');
  const seen = await drift(cloud, 'playbook.yaml');
  expect(Object.values(verdicts(seen))).toEqual(['in_sync', 'in_sync', 'in_sync', 'in_sync']);
});

it('a folder whose id nothing gives, where an owned one may be it, is an error and no orphan', async () => {
  const cloud = await applied();
  const { defaults, steps: all } = steps({ display_name: 'xtop' });
  cloud.write({ defaults, steps: all.slice(0, 1) }, 'top.yaml');
  const path = { parent: 'folders/by-display-name/xnew', organization: ORG };
  cloud.write({ defaults, steps: [folder('inner', { ...path, display_name: 'inner' }), ...all.slice(2)] });
  const failed = await cloud.fail(['orphans', 'top.yaml', 'playbook.yaml', '--plan-destroy', 'clean-up.yaml']);
  expectExit(failed, 5);
  expect(codesOf(failed.failure.diagnostics)).toEqual(['BLOCKED']);
});

it('a new name without was: is a new folder, and the old one an orphan', async () => {
  const cloud = await applied();
  const { defaults, steps: all } = steps({ display_name: 'other' });
  cloud.write({ defaults, steps: all.slice(0, 3) });
  const found = await orphans(cloud, 'playbook.yaml');
  expectExit(found, 2);
  expect(found.document.orphans.map(({ urn }) => urn)).toContain(`google:cloudresourcemanager:folder:${ORG}/xtop`);
});

it('drift shows what is about to be renamed once', async () => {
  const cloud = await applied();
  cloud.write(steps({ display_name: 'xnew', was: { display_name: 'xtop' } }));
  const seen = await drift(cloud, 'playbook.yaml');
  expect(Object.values(verdicts(seen))).toEqual(['in_sync', 'in_sync', 'in_sync', 'in_sync']);
  expectExit(seen, 0);
  const one = await drift(cloud, 'playbook.yaml', '--target', 'outer');
  expect(verdicts(one)).toEqual({ [`google:cloudresourcemanager:folder:${ORG}/xtop`]: 'in_sync' });
});
