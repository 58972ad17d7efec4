import type { OpenIntent, RowBody } from '../eventlog/event-log.ts';
import type { AlreadyDone } from './ready-write.ts';
import { recordedFacts } from './recorded-facts.ts';
import { ownFact } from './rename.ts';
import { resultData } from './results.ts';
import type { PlannedStep } from './runtime.ts';
import { settledFact } from './settle.ts';
import { type StepState, stateOf } from './step-state.ts';
import { appendRows, stamped, type Walk } from './walk-state.ts';

/** Ends a write that turned out to be needless: what the log doesn't know yet is recorded, an intent left open is closed. */
export async function recordAlready(current: Walk, { planned, desired, already }: AlreadyDone): Promise<StepState> {
  const { item } = planned;
  const urn = planned.urn ?? item.catalogue.urnOf(item.declaration, desired);
  const facts = recordedFacts(item, {
    urn,
    desired,
    observation: already,
    decision: { change: 'none', present: already.kind === 'present', diff: {}, diagnostics: [] },
    ownership: current.ownership,
    held: null,
  }).map((fact) => stamped(current, fact));
  const closed = pendingOf(planned);
  // What closes an intent has a fact beside it, also where that tells nothing new.
  const told = closed !== null && facts.length === 0 ? [settledFact(closed, already)] : facts;
  const rows = told.map((fact): RowBody => ({ type: 'provider.fact', provider_fact: fact }));
  const problem = await appendRows(current, [...(closed === null ? [] : [doneRow(closed)]), ...rows]);
  if (problem !== null) return stateOf('failed', { diagnostics: [problem] });
  for (const fact of facts) current.ports.emit({ type: 'fact', provider_fact: fact });
  const resource = already.kind === 'present' ? already.resource : null;
  return stateOf(item.spec.kind === 'delete' ? 'absent' : 'noop', {
    resource,
    fact: ownFact(facts),
    result: { data: resultData(item, urn, resource), complete: true },
  });
}

/** The intent of an operation that an earlier run left pending: it did what it was for. */
function pendingOf({ settlement }: PlannedStep): OpenIntent | null {
  return settlement?.verdict === 'pending' ? settlement.open : null;
}

function doneRow({ sequence, operationName }: OpenIntent): RowBody {
  return {
    type: 'provider.outcome',
    intent_sequence: sequence,
    status: 'done',
    code: null,
    operation_name: operationName,
  };
}
