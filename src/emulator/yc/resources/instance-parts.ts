import { randomBytes } from 'node:crypto';
import { ClientFailure, FakeFailure, invalidField, notFound, precondition } from '../cli/failures.ts';
import { type Properties, parseProperties } from '../cli/properties.ts';
import type { AttachedDisk, Disk, NetworkInterface, Subnet } from '../world/state.ts';
import type { World } from '../world/world.ts';
import { dynamicAddress, inSubnet, isUsed } from './address.ts';
import type { Call } from './command.ts';
import type { Base } from './define.ts';
import { checkDisk, holders, imageById, impliedDisk, sizeOf } from './disk.ts';
import { DISK, SECURITY_GROUP, SUBNET } from './kind.ts';
import { dependency } from './lookup.ts';

const DEVICE_NAME = /^[a-z][-_a-z0-9]{0,19}$/;
const MAX_GROUPS = 5;

const USE_DISK = ['disk-id', 'disk-name', 'device-name', 'auto-delete', 'mode'];
const CREATE_DISK = [
  ...['name', 'type', 'size', 'block-size', 'image-id', 'snapshot-id', 'kms-key-id', 'device-name', 'auto-delete'],
  ...['image-name', 'image-family', 'image-folder-id', 'description'],
];

export function bootDisk(call: Call, base: Base, zoneId: string): AttachedDisk {
  const used = call.flags.text('use-boot-disk');
  const made = call.flags.text('create-boot-disk');
  if ((used === undefined) === (made === undefined))
    throw new ClientFailure('exactly one of create-boot-disk and use-boot-disk must be specified');
  return used === undefined
    ? createdDisk(call, base, zoneId, made ?? '')
    : usedDisk(call, 'use-boot-disk', used, zoneId);
}

export function usedDisk(call: Call, flag: string, text: string, zoneId: string): AttachedDisk {
  const properties = parseProperties(flag, text, USE_DISK);
  const disk = dependency(call, DISK, { id: properties.get('disk-id'), name: properties.get('disk-name') });
  if (disk.zoneId !== zoneId) throw invalidField('disk_id', `Disk ${disk.id} is in zone ${disk.zoneId}`);
  if (holders(call.world, disk.id).length > 0) throw precondition(`The disk ${disk.id} is being used`);
  // Kept unless asked otherwise.
  return attach(disk, properties, properties.bool('auto-delete') ?? false);
}

/** A disk made with the machine goes with it, unless asked otherwise. */
function createdDisk(call: Call, base: Base, zoneId: string, text: string): AttachedDisk {
  const properties = parseProperties('create-boot-disk', text, CREATE_DISK);
  for (const name of ['snapshot-id', 'kms-key-id', 'image-name', 'image-family', 'block-size'])
    if (properties.has(name)) throw new FakeFailure(`property ${name} of --create-boot-disk is not emulated`);
  const imageId = properties.get('image-id');
  const image = imageId === undefined ? undefined : imageById(call.world, imageId);
  const disk = impliedDisk({
    folderId: base.folderId,
    createdAt: base.createdAt,
    name: properties.get('name') ?? '',
    description: properties.get('description') ?? '',
    labels: {},
    zoneId,
    typeId: properties.get('type') ?? 'network-hdd',
    size: sizeOf(properties.get('size') ?? '10'),
    sourceImageId: imageId ?? '',
  });
  checkDisk(disk.typeId, disk.size, image);
  call.world.put('disk', disk);
  return attach(disk, properties, properties.bool('auto-delete') ?? true);
}

function attach(disk: Disk, properties: Properties, autoDelete: boolean): AttachedDisk {
  const deviceName = properties.get('device-name') ?? disk.id;
  if (!DEVICE_NAME.test(deviceName)) throw invalidField('device_name', 'Field does not match the pattern');
  const mode = properties.get('mode') === 'ro' ? 'READ_ONLY' : 'READ_WRITE';
  return { diskId: disk.id, deviceName, autoDelete, mode };
}

const INTERFACE = [
  ...['subnet-id', 'subnet-name', 'address', 'ipv4-address', 'nat-ip-version', 'nat-address', 'security-group-ids'],
];

export function networkInterface(call: Call, base: Base, zoneId: string, text: string): NetworkInterface {
  const properties = parseProperties('network-interface', text, INTERFACE);
  const subnet = dependency(call, SUBNET, { id: properties.get('subnet-id'), name: properties.get('subnet-name') });
  if (subnet.zoneId !== zoneId) throw invalidField('subnet_id', `Subnet ${subnet.id} is in zone ${subnet.zoneId}`);
  const securityGroupIds = groups(call, properties.list('security-group-ids'), subnet);
  return {
    macAddress: `d0:0d:${[...randomBytes(4)].map((byte) => byte.toString(16).padStart(2, '0')).join(':')}`,
    subnetId: subnet.id,
    address: inSubnet(call.world, subnet, properties.get('ipv4-address') ?? properties.get('address')),
    natAddress: publicAddress(call, base, zoneId, properties),
    securityGroupIds,
  };
}

function groups(call: Call, ids: readonly string[], subnet: Subnet): readonly string[] {
  if (ids.length > MAX_GROUPS) throw invalidField('security_group_ids', `Number of elements must be 0-${MAX_GROUPS}`);
  for (const id of ids) {
    const group = dependency(call, SECURITY_GROUP, { id, name: undefined });
    if (group.networkId !== subnet.networkId)
      throw invalidField('security_group_ids', `Security group ${id} is not in network ${subnet.networkId}`);
  }
  return ids;
}

function publicAddress(call: Call, base: Base, zoneId: string, properties: Properties): string {
  const version = properties.get('nat-ip-version');
  const asked = properties.get('nat-address');
  if (version === undefined && asked === undefined) return '';
  if (version !== 'ipv4') throw new ClientFailure(`unknown nat-ip-version "${version ?? ''}"`);
  if (asked === undefined) {
    const address = dynamicAddress(call, base, zoneId);
    call.world.put('address', address);
    return address.address;
  }
  return reservedAddress(call.world, base.folderId, zoneId, asked);
}

function reservedAddress(world: World, folderId: string, zoneId: string, asked: string): string {
  const address = world.inFolder('address', folderId).find((each) => each.subnetId === '' && each.address === asked);
  if (address === undefined) throw notFound(`Address ${asked} not found`);
  if (address.zoneId !== zoneId) throw invalidField('nat_address', `Address ${asked} is in zone ${address.zoneId}`);
  if (isUsed(world, address)) throw precondition('Address in use');
  return asked;
}
