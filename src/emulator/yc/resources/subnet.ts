import { invalid, invalidField, precondition } from '../cli/failures.ts';
import type { FlagTypes } from '../cli/flags.ts';
import { type Cidr, isPrivate, overlap, parseCidr } from '../world/cidr.ts';
import { newId, subnetPrefix } from '../world/ids.ts';
import type { World } from '../world/world.ts';
import type { Command } from './command.ts';
import { commandsOf, type Definition } from './define.ts';
import { NETWORK, SUBNET } from './kind.ts';
import { dependency } from './lookup.ts';
import { checkZone } from './validation.ts';

const SHORTEST_PREFIX = 16;
const LONGEST_PREFIX = 28;

const DHCP: FlagTypes = {
  'route-table-id': 'missing',
  'route-table-name': 'missing',
  'domain-name': 'missing',
  'domain-name-server': 'missing',
  'ntp-server': 'missing',
};

const definition: Definition<'subnet'> = {
  kind: SUBNET,
  columns: ['id', 'name', 'network_id', 'zone_id', 'v4_cidr_blocks'],
  seconds: { create: 2, update: 1, delete: 3 },
  labelCommands: true,
  createFlags: { zone: 'string', 'network-id': 'string', 'network-name': 'string', range: 'list', ...DHCP },
  required: ['zone', 'range'],
  updateFlags: { 'disassociate-route-table': 'missing', ...DHCP },
  view: (_world, subnet) => ({
    network_id: subnet.networkId,
    zone_id: subnet.zoneId,
    v4_cidr_blocks: subnet.v4CidrBlocks,
  }),
  create(call, base) {
    const { flags, world } = call;
    const zoneId = flags.text('zone') ?? '';
    const network = dependency(call, NETWORK, { id: flags.text('network-id'), name: flags.text('network-name') });
    checkZone(zoneId);
    const ranges = flags.list('range');
    if (ranges.length === 0) throw invalidField('v4_cidr_blocks', 'Field is required');
    checkOverlap(world, network.id, ranges.map(range));
    return { ...base, id: newId(subnetPrefix(zoneId)), networkId: network.id, zoneId, v4CidrBlocks: ranges };
  },
  update: () => undefined,
  checkDelete(world, subnet) {
    const used =
      world
        .all('instance')
        .some(({ networkInterfaces }) => networkInterfaces.some((nic) => nic.subnetId === subnet.id)) ||
      world.all('address').some((address) => address.subnetId === subnet.id);
    if (used) throw precondition('Subnet has allocated internal addresses');
  },
};

function range(text: string): Cidr {
  const cidr = parseCidr(text);
  if (cidr === undefined) throw invalid(`Cannot parse address: ${text}`);
  if (cidr.length < SHORTEST_PREFIX || cidr.length > LONGEST_PREFIX)
    throw invalid(`Illegal argument Invalid network prefix /${cidr.length}`);
  // That both are refused is known; how is not.
  if (!cidr.strict) throw invalid(`Illegal argument Invalid network address ${text}`);
  if (!isPrivate(cidr)) throw invalid(`Illegal argument Network ${text} is not private`);
  return cidr;
}

function checkOverlap(world: World, networkId: string, ranges: readonly Cidr[]): void {
  const taken = world
    .all('subnet')
    .filter((subnet) => subnet.networkId === networkId)
    .flatMap((subnet) => subnet.v4CidrBlocks)
    .flatMap((text) => parseCidr(text) ?? []);
  const clashes = ranges.some(
    (one, at) =>
      taken.some((other) => overlap(one, other)) || ranges.slice(at + 1).some((other) => overlap(one, other)),
  );
  if (clashes) throw precondition('Subnet CIDRs can not overlap');
}

export const subnetCommands: readonly Command[] = commandsOf(definition);
