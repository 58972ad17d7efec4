import type { JsonObject } from '../cli/json.ts';
import type { FakeYcFault, FakeYcKnobs } from '../options.ts';

/** What every resource has, and how its reads lag. */
export interface Resource {
  readonly id: string;
  folderId: string;
  readonly createdAt: string;
  name: string;
  description: string;
  labels: Record<string, string>;
  /** Gets and lists that do not see it yet. */
  hiddenReads?: number;
  /** Gets and lists that still show `lagStatus`. */
  lagReads?: number;
  lagStatus?: string;
  /** Deleted; gets and lists that still show it. */
  deletedReads?: number;
}

export interface Network extends Resource {
  readonly defaultSecurityGroupId: string;
  defaultGroupLagReads?: number;
}

export interface Subnet extends Resource {
  readonly networkId: string;
  readonly zoneId: string;
  readonly v4CidrBlocks: readonly string[];
}

export interface Rule {
  readonly id: string;
  readonly description: string;
  readonly direction: 'INGRESS' | 'EGRESS';
  /** Undefined = any port. */
  readonly ports?: { readonly from: number; readonly to: number };
  readonly protocolName: string;
  readonly protocolNumber: string;
  readonly v4Cidrs: readonly string[];
  readonly v6Cidrs: readonly string[];
  readonly securityGroupId: string;
  readonly predefinedTarget: string;
}

export interface SecurityGroup extends Resource {
  readonly networkId: string;
  readonly isDefault: boolean;
  rules: readonly Rule[];
}

export interface Address extends Resource {
  readonly address: string;
  /** Of an external one. */
  readonly zoneId: string;
  /** Of an internal one. */
  readonly subnetId: string;
  reserved: boolean;
  deletionProtection: boolean;
}

export interface Disk extends Resource {
  readonly zoneId: string;
  readonly typeId: string;
  /** Bytes. */
  size: number;
  readonly blockSize: number;
  readonly sourceImageId: string;
}

export interface AttachedDisk {
  readonly diskId: string;
  readonly deviceName: string;
  readonly autoDelete: boolean;
  readonly mode: 'READ_WRITE' | 'READ_ONLY';
}

export interface NetworkInterface {
  readonly macAddress: string;
  readonly subnetId: string;
  readonly address: string;
  /** Empty without a public address. */
  readonly natAddress: string;
  readonly securityGroupIds: readonly string[];
}

export interface Instance extends Resource {
  readonly zoneId: string;
  platformId: string;
  cores: number;
  /** Bytes. */
  memory: number;
  coreFraction: number;
  status: 'RUNNING' | 'STOPPED';
  metadata: Record<string, string>;
  readonly hostname: string;
  readonly bootDisk: AttachedDisk;
  readonly secondaryDisks: readonly AttachedDisk[];
  readonly networkInterfaces: readonly NetworkInterface[];
  readonly preemptible: boolean;
  readonly serviceAccountId: string;
}

interface Kinds {
  network: Network;
  subnet: Subnet;
  security_group: SecurityGroup;
  address: Address;
  disk: Disk;
  instance: Instance;
}

export type KindName = keyof Kinds;
export type Of<K extends KindName> = Kinds[K];
export type Resources = { [K in KindName]: Record<string, Kinds[K]> };

export interface Folder {
  readonly id: string;
  readonly cloudId: string;
  readonly createdAt: string;
  readonly name: string;
  status: 'ACTIVE' | 'DELETING' | 'PENDING_DELETION';
  forbidden: boolean;
}

export interface Image {
  readonly id: string;
  readonly folderId: string;
  readonly createdAt: string;
  readonly name: string;
  readonly family: string;
  readonly minDiskGib: number;
}

export interface Operation {
  readonly id: string;
  readonly description: string;
  readonly createdAt: string;
  readonly metadata: JsonObject;
  readonly response: JsonObject;
  readonly error?: { readonly code: number; readonly message: string };
  pollsLeft: number;
  missingReads: number;
}

export interface ArmedFault {
  readonly fault: FakeYcFault;
  seen: number;
}

export interface FakeYcState {
  readonly format: 1;
  folders: Record<string, Folder>;
  images: Record<string, Image>;
  /** Any profile when absent. */
  profiles?: readonly string[];
  resources: Resources;
  operations: Record<string, Operation>;
  /** Addresses given out, so that none comes twice. */
  addressesGiven: number;
  knobs: FakeYcKnobs;
  faults: ArmedFault[];
}

export function emptyState(): FakeYcState {
  return {
    format: 1,
    folders: {},
    images: {},
    resources: { network: {}, subnet: {}, security_group: {}, address: {}, disk: {}, instance: {} },
    operations: {},
    addressesGiven: 0,
    knobs: {},
    faults: [],
  };
}
