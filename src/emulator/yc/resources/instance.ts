import { ClientFailure, invalidField, precondition } from '../cli/failures.ts';
import type { FlagTypes } from '../cli/flags.ts';
import { int64, type JsonObject, mapOrNothing, message } from '../cli/json.ts';
import { computePrefix, newId } from '../world/ids.ts';
import type { AttachedDisk, Instance, NetworkInterface } from '../world/state.ts';
import type { World } from '../world/world.ts';
import type { Call, Command } from './command.ts';
import { answerUpdate, type Base, commandsOf, type Definition, TARGET, wordsOf } from './define.ts';
import { bootDisk, networkInterface, usedDisk } from './instance-parts.ts';
import { INSTANCE } from './kind.ts';
import { changed } from './lookup.ts';
import { metadataOf } from './metadata.ts';
import { checkMachine } from './platforms.ts';
import { bytesOf, checkName, checkZone } from './validation.ts';

const MAX_SECONDARY = 3;

const LACKED: FlagTypes = Object.fromEntries(
  [
    ...['create-disk', 'public-ip', 'public-address', 'ssh-key', 'metadata-options', 'maintenance-policy', 'gpus'],
    ...['maintenance-grace-period', 'placement-group-id', 'placement-group-name', 'host-id', 'host-group-id'],
    ...['network-settings', 'serial-port-settings', 'service-account-name', 'reserved-instance-pool-id'],
  ].map((name) => [name, 'missing' as const]),
);
const SIZES: FlagTypes = { platform: 'string', cores: 'int', memory: 'string', 'core-fraction': 'int' };
const METADATA: FlagTypes = { metadata: 'map', 'metadata-from-file': 'map' };

const definition: Definition<'instance'> = {
  kind: INSTANCE,
  columns: ['id', 'name', 'zone_id', 'status'],
  seconds: { create: 33, update: 3, delete: 21 },
  labelCommands: true,
  getFlags: { full: 'bool' },
  createFlags: {
    hostname: 'string',
    zone: 'string',
    ...SIZES,
    'create-boot-disk': 'string',
    'use-boot-disk': 'string',
    'attach-disk': 'repeat',
    'network-interface': 'repeat',
    ...METADATA,
    preemptible: 'bool',
    'service-account-id': 'string',
    ...LACKED,
  },
  required: ['zone'],
  updateFlags: { ...SIZES, ...METADATA, preemptible: 'missing', 'service-account-id': 'missing', ...LACKED },
  view: (world, instance, full) => ({
    zone_id: instance.zoneId,
    platform_id: instance.platformId,
    resources: message({
      memory: int64(instance.memory),
      cores: int64(instance.cores),
      core_fraction: int64(instance.coreFraction),
    }),
    status: world.status(instance, instance.status),
    metadata: full ? mapOrNothing(instance.metadata) : undefined,
    metadata_options: {
      gce_http_endpoint: 'ENABLED',
      aws_v1_http_endpoint: 'ENABLED',
      gce_http_token: 'ENABLED',
      aws_v1_http_token: 'DISABLED',
    },
    boot_disk: diskJson(instance.bootDisk),
    secondary_disks: instance.secondaryDisks.map(diskJson),
    network_interfaces: instance.networkInterfaces.map(interfaceJson),
    fqdn: instance.hostname === '' ? `${instance.id}.auto.internal` : `${instance.hostname}.ru-central1.internal`,
    scheduling_policy: message({ preemptible: instance.preemptible }),
    service_account_id: instance.serviceAccountId,
    network_settings: { type: 'STANDARD' },
    placement_policy: {},
  }),
  create,
  update(call, instance) {
    const metadata = metadataOf(call);
    if (metadata !== undefined) instance.metadata = metadata;
    if (!Object.keys(SIZES).some((flag) => call.flags.has(flag))) return;
    if (instance.status !== 'STOPPED') throw precondition(`Instance ${instance.id} must be stopped`);
    Object.assign(instance, machineOf(call, instance));
  },
  checkDelete: () => undefined,
  deleted(world, instance) {
    for (const { diskId, autoDelete } of [instance.bootDisk, ...instance.secondaryDisks])
      if (autoDelete) world.remove('disk', diskId);
    releaseDynamic(world, instance);
  },
};

function create(call: Call, base: Base): Instance {
  const { flags } = call;
  const zoneId = flags.text('zone') ?? '';
  const hostname = flags.text('hostname') ?? '';
  const machine = machineOf(call, { platformId: 'standard-v2', cores: 2, memory: 2 * 2 ** 30, coreFraction: 100 });
  const metadata = metadataOf(call) ?? {};
  checkName(INSTANCE, hostname);
  checkZone(zoneId);
  const boot = bootDisk(call, base, zoneId);
  const secondary = flags.texts('attach-disk').map((text) => usedDisk(call, 'attach-disk', text, zoneId));
  if (secondary.length > MAX_SECONDARY) throw invalidField('secondary_disk_specs', 'Number of elements must be 0-3');
  const texts = flags.texts('network-interface');
  if (texts.length === 0) throw new ClientFailure('network interface must be specified');
  return {
    ...base,
    ...machine,
    id: newId(computePrefix(zoneId)),
    zoneId,
    status: 'RUNNING',
    metadata,
    hostname,
    bootDisk: boot,
    secondaryDisks: secondary,
    networkInterfaces: texts.map((text) => networkInterface(call, base, zoneId, text)),
    preemptible: flags.bool('preemptible'),
    serviceAccountId: flags.text('service-account-id') ?? '',
  };
}

type Machine = Pick<Instance, 'platformId' | 'cores' | 'memory' | 'coreFraction'>;

function machineOf({ flags }: Call, before: Machine): Machine {
  const text = flags.text('memory');
  const memory = text === undefined ? before.memory : bytesOf(text);
  if (memory === undefined) throw new ClientFailure(`invalid memory "${text}"`);
  const machine = {
    platformId: flags.text('platform') ?? before.platformId,
    cores: flags.number('cores') ?? before.cores,
    memory,
    coreFraction: flags.number('core-fraction') ?? before.coreFraction,
  };
  checkMachine(machine);
  return machine;
}

function releaseDynamic(world: World, { networkInterfaces }: Instance): void {
  const held = networkInterfaces.map(({ natAddress }) => natAddress);
  for (const address of world.all('address'))
    if (!address.reserved && held.includes(address.address)) world.remove('address', address.id);
}

function diskJson(disk: AttachedDisk): JsonObject {
  return message({
    mode: disk.mode,
    device_name: disk.deviceName,
    auto_delete: disk.autoDelete,
    disk_id: disk.diskId,
  });
}

function interfaceJson(nic: NetworkInterface, index: number): JsonObject {
  return message({
    // A string and so not left out for the first one.
    index: String(index),
    mac_address: nic.macAddress,
    subnet_id: nic.subnetId,
    primary_v4_address: message({
      address: nic.address,
      one_to_one_nat: nic.natAddress === '' ? undefined : { address: nic.natAddress, ip_version: 'IPV4' },
    }),
    security_group_ids: nic.securityGroupIds,
  });
}

function power(verb: 'start' | 'stop', from: Instance['status'], to: Instance['status']): Command {
  return {
    words: wordsOf(INSTANCE, verb),
    operands: '<NAME|ID>',
    flags: { ...TARGET, async: 'bool' },
    run(call) {
      const instance = changed(call, INSTANCE);
      if (instance.status !== from) throw precondition(`Instance ${instance.id} is not ${from}`);
      instance.status = to;
      const outcome = answerUpdate(definition, call, instance, verb === 'start' ? 'Start' : 'Stop');
      instance.lagStatus = verb === 'start' ? 'STARTING' : 'STOPPING';
      return outcome;
    },
  };
}

export const instanceCommands: readonly Command[] = [
  ...commandsOf(definition),
  power('stop', 'RUNNING', 'STOPPED'),
  power('start', 'STOPPED', 'RUNNING'),
];
