import { diagnostic } from '../core/codes.ts';
import type { Diagnostic } from '../core/diagnostics.ts';
import { type ProviderFact, UNSCOPED } from '../core/facts.ts';
import type { Edges } from '../core/graph.ts';
import type { Outcome } from '../core/plan.ts';
import type { RowBody, RowContext } from '../eventlog/event-log.ts';
import type { LifecycleProvider, ReadSession } from '../providers/lifecycle-provider.ts';
import { tryAppend } from './append-rows.ts';
import type { Ownership } from './ownership.ts';
import type { PlanRun } from './plan-run.ts';
import type { ApplyRequest, EnginePorts } from './ports.ts';
import { applied } from './report.ts';
import type { Undoable } from './rollback.ts';
import type { PlannedStep } from './runtime.ts';
import { type StepState, stateOf } from './step-state.ts';

export interface WalkRequest {
  readonly ports: EnginePorts;
  readonly request: ApplyRequest;
  readonly run: PlanRun;
  readonly context: RowContext;
  readonly ownership: Ownership;
}

/** What the steps of one walk share while it runs. */
export interface Walk extends WalkRequest, Undoable {
  readonly states: Map<string, StepState>;
  /** Steps that nothing is in the way of any more and that were not taken up yet. */
  readonly free: Set<string>;
  /** How many dependencies of a step have not ended. */
  readonly unmet: Map<string, number>;
  readonly dependants: Edges;
  /** Sessions for looking again before a write: a few seconds old at most, then a new one. */
  freshSession(provider: LifecycleProvider): ReadSession;
  /** Set when nothing new may start: an interrupt, --fail-fast, a log that can't be written. */
  stopped: Diagnostic | null;
  /** Of every write of this run. */
  readonly nonce: string;
  readonly abort: AbortSignal;
}

/** How old an observation may be when a write is decided on it, in milliseconds. */
export const FRESH_MS = 5000;

/** Records how a step ended and says so. */
export function finish(current: Walk, address: string, state: StepState): void {
  const planned = current.run.steps.get(address);
  if (!current.states.has(address)) release(current, address);
  current.states.set(address, state);
  if (planned === undefined) return;
  for (const found of state.diagnostics) current.ports.emit({ type: 'diagnostic', diagnostic: { ...found, address } });
  current.ports.emit({ type: 'step_outcome', step: applied(planned.shown, state) });
  if (state.outcome === 'failed' && current.request.settings.failFast) {
    current.stopped ??= diagnostic('BLOCKED', `${address} failed and --fail-fast was given: nothing new was started.`);
  }
}

function release({ dependants, unmet, free }: Walk, address: string): void {
  for (const dependant of dependants.get(address) ?? []) {
    const left = (unmet.get(dependant) ?? 1) - 1;
    unmet.set(dependant, left);
    if (left === 0) free.add(dependant);
  }
}

/** A planned fact as it is written: under this run's id and the confirmed digest. */
export function stamped(current: Walk, fact: ProviderFact): ProviderFact {
  return { ...fact, execution_id: current.context.execution_id, digest: current.request.confirm };
}

/** Appends durably; a log that can't be written stops the walk. */
export async function appendRows(current: Walk, rows: readonly RowBody[]): Promise<Diagnostic | null> {
  const problem = await tryAppend(current.ports, current.context, rows);
  if (problem !== null) current.stopped ??= problem;
  return problem;
}

/** An id below 2^53, from the clock and randomness. */
export function newExecutionId(ports: Pick<EnginePorts, 'clock' | 'randomHex'>): number {
  return ports.clock.now() * 1000 + (Number.parseInt(ports.randomHex(4), 16) % 1000);
}

const SUCCEEDED: ReadonlySet<Outcome> = new Set<Outcome>([
  'changed',
  'noop',
  'deleted',
  'absent',
  'adopted',
  'read',
  'held',
  'skipped',
]);

/** Why a step can't go on: what it depends on ended without success; null: it can. */
export function failedDependency(current: Walk, planned: PlannedStep): Diagnostic | null {
  for (const need of planned.item.dependsOn) {
    const state = current.states.get(need);
    if (state?.outcome === 'held') {
      // It stays held whatever becomes of what it depends on; who waits for it waits for that, too.
      const held = current.run.steps.get(need);
      const beyond = held === undefined ? null : failedDependency(current, held);
      if (beyond !== null) return { ...beyond, address: planned.shown.address, source: planned.shown.source };
    }
    if (state === undefined || SUCCEEDED.has(state.outcome)) continue;
    return diagnostic('BLOCKED', `it depends on ${need}, which is ${state.outcome}.`, {
      address: planned.shown.address,
      source: planned.shown.source,
    });
  }
  return null;
}

/** A step that was never started, and why. */
export function notStarted(current: Walk, planned?: PlannedStep): StepState {
  const stack = planned === undefined ? undefined : current.stoppedStacks.get(planned.item.stack ?? UNSCOPED);
  const why = current.stopped ?? stack ?? diagnostic('INTERRUPTED', 'the run was stopped before this step started.');
  return stateOf('skipped', { diagnostics: [{ ...why, severity: 'note' }] });
}
