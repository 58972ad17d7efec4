import { expect, it } from 'vitest';
import { type Cloud, codesOf, expectExit, ORG, openCloudInside, stepAt } from '../../support/e2e/cloud.ts';
import { confirmed, drift, json, verbPlanSchema, verdicts } from '../../support/e2e/ownership.ts';
import { folder, google } from '../../support/e2e/playbooks.ts';

const URN = `google:cloudresourcemanager:folder:${ORG}/shared`;
const STEP = folder('shared', { parent: ORG, display_name: 'shared' }, { protect: false });

/** A folder of the stack is gone, and somebody has made another one of its name since. */
async function withNamesake(): Promise<Cloud> {
  const cloud = await openCloudInside();
  cloud.write({ defaults: { stack: 'prod' }, steps: [STEP] });
  expectExit(await cloud.converge(), 0);
  await cloud.outOfBand('DELETE', `/v3/${cloud.folderNamed('shared').name}`);
  await cloud.outOfBand('POST', '/v3/folders', { parent: ORG, displayName: 'shared' });
  return cloud;
}

function foldersOf(cloud: Cloud) {
  return Object.values(cloud.state.folders).filter(({ state }) => state === 'ACTIVE');
}

it('drift sees that what is owned is missing, whatever has its name', async () => {
  const cloud = await withNamesake();
  expect(verdicts(await drift(cloud, 'playbook.yaml'))).toEqual({ [URN]: 'missing' });
});

it('a destruction leaves what only has the name alone, and records that the owned one is gone', async () => {
  const cloud = await withNamesake();
  const planned = await json(cloud, verbPlanSchema, 'destroy', 'playbook.yaml');
  expect(stepAt(planned.document, 'shared')).toMatchObject({ change: 'none', present: false, record: 'tombstone' });
  expect(codesOf(stepAt(planned.document, 'shared').diagnostics)).toEqual(['NAMESAKE']);
  const { done } = await confirmed(cloud, 'destroy', 'playbook.yaml');
  expectExit(done, 0);
  expect(foldersOf(cloud)).toHaveLength(1);
  const again = await json(cloud, verbPlanSchema, 'destroy', 'playbook.yaml');
  expect(stepAt(again.document, 'shared').change).toBe('blocked');
});

it('an explicit delete is about what the log knows, until that is given up', async () => {
  const cloud = await withNamesake();
  cloud.write({
    defaults: { stack: 'prod' },
    steps: [google('drop', 'cloudresourcemanager.folders.delete', { parent: ORG, display_name: 'shared' })],
  });
  const { plan } = await cloud.plan();
  expect(stepAt(plan, 'drop')).toMatchObject({ change: 'blocked', diagnostics: [{ code: 'NAMESAKE' }] });
  expect(stepAt(plan, 'drop').diagnostics[0]?.hint).toContain(`infra forget ${URN}`);
});

it('an apply takes the new one for it, says so, and counts it as found: a destruction keeps it', async () => {
  const cloud = await withNamesake();
  const { plan } = await cloud.plan();
  expect(stepAt(plan, 'shared')).toMatchObject({ change: 'none', record: 'own' });
  expect(codesOf(stepAt(plan, 'shared').diagnostics)).toEqual(['NAMESAKE']);
  expectExit(await cloud.apply(plan.digest), 0);
  expect(verdicts(await drift(cloud, 'playbook.yaml'))).toEqual({ [URN]: 'in_sync' });
  const { done } = await confirmed(cloud, 'destroy', 'playbook.yaml');
  expectExit(done, 2);
  expect(foldersOf(cloud)).toHaveLength(1);
});

it('a folder that was renamed by hand is still the owned one, whatever has its name since', async () => {
  const cloud = await openCloudInside();
  cloud.write({ defaults: { stack: 'prod' }, steps: [STEP] });
  expectExit(await cloud.converge(), 0);
  const { name } = cloud.folderNamed('shared');
  await cloud.outOfBand('PATCH', `/v3/${name}?updateMask=displayName`, { displayName: 'by-hand' });
  await cloud.outOfBand('POST', '/v3/folders', { parent: ORG, displayName: 'shared' });
  const seen = await drift(cloud, 'playbook.yaml');
  expect(seen.document.resources).toMatchObject([{ drift: 'modified', fields: ['display_name'] }]);
  const { plan } = await cloud.plan();
  expect(stepAt(plan, 'shared')).toMatchObject({ change: 'blocked', diagnostics: [{ code: 'FOLDER_NAME_TAKEN' }] });
  const { done } = await confirmed(cloud, 'destroy', 'playbook.yaml');
  expectExit(done, 0);
  expect(foldersOf(cloud).map((folderLeft) => folderLeft.displayName)).toEqual(['shared']);
  expect(cloud.state.folders[name]?.state ?? 'gone').not.toBe('ACTIVE');
});
