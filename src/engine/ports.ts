import type { Diagnostic } from '../core/diagnostics.ts';
import type { DigestInput } from '../core/digest.ts';
import type { Difference, EngineEvent } from '../core/events.ts';
import type { ApplyReport, Plan, PlanVerb } from '../core/plan.ts';
import type { Declaration, InputProblem, ProviderCatalogue } from '../core/resource.ts';
import type { GuardSpec, Playbook, Reconcile } from '../core/step.ts';
import type { Actor, EventLog } from '../eventlog/event-log.ts';
import type { ProviderPool } from '../providers/lifecycle-provider.ts';

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
}

/** Everything a verb needs from outside; `cli/composition.ts` alone fills it with concrete things. */
export interface EnginePorts {
  readonly catalogues: ReadonlyMap<string, ProviderCatalogue>;
  readonly pool: ProviderPool;
  readonly log: EventLog;
  readonly clock: Clock;
  /** Fresh random bytes as lower-case hex, for nonces. */
  randomHex(bytes: number): string;
  emit(event: EngineEvent): void;
  /** What is wrong with the caller's files that a step would send. Left out: no step sends one. */
  checkFiles?(declaration: Declaration): Promise<readonly InputProblem[]>;
}

/** What the caller asks for beside the playbook; all of it survives in the plan store. */
export interface VerbOptions {
  /** `--stack` or infra.yaml; a step or defaults win. */
  readonly stack: string | null;
  /** `--reconcile`: report always wins, the others fill in. */
  readonly reconcile: Reconcile | null;
  readonly targets: readonly string[];
  readonly excludes: readonly string[];
  readonly offline: boolean;
  /** `--emulator`: every call goes to the embedded emulator, whatever auth and endpoint a step has. */
  readonly emulator: boolean;
  /** The caller's own guard (config and --guard-org); already merged into the steps by the loader. */
  readonly guard: GuardSpec | null;
  readonly allowSelfLockout: boolean;
  readonly takeOver: string | null;
  readonly includeFound: boolean;
  /** Unless `--no-rollback`: where a create can be undone by its nonce, a failure undoes what the run made in its stack. */
  readonly rollback: boolean;
}

export const DEFAULT_OPTIONS: VerbOptions = {
  stack: null,
  reconcile: null,
  targets: [],
  excludes: [],
  offline: false,
  emulator: false,
  guard: null,
  allowSelfLockout: false,
  takeOver: null,
  includeFound: false,
  rollback: true,
};

/** How a run goes about it; none of it can change what a plan says or a digest. */
export interface RunSettings {
  /** Writes (and reads) at once. */
  readonly parallelism: number;
  /** Milliseconds for the whole verb; null: unbounded. */
  readonly timeoutMs: number | null;
  readonly failFast: boolean;
  readonly lockTimeoutMs: number;
  readonly actor: Actor;
  /** Version of infra. */
  readonly version: string;
  /** First interrupt: nothing new starts. */
  readonly stop: AbortSignal;
  /** Second interrupt: in-flight calls are given up and recorded as uncertain. */
  readonly abort: AbortSignal;
}

export interface PlanRequest {
  readonly verb: PlanVerb;
  readonly playbook: Playbook;
  readonly options: VerbOptions;
  readonly settings: RunSettings;
}

/** A plan with what its digest was made of: the plan store keeps both, so that a review can be checked and gone on with. */
export interface PlanResult {
  readonly plan: Plan;
  /** `planDigest(digestInput)` is the plan's digest. */
  readonly digestInput: DigestInput;
}

export interface ApplyRequest extends PlanRequest {
  /** 64 hex digits. */
  readonly confirm: string;
  /** What was reviewed, where the plan store has it. */
  readonly reviewed: PlanResult | null;
  /** Keeps a plan whose digest was just confirmed, so that an interrupted run can go on; called before the first write. */
  keepPlan(result: PlanResult): Promise<void>;
}

export type ApplyResult =
  | { readonly kind: 'applied'; readonly report: ApplyReport }
  /** Nothing was sent. */
  | {
      readonly kind: 'refused';
      readonly diagnostics: readonly Diagnostic[];
      readonly differences: readonly Difference[];
    };

/** One line of `infra exec`. */
export interface ExecLine {
  readonly step: string;
  readonly status: 'success' | 'error';
  readonly data: Readonly<Record<string, unknown>>;
  readonly error?: {
    readonly kind: 'Configuration' | 'ExecutionFailed' | 'Http' | 'Provider';
    readonly code: string;
    readonly message: string;
  };
}

export interface ExecReport {
  readonly lines: readonly ExecLine[];
  readonly diagnostics: readonly Diagnostic[];
  /** Addresses of the steps whose line says why nothing of them was tried. */
  readonly notStarted: ReadonlySet<string>;
  /** Addresses of the steps whose line says that they made what was undone after a failure. */
  readonly rolledBack: ReadonlySet<string>;
}
