import type { Diagnostic } from '../core/diagnostics.ts';
import type { Discovery, DraftedScope, DraftRequest, ProviderResource, ResourceReference } from '../core/inventory.ts';
import type { Json, JsonObject } from '../core/json.ts';
import type { ChangeContext, Declaration, Observation } from '../core/resource.ts';
import type { AuthSpec, EndpointSpec, GuardSpec, PollSpec } from '../core/step.ts';
import type { ValueObject } from '../core/value.ts';

/** Who a provider speaks for: nothing secret. */
export interface ProviderIdentity {
  readonly providerId: string;
  readonly scopeId: string;
  readonly authenticationSource: string;
}

export type Capability = 'inventory' | 'resource_lookup' | 'create_resource' | 'update_resource' | 'delete_resource';

export interface ProviderStatus {
  readonly identity: ProviderIdentity;
  readonly available: boolean;
  /** Null when it was not tried. */
  readonly authenticated: boolean | null;
  readonly errorCode: string | null;
}

/** A declaration whose desired values are known as far as they can be. */
export interface Target {
  readonly declaration: Declaration;
  readonly desired: ValueObject;
  /** The id that the log knows this resource by; it is looked at when the name no longer leads there. */
  readonly resourceId: string | null;
  /** Addresses among its dependencies that are about to be created: what lies in them can't exist yet. */
  readonly pending: ReadonlySet<string>;
  /** For a delete: also look at what stands in the way. */
  readonly forDelete: boolean;
  /** What was last wanted of it, where the log has it as owned. */
  readonly recorded?: Json | undefined;
}

export type Resolution =
  | { readonly kind: 'resolved'; readonly desired: ValueObject }
  | { readonly kind: 'failed'; readonly why: Diagnostic };

export type ReadResult =
  | { readonly kind: 'done'; readonly resource: Json }
  | { readonly kind: 'failed'; readonly why: Diagnostic };

/** Reads of one phase (a plan, a check before a write): whatever several steps need is asked for once. */
export interface ReadSession {
  /** Replaces names that only the cloud can resolve (`folders/by-display-name/X`) by ids. */
  resolve(target: Target): Promise<Resolution>;
  observe(target: Target): Promise<Observation>;
  /** A read action. */
  read(declaration: Declaration, desired: ValueObject): Promise<ReadResult>;
  /** The live pass of the guard: organisation's name, billing account's parent, ancestry of the given parents. */
  checkGuard(guard: GuardSpec, parents: readonly string[]): Promise<readonly Diagnostic[]>;
}

/** The read half: what drift, inventory, import and adopt are handed. It has no way to write. */
export interface CloudProvider {
  readonly identity: ProviderIdentity;
  readonly capabilities: readonly Capability[];
  checkAvailability(): Promise<ProviderStatus>;
  checkAuthentication(): Promise<ProviderStatus>;
  openSession(): ReadSession;
  close(): Promise<void>;
}

/** A provider opened on one scope (`identity.scopeId`), to say all that is in it. Each answer is complete or an error. */
export interface InventoryProvider extends CloudProvider {
  /** The kinds there are, in the order of a full inventory. */
  readonly kinds: readonly string[];
  listResources(kind: string): Promise<Discovery<readonly ProviderResource[]>>;
  /** Refuses a reference to another provider or scope before anything is looked up. */
  getResource(reference: ResourceReference): Promise<Discovery<ProviderResource>>;
  discoverInventory(): Promise<Discovery<readonly ProviderResource[]>>;
  /** The scope as steps that would declare it. */
  draftSteps(request: DraftRequest): Promise<Discovery<DraftedScope>>;
}

/** One write of a batch. All operations of a batch share the declaration's batch key. */
export interface WriteOperation extends ChangeContext {
  /** 32 hex digits, in the log before the request leaves. */
  readonly nonce: string;
  readonly poll: PollSpec;
  readonly timeoutMs: number | null;
  /** An earlier attempt's intent was open: "already exists" then means ours, under way. */
  readonly repeat: boolean;
  /** A long-running operation that an earlier run left pending. */
  readonly pendingOperation: string | null;
  /** Things made in this run that the request depends on: a refusal may be propagation, to be waited out. */
  readonly freshDependencies: boolean;
  readonly allowSelfLockout: boolean;
}

/** What is done of a step that takes several requests, where one of them was not. */
export interface InPart {
  /** Which of them are done, in words. */
  readonly partly?: Diagnostic;
  /** The managed fields as those have left them: the desired value where it was reached, else the one before. */
  readonly reached?: JsonObject;
}

export type WriteResult =
  | {
      readonly kind: 'done';
      readonly id: string | null;
      readonly resource: Json;
      readonly warnings: readonly Diagnostic[];
    }
  /** Already as desired: nothing was sent. */
  | { readonly kind: 'noop'; readonly id: string | null; readonly resource: Json }
  | ({ readonly kind: 'failed'; readonly why: Diagnostic } & InPart)
  | ({ readonly kind: 'uncertain'; readonly why: Diagnostic } & InPart)
  | ({ readonly kind: 'pending'; readonly operation: string; readonly why: Diagnostic } & InPart)
  /** It moved since it was decided on; nothing was sent. */
  | { readonly kind: 'stale'; readonly why: Diagnostic };

export interface WriteHooks {
  readonly signal: AbortSignal;
  /** A long-running operation was issued or is still being polled. */
  onOperation(address: string, operation: string, attempt: number): void;
}

/** The write half. Sent without an answer is uncertain, not failed. */
export interface LifecycleProvider extends CloudProvider {
  /** Results in the order of the operations; never throws for what the cloud does. */
  write(operations: readonly WriteOperation[], hooks: WriteHooks): Promise<readonly WriteResult[]>;
  /** Where a create leaves its nonce in the cloud. */
  readonly recovery?: Recovery;
}

/** What a look for what a nonce made shows. Not found does not prove that it was never made. */
export type OperationFinding =
  | { readonly kind: 'found'; readonly id: string; readonly resource: Json }
  | { readonly kind: 'not_found' }
  | { readonly kind: 'unreadable'; readonly why: Diagnostic }
  /** More than one resource, or someone else's, carries it. */
  | { readonly kind: 'conflict'; readonly why: Diagnostic };

/** What a create made: its id in the cloud, and the nonce that must be on it. */
export interface Made {
  readonly id: string;
  readonly nonce: string;
}

/** Finding and undoing a create by its nonce, where its answer was lost or the rest of its run failed. */
export interface Recovery {
  findOperation(target: Target, nonce: string): Promise<OperationFinding>;
  /**
   * Deletes exactly this, if it is what the nonce made: `noop` where a read of its id says that it is gone, `failed` where
   * it is not what that create made, or something stands on it. Newest first is the caller's to keep.
   */
  rollBack(target: Target, made: Made, timeoutMs: number | null): Promise<WriteResult>;
}

/** What a provider is opened with: one per distinct auth and endpoint of a run. */
export interface ProviderRequest {
  readonly provider: string;
  readonly auth: AuthSpec | null;
  readonly endpoint: EndpointSpec | null;
  /** A step's own `settings`; left out: none. */
  readonly settings?: JsonObject | null;
}

export type OpenedProvider =
  | { readonly kind: 'open'; readonly provider: LifecycleProvider }
  /** `isStated`: not for want of something, but because what the caller named is wrong. */
  | { readonly kind: 'unusable'; readonly why: Diagnostic; readonly isStated?: boolean };

/** Opens providers on demand; `cli/composition.ts` makes the real one. */
export interface ProviderPool {
  open(request: ProviderRequest): Promise<OpenedProvider>;
  close(): Promise<void>;
}
