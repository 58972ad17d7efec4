import type { JsonObject } from './wire/json.ts';

export type LifecycleState = 'ACTIVE' | 'DELETE_REQUESTED';

export interface OrganizationSeed {
  /** Digits only. */
  readonly id: string;
  readonly displayName: string;
  readonly directoryCustomerId?: string;
}

export interface FolderSeed {
  /** Digits only. */
  readonly id: string;
  readonly displayName: string;
  /** `organizations/N` or `folders/N`. */
  readonly parent: string;
  readonly state?: LifecycleState;
}

export interface ProjectSeed {
  readonly projectId: string;
  /** The project number; allocated when absent. */
  readonly number?: string;
  readonly displayName?: string;
  readonly parent?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly state?: LifecycleState;
  /** `billingAccounts/X`. */
  readonly billingAccountName?: string;
  readonly services?: readonly string[];
}

export interface BillingAccountSeed {
  /** `XXXXXX-XXXXXX-XXXXXX`. */
  readonly id: string;
  readonly displayName?: string;
  /** True when absent. */
  readonly open?: boolean;
  readonly parent?: string;
  readonly masterBillingAccount?: string;
  /** How many projects may be linked; the knob `billingProjectCap` when absent. */
  readonly projectCap?: number;
}

export interface PolicySeed {
  /** `organizations/N`, `folders/N`, `projects/ID-or-NUMBER`, `billingAccounts/X`. */
  readonly resource: string;
  /** `{bindings, auditConfigs?}`; stored as given, unchecked. */
  readonly policy: JsonObject;
}

export interface EmulatorSeed {
  readonly organizations?: readonly OrganizationSeed[];
  readonly billingAccounts?: readonly BillingAccountSeed[];
  readonly folders?: readonly FolderSeed[];
  readonly projects?: readonly ProjectSeed[];
  readonly policies?: readonly PolicySeed[];
  /** Service names known beside the built-in ones. */
  readonly knownServices?: readonly string[];
}

/** Behaviours of the real services that vary or could not be verified, and limits worth lowering in a test. */
export interface EmulatorKnobs {
  /** Answer SERVICE_DISABLED when the quota project lacks the called API. */
  readonly enforceQuotaProject?: boolean;
  /** Projects that one billing account may pay for. */
  readonly billingProjectCap?: number;
  /** Project creations beyond this many projects (deleted ones included) end in an operation error. */
  readonly projectQuota?: number;
  /** batchEnable refuses a list of one. */
  readonly rejectSingleBatchEnable?: boolean;
  /** Disabling a service that is not enabled fails instead of answering the no-op operation. */
  readonly strictDisable?: boolean;
  /** `projects/ID/services/NAME` entries that `checkIfServiceHasUsage: CHECK` refuses to disable. */
  readonly servicesInUse?: readonly string[];
  /** Members (`serviceAccount:x@y`) that do not exist, so that a policy naming one is refused. */
  readonly missingMembers?: readonly string[];
  /** Roles that no policy may grant. */
  readonly unknownRoles?: readonly string[];
  readonly rejectEmptyProjectPolicy?: boolean;
  /** Searches that do not yet see a new or changed folder or project. */
  readonly searchLagReads?: number;
  /** Reads of a project's billing link that still show the account before. */
  readonly billingLagReads?: number;
  /** Service reads that still show the state before an enable or disable. */
  readonly serviceLagReads?: number;
  readonly caseInsensitiveFolderNames?: boolean;
  readonly deletedFoldersBlockNames?: boolean;
  /** 10 when absent. */
  readonly folderDepth?: number;
  /** 300 when absent. */
  readonly folderFanOut?: number;
}

/** Who a bearer token stands for. */
export interface Principal {
  /** An IAM member, such as `user:viewer@example.com`. */
  readonly name: string;
  /** Permissions everywhere; a trailing `*` matches a prefix. */
  readonly permissions: readonly string[] | '*';
  /** Permissions on a resource and all below it, instead of `permissions`. */
  readonly resources?: Readonly<Record<string, readonly string[] | '*'>>;
  /** Resources (exact names; projects by id or number) that this principal has no permission on at all. */
  readonly hidden?: readonly string[];
}

/** google.rpc.Status, as an operation carries it: `code` is the gRPC number. */
export interface RpcStatus {
  readonly code: number;
  readonly message: string;
  readonly details?: readonly JsonObject[];
}

export type FaultAction =
  /** An answer instead of handling the request: an object or list goes out as JSON, a string as HTML. */
  | {
      readonly kind: 'respond';
      readonly status: number;
      readonly body?: unknown;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** The socket is destroyed before the request is handled. */
  | { readonly kind: 'reset' }
  /** The request is handled, then the socket is destroyed: a lost answer. */
  | { readonly kind: 'resetAfter' }
  /** Not handled, never answered; the socket stays open until the emulator closes. */
  | { readonly kind: 'hang' }
  /** Handled, never answered. */
  | { readonly kind: 'hangAfter' }
  /** Handled; half the body goes out, then the socket is destroyed. */
  | { readonly kind: 'truncate' }
  /** Handled after a wait; combines with any other fault. */
  | { readonly kind: 'delay'; readonly delayMs: number }
  /** The write's operation ends in this error and changes nothing. */
  | { readonly kind: 'lroError'; readonly error: RpcStatus };

export interface Fault {
  /** Any method when absent. */
  readonly method?: string;
  /** Source of a regular expression, searched in the path with its query; any when absent. */
  readonly path?: string;
  /** From which matching request on (1 = the first). */
  readonly nth?: number;
  /** For how many matching requests: 1 when `nth` is given, else all. */
  readonly times?: number;
  readonly action: FaultAction;
}

export interface RecordedRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: Readonly<Record<string, readonly string[]>>;
  /** Parsed JSON, the raw text when it is not JSON, undefined when empty. */
  readonly body: unknown;
  /** 0: no answer was sent (yet). */
  readonly status: number;
  readonly headers: {
    readonly authorized: boolean;
    /** First 12 hex digits of the SHA-256 of the Authorization header. */
    readonly authorizationDigest?: string;
    readonly 'x-goog-user-project'?: string;
    readonly 'user-agent'?: string;
  };
}
