import { diagnostic } from '../core/codes.ts';
import type { Diagnostic } from '../core/diagnostics.ts';
import { type ProviderFact, UNSCOPED } from '../core/facts.ts';
import { originOf } from '../core/fold.ts';
import type { JsonObject } from '../core/json.ts';
import type { OperationKind, OutcomeBody, RowBody, RowContext } from '../eventlog/event-log.ts';
import type { InPart, WriteResult } from '../providers/lifecycle-provider.ts';
import { logProblemOf, tryAppend } from './append-rows.ts';
import { namesakeOf } from './namesake.ts';
import { desiredOf, factOf, type Ownership } from './ownership.ts';
import type { EnginePorts } from './ports.ts';
import { ownFact, withRename } from './rename.ts';
import { resultData } from './results.ts';
import type { ReadyWrite } from './runtime.ts';
import { type StepState, stateOf } from './step-state.ts';

/** What writing needs of the run it belongs to. */
export interface WriteContext {
  readonly ports: EnginePorts;
  readonly context: RowContext;
  readonly ownership: Ownership;
  /** The digest that was confirmed; null under exec, where none covers the whole. */
  readonly digest: string | null;
  readonly abort: AbortSignal;
}

export interface BatchEnd {
  /** In the order of the writes. */
  readonly states: readonly StepState[];
  /** Likewise the sequences of their intents in the log; none where that could not be written. */
  readonly sequences: readonly number[];
  /** Set when the log could not be written: nothing more may be sent. */
  readonly logProblem: Diagnostic | null;
}

/** Intents to the log, then the requests, then one outcome a step and, where applied, its facts. */
export async function writeBatch(current: WriteContext, writes: readonly ReadyWrite[]): Promise<BatchEnd> {
  const intents = await logIntents(current, writes);
  if ('code' in intents)
    return {
      states: writes.map(() => stateOf('failed', { diagnostics: [intents] })),
      sequences: [],
      logProblem: intents,
    };
  for (const { planned, urn } of writes) {
    const { address, action, change } = planned.shown;
    current.ports.emit({ type: 'step_start', address, action, change, urn });
  }
  const results = await send(current, writes);
  return await record(current, writes, intents.sequences, results);
}

/** The sequence of each write's intent; a resumed operation goes on under the intent it was issued with. */
async function logIntents(
  current: WriteContext,
  writes: readonly ReadyWrite[],
): Promise<{ readonly sequences: readonly number[] } | Diagnostic> {
  const fresh = writes.filter(({ operation }) => operation.pendingOperation === null);
  try {
    const rows =
      fresh.length === 0
        ? []
        : await current.ports.log.append(
            current.context,
            fresh.map((write) => intentRow(current, write)),
          );
    const sequences = new Map(fresh.map((write, index) => [write, rows[index]?.global_sequence ?? 0]));
    return { sequences: writes.map((write) => sequences.get(write) ?? write.planned.settlement?.open.sequence ?? 0) };
  } catch (error) {
    return logProblemOf(error);
  }
}

function intentRow(current: WriteContext, write: ReadyWrite): RowBody {
  const { planned, operation, urn } = write;
  return {
    type: 'provider.intent',
    address: planned.shown.address,
    urn,
    stack: factFor(current, write, null).stack,
    operation: operation.change as OperationKind,
    operation_id: operation.nonce,
    digest: current.digest,
    provider_fact: factFor(current, write, null),
  };
}

function factFor(current: WriteContext, { planned, operation, urn }: ReadyWrite, id: string | null): ProviderFact {
  const deletes = operation.change === 'delete';
  const owned = current.ownership.model.owned.get(urn);
  const isSame = namesakeOf(owned, operation.observation) === null;
  const isOurs = isSame && owned?.stack === (planned.item.stack ?? UNSCOPED);
  // What a step names by its id and an enforce changes was taken on, not met by chance.
  const taken = planned.item.step.resourceId === null ? 'found' : 'adopted';
  const isMade = operation.change === 'create' || operation.change === 'undelete';
  const origin = isMade ? 'created' : isOurs ? originOf(owned) : taken;
  return factOf(planned.item, {
    verb: deletes ? 'delete' : 'ensure',
    outcome: deletes ? 'deleted' : 'changed',
    urn,
    desired: desiredOf(operation.desired),
    resourceId: id ?? operation.observation?.id ?? null,
    origin: deletes ? null : origin,
    executionId: current.context.execution_id,
    digest: current.digest,
  });
}

async function send(current: WriteContext, writes: readonly ReadyWrite[]): Promise<readonly WriteResult[]> {
  const provider = writes[0]?.provider;
  if (provider === undefined) return [];
  const onOperation = (address: string, operation: string, attempt: number) =>
    current.ports.emit({ type: 'operation', address, operation, attempt });
  return await provider.write(
    writes.map((write) => write.operation),
    { signal: current.abort, onOperation },
  );
}

async function record(
  current: WriteContext,
  writes: readonly ReadyWrite[],
  sequences: readonly number[],
  results: readonly WriteResult[],
): Promise<BatchEnd> {
  const ends = writes.map((write, index) => {
    const result = results[index] ?? {
      kind: 'uncertain',
      why: diagnostic('OUTCOME_UNKNOWN', 'the provider gave no result.'),
    };
    return {
      write,
      result,
      facts: factsFrom(current, write, result),
      outcome: outcomeRow(sequences[index] ?? 0, result),
    };
  });
  // Cut apart by a crash, an outcome without its fact leaves the intent open.
  const rows: RowBody[] = ends.flatMap(({ outcome, facts }) => [
    outcome,
    ...facts.map((fact) => ({ type: 'provider.fact' as const, provider_fact: fact })),
  ]);
  const logProblem = await tryAppend(current.ports, current.context, rows);
  if (logProblem === null)
    for (const fact of ends.flatMap(({ facts }) => facts)) current.ports.emit({ type: 'fact', provider_fact: fact });
  const states = ends.map(({ write, result, facts }) =>
    logProblem === null ? stateFrom(current, write, result, facts) : unrecorded(logProblem),
  );
  return { states, sequences, logProblem };
}

/** Done in the cloud, but not in the log: the intent stays open and the next run settles it. */
function unrecorded(problem: Diagnostic): StepState {
  return stateOf('uncertain', {
    diagnostics: [
      { ...problem, detail: `${problem.detail} The outcome is not recorded; the next run settles it by reading.` },
    ],
  });
}

function outcomeRow(sequence: number, result: WriteResult): OutcomeBody {
  const base = {
    type: 'provider.outcome',
    intent_sequence: sequence,
    operation_name: operationOf(result),
  } as const;
  switch (result.kind) {
    case 'done':
    case 'noop':
      return { ...base, status: 'done', code: null };
    case 'failed':
    case 'stale':
      return { ...base, status: 'failed', code: result.why.code };
    case 'uncertain':
    case 'pending':
      return { ...base, status: result.kind, code: result.why.code };
  }
}

/** The cloud's own operation, where the answer named one. */
export function operationOf(result: WriteResult): string | null {
  switch (result.kind) {
    case 'pending':
      return result.operation;
    case 'uncertain':
      return result.why.operation;
    default:
      return null;
  }
}

function factsFrom(current: WriteContext, write: ReadyWrite, result: WriteResult): readonly ProviderFact[] {
  if (result.kind === 'stale') return [];
  if (result.kind !== 'done' && result.kind !== 'noop') return factsInPart(current, write, result.reached);
  const fact = settledFact(factFor(current, write, result.id), result.kind);
  return withRename(current.ownership, write.planned.item, fact);
}

/** What is done of a step stands in the log though the rest is not: by it the next run knows the resource, and whose work it is. */
function factsInPart(
  current: WriteContext,
  write: ReadyWrite,
  reached: JsonObject | undefined,
): readonly ProviderFact[] {
  if (reached === undefined) return [];
  const fact = { ...factFor(current, write, null), desired: reached };
  return withRename(current.ownership, write.planned.item, fact);
}

/** What was there already was not made by us. */
function settledFact(fact: ProviderFact, kind: 'done' | 'noop'): ProviderFact {
  if (kind === 'done') return fact;
  return fact.verb === 'delete'
    ? { ...fact, outcome: 'absent' }
    : { ...fact, outcome: 'noop', ...(fact.origin === 'created' ? { origin: 'found' as const } : {}) };
}

function stateFrom(
  current: WriteContext,
  { planned, operation, urn, startedAt }: ReadyWrite,
  result: WriteResult,
  facts: readonly ProviderFact[],
): StepState {
  const durationMs = current.ports.clock.now() - startedAt;
  const deletes = operation.change === 'delete';
  const named = (...found: readonly Diagnostic[]) => ({
    durationMs,
    diagnostics: found.map((why) => ({
      ...why,
      address: planned.shown.address,
      urn: why.urn ?? urn,
      source: why.source ?? planned.shown.source,
    })),
  });
  switch (result.kind) {
    case 'done':
    case 'noop': {
      const fact = ownFact(facts);
      const outcome = result.kind === 'done' ? (deletes ? 'deleted' : 'changed') : deletes ? 'absent' : 'noop';
      const known = { data: resultData(planned.item, urn, result.resource), complete: true };
      return stateOf(outcome, {
        durationMs,
        fact,
        resource: result.resource,
        result: known,
        diagnostics: result.kind === 'done' ? result.warnings : [],
      });
    }
    case 'failed':
      return stateOf('failed', named(result.why, ...partlyOf(result)));
    case 'stale':
      return stateOf('refused', named(result.why));
    case 'uncertain':
    case 'pending':
      return stateOf(result.kind, { ...named(result.why, ...partlyOf(result)), operation: operationOf(result) });
  }
}

function partlyOf({ partly }: InPart): readonly Diagnostic[] {
  return partly === undefined ? [] : [partly];
}
