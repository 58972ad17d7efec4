import { expect, it } from 'vitest';
import { codesOf, expectExit, stepAt } from '../../support/e2e/cloud.ts';
import {
  EMPTY,
  everywhere,
  ONE_EACH,
  openYcCloudInside,
  outcomes,
  urnOf,
  type YcCloud,
} from '../../support/e2e/yandex.ts';

const UP_TO_THE_SUBNET = (text: string) => text.slice(0, text.indexOf('  - step: firewall'));

it.each(['missing_rule_port', 'unknown_flag'] as const)(
  '%s is a refusal of the parser: definite, and what the run made goes again',
  async (failure) => {
    const cloud = await openYcCloudInside();
    cloud.fake.addFaults({ match: 'vpc security-group create', action: { kind: 'fail', failure } });
    const { plan } = await cloud.plan();
    const applied = await cloud.apply(plan.digest);
    expectExit(applied, 6);
    expect(outcomes(applied)).toMatchObject({ firewall: 'failed', network: 'rolled_back' });
    expect(cloud.counts).toEqual(EMPTY);
    const deletes = cloud.writes.filter((words) => words.endsWith(' delete'));
    expect(deletes.indexOf('vpc network delete')).toBeGreaterThan(deletes.indexOf('vpc subnet delete'));
    cloud.fake.clearFaults();
    const again = await cloud.converge();
    expectExit(again, 0);
    expect(cloud.counts).toEqual(ONE_EACH);
  },
  60_000,
);

it('a rollback never touches what was there before the run', async () => {
  const cloud = await openYcCloudInside();
  const targets = ['--target', 'address', '--target', 'network'];
  const { plan } = await cloud.plan(...targets);
  expectExit(await cloud.apply(plan.digest, ...targets), 0);
  const kept = Object.keys(cloud.fake.state().resources.network);
  cloud.fake.addFaults({ match: 'vpc security-group create', action: { kind: 'fail', failure: 'missing_rule_port' } });
  const applied = await cloud.converge();
  expectExit(applied, 6);
  expect(outcomes(applied)).toMatchObject({ firewall: 'failed', network: 'noop', address: 'noop' });
  expect(Object.keys(cloud.fake.state().resources.network)).toEqual(kept);
  expect(cloud.counts).toEqual({ ...EMPTY, network: 1, address: 1 });
}, 60_000);

it('--no-rollback keeps what the run made', async () => {
  const cloud = await openYcCloudInside();
  cloud.fake.addFaults({ match: 'vpc security-group create', action: { kind: 'fail', failure: 'missing_rule_port' } });
  const { plan } = await cloud.plan('--no-rollback');
  const applied = await cloud.apply(plan.digest, '--no-rollback');
  expectExit(applied, 7);
  expect(outcomes(applied)).toMatchObject({ firewall: 'failed', network: 'changed' });
  expect(cloud.counts['network']).toBe(1);
  cloud.fake.clearFaults();
  expectExit(await cloud.converge(), 0);
  expect(cloud.counts).toEqual(ONE_EACH);
}, 60_000);

it('recover --rollback undoes an interrupted run, newest first, and only that', async () => {
  const cloud = await openYcCloudInside();
  cloud.fake.addFaults({ match: 'compute instance create', action: { kind: 'exit', when: 'after' } });
  expectExit(await cloud.converge(), 7);
  cloud.fake.clearFaults();
  cloud.fake.clearCommands();
  const { code, document } = await cloud.recover('--rollback');
  expect(code).toBe(0);
  expect(document.unresolved).toEqual([]);
  expect(document.rolled_back.map(({ address }) => address)).toHaveLength(6);
  expect(document.rolled_back[0]).toMatchObject({ address: 'instance', verdict: 'found' });
  expect(document.rolled_back.at(-1)?.address).not.toBe('instance');
  expect(cloud.counts).toEqual(EMPTY);
  const again = await cloud.recover();
  expect(again.document.resolved).toEqual([]);
  const { plan } = await cloud.plan();
  expect(plan.summary).toMatchObject({ create: 6 });
}, 60_000);

it('recover --rollback keeps what something else depends on', async () => {
  const cloud = await openYcCloudInside();
  cloud.fake.addFaults({ match: 'vpc subnet create', action: { kind: 'exit', when: 'before' } });
  expectExit(await cloud.converge(), 7);
  cloud.fake.clearFaults();
  const [network] = Object.keys(cloud.fake.state().resources.network);
  await cloud.yc(
    'vpc',
    'subnet',
    'create',
    '--name',
    'theirs',
    '--network-id',
    network ?? '',
    '--range',
    '10.9.0.0/24',
    '--zone',
    'ru-central1-b',
  );
  const { code, document } = await cloud.recover('--rollback');
  expect(code).toBe(7);
  expect(document.unresolved.map(({ address }) => address)).toContain('network');
  expect(cloud.counts).toMatchObject({ network: 1, subnet: 1 });
}, 60_000);

it('recover --rollback keeps what has other labels by now, and keeps it owned', async () => {
  const cloud = await openYcCloudInside();
  cloud.gateway(UP_TO_THE_SUBNET);
  cloud.fake.addFaults({ match: 'vpc subnet create', action: { kind: 'exit', when: 'after' } });
  expectExit(await cloud.converge(), 7);
  cloud.fake.clearFaults();
  cloud.fake.change((state) => {
    for (const item of Object.values(state.resources.network)) item.labels = { theirs: 'now' };
  });
  const [id] = Object.keys(cloud.fake.state().resources.network);
  const { code, document } = await cloud.recover('--rollback');
  expect(code).toBe(7);
  expect(document.rolled_back).toMatchObject([{ address: 'subnet' }]);
  expect(document.unresolved).toMatchObject([
    { address: 'network', verdict: 'conflict', resource_id: id, hint: expect.stringContaining('infra destroy') },
  ]);
  expect(codesOf(document.diagnostics)).toContain('NOT_OURS');
  expect(cloud.counts).toMatchObject({ network: 1 });
  expect((await cloud.run(['log', 'owned', '--stack', 'gateway'])).stdout).toContain(
    urnOf('vpc', 'network', 'network'),
  );
}, 60_000);

it('recover --rollback writes nothing of what it does not find, and deletes it when it comes late', async () => {
  const cloud = await openYcCloudInside();
  cloud.gateway(UP_TO_THE_SUBNET);
  cloud.fake.addFaults({ match: 'vpc subnet create', action: { kind: 'exit', when: 'after' } });
  expectExit(await cloud.converge(), 7);
  cloud.fake.clearFaults();
  const { subnet: late, network } = cloud.fake.state().resources;
  cloud.fake.change((state) => {
    state.resources.subnet = {};
  });
  const first = await cloud.recover('--rollback');
  expect(first.code).toBe(7);
  expect(first.document.unresolved).toMatchObject([
    { address: 'subnet', verdict: 'not_found', hint: expect.stringContaining('recover --rollback --abandon') },
    {
      address: 'network',
      verdict: 'conflict',
      resource_id: Object.keys(network)[0],
      hint: 'infra recover --rollback goes on when subnet is settled.',
    },
  ]);
  expect(first.document.rolled_back).toEqual([]);
  const urn = urnOf('vpc', 'subnet', 'subnet');
  expect(cloud.rows.filter((row) => row['urn'] === urn && row['operation'] === 'delete')).toEqual([]);
  cloud.fake.change((state) => {
    state.resources.subnet = late;
  });
  const second = await cloud.recover('--rollback');
  expect(second.code).toBe(0);
  expect(second.document).toMatchObject({ resolved: [], unresolved: [] });
  expect(second.document.rolled_back).toMatchObject([
    { urn, verdict: 'found', resource_id: Object.keys(late)[0] },
    { address: 'network' },
  ]);
  expect(cloud.counts).toEqual(EMPTY);
}, 60_000);

it('recover --rollback says nothing of a create that was refused for certain', async () => {
  const cloud = await openYcCloudInside();
  cloud.fake.addFaults({ match: 'vpc security-group create', action: { kind: 'fail', failure: 'missing_rule_port' } });
  cloud.fake.addFaults({ match: 'vpc subnet create', action: { kind: 'exit', when: 'before' } });
  const { plan } = await cloud.plan('--no-rollback');
  expectExit(await cloud.apply(plan.digest, '--no-rollback'), 7);
  cloud.fake.clearFaults();
  const { document } = await cloud.recover('--rollback');
  const named = [...document.rolled_back, ...document.unresolved].map(({ address }) => address);
  expect(named).not.toContain('firewall');
  expect(document.unresolved.map(({ address }) => address)).toEqual(['subnet', 'network']);
  expect(cloud.counts).toEqual({ ...EMPTY, network: 1 });
}, 60_000);

it('a rollback whose deletion is lost goes on with the rest, and is finished by recover --rollback', async () => {
  const cloud = await openYcCloudInside();
  cloud.gateway(UP_TO_THE_SUBNET);
  cloud.fake.addFaults({ match: 'vpc subnet create', action: { kind: 'fail', failure: 'unknown_flag' } });
  cloud.fake.addFaults({ match: 'vpc network delete', action: { kind: 'exit', when: 'before' } });
  const applied = await cloud.converge();
  expectExit(applied, 7);
  expect(outcomes(applied)).toEqual({ network: 'uncertain', subnet: 'failed' });
  expect(codesOf(applied.report.diagnostics)).toContain('ROLLBACK_INCOMPLETE');
  const [id] = Object.keys(cloud.fake.state().resources.network);
  const again = await cloud.recover('--rollback');
  expect(again.code).toBe(7);
  expect(again.document.resolved).toMatchObject([
    {
      address: 'network',
      verdict: 'found',
      resource_id: id,
      hint: expect.stringContaining('its deletion may be asked for again'),
    },
  ]);
  expect(again.document.unresolved).toMatchObject([{ address: 'network', verdict: 'unreadable', resource_id: id }]);
  cloud.fake.clearFaults();
  const last = await cloud.recover('--rollback');
  expect(last.code).toBe(0);
  expect(last.document.rolled_back).toMatchObject([{ address: 'network', resource_id: id }]);
  expect(cloud.counts).toEqual(EMPTY);
}, 60_000);

it.each([
  ['before', 'found'],
  ['after', 'not_found'],
] as const)(
  'a deletion that is lost %s it was done: its resource is %s',
  async (when, verdict) => {
    const cloud = await openYcCloudInside();
    cloud.gateway((text) => text.slice(0, text.indexOf('  - step: subnet')));
    expectExit(await cloud.converge(), 0);
    const [id] = Object.keys(cloud.fake.state().resources.network);
    cloud.fake.addFaults({ match: 'vpc network delete', action: { kind: 'exit', when } });
    const planned = await cloud.run(['destroy', 'playbook.yaml', '--format', 'json']);
    const { digest } = JSON.parse(planned.stdout);
    expectExit(await cloud.run(['destroy', 'playbook.yaml', '--confirm', digest]), 7);
    cloud.fake.clearFaults();
    const { code, document } = await cloud.recover();
    expect(code).toBe(0);
    expect(document.resolved).toMatchObject([{ address: 'network', verdict, resource_id: id }]);
    const ends = cloud.rows.filter((row) => row['type'] === 'provider.outcome');
    expect(ends.at(-1)).toMatchObject({ status: when === 'before' ? 'failed' : 'done' });
  },
  60_000,
);

it('what is planned for a Yandex stack says that a failure is rolled back', async () => {
  const cloud = await openYcCloudInside();
  const { plan } = await cloud.plan();
  expect(codesOf(plan.diagnostics)).toContain('ROLLBACK_ON_FAILURE');
  const kept = await cloud.plan('--no-rollback');
  expect(codesOf(kept.plan.diagnostics)).not.toContain('ROLLBACK_ON_FAILURE');
  expect(kept.plan.digest).toBe(plan.digest);
  expect(stepAt(plan, 'network').diagnostics).toEqual([]);
  expect(urnOf('vpc', 'network', 'network')).toBe(stepAt(plan, 'network').urn);
  expect(everywhere('create')).toEqual(Object.fromEntries(plan.steps.map(({ address, change }) => [address, change])));
});

const NETWORKS = ['a', 'b', 'c'].map(
  (step) =>
    `  - { step: ${step}, tool: { kind: provider, action: yandex.vpc.network.ensure, input: { name: net-${step} } } }\n`,
);

it('recover --rollback deletes in the order of the requests, newest first, whenever their end became known', async () => {
  const cloud = await openYcCloudInside();
  cloud.gateway((text) => `${text.slice(0, text.indexOf('workflow:'))}workflow:\n${NETWORKS.join('')}`);
  cloud.fake.addFaults({ match: 'vpc network create', nth: 1, action: { kind: 'exit', when: 'after' } });
  const { plan } = await cloud.plan();
  expectExit(await cloud.apply(plan.digest), 7);
  const made = requested(cloud, 'create');
  expect([...made].sort()).toEqual(['a', 'b', 'c']);
  expectExit(await cloud.recover('--rollback'), 0);
  expect(requested(cloud, 'delete')).toEqual([...made].reverse());
}, 60_000);

/** Addresses in the order of the log's intents. */
function requested(cloud: YcCloud, operation: string): readonly unknown[] {
  return cloud.rows.flatMap((row) =>
    row['type'] === 'provider.intent' && row['operation'] === operation ? [row['address']] : [],
  );
}
