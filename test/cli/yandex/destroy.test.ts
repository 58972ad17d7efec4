import { expect, it } from 'vitest';
import * as z from 'zod';
import { expectExit, stepAt } from '../../support/e2e/cloud.ts';
import { applySchema, planSchema } from '../../support/e2e/contract.ts';
import { ADDRESSES, openYcCloudInside, outcomes, type YcCloud } from '../../support/e2e/yandex.ts';

/** Two networks, a subnet of the first, and a disk that lies in none. */
const STEPS = `  - step: neta
    tool: { kind: provider, action: yandex.vpc.network.ensure, input: { name: net-a } }
  - step: suba
    tool: { kind: provider, action: yandex.vpc.subnet.ensure, input: { name: sub-a, zone_id: ru-central1-a, ipv4_cidr: 10.1.0.0/24, network_dependency: neta } }
  - step: netb
    tool: { kind: provider, action: yandex.vpc.network.ensure, input: { name: net-b } }
  - step: diskx
    tool: { kind: provider, action: yandex.compute.disk.ensure, input: { name: disk-x, zone_id: ru-central1-a, image_id: fd8example0000000000, size_gib: 20 } }
`;

const DELETES = `  - step: drop_neta
    tool: { kind: provider, action: yandex.vpc.network.delete, logical_id: neta }
  - step: drop_suba
    tool: { kind: provider, action: yandex.vpc.subnet.delete, logical_id: suba }
  - step: drop_netb
    tool: { kind: provider, action: yandex.vpc.network.delete, logical_id: netb }
  - step: drop_diskx
    tool: { kind: provider, action: yandex.compute.disk.delete, logical_id: diskx }
`;

function playbook(cloud: YcCloud, steps: string): void {
  cloud.gateway((text) => `${text.slice(0, text.indexOf('workflow:'))}workflow:\n${steps}`);
}

async function made(steps = STEPS): Promise<YcCloud> {
  const cloud = await openYcCloudInside();
  playbook(cloud, steps);
  expectExit(await cloud.converge(), 0);
  cloud.fake.clearCommands();
  return cloud;
}

const toDestroy = planSchema.extend({ command: z.literal('destroy') });
const done = applySchema.extend({ command: z.literal('destroy') });

async function planned(cloud: YcCloud) {
  const { stdout } = await cloud.run(['destroy', 'playbook.yaml', '--format', 'json']);
  return toDestroy.parse(JSON.parse(stdout));
}

function ends({ steps }: Awaited<ReturnType<typeof destroyed>>): Readonly<Record<string, string>> {
  return Object.fromEntries(steps.map(({ address, outcome }) => [address, outcome]));
}

async function destroyed(cloud: YcCloud, digest: string | null) {
  const ended = await cloud.run(['destroy', 'playbook.yaml', '--confirm', digest ?? '', '--format', 'json']);
  return { ...ended, steps: done.parse(JSON.parse(ended.stdout)).steps };
}

it('a deletion depends on that of what uses its resource, and only comes after the rest', async () => {
  const cloud = await made();
  const plan = await planned(cloud);
  const needs = (address: string) => stepAt(plan, address).depends_on;
  expect(['neta', 'netb', 'suba', 'diskx'].map(needs)).toEqual([['suba'], [], [], []]);
  cloud.fake.addFaults({ match: 'compute disk delete', action: { kind: 'exit', when: 'before' } });
  const ended = await destroyed(cloud, plan.digest);
  expectExit(ended, 7);
  expect(ends(ended)).toEqual({ neta: 'deleted', suba: 'deleted', netb: 'deleted', diskx: 'uncertain' });
  const order = cloud.writes;
  expect(order.slice(-2)).toEqual(['vpc network delete', 'vpc network delete']);
  cloud.fake.clearFaults();
  const again = await destroyed(cloud, plan.digest);
  expectExit(again, 0);
  expect(cloud.counts).toMatchObject({ network: 0, subnet: 0, disk: 0 });
}, 60_000);

const NEEDED: Readonly<Record<string, readonly string[]>> = {
  network: ['network', 'subnet', 'firewall'],
  subnet: ['network', 'subnet'],
  firewall: ['network', 'firewall'],
  address: ['address'],
  boot_disk: ['boot_disk'],
  instance: ADDRESSES,
};

it.each(ADDRESSES)(
  'a protected %s keeps what it needs and what lies in it; what merely uses it goes',
  async (address) => {
    const cloud = await openYcCloudInside();
    cloud.gateway((text) =>
      text.replace(
        new RegExp(`- step: ${address}\\n(?:    desc: .*\\n)?    tool:\\n`),
        (start) => `${start}      protect: true\n`,
      ),
    );
    expectExit(await cloud.converge(), 0);
    const plan = await planned(cloud);
    const held = plan.steps.filter(({ held: why }) => why !== null).map((step) => step.address);
    expect(held.sort()).toEqual([...(NEEDED[address] ?? [])].sort());
    const ended = await destroyed(cloud, plan.digest);
    expectExit(ended, 2);
    const gone = ended.steps.filter(({ outcome }) => outcome === 'deleted').map((step) => step.address);
    expect([...gone, ...held].sort()).toEqual([...ADDRESSES].sort());
  },
  60_000,
);

it('what fails to go keeps what it lies in, and nothing else', async () => {
  const cloud = await made();
  cloud.fake.addFaults({ match: 'vpc subnet delete', action: { kind: 'exit', when: 'before' } });
  const ended = await destroyed(cloud, (await planned(cloud)).digest);
  expectExit(ended, 7);
  expect(ends(ended)).toEqual({ neta: 'blocked', suba: 'uncertain', netb: 'deleted', diskx: 'deleted' });
}, 60_000);

it('a disk that a strange machine uses blocks no network', async () => {
  const cloud = await made();
  const [disk] = Object.keys(cloud.fake.state().resources.disk);
  cloud.fake.change((state) => {
    const found = state.resources.disk[disk ?? ''];
    if (found !== undefined) found.labels = { theirs: 'now' };
  });
  const ended = await destroyed(cloud, (await planned(cloud)).digest);
  expectExit(ended, 5);
  expect(ends(ended)).toEqual({ neta: 'deleted', suba: 'deleted', netb: 'deleted', diskx: 'blocked' });
}, 60_000);

it('delete steps learn by looking what uses what, and depend on all that may where a look says nothing', async () => {
  const cloud = await made();
  playbook(cloud, DELETES);
  const { plan } = await cloud.plan();
  expect(stepAt(plan, 'drop_neta').depends_on).toEqual(['drop_suba']);
  expect(stepAt(plan, 'drop_netb').depends_on).toEqual([]);
  cloud.fake.addFaults({ match: 'vpc subnet list', action: { kind: 'fail', failure: 'unavailable' } });
  const blind = await cloud.plan();
  cloud.fake.clearFaults();
  expect(stepAt(blind.plan, 'drop_netb').depends_on).toEqual(['drop_suba']);
  cloud.fake.addFaults({ match: 'compute disk delete', action: { kind: 'exit', when: 'before' } });
  const ended = await cloud.converge();
  expectExit(ended, 7);
  expect(outcomes(ended)).toMatchObject({ drop_neta: 'deleted', drop_netb: 'deleted', drop_diskx: 'uncertain' });
  cloud.fake.clearFaults();
  const again = await cloud.apply(plan.digest);
  expectExit(again, 0);
  expect(cloud.counts).toMatchObject({ network: 0, subnet: 0, disk: 0 });
}, 60_000);
