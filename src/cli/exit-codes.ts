import { CODES, faultOf } from '../core/codes.ts';
import { type Diagnostic, type Fault, hasErrors, isError } from '../core/diagnostics.ts';
import {
  type AppliedStep,
  type ApplyReport,
  hasChanges,
  type Outcome,
  type Plan,
  type PlanStep,
} from '../core/plan.ts';
import type { ExecLine, ExecReport } from '../engine/ports.ts';
import type { SignalName } from './host.ts';

/** What an exit code says; the numbers are a contract. */
export const EXIT = {
  done: 0,
  bug: 1,
  pending: 2,
  usage: 3,
  auth: 4,
  refused: 5,
  provider: 6,
  uncertain: 7,
  declined: 8,
  sigint: 130,
  sigterm: 143,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The first of these that applies is the exit code. */
const PRECEDENCE: readonly ExitCode[] = [1, 7, 130, 143, 5, 4, 6, 3, 8, 2, 0];

export const EXIT_OF_FAULT: Readonly<Record<Fault, ExitCode>> = {
  usage: EXIT.usage,
  auth: EXIT.auth,
  refused: EXIT.refused,
  provider: EXIT.provider,
  uncertain: EXIT.uncertain,
  bug: EXIT.bug,
};

const FAULTS: ReadonlyMap<string, Fault> = new Map(Object.entries(CODES).map(([code, { fault }]) => [code, fault]));

const DONE: ReadonlySet<Outcome> = new Set(['changed', 'deleted', 'adopted']);

/** One exit code out of all that apply. */
export function strongest(codes: Iterable<ExitCode>): ExitCode {
  const all = new Set(codes);
  return PRECEDENCE.find((code) => all.has(code)) ?? EXIT.done;
}

export function interruptedBy(signal: SignalName | null): ExitCode {
  if (signal === null) return EXIT.done;
  return signal === 'SIGINT' ? EXIT.sigint : EXIT.sigterm;
}

/** Of diagnostics alone: errors count, by the fault of their code; being interrupted counts as the signal that did it. */
export function exitOfDiagnostics(diagnostics: readonly Diagnostic[], signal: SignalName | null = null): ExitCode {
  return strongest([
    interruptedBy(signal),
    ...diagnostics.filter(isError).map((item) => exitOfCode(item.code, faultOf(item), signal)),
  ]);
}

function exitOfCode(code: string, fault: Fault, signal: SignalName | null): ExitCode {
  return code === 'INTERRUPTED' && signal !== null ? interruptedBy(signal) : EXIT_OF_FAULT[fault];
}

/**
 * A plan: errors of the run, and of steps whatever kept them from being planned. That a step is blocked is what the plan
 * says, no failure of planning: it is pending.
 */
export function exitOfPlan(plan: Plan, detailed: boolean, signal: SignalName | null = null): ExitCode {
  const unplanned = plan.steps.flatMap((step) => step.diagnostics.filter((item) => keptFromPlanning(step, item)));
  const failed = exitOfDiagnostics([...plan.diagnostics, ...unplanned], signal);
  return strongest([failed, detailed && hasChanges(plan) ? EXIT.pending : EXIT.done]);
}

/**
 * A block is what the plan says, also by an earlier request whose outcome nobody knows; so is what blocks a resource that
 * was read (a lien, a folder with something inside), and a name that nothing has and no step makes. A refusal before
 * anything was looked at (a `yc` in a refused place) is none.
 */
function keptFromPlanning(step: PlanStep, item: Diagnostic): boolean {
  const fault = faultOf(item);
  if (fault === 'refused') return step.change === 'unknown';
  if (item.code === 'OUTCOME_UNKNOWN') return false;
  // Nothing of the name, or more than one thing, or somebody else's: a plan says so, and an apply refuses.
  if (item.code === 'NOT_FOUND' || item.code === 'CONFLICT') return step.change !== 'blocked';
  return !(fault === 'provider' && step.change === 'blocked' && step.present !== 'unknown');
}

/** An apply that was let in: what its steps came to. */
export function exitOfApply(report: ApplyReport, signal: SignalName | null = null): ExitCode {
  const { steps } = report;
  const partial = steps.some(({ outcome }) => outcome === 'failed') && steps.some(({ outcome }) => DONE.has(outcome));
  return strongest([
    exitOfDiagnostics(report.diagnostics, signal),
    partial ? EXIT.uncertain : EXIT.done,
    ...steps.map((step) => exitOfStep(step, signal)),
  ]);
}

function exitOfStep(step: AppliedStep, signal: SignalName | null): ExitCode {
  switch (step.outcome) {
    case 'uncertain':
    case 'pending':
      return EXIT.uncertain;
    case 'failed':
      return hasErrors(step.diagnostics) ? exitOfDiagnostics(step.diagnostics, signal) : EXIT.provider;
    case 'refused':
      return EXIT.refused;
    case 'blocked':
      // What waits for a failed step has no fault of its own.
      return step.change === 'blocked' ? strongest([EXIT.refused, exitOfUncertain(step, signal)]) : EXIT.done;
    case 'held':
      return step.change === 'read' ? EXIT.done : EXIT.pending;
    case 'changed':
    case 'noop':
    case 'deleted':
    case 'absent':
    case 'adopted':
    case 'read':
    case 'rolled_back':
    case 'skipped':
      return EXIT.done;
  }
}

/** What blocks a step may be that nobody knows what became of an earlier request. */
function exitOfUncertain({ diagnostics }: AppliedStep, signal: SignalName | null): ExitCode {
  return exitOfDiagnostics(
    diagnostics.filter((item) => faultOf(item) === 'uncertain'),
    signal,
  );
}

/** `infra exec`: as apply, but steps that only reported or ran dry don't count as held. What waits for a failed step has no fault of its own. */
export function exitOfExec(report: ExecReport, signal: SignalName | null = null): ExitCode {
  const failed = report.lines.filter((line) => line.status === 'error' && !report.notStarted.has(line.step));
  const isChanged = ({ step, data }: ExecLine) =>
    data['changed'] === true && data['dry_run'] !== true && !report.rolledBack.has(step);
  const partial = failed.some(isDefiniteFailure) && report.lines.some(isChanged);
  return strongest([
    exitOfDiagnostics(report.diagnostics, signal),
    partial ? EXIT.uncertain : EXIT.done,
    ...failed.map((line) => exitOfLine(line, signal)),
  ]);
}

function isDefiniteFailure(line: ExecLine): boolean {
  return exitOfLine(line, null) === EXIT.provider;
}

function exitOfLine(line: ExecLine, signal: SignalName | null): ExitCode {
  const fault = line.error === undefined ? undefined : FAULTS.get(line.error.code);
  if (line.error !== undefined && fault !== undefined) return exitOfCode(line.error.code, fault, signal);
  return line.error?.kind === 'Configuration' ? EXIT.usage : EXIT.provider;
}
