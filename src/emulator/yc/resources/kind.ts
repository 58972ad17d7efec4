import type { KindName } from '../world/state.ts';

export interface Kind<K extends KindName = KindName> {
  readonly name: K;
  readonly service: 'vpc' | 'compute';
  readonly command: string;
  /** In failures, at their start. */
  readonly title: string;
  /** In failures, within. */
  readonly noun: string;
  /** The name of the protobuf message. */
  readonly message: string;
  /** How a failed look-up names the id. */
  readonly idText: (id: string) => string;
}

const plain = (id: string) => id;

export const NETWORK: Kind<'network'> = {
  name: 'network',
  service: 'vpc',
  command: 'network',
  title: 'Network',
  noun: 'network',
  message: 'Network',
  idText: plain,
};

export const SUBNET: Kind<'subnet'> = {
  name: 'subnet',
  service: 'vpc',
  command: 'subnet',
  title: 'Subnet',
  noun: 'subnet',
  message: 'Subnet',
  idText: plain,
};

export const SECURITY_GROUP: Kind<'security_group'> = {
  name: 'security_group',
  service: 'vpc',
  command: 'security-group',
  title: 'Security group',
  noun: 'security group',
  message: 'SecurityGroup',
  idText: (id) => `SecurityGroup.Id(value=${id})`,
};

export const ADDRESS: Kind<'address'> = {
  name: 'address',
  service: 'vpc',
  command: 'address',
  title: 'Address',
  noun: 'address',
  message: 'Address',
  idText: plain,
};

export const DISK: Kind<'disk'> = {
  name: 'disk',
  service: 'compute',
  command: 'disk',
  title: 'Disk',
  noun: 'disk',
  message: 'Disk',
  idText: plain,
};

export const INSTANCE: Kind<'instance'> = {
  name: 'instance',
  service: 'compute',
  command: 'instance',
  title: 'Instance',
  noun: 'instance',
  message: 'Instance',
  idText: plain,
};
