import type { LifecycleState, RpcStatus } from '../options.ts';
import type { Json, JsonObject } from '../wire/json.ts';

/** Everything the emulator remembers; plain JSON, because a state file carries it between processes. */
export interface WorldState {
  readonly format: 1;
  /** The source of numbers and etags; survives a reset, so that no id returns. */
  counter: number;
  /** Microseconds since the epoch of the latest write; policy etags must rise. */
  lastMicros: number;
  organizations: Record<string, Organization>;
  folders: Record<string, Folder>;
  /** By number. */
  projects: Record<string, Project>;
  /** Every project id ever taken, to its number. */
  projectIds: Record<string, string>;
  billingAccounts: Record<string, BillingAccount>;
  /** By canonical resource name. */
  policies: Record<string, StoredPolicy>;
  liens: Record<string, Lien>;
  operations: Record<string, Operation>;
  knownServices: string[];
}

export interface Organization {
  readonly name: string;
  readonly displayName: string;
  readonly directoryCustomerId: string;
  readonly createTime: string;
  readonly updateTime: string;
  readonly etag: string;
}

export interface Folder {
  readonly name: string;
  parent: string;
  displayName: string;
  state: LifecycleState;
  readonly createTime: string;
  updateTime: string;
  deleteTime?: string;
  etag: string;
  /** Searches that still miss this folder. */
  searchLag?: number;
}

export interface Project {
  /** `projects/NUMBER`. */
  readonly name: string;
  readonly projectId: string;
  parent?: string;
  displayName: string;
  labels: Readonly<Record<string, string>>;
  state: LifecycleState;
  readonly createTime: string;
  updateTime: string;
  deleteTime?: string;
  etag: string;
  /** `billingAccounts/X`, or empty. */
  billingAccountName: string;
  /** The account that the next `reads` reads of the link still show. */
  billingLag?: { readonly shown: string; reads: number };
  services: Record<string, ServiceState>;
  searchLag?: number;
}

export type EnabledState = 'ENABLED' | 'DISABLED';

/** A service that this project has enabled at least once. */
interface ServiceState {
  state: EnabledState;
  /** What the next `reads` reads still show. */
  lag?: { readonly shown: EnabledState | undefined; reads: number };
}

export interface BillingAccount {
  readonly name: string;
  displayName: string;
  open: boolean;
  readonly parent: string;
  readonly masterBillingAccount: string;
  readonly projectCap?: number;
}

export interface StoredPolicy {
  readonly bindings: readonly Binding[];
  readonly auditConfigs: readonly JsonObject[];
  /** Of the last write; the etag is made of it. */
  readonly micros: number;
}

export interface Binding {
  readonly role: string;
  readonly members: readonly string[];
  readonly condition?: JsonObject;
}

export interface Lien {
  readonly name: string;
  readonly parent: string;
  readonly restrictions: readonly string[];
  readonly reason: string;
  readonly origin: string;
  readonly createTime: string;
}

export interface Operation {
  readonly name: string;
  readonly service: 'cloudresourcemanager' | 'serviceusage';
  /** Shown until done. */
  readonly pendingMetadata?: JsonObject;
  readonly doneMetadata?: JsonObject;
  /** GETs to come before it is done; 0 = done. */
  pollsLeft: number;
  readonly response?: Json;
  readonly error?: RpcStatus;
  /** What cannot be changed again while this runs: `projects/N/services/x`, `folders/N`. */
  readonly locks: readonly string[];
}

export function emptyState(): WorldState {
  return {
    format: 1,
    counter: 0,
    lastMicros: 0,
    organizations: {},
    folders: {},
    projects: {},
    projectIds: {},
    billingAccounts: {},
    policies: {},
    liens: {},
    operations: {},
    knownServices: [],
  };
}
