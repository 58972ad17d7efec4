import type { SourcePosition } from './diagnostics.ts';
import type { Json, JsonObject } from './json.ts';
import type { Value, ValueObject } from './value.ts';

export type StepKind = 'read' | 'ensure' | 'delete';
export type Reconcile = 'report' | 'enforce' | 'adopt';

/** How a step says it wants to authenticate. Whose authority that is comes from the caller's configuration. */
export interface AuthSpec {
  readonly type: string;
  readonly credential: string | null;
  readonly scopes: readonly string[];
  /** `bearer` only: the token spelt in the playbook; never printed, stored or digested. */
  readonly token: string | null;
  readonly tokenEnv: string | null;
}

/** A playbook's endpoint: the base URL of each service with its version segment; null where it names none. */
export interface EndpointSpec {
  readonly crm: string | null;
  readonly billing: string | null;
  readonly serviceusage: string | null;
}

/** What a run is pinned to; null where nothing is said. Ids without collection prefix. */
export interface GuardSpec {
  readonly requireOrg: string | null;
  readonly requireOrgDisplayName: string | null;
  readonly requireBillingAccount: string | null;
  readonly requireCloudId: string | null;
  readonly requireFolder: string | null;
}

export const NO_GUARD: GuardSpec = {
  requireOrg: null,
  requireOrgDisplayName: null,
  requireBillingAccount: null,
  requireCloudId: null,
  requireFolder: null,
};

/** Bounds of an operation's poll: attempts, milliseconds, seconds; whichever trips first. */
export interface PollSpec {
  readonly maxAttempts: number;
  readonly intervalMs: number;
  readonly maxWaitSecs: number;
}

export const DEFAULT_POLL: PollSpec = { maxAttempts: 30, intervalMs: 2000, maxWaitSecs: 120 };

/** Why a step is not run at all: not a provider step, routing only, unreachable, not selected. */
export interface Skip {
  readonly kind: 'not_provider' | 'routing' | 'unreachable' | 'not_selected';
  readonly detail: string;
}

/** One step of a playbook after loops, typed and with positions; templates on results still stand as unknown values. */
export interface Step {
  /** `name`, `name[key]`, `name[service]` or `name[key][service]`. */
  readonly address: string;
  readonly name: string;
  /** Written order, from 0. */
  readonly index: number;
  readonly desc: string | null;
  readonly source: SourcePosition;
  /** Where keys of `tool` and of `input` stand (`input.parent`), by dotted path; the step's own position otherwise. */
  readonly positions: ReadonlyMap<string, SourcePosition>;
  readonly skip: Skip | null;
  readonly provider: string;
  /** Full form; the empty string for steps that are skipped as no provider step. */
  readonly action: string;
  readonly input: ValueObject;
  readonly stack: string | null;
  /** As written on the step or in defaults; null where neither says. */
  readonly reconcile: Reconcile | null;
  /** As written; null when the key is missing. Present but empty is true. */
  readonly dryRun: boolean | null;
  readonly auth: AuthSpec | null;
  readonly guard: GuardSpec | null;
  readonly endpoint: EndpointSpec | null;
  readonly poll: PollSpec;
  readonly timeoutMs: number | null;
  readonly protect: boolean | null;
  readonly confirm: Value | null;
  readonly knownDesired: Value | null;
  /** Addresses from depends_on, next and template references; without what providers add. */
  readonly dependsOn: readonly string[];
  /** Yandex: connection settings, ownership identity, logical and resource id. */
  readonly settings: JsonObject | null;
  readonly identity: JsonObject | null;
  readonly logicalId: string | null;
  readonly resourceId: string | null;
}

/** A playbook, read, rendered and checked. */
export interface Playbook {
  /** As given on the command line. */
  readonly path: string;
  readonly name: string;
  /** SHA-256 of the file's bytes. */
  readonly sha256: string;
  readonly steps: readonly Step[];
  /** The scope in which templates that wait for results are evaluated. */
  readonly scope: { readonly workload: Json; readonly env: JsonObject };
}

/** A playbook that can't be used: what can still be told about it. */
export interface PartialPlaybook {
  /** Those that would run. */
  readonly steps: readonly Step[];
  /** The addresses of the steps that have no error yet, of their own or in what they refer to. */
  readonly sound: ReadonlySet<string>;
}
