import { ClientFailure, invalid, precondition } from '../cli/failures.ts';
import { message } from '../cli/json.ts';
import { parseProperties } from '../cli/properties.ts';
import { ipv4, parseCidr, parseIpv4 } from '../world/cidr.ts';
import { newId, subnetPrefix } from '../world/ids.ts';
import type { Address, Subnet } from '../world/state.ts';
import type { World } from '../world/world.ts';
import type { Call, Command } from './command.ts';
import { type Base, commandsOf, type Definition } from './define.ts';
import { ADDRESS, SUBNET } from './kind.ts';
import { dependency } from './lookup.ts';
import { checkZone } from './validation.ts';

const definition: Definition<'address'> = {
  kind: ADDRESS,
  columns: ['id', 'name', 'address', 'reserved', 'used'],
  seconds: { create: 0, update: 0, delete: 0 },
  labelCommands: false,
  createFlags: {
    'external-ipv4': 'string',
    'internal-ipv4': 'string',
    'deletion-protection': 'bool',
    'dns-record': 'missing',
  },
  updateFlags: {
    reserved: 'bool',
    'deletion-protection': 'bool',
    'clear-dns-records': 'missing',
    'dns-record': 'missing',
  },
  view: (world, address) => ({
    ...(address.subnetId === '' ? external(address) : internal(address)),
    reserved: address.reserved,
    used: isUsed(world, address),
    type: address.subnetId === '' ? 'EXTERNAL' : 'INTERNAL',
    ip_version: 'IPV4',
    deletion_protection: address.deletionProtection,
  }),
  create(call, base) {
    const outside = call.flags.text('external-ipv4');
    const inside = call.flags.text('internal-ipv4');
    if ((outside === undefined) === (inside === undefined))
      throw new ClientFailure('exactly one of external-ipv4 and internal-ipv4 must be specified');
    return outside === undefined ? createInternal(call, base, inside ?? '') : createExternal(call, base, outside);
  },
  update({ flags }, address) {
    if (flags.has('reserved')) address.reserved = flags.bool('reserved');
    if (flags.has('deletion-protection')) address.deletionProtection = flags.bool('deletion-protection');
  },
  checkDelete(world, address) {
    if (isUsed(world, address)) throw precondition('Address in use');
    if (address.deletionProtection) throw precondition(`Address ${address.id} has deletion protection enabled`);
  },
};

function external({ address, zoneId }: Address) {
  return { external_ipv4_address: { address, zone_id: zoneId, requirements: {} } };
}

function internal({ address, subnetId }: Address) {
  return { internal_ipv4_address: message({ address, subnet_id: subnetId }) };
}

function createExternal(call: Call, base: Base, text: string): Address {
  const properties = parseProperties('external-ipv4', text, ['zone', 'address']);
  const zoneId = properties.get('zone');
  if (zoneId === undefined) throw new ClientFailure('for external-ipv4 zone field is required');
  checkZone(zoneId);
  const pinned = properties.get('address');
  if (pinned !== undefined) throw invalid(`Cannot parse address: ${pinned}`);
  return {
    ...base,
    id: newId(subnetPrefix(zoneId)),
    address: nextPublicAddress(call.world),
    zoneId,
    subnetId: '',
    reserved: true,
    deletionProtection: call.flags.bool('deletion-protection'),
  };
}

function createInternal(call: Call, base: Base, text: string): Address {
  const properties = parseProperties('internal-ipv4', text, ['subnet', 'address']);
  const subnet = dependency(call, SUBNET, { id: properties.get('subnet'), name: undefined });
  return {
    ...base,
    id: newId(subnetPrefix(subnet.zoneId)),
    address: inSubnet(call.world, subnet, properties.get('address')),
    zoneId: '',
    subnetId: subnet.id,
    reserved: true,
    deletionProtection: call.flags.bool('deletion-protection'),
  };
}

/** An address that a machine got without a reservation: listed like the others, gone with the machine. */
export function dynamicAddress(call: Call, base: Base, zoneId: string): Address {
  return {
    ...base,
    name: '',
    description: '',
    labels: {},
    id: newId(subnetPrefix(zoneId)),
    address: nextPublicAddress(call.world),
    zoneId,
    subnetId: '',
    reserved: false,
    deletionProtection: false,
  };
}

const DOCUMENTATION = ['203.0.113.', '198.51.100.', '192.0.2.'];

/** From the ranges for documentation, then from the one for benchmarks; never the same twice. */
function nextPublicAddress({ state }: World): string {
  const at = state.addressesGiven;
  state.addressesGiven += 1;
  const range = DOCUMENTATION[Math.floor(at / 254)];
  return range === undefined ? ipv4((parseIpv4('198.18.0.0') ?? 0) + at) : `${range}${1 + (at % 254)}`;
}

/** The asked one or the first free one; a subnet's first three are its own, the gateway's and the resolver's. */
export function inSubnet(world: World, subnet: Subnet, asked: string | undefined): string {
  const taken = new Set([
    ...world
      .all('instance')
      .flatMap(({ networkInterfaces }) => networkInterfaces)
      .flatMap((nic) => (nic.subnetId === subnet.id ? [nic.address] : [])),
    ...world.all('address').flatMap((address) => (address.subnetId === subnet.id ? [address.address] : [])),
  ]);
  const range = parseCidr(subnet.v4CidrBlocks[0] ?? '');
  if (range === undefined) throw invalid(`Cannot parse address: ${asked}`);
  if (asked !== undefined && asked !== 'auto') {
    const value = parseIpv4(asked);
    if (value === undefined || value < range.first + 3 || value >= range.last || taken.has(asked))
      throw invalid(`Cannot parse address: ${asked}`);
    return asked;
  }
  for (let value = range.first + 3; value < range.last; value += 1) if (!taken.has(ipv4(value))) return ipv4(value);
  throw precondition('Subnet has no free addresses');
}

export function isUsed(world: World, address: Address): boolean {
  return world
    .all('instance')
    .flatMap(({ networkInterfaces }) => networkInterfaces)
    .some((nic) =>
      address.subnetId === ''
        ? nic.natAddress === address.address
        : nic.subnetId === address.subnetId && nic.address === address.address,
    );
}

export const addressCommands: readonly Command[] = commandsOf(definition);
