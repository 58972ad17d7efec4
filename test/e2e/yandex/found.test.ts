import { describe, expect, it } from 'vitest';
import { expectExit, stepAt } from '../../support/e2e/cloud.ts';
import { openYcCloud, type YcCloud } from '../../support/e2e/yandex.ts';

async function destroyed(cloud: YcCloud) {
  const ended = await cloud.run(['destroy', 'playbook.yaml', '--format', 'json']);
  const plan = JSON.parse(ended.stdout) as Awaited<ReturnType<YcCloud['plan']>>['plan'];
  return { ...ended, plan };
}

describe('what was there before', () => {
  it('is adopted where resource_id names it and an enforce plan changes it, so a destruction covers it', async () => {
    const cloud = await openYcCloud();
    const { id } = (await cloud.yc('vpc', 'network', 'create', '--name', 'other')) as { id: string };
    cloud.gateway((text) =>
      (text.split('  - step: subnet')[0] ?? '').replace(
        /( +)action: yandex.vpc.network.ensure/,
        `$1resource_id: ${id}\n$&`,
      ),
    );
    expectExit(await cloud.converge(), 0);
    const facts = cloud.rows.flatMap((row) => (row['type'] === 'provider.fact' ? [row['provider_fact']] : []));
    expect(facts).toMatchObject([{ resource_id: id, origin: 'adopted' }]);
    const { plan } = await destroyed(cloud);
    expect(stepAt(plan, 'network')).toMatchObject({ change: 'delete', held: null });
  }, 30_000);

  it('and is protected in the cloud blocks its deletion in the plan, whatever uses it', async () => {
    const cloud = await openYcCloud();
    expectExit(await cloud.converge(), 0);
    const address = Object.values(cloud.fake.state().resources.address)[0];
    await cloud.yc('vpc', 'address', 'update', '--id', address?.id ?? '', '--deletion-protection');
    const { code, plan } = await destroyed(cloud);
    expect(code).toBe(0);
    const step = stepAt(plan, 'address');
    expect(step.change).toBe('blocked');
    expect(JSON.stringify(step.diagnostics)).toContain('deletion protection');
  }, 30_000);

  it('and can be either of two is a block of the plan, and refused by an apply', async () => {
    const cloud = await openYcCloud();
    const labels =
      'managed-by=infra,infra-project=acme,infra-stack=gateway,infra-owner=platform,infra-resource=network';
    for (const name of ['one', 'two']) await cloud.yc('vpc', 'network', 'create', '--name', name, '--labels', labels);
    const { code, plan } = await cloud.plan('--target', 'network');
    expect([code, stepAt(plan, 'network').change]).toEqual([0, 'blocked']);
    expect((await cloud.plan('--target', 'network', '--detailed-exitcode')).code).toBe(2);
    expect((await cloud.apply(plan.digest, '--target', 'network')).code).toBe(5);
  }, 30_000);
});

it('a yc that the caller names and that is not there is an error of every verb', async () => {
  const cloud = await openYcCloud();
  const { code, plan } = await cloud.plan('--yc', '/nonexistent/yc');
  expect(code).toBe(6);
  expect(stepAt(plan, 'network').diagnostics).toMatchObject([{ code: 'UNAVAILABLE', severity: 'error' }]);
});
