import type { RowBody } from '../eventlog/event-log.ts';
import type { AlreadyDone } from './ready-write.ts';
import { recordedFacts } from './recorded-facts.ts';
import { ownFact } from './rename.ts';
import { resultData } from './results.ts';
import type { PlannedStep } from './runtime.ts';
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
  const rows = facts.map((fact): RowBody => ({ type: 'provider.fact', provider_fact: fact }));
  const problem = await appendRows(current, [...rows, ...closing(planned)]);
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
function closing({ settlement }: PlannedStep): readonly RowBody[] {
  if (settlement?.verdict !== 'pending') return [];
  const { sequence, operationName } = settlement.open;
  return [
    {
      type: 'provider.outcome',
      intent_sequence: sequence,
      status: 'done',
      code: null,
      operation_name: operationName,
    },
  ];
}
