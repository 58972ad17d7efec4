import { faultOf } from '../core/codes.ts';
import type { Diagnostic } from '../core/diagnostics.ts';
import type { ProviderFact } from '../core/facts.ts';
import type { JsonObject } from '../core/json.ts';
import type { OpenIntent, RowContext } from '../eventlog/event-log.ts';
import type { OpenedProvider, ReadSession } from '../providers/lifecycle-provider.ts';
import type { Ownership } from './ownership.ts';
import type { EnginePorts, ExecLine, PlanRequest } from './ports.ts';
import type { Prepared, PreparedStep } from './prepare.ts';
import type { Evaluate } from './resolve.ts';
import { NO_RESULT, type StepResult } from './results.ts';
import type { Undoable } from './rollback.ts';
import type { PlannedStep } from './runtime.ts';
import type { Settlement } from './settle.ts';
import type { StepState } from './step-state.ts';

/** What the steps of one exec share, and one step's own sessions. */
export interface ExecContext {
  readonly ports: EnginePorts;
  readonly request: PlanRequest;
  readonly prepared: Prepared;
  readonly row: RowContext;
  /** Of every write of this run. */
  readonly nonce: string;
  readonly ownership: Ownership;
  readonly openIntents: ReadonlyMap<string, OpenIntent>;
  readonly results: ReadonlyMap<string, StepResult>;
  /** What steps that only reported would have come to. */
  readonly reported: ReadonlyMap<string, PlannedStep>;
  readonly evaluate: Evaluate;
  /** What was written so far, in case that something fails. */
  readonly undoable: Undoable & { readonly states: Map<string, StepState> };
  /** What an earlier run left open has been written down: no later step settles it again. */
  settled(settlement: Settlement): void;
  open(item: PreparedStep): Promise<OpenedProvider>;
  sessionOf(opened: OpenedProvider): ReadSession | null;
}

export interface ExecEnd {
  readonly line: ExecLine;
  readonly result: StepResult;
  readonly diagnostics: readonly Diagnostic[];
  readonly facts: readonly ProviderFact[];
  /** Of a report: what it would have come to, for the reports after it. */
  readonly planned?: PlannedStep;
  /** True: nothing of it was tried. */
  readonly notStarted?: true;
}

type ErrorKind = NonNullable<ExecLine['error']>['kind'];
export type Data = Readonly<Record<string, unknown>>;

function common(item: PreparedStep): Data {
  return { provider: item.step.provider, action: item.step.action, backend: item.catalogue.backend };
}

export function success(
  item: PreparedStep,
  data: Data,
  complete: boolean,
  facts: readonly ProviderFact[] = [],
  diagnostics: readonly Diagnostic[] = [],
): ExecEnd {
  const line: ExecLine = { step: item.step.address, status: 'success', data: { ...common(item), ...data } };
  return { line, result: { data: line.data as JsonObject, complete }, diagnostics, facts };
}

/** What other steps may take of a resource that was only looked at: all of it, or, where it is not there, what an apply will give. */
export function withSeen(end: ExecEnd, planned: PlannedStep): ExecEnd {
  const seen = planned.observation;
  if (seen?.kind !== 'present') return { ...end, planned, result: { ...end.result, complete: false } };
  return { ...end, planned, result: { data: { ...end.result.data, resource: seen.resource }, complete: true } };
}

export function errorLine(
  item: PreparedStep,
  kind: ErrorKind,
  why: Diagnostic,
  all: readonly Diagnostic[] = [why],
): ExecEnd {
  const placed = all.map((found) => ({
    ...found,
    severity: 'error' as const,
    address: item.step.address,
    source: found.source ?? item.step.source,
  }));
  const message = why.hint === null ? why.detail : `${why.detail} ${why.hint}`;
  return {
    line: { step: item.step.address, status: 'error', data: common(item), error: { kind, code: why.code, message } },
    result: NO_RESULT,
    diagnostics: placed,
    facts: [],
  };
}

/** A step that was never started: it waits for another one, and is no failure of its own. */
export function notStarted(item: PreparedStep, why: Diagnostic): ExecEnd {
  const end = errorLine(item, 'ExecutionFailed', why);
  return { ...end, notStarted: true, diagnostics: end.diagnostics.map((found) => ({ ...found, severity: 'note' })) };
}

/** The seed's kinds of error, from what the code means. */
function kindOf(why: Diagnostic): ErrorKind {
  if (why.code === 'UNAVAILABLE' || why.code === 'TIMEOUT' || why.code === 'INVALID_RESPONSE') return 'Http';
  if (['AUTH_REQUIRED', 'CONFIRM_REQUIRED', 'GUARD', 'ENDPOINT_NOT_ALLOWED', 'WILDCARD'].includes(why.code))
    return 'Configuration';
  const fault = faultOf(why);
  if (fault === 'usage') return 'Configuration';
  return fault === 'refused' || fault === 'uncertain' ? 'ExecutionFailed' : 'Provider';
}

export function failure(item: PreparedStep, why: Diagnostic): ExecEnd {
  return errorLine(item, kindOf(why), why);
}
