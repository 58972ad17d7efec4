import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it, test } from 'vitest';
import { isKnown, unknownOf } from '../../../src/core/value.ts';
import { yandexCatalogue } from '../../../src/providers/yandex/catalogue.ts';
import { platformProblem } from '../../../src/providers/yandex/platforms.ts';
import { withSpec } from '../../../src/providers/yandex/session.ts';
import { bareSshKey } from '../../../src/providers/yandex/ssh-key.ts';
import {
  address,
  declared,
  disk,
  FOLDER,
  firewall,
  gateway,
  gatewayPlaybook,
  instance,
  KEY,
  linked,
  network,
  OUT_RULE,
  SSH_RULE,
  said,
  stepOf,
  subnet,
} from './support/steps.ts';

const NONCE = '<nonce>';

describe('the gateway', () => {
  it('links without a complaint, each resource with its URN', async () => {
    const { declarations, diagnostics } = linked(await gatewayPlaybook());
    expect(said(diagnostics)).toBe('');
    expect([...declarations.values()].map(({ urn }) => urn)).toEqual([
      `yandex:vpc:network:${FOLDER}/acme/gateway/network`,
      `yandex:vpc:subnet:${FOLDER}/acme/gateway/subnet`,
      `yandex:vpc:security_group:${FOLDER}/acme/gateway/firewall`,
      `yandex:vpc:address:${FOLDER}/acme/gateway/address`,
      `yandex:compute:disk:${FOLDER}/acme/gateway/boot-disk`,
      `yandex:compute:instance:${FOLDER}/acme/gateway/instance`,
    ]);
  });

  it('waits for what its dependencies make, and knows its digest before', () => {
    const { declarations } = linked(gateway());
    const machine = declarations.get('instance');
    expect(machine?.dependsOn).toEqual(['boot_disk', 'subnet', 'firewall', 'address']);
    expect(machine?.needs).toEqual(machine?.dependsOn);
    expect(isKnown(machine?.desired['subnet_id'] ?? null)).toBe(false);
    expect(machine?.desired['labels']).toEqual({
      'managed-by': 'infra',
      'infra-project': 'acme',
      'infra-stack': 'gateway',
      'infra-owner': 'platform',
      'infra-resource': 'instance',
      'infra-spec': expect.stringMatching(/^[0-9a-f]{40}$/),
    });
  });

  it('shows commands with placeholders for what only a run has', () => {
    const steps = gateway();
    const { declarations } = linked(steps);
    const shown = steps.flatMap((step) => {
      const declaration = declarations.get(step.address);
      if (declaration === undefined) return [];
      const { desired } = declaration;
      return yandexCatalogue.requests({ declaration, desired, change: 'create', observation: null }, step);
    });
    const argvs = shown.map(({ call }) => ('argv' in call ? call.argv : []));
    expect(argvs.map((argv) => argv.slice(0, 4).join(' '))).toEqual([
      'yc vpc network create',
      'yc vpc subnet create',
      'yc vpc security-group create',
      'yc vpc address create',
      'yc compute disk create',
      'yc compute instance create',
    ]);
    for (const argv of argvs) {
      expect(argv.slice(-9)).toEqual([
        '--profile',
        '<profile>',
        '--folder-id',
        FOLDER,
        '--format',
        'json',
        '--no-browser',
        '--retry',
        '0',
      ]);
      expect(argv.join(' ')).toContain(`infra-operation=${NONCE}`);
    }
    expect(argvs[1]).toContain('(known after apply: network.resource.id)');
    expect(argvs[2]).toContain('direction=egress,from-port=0,to-port=65535,protocol=any,v4-cidrs=[0.0.0.0/0]');
    expect(argvs[5]).toContain('disk-id=(known after apply: boot_disk.resource.id),auto-delete=false');
    expect(JSON.stringify(shown.map(({ logical }) => logical))).not.toContain('--profile');
  });

  it('has the same digest however its rules are ordered', () => {
    const one = declared(firewall({ rules: [SSH_RULE, OUT_RULE] }), [network()]);
    const other = declared(firewall({ rules: [OUT_RULE, SSH_RULE] }), [network()]);
    expect(one.desired).toEqual(other.desired);
  });
});

/** What is refused: a step that is wrong among a gateway that is right, the code, and a word of what is said. */
const REFUSED: readonly [what: string, step: ReturnType<typeof network>, code: string, word: string][] = [
  ['a name in upper case', network({ name: 'Net' }), 'INVALID_VALUE', 'name'],
  ['a name that ends with a hyphen', network({ name: 'net-' }), 'INVALID_VALUE', 'name'],
  ['a name of 64 characters', network({ name: 'a'.repeat(64) }), 'INVALID_VALUE', 'name'],
  ['no name', network({ name: '' }), 'MISSING_KEY', '"name"'],
  ['a description of 257 characters', network({ description: 'x'.repeat(257) }), 'INVALID_VALUE', '256'],
  ['a description of two lines', network({ description: 'a\nb' }), 'INVALID_VALUE', 'one line'],
  ['an input of another kind', network({ zone_id: 'ru-central1-a' }), 'UNKNOWN_KEY', 'zone_id'],
  ['host bits in a CIDR', subnet({ ipv4_cidr: '10.42.0.1/24' }), 'INVALID_VALUE', 'IPv4 network'],
  ['leading zeros in a CIDR', subnet({ ipv4_cidr: '010.42.0.0/24' }), 'INVALID_VALUE', 'IPv4 network'],
  ['a prefix of /15', subnet({ ipv4_cidr: '10.42.0.0/15' }), 'INVALID_VALUE', '/16 to /28'],
  ['a prefix of /29', subnet({ ipv4_cidr: '10.42.0.0/29' }), 'INVALID_VALUE', '/16 to /28'],
  ['an octet of 256', subnet({ ipv4_cidr: '256.0.0.0/24' }), 'INVALID_VALUE', 'IPv4 network'],
  ['no zone', subnet({ zone_id: 'somewhere' }), 'INVALID_VALUE', 'zone'],
  ['a dependency that is no step', subnet({ network_dependency: 'netwrk' }), 'UNKNOWN_STEP', 'network_dependency'],
  ['a dependency of another kind', subnet({ network_dependency: 'address' }), 'INVALID_VALUE', 'network'],
  ['no rules', firewall({ rules: [] }), 'INVALID_VALUE', '1 to 50'],
  [
    '51 rules',
    firewall({ rules: Array.from({ length: 51 }, (_, at) => ({ ...SSH_RULE, to_port: 100 + at })) }),
    'INVALID_VALUE',
    '50',
  ],
  ['a rule twice', firewall({ rules: [SSH_RULE, SSH_RULE] }), 'INVALID_VALUE', 'twice'],
  ['ports that are reversed', firewall({ rules: [{ ...SSH_RULE, from_port: 23 }] }), 'INVALID_VALUE', 'greater'],
  ['a tcp rule without ports', firewall({ rules: [{ ...OUT_RULE, protocol: 'tcp' }] }), 'MISSING_KEY', 'from_port'],
  ['an icmp rule with ports', firewall({ rules: [{ ...SSH_RULE, protocol: 'icmp' }] }), 'INVALID_VALUE', 'no ports'],
  ['an any rule with ports', firewall({ rules: [{ ...SSH_RULE, protocol: 'any' }] }), 'INVALID_VALUE', 'no ports'],
  ['a port of 65536', firewall({ rules: [{ ...SSH_RULE, to_port: 65_536 }] }), 'INVALID_VALUE', '65535'],
  ['a rule with host bits', firewall({ rules: [{ ...SSH_RULE, cidr: '192.0.2.1/24' }] }), 'INVALID_VALUE', 'IPv4'],
  [
    'a comma in the description of a rule',
    firewall({ rules: [{ ...SSH_RULE, description: 'a,b' }] }),
    'INVALID_VALUE',
    'commas',
  ],
  ['a protocol by number', firewall({ rules: [{ ...SSH_RULE, protocol: '6' }] }), 'INVALID_VALUE', 'protocol'],
  ['deletion protection as a text', address({ deletion_protection: 'perhaps' }), 'INVALID_VALUE', 'true or false'],
  ['an address with a description', address({ description: 'x' }), 'UNKNOWN_KEY', 'description'],
  ['a disk of 9 GiB', disk({ size_gib: 9 }), 'INVALID_VALUE', '10 to 1024'],
  ['a disk of 1025 GiB', disk({ size_gib: 1025 }), 'INVALID_VALUE', '10 to 1024'],
  ['a disk of 10.5 GiB', disk({ size_gib: 10.5 }), 'INVALID_VALUE', 'whole'],
  ['a type of disk that is not offered', disk({ type: 'network-nvme' }), 'INVALID_VALUE', 'network-ssd'],
  ['an image that would be a flag', disk({ image_id: '--help' }), 'INVALID_VALUE', 'id'],
  ['a platform without a fraction', instance({ core_fraction: '' }), 'MISSING_KEY', 'together'],
  ['a platform that is not known', instance({ platform_id: 'standard-v9' }), 'INVALID_VALUE', 'standard-v3'],
  ['a fraction that the platform lacks', instance({ core_fraction: 5 }), 'INVALID_VALUE', 'core fraction'],
  ['cores that the platform lacks', instance({ cores: 18 }), 'INVALID_VALUE', '18 cores'],
  ['memory that the platform lacks', instance({ memory_gib: 3 }), 'INVALID_VALUE', 'GiB of memory'],
  ['much memory for many cores', instance({ cores: 96, memory_gib: 96 * 7 }), 'INVALID_VALUE', 'GiB of memory'],
  ['a machine without a key', instance({ ssh_public_key: '' }), 'MISSING_KEY', 'ssh_public_key'],
  ['a key that is cut off', instance({ ssh_public_key: KEY.slice(0, -4) }), 'INVALID_VALUE', 'SSH key'],
  [
    'a key of another type',
    instance({ ssh_public_key: KEY.replace('ssh-ed25519', 'ssh-rsa') }),
    'INVALID_VALUE',
    'SSH key',
  ],
  ['a private key', instance({ ssh_public_key: '-----BEGIN OPENSSH PRIVATE KEY-----' }), 'INVALID_VALUE', 'SSH key'],
  ['a user with a colon', instance({ ssh_username: 'a:b' }), 'INVALID_VALUE', 'user name'],
  ['user data without its digest', instance({ user_data_file: 'u.json' }), 'MISSING_KEY', 'together'],
  [
    'user data above the playbook',
    instance({ user_data_file: '../u', user_data_sha256: 'a'.repeat(64) }),
    'INVALID_VALUE',
    '".."',
  ],
  [
    'a digest in upper case',
    instance({ user_data_file: 'u', user_data_sha256: 'A'.repeat(64) }),
    'INVALID_VALUE',
    '64',
  ],
  ['a machine in another zone', instance({ zone_id: 'ru-central1-b' }), 'INVALID_VALUE', 'ru-central1-b'],
  ['no folder', network({}, { settings: {} }), 'MISSING_KEY', 'folder_id'],
  ['no settings', network({}, { settings: null }), 'MISSING_KEY', 'folder'],
  [
    'a timeout of nothing',
    network({}, { settings: { folder_id: FOLDER, command_timeout: 0 } }),
    'INVALID_VALUE',
    'command_timeout',
  ],
  ['a read of 301 s', network({}, { settings: { folder_id: FOLDER, command_timeout: 301 } }), 'INVALID_VALUE', '300'],
  [
    'a mutation of 3601 s',
    network({}, { settings: { folder_id: FOLDER, mutation_timeout: 3601 } }),
    'INVALID_VALUE',
    '3600',
  ],
  [
    'an inventory of 100001',
    network({}, { settings: { folder_id: FOLDER, inventory_limit: 100_001 } }),
    'INVALID_VALUE',
    '100000',
  ],
  [
    'a setting that is none',
    network({}, { settings: { folder_id: FOLDER, profile: 'prod' } }),
    'UNKNOWN_KEY',
    'no setting "profile"',
  ],
  ['no stack', network({}, { stack: null }), 'MISSING_KEY', 'stack'],
  ['a stack that is no label', network({}, { stack: 'Prod!' }), 'INVALID_VALUE', 'label'],
  ['no identity', network({}, { identity: null }), 'MISSING_KEY', 'identity'],
  [
    'a project that is no label',
    network({}, { identity: { project: 'Acme Inc', owner: 'x' } }),
    'INVALID_VALUE',
    'label',
  ],
  [
    'an owner of 64 characters',
    network({}, { identity: { project: 'a', owner: 'x'.repeat(64) } }),
    'INVALID_VALUE',
    'label',
  ],
  ['a logical id that starts with a digit', network({}, { logicalId: '1net' }), 'INVALID_VALUE', 'logical_id'],
  ['a resource id that would be a flag', network({}, { resourceId: '--all' }), 'INVALID_VALUE', 'resource_id'],
];

test.each(REFUSED)('%s is refused', (_what, step, code, word) => {
  const { diagnostics } = linked(gateway(step));
  expect(diagnostics.map((item) => item.code)).toContain(code);
  expect(said(diagnostics)).toContain(word);
  expect(diagnostics.every((item) => item.address === step.address || item.code !== code)).toBe(true);
});

const ACCEPTED: readonly [what: string, step: ReturnType<typeof network>][] = [
  ['a name of 63 characters', network({ name: 'a'.repeat(63) })],
  ['a prefix of /16', subnet({ ipv4_cidr: '10.42.0.0/16' })],
  ['a prefix of /28', subnet({ ipv4_cidr: '10.42.0.240/28' })],
  ['a rule for one address', firewall({ rules: [{ ...SSH_RULE, cidr: '192.0.2.1/32' }] })],
  ['a rule for icmp', firewall({ rules: [{ direction: 'ingress', protocol: 'icmp', cidr: '0.0.0.0/0' }] })],
  ['numbers as texts', disk({ size_gib: '30' })],
  ['a machine without a platform', instance({ platform_id: '', core_fraction: '' })],
  ['a small machine', instance({ platform_id: 'standard-v2', core_fraction: 5, memory_gib: 0.5 })],
  ['a key with a comment', instance({ ssh_public_key: `${KEY} me@example.com` })],
  ['a timeout of half a second', network({}, { settings: { folder_id: FOLDER, command_timeout: 0.5 } })],
];

test.each(ACCEPTED)('%s is accepted', (_what, step) => {
  expect(said(linked(gateway(step)).diagnostics)).toBe('');
});

it('drops the comment of a key', () => {
  const { declarations } = linked(gateway(instance({ ssh_public_key: `${KEY} me@example.com` })));
  expect(declarations.get('instance')?.desired['ssh_public_key']).toBe(KEY);
});

describe('subnets of one network', () => {
  const other = (cidr: string, networkStep = 'network') =>
    subnet({ name: 'other', ipv4_cidr: cidr, network_dependency: networkStep }, { address: 'other', name: 'other' });

  it('may not overlap, even where a third lies between', () => {
    const third = subnet({ name: 'third', ipv4_cidr: '10.42.0.128/25' }, { address: 'third', name: 'third' });
    const { diagnostics } = linked([network(), subnet({ ipv4_cidr: '10.42.0.0/16' }), other('10.42.0.0/25'), third]);
    expect(diagnostics.map((item) => item.address)).toEqual(['other', 'third']);
  });

  it('may stand side by side, and overlap those of another network', () => {
    const second = network({ name: 'second' }, { address: 'second', name: 'second' });
    expect(linked([network(), subnet(), other('10.42.1.0/24')]).diagnostics).toEqual([]);
    expect(linked([network(), second, subnet(), other('10.42.0.0/24', 'second')]).diagnostics).toEqual([]);
  });
});

it('refuses a machine between two networks', () => {
  const second = network({ name: 'second' }, { address: 'second', name: 'second' });
  const { diagnostics } = linked([second, ...gateway(firewall({ network_dependency: 'second' }))]);
  expect(said(diagnostics)).toContain('is in the network');
});

describe('logical ids', () => {
  const urnOf = (step: ReturnType<typeof network>) => declared(step).urn?.split('/').at(-1);

  it('are made of the address, or taken as they are written', () => {
    expect(urnOf(network({}, { address: 'My_Net[eu 1]' }))).toBe('my-net-eu-1');
    expect(urnOf(network({}, { logicalId: 'my_net' }))).toBe('my_net');
  });

  it('may not be longer than a label', () => {
    expect(said(linked([network({}, { address: 'n'.repeat(64) })]).diagnostics)).toContain('64 characters');
  });

  it('may not collide, whatever the kinds are', () => {
    const twin = address({ name: 'x' }, { address: 'n', logicalId: 'network' });
    expect(said(linked([network(), twin]).diagnostics)).toContain('the same logical id "network"');
    const slug = network({ name: 'b' }, { address: 'a_b' });
    expect(linked([slug, network({ name: 'c' }, { address: 'a-b' })]).diagnostics).toHaveLength(1);
  });

  it('may be the same in two stacks', () => {
    expect(
      linked([network(), network({ name: 'b' }, { address: 'network2', logicalId: 'network', stack: 'b' })])
        .diagnostics,
    ).toEqual([]);
  });
});

describe('deletes', () => {
  it('go from machines to networks', () => {
    const steps = ['network', 'subnet', 'instance'].map((kind) =>
      stepOf(`drop_${kind}`, `${kind === 'instance' ? 'compute' : 'vpc'}.${kind}.delete`, {}, { logicalId: kind }),
    );
    const { declarations, diagnostics } = linked(steps);
    expect(diagnostics).toEqual([]);
    expect(declarations.get('drop_network')).toMatchObject({
      dependsOn: [],
      after: ['drop_subnet', 'drop_instance'],
      mayUse: ['drop_subnet'],
    });
    expect(declarations.get('drop_instance')).toMatchObject({ dependsOn: [], after: [], mayUse: [] });
    expect(declarations.get('drop_subnet')?.urn).toBe(`yandex:vpc:subnet:${FOLDER}/acme/gateway/subnet`);
  });

  it('keep the order that the playbook gives where that is the contrary', () => {
    const first = stepOf('n', 'vpc.network.delete', {}, { logicalId: 'n' });
    const second = stepOf('i', 'compute.instance.delete', {}, { logicalId: 'i', dependsOn: ['n'] });
    expect(linked([first, second]).declarations.get('n')).toMatchObject({ dependsOn: [], after: [] });
  });
});

describe('facts', () => {
  it('give the declaration back, and the step that removes it', () => {
    const { urn, desired } = declared(network());
    const again = yandexCatalogue.declarationOf('network', urn ?? '', desired as never);
    expect(again?.options).toMatchObject({
      folder_id: FOLDER,
      project: 'acme',
      owner: 'platform',
      logical_id: 'network',
    });
    expect(yandexCatalogue.removalOf('network', urn ?? '', desired as never)).toEqual({
      action: 'yandex.vpc.network.delete',
      input: {},
      tool: {
        settings: { folder_id: FOLDER },
        identity: { project: 'acme', owner: 'platform' },
        logical_id: 'network',
      },
    });
  });
});

describe('a machine that resource_id says is there', () => {
  it('needs no key, because none is made', () => {
    const there = instance({ ssh_public_key: '', ssh_username: '' }, { resourceId: 'fhm00000000000000001' });
    const { diagnostics, declarations } = linked(gateway(there));
    expect(diagnostics).toEqual([]);
    expect(declarations.get('instance')?.desired).not.toHaveProperty('ssh_public_key');
    const bad = instance({ ssh_public_key: 'no key' }, { resourceId: 'fhm00000000000000001' });
    expect(linked(gateway(bad)).diagnostics).toHaveLength(1);
  });
});

describe('what another step decides', () => {
  const late = network({ description: unknownOf([{ address: 'other', path: 'resource.name' }]) });

  it('leaves the digest open until it is known, and is checked then', () => {
    const declaration = declared(late);
    expect(JSON.stringify(declaration.desired['labels'])).not.toContain('infra-spec');
    const known = (description: string) => ({ ...declaration.desired, description });
    expect(yandexCatalogue.settle(declaration, known('fine'))).toEqual([]);
    expect(yandexCatalogue.settle(declaration, known('a\nb')).map(({ path }) => path)).toEqual([['description']]);
    expect(withSpec(declaration, known('fine'))['labels']).toMatchObject({ 'infra-spec': expect.any(String) });
    expect(withSpec(declaration, declaration.desired)).toBe(declaration.desired);
  });

  it('can not be the name', () => {
    const { diagnostics } = linked([network({ name: unknownOf([{ address: 'other', path: 'id' }]) })]);
    expect(diagnostics.map(({ code }) => code)).toContain('STATIC_REQUIRED');
  });

  it('is checked together with what was known before', () => {
    const cores = unknownOf([{ address: 'other', path: 'cores' }]);
    const { declarations, diagnostics } = linked(gateway(instance({ cores })));
    expect(diagnostics).toEqual([]);
    const declaration = declarations.get('instance');
    if (declaration === undefined) throw new Error('no declaration');
    const problems = yandexCatalogue.settle(declaration, { ...declaration.desired, cores: 18 });
    expect(problems.map(({ path }) => path)).toEqual([['cores']]);
  });
});

describe('a machine in Kazakhstan', () => {
  it('has one platform', () => {
    const machine = { platform: 'standard-v2', fraction: 100, cores: 2, memory: 2, zone: 'kz1-a' };
    expect(platformProblem(machine)?.key).toBe('platform_id');
    expect(platformProblem({ ...machine, platform: 'standard-v3' })).toBeNull();
  });
});

describe('an RSA key', () => {
  function rsaKey(bits: number): string {
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength: bits });
    const { n, e } = publicKey.export({ format: 'jwk' });
    const number = (text = '') => {
      const bytes = Buffer.from(text, 'base64url');
      return (bytes[0] ?? 0) > 127 ? Buffer.concat([Buffer.from([0]), bytes]) : bytes;
    };
    const field = (bytes: Buffer) => Buffer.concat([Buffer.from([0, 0, bytes.length >> 8, bytes.length & 255]), bytes]);
    const blob = Buffer.concat([Buffer.from('ssh-rsa'), number(e), number(n)].map(field));
    return `ssh-rsa ${blob.toString('base64')}`;
  }

  it('has 2048 bits or more', () => {
    expect(bareSshKey(`${rsaKey(2048)} me`)).toMatch(/^ssh-rsa \S+$/);
    expect(bareSshKey(rsaKey(1024))).toBeNull();
  });
});

it('refuses another folder than the guard pins, offline', () => {
  const guard = { requireOrg: null, requireOrgDisplayName: null, requireBillingAccount: null, requireCloudId: null };
  const declaration = declared(network());
  const check = (requireFolder: string) =>
    yandexCatalogue.checkGuard({ ...guard, requireFolder }, declaration, declaration.desired);
  expect(check(FOLDER)).toEqual([]);
  expect(check('b1gother').map(({ code }) => code)).toEqual(['GUARD']);
});
