import { expect, it } from 'vitest';
import { ACCOUNT, type Cloud, expectExit, ORG, openCloudInside, stepAt } from '../../support/e2e/cloud.ts';
import { enable, google, link, project } from '../../support/e2e/playbooks.ts';

const SERVICES = ['compute.googleapis.com', 'container.googleapis.com'];
const DISABLE = /services\/([a-z]+)\.googleapis\.com:disable$/;

const disable = (name: string, more: Readonly<Record<string, unknown>> = {}) =>
  google(
    `no_${name}`,
    'serviceusage.services.disable',
    { project_id: 'acme-web', service_name: `${name}.googleapis.com` },
    {},
    more,
  );

async function withServices(): Promise<Cloud> {
  const cloud = await openCloudInside();
  cloud.write({
    steps: [
      project('web', { project_id: 'acme-web', parent: ORG }),
      link('billing', { project_id: 'acme-web', billing_account: ACCOUNT }),
      enable('apis', { project_id: 'acme-web', services: SERVICES }),
    ],
  });
  expectExit(await cloud.converge(), 0);
  cloud.resetRequests();
  return cloud;
}

it('a service is disabled after the one that needs it, however they are written', async () => {
  const cloud = await withServices();
  cloud.write({ steps: [disable('compute'), disable('container')] });
  const { plan } = await cloud.plan();
  expect(stepAt(plan, 'no_compute').depends_on).toEqual(['no_container']);
  expect(stepAt(plan, 'no_compute').diagnostics).toMatchObject([
    { severity: 'note', detail: expect.stringContaining('only known when it is tried; nothing is cascaded') },
  ]);
  expectExit(await cloud.apply(plan.digest), 0);
  const order = cloud.writes.flatMap((request) => DISABLE.exec(request)?.[1] ?? []);
  expect(order).toEqual(['container', 'compute']);
});

it('what the playbook says of the order comes first', async () => {
  const cloud = await withServices();
  cloud.write({ steps: [disable('compute'), disable('container', { depends_on: ['no_compute'] })] });
  const { plan } = await cloud.plan();
  expect(stepAt(plan, 'no_compute').depends_on).toEqual([]);
  expect(stepAt(plan, 'no_container').depends_on).toEqual(['no_compute']);
});
