import * as z from 'zod/mini';
import type { InputProblem } from '../../../core/resource.ts';
import type { ValueObject } from '../../../core/value.ts';
import { COMMON, type CreateExtras, flag, type KindDefinition, text } from '../define-kind.ts';
import { choiceField, numberAt, numberField, problem, textAt, textField } from '../inputs.ts';
import { genericProblem, PLATFORM_IDS, platformProblem } from '../platforms.ts';
import { bareSshKey, sshKeyRule } from '../ssh-key.ts';
import { digestRule, nameRule, usernameRule, zoneRule } from '../validation.ts';
import { base, id, int, ipv4, liveOf, parser, statusOf, word } from '../wire.ts';

const GIB = 2 ** 30;
const DEFAULT_USER = 'ubuntu';
const STATUSES = [
  'PROVISIONING',
  'RUNNING',
  'STOPPING',
  'STOPPED',
  'STARTING',
  'RESTARTING',
  'UPDATING',
  'ERROR',
  'CRASHED',
  'DELETING',
];
/** Inputs that are given together or not at all. */
const TOGETHER = [
  ['platform_id', 'core_fraction'],
  ['user_data_file', 'user_data_sha256'],
] as const;

const disk = z.object({ disk_id: id, auto_delete: z._default(z.boolean(), false) });
const row = z.object({
  ...base,
  zone_id: word,
  platform_id: z._default(word, ''),
  status: z.optional(word),
  resources: z.object({ memory: int, cores: int, core_fraction: z._default(int, 0) }),
  boot_disk: z.optional(disk),
  secondary_disks: z._default(z.array(disk), []),
  network_interfaces: z._default(
    z.array(
      z.object({
        subnet_id: id,
        security_group_ids: z._default(z.array(id), []),
        primary_v4_address: z.optional(
          z.object({ one_to_one_nat: z.optional(z.object({ address: z.optional(ipv4) })) }),
        ),
      }),
    ),
    [],
  ),
});

export const instance: KindDefinition = {
  ...COMMON,
  kind: 'instance',
  service: 'compute',
  command: 'instance',
  input: [
    textField('name', { required: true, isStatic: true, rule: nameRule }),
    textField('zone_id', { required: true, rule: zoneRule }),
    choiceField('platform_id', PLATFORM_IDS),
    numberField('core_fraction', { min: 5, max: 100 }),
    numberField('cores', { required: true, min: 2, max: 288 }),
    numberField('memory_gib', { required: true, min: 0.5, max: 4608, step: 0.25 }),
    textField('ssh_username', { rule: usernameRule }),
    textField('ssh_public_key', { required: true, rule: sshKeyRule, normalize: (key) => bareSshKey(key) ?? key }),
    textField('user_data_file', { isStatic: true, rule: pathRule }),
    textField('user_data_sha256', { isStatic: true, rule: digestRule }),
  ],
  dependencies: [
    { input: 'boot_disk_dependency', kind: 'disk', field: 'boot_disk_id' },
    { input: 'subnet_dependency', kind: 'subnet', field: 'subnet_id' },
    { input: 'security_group_dependency', kind: 'security_group', field: 'security_group_id' },
    { input: 'address_dependency', kind: 'address', field: 'address_id' },
  ],
  options: ['user_data_file'],
  together: TOGETHER,
  fields: {
    name: 'mutable',
    zone_id: 'fixed',
    platform_id: 'fixed',
    core_fraction: 'fixed',
    cores: 'fixed',
    memory_gib: 'fixed',
    boot_disk_id: 'fixed',
    subnet_id: 'fixed',
    security_group_id: 'fixed',
    address_id: 'fixed',
    ssh_username: 'identity',
    ssh_public_key: 'identity',
    user_data_sha256: 'identity',
  },
  hindrances: {
    zone_id: 'replacement',
    boot_disk_id: 'replacement',
    platform_id: 'stop',
    core_fraction: 'stop',
    cores: 'stop',
    memory_gib: 'stop',
    subnet_id: 'stop',
    security_group_id: 'interface',
    address_id: 'interface',
  },
  hidden: ['ssh_username', 'ssh_public_key', 'user_data_sha256'],
  ready: ['RUNNING'],
  check: (values) => [...pairs(values), ...shape(values)],
  createFlags,
  updateFlags: (changed) => flag('--new-name', changed, 'name'),
  parse: parser(row, (found) => {
    const [first] = found.network_interfaces;
    const addresses = found.network_interfaces.flatMap(
      ({ primary_v4_address: own }) => own?.one_to_one_nat?.address ?? [],
    );
    return liveOf('instance', found, {
      status: statusOf(found.status, STATUSES),
      zoneId: found.zone_id,
      publicAddresses: addresses,
      uses: usesOf(found),
      undeclared: undeclaredOf(found),
      fields: {
        name: found.name,
        zone_id: found.zone_id,
        platform_id: found.platform_id,
        core_fraction: found.resources.core_fraction,
        cores: found.resources.cores,
        memory_gib: found.resources.memory / GIB,
        boot_disk_id: found.boot_disk?.disk_id ?? '',
        subnet_id: first?.subnet_id ?? '',
        security_group_id: [...(first?.security_group_ids ?? [])].sort().join(','),
      },
    });
  }),
};

function usesOf(found: z.infer<typeof row>): readonly string[] {
  const disks = [...(found.boot_disk === undefined ? [] : [found.boot_disk]), ...found.secondary_disks];
  const networks = found.network_interfaces.flatMap((item) => [item.subnet_id, ...item.security_group_ids]);
  return [...disks.map((item) => item.disk_id), ...networks];
}

const UNSHOWN =
  'yc shows neither its SSH key nor its user data, so none is declared: resource_id says which machine it is.';
const ANEW = 'To let infra make it anew one day, give it ssh_public_key and take resource_id away.';

function undeclaredOf({ boot_disk, secondary_disks, network_interfaces }: z.infer<typeof row>): readonly string[] {
  const [disks, interfaces] = [secondary_disks.length, network_interfaces.length];
  return [
    UNSHOWN,
    ANEW,
    ...(boot_disk?.auto_delete === true ? ['Its boot disk is deleted together with it (auto_delete).'] : []),
    ...(disks === 0 ? [] : [`It has ${disks} more disk(s) than its boot disk, which no input of it declares.`]),
    ...(interfaces < 2 ? [] : [`It has ${interfaces} network interfaces; what is declared is the first one.`]),
  ];
}

/** A file below the folder of the playbook; the rest is checked when it is read. */
function pathRule(value: string): string | null {
  const isPlain = !/[\p{Cc},]/u.test(value) && value.length <= 1024 && !value.split('/').includes('..');
  return isPlain ? null : 'user_data_file is a path without "..", commas and control characters.';
}

function pairs(values: ValueObject): readonly InputProblem[] {
  return TOGETHER.filter(([one, other]) => (values[one] === undefined) !== (values[other] === undefined)).map(
    ([one, other]) => problem([], `"${one}" and "${other}" are given together or not at all.`, 'MISSING_KEY'),
  );
}

function shape(values: ValueObject): readonly InputProblem[] {
  const [cores, memory, fraction] = [
    numberAt(values, 'cores'),
    numberAt(values, 'memory_gib'),
    numberAt(values, 'core_fraction'),
  ];
  const platform = textAt(values, 'platform_id');
  if (cores === null || memory === null) return [];
  const isGeneric = values['platform_id'] === undefined && values['core_fraction'] === undefined;
  if (!isGeneric && (fraction === null || platform === '')) return [];
  const found = isGeneric
    ? genericProblem(cores, memory)
    : platformProblem({ platform, fraction: fraction ?? 0, cores, memory, zone: textAt(values, 'zone_id') || null });
  return found === null ? [] : [problem([found.key], found.detail)];
}

function createFlags(desired: ValueObject & Parameters<KindDefinition['createFlags']>[0], extras: CreateExtras) {
  const user = text(desired, 'ssh_username') || DEFAULT_USER;
  const key = text(desired, 'ssh_public_key');
  const nat = `nat-ip-version=ipv4,nat-address=${extras.natAddress}`;
  const groups = `security-group-ids=[${text(desired, 'security_group_id')}]`;
  return [
    '--zone',
    text(desired, 'zone_id'),
    ...flag('--platform', desired, 'platform_id'),
    ...flag('--core-fraction', desired, 'core_fraction'),
    '--cores',
    text(desired, 'cores'),
    '--memory',
    memoryText(desired['memory_gib']),
    '--use-boot-disk',
    `disk-id=${text(desired, 'boot_disk_id')},auto-delete=false`,
    '--network-interface',
    `subnet-id=${text(desired, 'subnet_id')},${nat},${groups}`,
    ...(key === '' ? [] : ['--metadata', `ssh-keys=${user}:${key}`]),
    ...(extras.userDataPath === null ? [] : ['--metadata-from-file', `user-data=${extras.userDataPath}`]),
  ];
}

/** Whole GiB as such, parts of one in MiB. */
function memoryText(gib: unknown): string {
  return typeof gib !== 'number' || Number.isInteger(gib) ? `${String(gib)}G` : `${gib * 1024}M`;
}
