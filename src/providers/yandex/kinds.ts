import type { KindDefinition, KindName } from './define-kind.ts';
import { address } from './resources/address.ts';
import { disk } from './resources/disk.ts';
import { instance } from './resources/instance.ts';
import { network } from './resources/network.ts';
import { securityGroup } from './resources/security-group.ts';
import { subnet } from './resources/subnet.ts';

/** Every kind, in the order of a full inventory. A new kind is one file in resources/ and one entry here. */
export const KINDS: readonly KindDefinition[] = [instance, disk, network, subnet, address, securityGroup];

const BY_NAME: Readonly<Record<KindName, KindDefinition>> = {
  instance,
  disk,
  network,
  subnet,
  address,
  security_group: securityGroup,
};

export function kindOf(name: KindName): KindDefinition {
  return BY_NAME[name];
}

export function findKind(name: string): KindDefinition | null {
  return KINDS.find(({ kind }) => kind === name) ?? null;
}
