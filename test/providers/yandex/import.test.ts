import { describe, expect, it } from 'vitest';
import type { DraftedScope, DraftRequest } from '../../../src/core/inventory.ts';
import { runImport } from '../../../src/engine/import.ts';
import { loadPlaybook } from '../../../src/playbook/load.ts';
import { CommandResult, type CommandRunner } from '../../../src/providers/command-runner.ts';
import { yandexCatalogue } from '../../../src/providers/yandex/catalogue.ts';
import { createYandexReader } from '../../../src/providers/yandex/provider.ts';
import { loadRequest } from '../../support/load-request.ts';
import { FOLDER, IMAGE, linked, said, ZONE } from './support/steps.ts';

const SETTINGS = { folderId: FOLDER, commandTimeout: 45, mutationTimeout: 300, inventoryLimit: 10_000 };
const PLACE = { folder: null, allowed: [], uid: null, tempFolder: '/tmp' };
const REQUEST: DraftRequest = {
  stack: 'gateway',
  identity: { project: 'acme', owner: 'platform' },
  leaveOut: null,
  isElsewhere: false,
};
const GIB = 2 ** 30;
const OURS = {
  'managed-by': 'infra',
  'infra-project': 'acme',
  'infra-stack': 'gateway',
  'infra-owner': 'platform',
  'infra-resource': 'web',
};

type Row = Readonly<Record<string, unknown>>;
type World = Readonly<
  Record<'network' | 'subnet' | 'security-group' | 'address' | 'disk' | 'instance', readonly Row[]>
>;

const row = (id: string, name: string, more: Row = {}): Row => ({ id, folder_id: FOLDER, name, ...more });
const RULE = {
  id: 'rule1',
  direction: 'INGRESS',
  protocol_name: 'TCP',
  protocol_number: '6',
  ports: { from_port: '22', to_port: '22' },
  cidr_blocks: { v4_cidr_blocks: ['192.0.2.0/24'] },
};
const NETWORK = row('net1', 'web-net');
const SUBNET = row('sub1', 'web-subnet', { network_id: 'net1', zone_id: ZONE, v4_cidr_blocks: ['10.1.0.0/24'] });
const GROUP = row('sg1', 'web-sg', { network_id: 'net1', status: 'ACTIVE', rules: [RULE] });
const ADDRESS = row('adr1', 'web-ip', {
  external_ipv4_address: { address: '203.0.113.7', zone_id: ZONE },
  reserved: true,
});
const DISK = row('dsk1', 'web-disk', {
  zone_id: ZONE,
  type_id: 'network-ssd',
  size: String(20 * GIB),
  status: 'READY',
  source_image_id: IMAGE,
});
const NIC = {
  subnet_id: 'sub1',
  security_group_ids: ['sg1'],
  primary_v4_address: { one_to_one_nat: { address: '203.0.113.7' } },
};
const MACHINE = row('vm1', 'web', {
  zone_id: ZONE,
  platform_id: 'standard-v3',
  status: 'RUNNING',
  resources: { memory: String(4 * GIB), cores: '2', core_fraction: '100' },
  boot_disk: { disk_id: 'dsk1' },
  network_interfaces: [NIC],
});
const WORLD: World = {
  network: [NETWORK],
  subnet: [SUBNET],
  'security-group': [GROUP],
  address: [ADDRESS],
  disk: [DISK],
  instance: [MACHINE],
};

/** A reader of a folder of which each list is as given. */
function readerOf(world: Partial<World>, failing: string | null = null) {
  const runner: CommandRunner = {
    run: (command) => {
      const [, kind = ''] = command;
      const rows = { ...WORLD, ...world }[kind as keyof World];
      const exitCode = kind === failing ? 1 : 0;
      const stderr = exitCode === 0 ? '' : 'ERROR: rpc error: code = PermissionDenied desc = Permission denied';
      const stdout = exitCode === 0 ? JSON.stringify(rows) : '';
      return Promise.resolve(new CommandResult({ end: 'exited', exitCode, stdout, stderr, elapsedMs: 1 }));
    },
  };
  return createYandexReader({ runner, settings: SETTINGS, profile: 'p', userData: PLACE });
}

async function drafted(world: Partial<World>, request: Partial<DraftRequest> = {}): Promise<DraftedScope> {
  const result = await readerOf(world).draftSteps({ ...REQUEST, ...request });
  if (result.kind === 'failed') throw new Error(result.why.detail);
  return result.found;
}

const inputsOf = ({ steps }: DraftedScope) => Object.fromEntries(steps.map(({ key, input }) => [key, input]));
const leftOf = ({ leftOut }: DraftedScope) => leftOut.flatMap(({ what }) => what).join('\n');

/** The text of an import, and that it loads and links. */
async function imported(world: Partial<World>, request: Partial<DraftRequest> = {}): Promise<string> {
  const { text } = await runImport({ reader: readerOf(world), name: null, auth: null, ...REQUEST, ...request });
  const { playbook, diagnostics } = await loadPlaybook(
    loadRequest('imported.yaml', text, new Map([['yandex', yandexCatalogue]])),
  );
  expect(said(diagnostics)).toBe('');
  expect(said(linked(playbook?.steps ?? []).diagnostics)).toBe('');
  return text;
}

describe('what is live', () => {
  it('becomes steps of all six kinds that name each other plainly, each with the id that it is adopted by', async () => {
    const text = await imported({});
    expect(text).toContain(`  stack: gateway
  reconcile: enforce
  settings:
    folder_id: ${FOLDER}
  identity:
    project: acme
    owner: platform
`);
    expect(text).toContain(`  - step: web
    tool:
      kind: provider
      provider: yandex
      action: yandex.compute.instance.ensure
      logical_id: web
      resource_id: vm1
      input:
        name: web
        zone_id: ${ZONE}
        platform_id: standard-v3
        core_fraction: 100
        cores: 2
        memory_gib: 4
        boot_disk_dependency: web_disk
        subnet_dependency: web_subnet
        security_group_dependency: web_sg
        address_dependency: web_ip
`);
    expect(text).toContain(`      input:
        name: web-sg
        rules:
          - direction: ingress
            protocol: tcp
            from_port: 22
            to_port: 22
            cidr: 192.0.2.0/24
        network_dependency: web_net
`);
    expect(text).not.toContain('Left out');
    expect(text).not.toContain('ssh_public_key:');
  });

  it('says of a machine what yc does not show and what no input declares', async () => {
    const second = { subnet_id: 'sub1', security_group_ids: ['sg1'] };
    const machine = {
      ...MACHINE,
      boot_disk: { disk_id: 'dsk1', auto_delete: true },
      secondary_disks: [{ disk_id: 'dsk2' }],
      network_interfaces: [NIC, second],
    };
    const found = await drafted({ instance: [machine] });
    expect(found.steps.at(-1)?.notes.join('\n')).toMatch(
      /SSH key.*ssh_public_key.*auto_delete.*1 more disk.*2 network interfaces/s,
    );
  });

  it('has its description, what is on, and not what is empty or off', async () => {
    const inputs = inputsOf(
      await drafted({
        network: [{ ...NETWORK, description: '{{ not a template }} ## [x]' }],
        address: [{ ...ADDRESS, deletion_protection: true }],
      }),
    );
    expect(inputs['network/net1']).toEqual({ name: 'web-net', description: '{{ not a template }} ## [x]' });
    expect(inputs['address/adr1']).toEqual({ name: 'web-ip', zone_id: ZONE, deletion_protection: true });
    expect(inputsOf(await drafted({}))['address/adr1']).toEqual({ name: 'web-ip', zone_id: ZONE });
    await imported({ network: [{ ...NETWORK, description: '{{ not a template }} ## [x]' }] });
  });

  it('leaves as it is, and says so, what an optional input can not say', async () => {
    const found = await drafted({
      network: [{ ...NETWORK, description: 'two\nlines' }],
      disk: [{ ...DISK, type_id: 'network-ssd-nonreplicated' }],
      instance: [{ ...MACHINE, platform_id: 'gpu-standard-v3' }],
    });
    const notes = found.steps.flatMap((step) => step.notes.filter((note) => note.startsWith('Left as it is')));
    expect(notes).toHaveLength(3);
    expect(notes[1]).toContain('"type" must be one of');
    const inputs = inputsOf(found);
    expect(inputs['network/net1']).toEqual({ name: 'web-net' });
    expect(inputs['disk/dsk1']).not.toHaveProperty('type');
    expect(inputs['instance/vm1']).not.toHaveProperty('core_fraction');
    const odd = { ...MACHINE, resources: { memory: String(5 * GIB), cores: '2', core_fraction: '20' } };
    expect(inputsOf(await drafted({ instance: [odd] }))['instance/vm1']).toMatchObject({ cores: 2, memory_gib: 5 });
    await imported({ instance: [odd] });
  });
});

const RULES: Readonly<Record<string, readonly Row[]>> = {
  'has no rules': [],
  'has a rule for another group': [{ ...RULE, cidr_blocks: undefined, security_group_id: 'sg1' }],
  'has a rule for itself': [{ ...RULE, cidr_blocks: undefined, predefined_target: 'self_security_group' }],
  'has a rule for several networks': [{ ...RULE, cidr_blocks: { v4_cidr_blocks: ['10.0.0.0/8', '192.0.2.0/24'] } }],
  'has a rule for IPv6': [{ ...RULE, cidr_blocks: { v6_cidr_blocks: ['::/0'] } }],
  'has a rule for another protocol': [{ ...RULE, protocol_name: 'GRE', protocol_number: '47' }],
  'has a rule twice': [RULE, { ...RULE, id: 'rule2' }],
};

describe('what no playbook can declare is left out with its reason, and what needs it', () => {
  it.each(Object.entries(RULES))('a security group that %s', async (_what, rules) => {
    const found = await drafted({ 'security-group': [{ ...GROUP, rules }] });
    expect(found.leftOut.map(({ why }) => why)).toEqual([
      'what a playbook can not declare',
      'what needs something that no step here makes',
    ]);
    expect(leftOf(found)).toContain('its security group sg1 is left out.');
    expect(Object.keys(inputsOf(found))).toEqual(['network/net1', 'subnet/sub1', 'address/adr1', 'disk/dsk1']);
    await imported({ 'security-group': [{ ...GROUP, rules }] });
  });

  it.each([
    ['a network without a name', { network: [row('net1', '')] }, 'network net1: it has no name.', 1],
    ['a network with a name of vpc alone', { network: [row('net1', 'Web_Net')] }, 'The name "Web_Net" must', 1],
    [
      'a subnet of two ranges',
      { subnet: [{ ...SUBNET, v4_cidr_blocks: ['10.1.0.0/24', '10.2.0.0/24'] }] },
      'no IPv4 network',
      1,
    ],
    [
      'an internal address',
      { address: [row('adr1', 'ip', { internal_ipv4_address: { address: '10.1.0.9' } })] },
      'it has no zone_id.',
      1,
    ],
    ['an empty disk', { disk: [{ ...DISK, source_image_id: undefined }] }, 'it has no image_id.', 1],
    [
      'a disk that is too small',
      { disk: [{ ...DISK, size: String(5 * GIB) }] },
      '"size_gib" must be a whole number',
      1,
    ],
    [
      'a machine without a group',
      { instance: [{ ...MACHINE, network_interfaces: [{ ...NIC, security_group_ids: [] }] }] },
      'it has no security group.',
      0,
    ],
    [
      'a machine with two groups',
      { instance: [{ ...MACHINE, network_interfaces: [{ ...NIC, security_group_ids: ['sg1', 'sg2'] }] }] },
      'more than one security group (sg1, sg2)',
      0,
    ],
    [
      'a machine without a static address',
      { instance: [{ ...MACHINE, network_interfaces: [{ ...NIC, primary_v4_address: {} }] }] },
      'it has no static public address.',
      0,
    ],
    [
      'a machine on a subnet of another folder',
      { instance: [{ ...MACHINE, network_interfaces: [{ ...NIC, subnet_id: 'subx' }] }] },
      'its subnet subx is not in this folder.',
      0,
    ],
    ['what is being deleted', { disk: [{ ...DISK, status: 'DELETING' }] }, 'disk dsk1 web-disk', 1],
    [
      'what another tool manages',
      { disk: [{ ...DISK, labels: { 'managed-by': 'terraform' } }] },
      '(managed-by: terraform)',
      1,
    ],
    [
      'what another stack manages',
      { disk: [{ ...DISK, labels: { ...OURS, 'infra-stack': 'other' } }] },
      'infra-stack: other',
      1,
    ],
    ['a default group', { 'security-group': [{ ...GROUP, default_for_network: true }] }, 'security group sg1', 1],
  ] as const)('%s', async (_what, world, reason, others) => {
    const found = await drafted(world);
    expect(leftOf(found)).toContain(reason);
    expect(leftOf(found).split('\n').length).toBeGreaterThan(others);
    expect(inputsOf(found)).not.toHaveProperty('instance/vm1');
    await imported(world);
  });
});

describe('logical ids', () => {
  it('are the names, with the kind where several have one', async () => {
    const found = await drafted({
      network: [row('net1', 'web'), row('net2', 'x'.repeat(63))],
      subnet: [{ ...SUBNET, name: 'x'.repeat(63) }],
    });
    const ids = found.steps.map(({ tool }) => String(tool['logical_id']));
    expect(ids).toEqual(expect.arrayContaining(['web-network', 'web-instance', 'web-sg']));
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.every((id) => /^[a-z][-_a-z0-9]{0,62}$/.test(id))).toBe(true);
    await imported({ network: [row('net1', 'web'), row('net2', 'x'.repeat(63))] });
  });

  it('are those of the labels where there are any, and nobody else gets them', async () => {
    const world = { network: [{ ...NETWORK, labels: OURS }] };
    const found = await drafted(world);
    expect(found.steps.map(({ tool }) => [tool['logical_id'], tool['resource_id'] ?? null])).toEqual([
      ['web', null],
      ['web-subnet', 'sub1'],
      ['web-sg', 'sg1'],
      ['web-ip', 'adr1'],
      ['web-disk', 'dsk1'],
      ['web-instance', 'vm1'],
    ]);
    expect(found.unmarked).toBe(5);
    await imported(world);
  });

  it('that two resources claim, or that are none, are in no step', async () => {
    const labels = { ...OURS, 'infra-resource': '9' };
    const found = await drafted({ network: [{ ...NETWORK, labels: OURS }, row('net2', 'b', { labels: OURS })] });
    expect(found.leftOut[0]).toMatchObject({ why: expect.stringContaining('same label infra-resource') });
    expect(leftOf(await drafted({ network: [{ ...NETWORK, labels }] }))).toContain('net1');
  });
});

describe('whose it is', () => {
  const labelled = { network: [{ ...NETWORK, labels: OURS }] };

  it('is what the caller says, else what the labels say, else a placeholder that is called one', async () => {
    const nothing = { stack: null, identity: null };
    const owner = { settings: { folder_id: FOLDER }, identity: { project: 'acme', owner: 'platform' } };
    expect(await drafted({})).toMatchObject({ stack: 'gateway', defaults: owner });
    expect(await drafted(labelled, nothing)).toMatchObject({ stack: 'gateway', defaults: owner });
    const guessed = await drafted({}, nothing);
    expect(guessed).toMatchObject({ stack: 'imported', defaults: { identity: { project: FOLDER, owner: 'unknown' } } });
    expect(guessed.remarks.join('\n')).toContain('stack, project, owner had to be placeholders');
    expect((await drafted({})).remarks.join('\n')).not.toContain('placeholder');
    await imported({}, nothing);
  });

  it('is refused where it fits no label', async () => {
    for (const request of [{ stack: 'Prod' }, { identity: { project: 'Acme Inc', owner: 'x' } }])
      expect(await readerOf({}).draftSteps({ ...REQUEST, ...request })).toMatchObject({
        kind: 'failed',
        why: { code: 'INVALID_VALUE' },
      });
  });
});

describe('an import is whole or nothing', () => {
  it('tells why nothing of what is there is left', async () => {
    const none = { network: [], subnet: [], 'security-group': [], address: [], instance: [] };
    const world = { ...none, disk: [{ ...DISK, labels: { 'managed-by': 'terraform' } }] };
    const failed = runImport({ reader: readerOf(world), name: null, auth: null, ...REQUEST });
    await expect(failed).rejects.toMatchObject({
      diagnostics: [{ code: 'NOT_FOUND', hint: "Left out: what its labels call someone else's (1)." }],
    });
  });

  it.each(Object.keys(WORLD))('where the %ss can not be read', async (kind) => {
    expect(await readerOf({}, kind).draftSteps(REQUEST)).toMatchObject({
      kind: 'failed',
      why: { code: 'PERMISSION_DENIED' },
    });
  });

  it('a thousand rows may not be all of them; 999 are', async () => {
    const many = (count: number) => Array.from({ length: count }, (_, index) => row(`net${index}`, `net-${index}`));
    expect(await readerOf({ network: many(1000) }).draftSteps(REQUEST)).toMatchObject({
      kind: 'failed',
      why: { code: 'INCOMPLETE_INVENTORY' },
    });
    expect((await drafted({ network: many(999) })).steps).toHaveLength(999 + 5);
  });
});
