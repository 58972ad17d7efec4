import { expect, it } from 'vitest';
import type { WriteResult } from '../../../src/providers/lifecycle-provider.ts';
import { ACCOUNT, apply, applyBatch, type Cloud, changeFor, cloudOf, ORG, see, sent } from './support/cloud.ts';
import { stepOf } from './support/steps.ts';

const PROJECT = 'acme-dns-prod';
const singles = [
  stepOf('folder', 'cloudresourcemanager.folders.ensure', { parent: ORG, display_name: '00-shared' }),
  stepOf('project', 'cloudresourcemanager.projects.ensure', {
    parent: 'folders/by-display-name/00-shared',
    organization: ORG,
    project_id: PROJECT,
  }),
  stepOf('link', 'cloudbilling.projects.link', { project_id: PROJECT, billing_account: ACCOUNT }),
];
const services = ['compute.googleapis.com', 'dns.googleapis.com'].map((service) =>
  stepOf(service, 'serviceusage.services.enable', { project_id: PROJECT, service }),
);
const grants = ['roles/viewer', 'roles/browser'].map((role) =>
  stepOf(role, 'cloudresourcemanager.organizations.iam.ensure_binding', {
    organization: ORG,
    role,
    member: 'user:a@example.com',
  }),
);
const everything = [...singles, ...services, ...grants];

/** Applies everything, as one run would; null: it was as desired. */
async function run(cloud: Cloud): Promise<readonly (WriteResult | null)[]> {
  const results: (WriteResult | null)[] = [];
  for (const step of singles) results.push(await apply(cloud, step));
  return [...results, ...(await applyBatch(cloud, services)), ...(await applyBatch(cloud, grants))];
}

async function openChanges(cloud: Cloud): Promise<readonly string[]> {
  const session = cloud.provider.openSession();
  const changes = await Promise.all(
    everything.map(async (step) => {
      const { declaration, desired, observation } = await see(cloud, step, {}, session);
      return changeFor(declaration, desired, observation) === null ? [] : [step.address];
    }),
  );
  return changes.flat();
}

it('an answer lost at any request: nothing is claimed that is not so, nothing is made twice', async () => {
  const whole = await cloudOf();
  await run(whole);
  const requests = whole.emulator.requests.length;
  for (let nth = 1; nth <= requests; nth += 1) {
    const cloud = await cloudOf({ faults: [{ nth, action: { kind: 'resetAfter' } }] });
    const results = await run(cloud);
    const claimed = everything.filter((_, index) => results[index]?.kind === 'done').map(({ address }) => address);
    const open = await openChanges(cloud);
    expect(
      claimed.filter((address) => open.includes(address)),
      `request ${nth}`,
    ).toEqual([]);
    await run(cloud);
    expect(await openChanges(cloud), `after request ${nth}`).toEqual([]);
    expect([sent(cloud, 'POST', /\/folders$/).length, sent(cloud, 'POST', /\/projects$/).length]).toEqual([1, 1]);
  }
});
