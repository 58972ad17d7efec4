import { expect, it } from 'vitest';
import type { PlanStep } from '../../../src/core/plan.ts';
import { outcomesOf } from '../../support/in-memory/house.ts';
import { cloudOf, mutations } from './support/cloud.ts';
import { houseOn, playbook } from './support/house.ts';

type Edit = readonly [from: string, to: string];

const STOP = 'can only be changed while the machine is stopped, and infra stops none';
const INTERFACE = "is a change of the machine's network interface, which infra does not make";
const another = (noun: string) => `would take another ${noun}, and infra replaces nothing as a side effect`;
const OTHER = (step: string, action: string, input: string): Edit => [
  '  - step: instance',
  `  - step: ${step}\n    tool: { kind: provider, action: yandex.${action}.ensure, input: { ${input} } }\n  - step: instance`,
];
const SUBNET = 'zone_id: ru-central1-a, ipv4_cidr: 10.43.0.0/24, network_dependency: network';
const RULE = '{ direction: egress, protocol: any, cidr: 0.0.0.0/0 }';

/** Both, because a machine's subnet and group are of one network. */
const MOVED: readonly Edit[] = [
  OTHER('other', 'vpc.network', 'name: other'),
  ['10.42.0.0/24\n        network_dependency: network', '10.42.0.0/24\n        network_dependency: other'],
  ['gateway-sg\n        network_dependency: network', 'gateway-sg\n        network_dependency: other'],
];

const ELSEWHERE: readonly Edit[] = [['zone: ru-central1-a', 'zone: ru-central1-b']];

/** What is not changed in place, of every kind that has such a field: the edit, the step, and what the plan says of it. */
const HELD: readonly [what: string, edits: readonly Edit[], address: string, told: string][] = [
  ["a subnet's range", [['10.42.0.0/24', '10.42.0.0/23']], 'subnet', `ipv4_cidr ${another('subnet')}`],
  ["a subnet's network", MOVED, 'subnet', `network_id ${another('subnet')}`],
  ["a security group's network", MOVED, 'firewall', `network_id ${another('security group')}`],
  ['the zone', ELSEWHERE, 'subnet', 'nothing moves between zones'],
  ['the zone', ELSEWHERE, 'address', 'nothing moves between zones'],
  ['the zone', ELSEWHERE, 'boot_disk', 'nothing moves between zones'],
  [
    "a disk's type",
    [['size_gib: 20', 'size_gib: 20\n        type: network-ssd']],
    'boot_disk',
    `type ${another('disk')}`,
  ],
  [
    "a disk's image",
    [['image: fd8example0000000000', 'image: fd8example0000000001']],
    'boot_disk',
    `image_id ${another('disk')}`,
  ],
  [
    "a disk's size downwards",
    [['size_gib: 20', 'size_gib: 10']],
    'boot_disk',
    'size_gib can grow in place, but not shrink',
  ],
  [
    "a machine's size",
    [
      ['cores: 2', 'cores: 4'],
      ['memory_gib: 2', 'memory_gib: 4'],
    ],
    'instance',
    `cores, memory_gib ${STOP}`,
  ],
  [
    "a machine's platform",
    [
      ['standard-v3', 'standard-v2'],
      ['core_fraction: 100', 'core_fraction: 50'],
    ],
    'instance',
    `platform_id, core_fraction ${STOP}`,
  ],
  [
    "a machine's subnet",
    [OTHER('other', 'vpc.subnet', `name: other, ${SUBNET}`), ['subnet_dependency: subnet', 'subnet_dependency: other']],
    'instance',
    `subnet_id ${STOP}`,
  ],
  [
    "a machine's boot disk",
    [
      OTHER(
        'other',
        'compute.disk',
        'name: other, zone_id: ru-central1-a, image_id: fd8example0000000000, size_gib: 20',
      ),
      ['boot_disk_dependency: boot_disk', 'boot_disk_dependency: other'],
    ],
    'instance',
    `boot_disk_id ${another('machine')}`,
  ],
  [
    "a machine's security group",
    [
      OTHER('other', 'vpc.security_group', `name: other, network_dependency: network, rules: [${RULE}]`),
      ['security_group_dependency: firewall', 'security_group_dependency: other'],
    ],
    'instance',
    `security_group_id ${INTERFACE}`,
  ],
  [
    "a machine's address",
    [
      OTHER('other', 'vpc.address', 'name: other, zone_id: ru-central1-a'),
      ['address_dependency: address', 'address_dependency: other'],
    ],
    'instance',
    `address_id ${INTERFACE}`,
  ],
];

function edited(edits: readonly Edit[]): (text: string) => string {
  return (text) =>
    edits.reduce((before, [from, to]) => {
      if (!before.includes(from)) throw new Error(`the playbook has no ${from}`);
      return before.replace(from, to);
    }, text);
}

it('what needs a stop, a hand or another resource is named as that in the plan, and not done', async () => {
  const cloud = await cloudOf();
  const house = houseOn(cloud);
  await house.applied(await playbook());
  const made = mutations(cloud).length;
  for (const [what, edits, address, told] of HELD) {
    const { plan } = await house.plan(await playbook(edited(edits)));
    const step = plan.steps.find((item: PlanStep) => item.address === address);
    expect([what, step?.change]).toEqual([what, 'blocked']);
    expect([what, step?.diagnostics.map(({ detail }) => detail).join('\n')]).toEqual([
      what,
      expect.stringContaining(told),
    ]);
  }
  expect(mutations(cloud)).toHaveLength(made);
}, 120_000);

const IN_PLACE: readonly Edit[] = [
  ['{ name: gateway-network }', '{ name: edge-network, description: of the edge }'],
  ['name: gateway-subnet', 'name: edge-subnet\n        description: of the edge'],
  ['name: gateway-sg', 'name: edge-sg\n        description: of the edge'],
  ['from_port: 22, to_port: 22', 'from_port: 2222, to_port: 2222'],
  ['name: gateway-address,', 'name: edge-address, deletion_protection: true,'],
  ['name: gateway-disk', 'name: edge-disk'],
  ['size_gib: 20', 'size_gib: 30'],
  ['name: gateway-instance', 'name: edge-instance'],
];

it('everything else is changed in place, each kind once, and is then as declared', async () => {
  const cloud = await cloudOf();
  const house = houseOn(cloud);
  await house.applied(await playbook());
  const after = await playbook(edited(IN_PLACE));
  const { plan } = await house.plan(after);
  const changed = plan.steps.map(({ address, diff }) => [address, Object.keys(diff).filter((key) => key !== 'labels')]);
  expect(Object.fromEntries(changed)).toEqual({
    network: ['name', 'description'],
    subnet: ['name', 'description'],
    firewall: ['name', 'rules', 'description'],
    address: ['name', 'deletion_protection'],
    boot_disk: ['name', 'size_gib'],
    instance: ['name'],
  });
  const ends = outcomesOf(await house.applied(after));
  expect(new Set(Object.values(ends))).toEqual(new Set(['changed']));
  expect((await house.plan(after)).plan.summary).toMatchObject({ none: 6, update: 0, blocked: 0 });
}, 120_000);
