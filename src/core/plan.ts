import type { Diagnostic, SourcePosition } from './diagnostics.ts';
import type { ExecutionId, ProviderFact } from './facts.ts';
import type { Json, JsonObject } from './json.ts';
import type { PlannedRequest } from './resource.ts';
import type { Reconcile } from './step.ts';

/** The contract's JSON keys are snake_case; a Plan carries them as they are printed. */
export const FORMAT_VERSION = '1.0';

export const CHANGES = [
  'create',
  'update',
  'move',
  'undelete',
  'delete',
  'adopt',
  'none',
  'read',
  'blocked',
  'unknown',
  'skipped',
] as const;
export type Change = (typeof CHANGES)[number];

export const OUTCOMES = [
  'changed',
  'noop',
  'deleted',
  'absent',
  'adopted',
  'read',
  'held',
  'blocked',
  'failed',
  'uncertain',
  'pending',
  'refused',
  'rolled_back',
  'skipped',
] as const;
export type Outcome = (typeof OUTCOMES)[number];

export type Verdict = 'in_sync' | 'missing' | 'modified' | 'untracked' | 'not_managed' | 'unchecked';
/** What the log learns without a cloud write. */
export type RecordKind = 'own' | 'protect' | 'tombstone' | 'rename';
export type PlanVerb = 'plan' | 'apply' | 'adopt' | 'destroy';

export interface FieldDiff {
  readonly desired: Json;
  readonly actual: Json;
}

export interface PlanStep {
  readonly address: string;
  readonly step: string;
  readonly action: string;
  readonly provider: string;
  readonly backend: string;
  readonly urn: string | null;
  readonly stack: string | null;
  readonly reconcile: Reconcile | null;
  readonly change: Change;
  /** `"unknown"`: not visible, or not read. */
  readonly present: boolean | 'unknown';
  readonly record: RecordKind | null;
  readonly depends_on: readonly string[];
  /** Redacted. */
  readonly input: JsonObject;
  readonly desired: JsonObject | null;
  readonly actual: JsonObject | null;
  readonly recorded: Json;
  readonly diff: Readonly<Record<string, FieldDiff>>;
  /** Top-level fields of desired that are known only after another step. */
  readonly unknown: readonly string[];
  readonly would_call: readonly PlannedRequest['call'][];
  readonly converge: string;
  /** Of deletes and adopts: what an `infra exec` step confirms. */
  readonly plan_digest: string | null;
  /** Why an unblocked change is not made: "reconcile is report", "dry_run", "no auth". */
  readonly held: string | null;
  readonly drift: Verdict | null;
  readonly preflight: {
    readonly answer: 'yes' | 'no' | 'unknown';
    readonly missing: readonly string[];
    readonly role: string | null;
  } | null;
  readonly source: SourcePosition;
  readonly diagnostics: readonly Diagnostic[];
  /** The cloud's own id, where it was seen. */
  readonly resource_id: string | null;
  readonly state: string | null;
  readonly desc: string | null;
}

export type PlanSummary = Readonly<
  Record<
    | 'create'
    | 'update'
    | 'move'
    | 'undelete'
    | 'delete'
    | 'adopt'
    | 'none'
    | 'read'
    | 'held'
    | 'blocked'
    | 'unknown'
    | 'skipped',
    number
  >
>;

export interface PlannedBatch {
  readonly request: string;
  readonly addresses: readonly string[];
}

export interface Plan {
  readonly format_version: typeof FORMAT_VERSION;
  readonly command: PlanVerb;
  readonly mode: 'live' | 'offline' | 'mixed';
  /** `cloud`, `emulator`, or an endpoint's origin. */
  readonly target: string;
  /** 64 hex digits; null where an unheld ensure could not be resolved. */
  readonly digest: string | null;
  readonly stack: string | null;
  readonly stacks: readonly string[];
  readonly playbook: { readonly path: string; readonly name: string; readonly sha256: string };
  readonly summary: PlanSummary;
  readonly steps: readonly PlanStep[];
  readonly batches: readonly PlannedBatch[];
  /** Of the run as a whole; a step's own stand on the step. */
  readonly diagnostics: readonly Diagnostic[];
}

export interface AppliedStep extends PlanStep {
  readonly outcome: Outcome;
  readonly resource: Json;
  readonly provider_fact: ProviderFact | null;
  /** The long-running operation that issued or is still running. */
  readonly operation: string | null;
  readonly duration_ms: number;
}

/** What an apply did: the plan it confirmed, each step with its outcome. */
export interface ApplyReport extends Omit<Plan, 'steps' | 'summary'> {
  readonly summary: Readonly<Record<Outcome, number>>;
  readonly steps: readonly AppliedStep[];
  readonly execution_id: ExecutionId;
  /** `<sequence>:<hash>` of the log after the run; null while the log is empty. */
  readonly head: string | null;
}

const WRITES: ReadonlySet<Change> = new Set(['create', 'update', 'move', 'undelete', 'delete']);

/** Whether the step sends a write to the cloud when applied. */
export function hasPendingWrite(step: Pick<PlanStep, 'change' | 'held'>): boolean {
  return step.held === null && WRITES.has(step.change);
}

/** Whether applying the step would do anything at all: a write, an adoption, or a fact. */
export function isPending(step: Pick<PlanStep, 'change' | 'held' | 'record'>): boolean {
  return (
    hasPendingWrite(step) ||
    (step.held === null && (step.change === 'adopt' || (step.record !== null && step.change === 'none')))
  );
}

/** Whether there is something to do: an apply of this plan would write to the cloud or to the log, or can't (blocked, held, unknown). */
export function hasChanges(plan: Plan): boolean {
  return plan.steps.some(
    (step) => isPending(step) || isHeldChange(step) || step.change === 'blocked' || step.change === 'unknown',
  );
}

/** A change that is there to be made but is held: an apply that leaves it ends with exit 2. */
export function isHeldChange(step: PlanStep): boolean {
  return step.held !== null && step.change !== 'none' && step.change !== 'read' && step.change !== 'skipped';
}

/** Counts steps by change; a held step counts under `held` alone. */
export function summarize(steps: readonly PlanStep[]): PlanSummary {
  const counts = {
    create: 0,
    update: 0,
    move: 0,
    undelete: 0,
    delete: 0,
    adopt: 0,
    none: 0,
    read: 0,
    held: 0,
    blocked: 0,
    unknown: 0,
    skipped: 0,
  };
  for (const step of steps) counts[step.held === null ? step.change : 'held'] += 1;
  return counts;
}

export function summarizeOutcomes(steps: readonly AppliedStep[]): Readonly<Record<Outcome, number>> {
  const counts = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, 0])) as Record<Outcome, number>;
  for (const step of steps) counts[step.outcome] += 1;
  return counts;
}
