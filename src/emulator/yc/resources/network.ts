import { precondition } from '../cli/failures.ts';
import { newId, VPC_PREFIX } from '../world/ids.ts';
import type { Network } from '../world/state.ts';
import type { World } from '../world/world.ts';
import type { Command } from './command.ts';
import { commandsOf, type Definition } from './define.ts';
import { NETWORK } from './kind.ts';
import { defaultRules } from './rules.ts';

const definition: Definition<'network'> = {
  kind: NETWORK,
  columns: ['id', 'name'],
  seconds: { create: 0, update: 0, delete: 0 },
  labelCommands: true,
  createFlags: {},
  updateFlags: {},
  view: (_world, network) => ({
    default_security_group_id: showsDefaultGroup(network) ? network.defaultSecurityGroupId : undefined,
  }),
  create: (_call, base) => ({ ...base, id: newId(VPC_PREFIX), defaultSecurityGroupId: newId(VPC_PREFIX) }),
  created({ world }, network) {
    world.put('security_group', {
      id: network.defaultSecurityGroupId,
      folderId: network.folderId,
      createdAt: network.createdAt,
      name: `default-sg-${network.id}`,
      description: 'Default security group for network',
      labels: {},
      networkId: network.id,
      isDefault: true,
      rules: defaultRules(),
    });
    const lag = world.knobs.defaultGroupLagReads ?? 0;
    if (lag > 0) network.defaultGroupLagReads = lag + 1;
  },
  update: () => undefined,
  checkDelete(world, network) {
    const used =
      world.all('subnet').some((subnet) => subnet.networkId === network.id) ||
      world.all('security_group').some((group) => group.networkId === network.id && !group.isDefault);
    if (used) throw precondition(`Network ${network.id} is not empty`);
  },
  deleted: (world: World, network) => world.remove('security_group', network.defaultSecurityGroupId),
};

function showsDefaultGroup(network: Network): boolean {
  const left = network.defaultGroupLagReads ?? 0;
  network.defaultGroupLagReads = Math.max(0, left - 1);
  return left === 0;
}

export const networkCommands: readonly Command[] = commandsOf(definition);
