import { diagnostic } from '../core/codes.ts';
import { type ProviderFact, UNSCOPED } from '../core/facts.ts';
import type { OutcomeBody, RowBody } from '../eventlog/event-log.ts';
import type { Target, WriteResult } from '../providers/lifecycle-provider.ts';
import { desiredOf, factOf } from './ownership.ts';
import type { ReadyWrite } from './runtime.ts';
import type { StepState } from './step-state.ts';
import { appendRows, finish, type Walk } from './walk-state.ts';

/**
 * Remembers what was made, and what failed for certain: nothing new starts in that stack, and what the run made there is
 * undone at its end. Only where a create can be proved by its nonce.
 */
export function noteForRollback(current: Walk, write: ReadyWrite, state: StepState): void {
  if (write.provider.recovery === undefined) return;
  if (state.outcome === 'changed' && write.operation.change === 'create') current.made.push(write);
  if (state.outcome !== 'failed') return;
  const why = diagnostic('BLOCKED', `${write.planned.shown.address} failed, so nothing new was started in its stack.`);
  current.stoppedStacks.set(write.planned.item.stack ?? UNSCOPED, why);
}

/** Deletes, newest first, what this run made in the stacks where something failed; what can't be undone ends it there. */
export async function rollBack(current: Walk): Promise<void> {
  if (!current.request.options.rollback || current.abort.aborted) return;
  for (const stack of current.stoppedStacks.keys()) {
    const made = current.made.filter(({ planned }) => (planned.item.stack ?? UNSCOPED) === stack);
    for (const write of made.reverse()) if (!(await undo(current, write))) break;
  }
}

async function undo(current: Walk, write: ReadyWrite): Promise<boolean> {
  const { planned, operation, provider, urn } = write;
  const { address } = planned.shown;
  const before = current.states.get(address);
  const fact = removalFact(current, write);
  const intent: RowBody = {
    type: 'provider.intent',
    address,
    urn,
    stack: fact.stack,
    operation: 'delete',
    operation_id: current.ports.randomHex(16),
    digest: current.request.confirm,
    provider_fact: { ...fact, outcome: 'planned' },
  };
  const sequence = await appendIntent(current, intent);
  if (sequence === null || before === undefined || provider.recovery === undefined) return false;
  current.ports.emit({ type: 'step_progress', address, message: 'undoing what this run made' });
  const target: Target = {
    declaration: operation.declaration,
    desired: operation.desired,
    resourceId: before.fact?.resource_id ?? null,
    pending: new Set(),
    forDelete: true,
  };
  const result = await provider.recovery.rollBack(target, operation.nonce, operation.timeoutMs);
  return await recordUndo(current, write, before, { sequence, fact, result });
}

async function appendIntent(current: Walk, intent: RowBody): Promise<number | null> {
  try {
    const [row] = await current.ports.log.append(current.context, [intent]);
    return row?.global_sequence ?? null;
  } catch {
    // The log says so itself when it is written next; nothing is undone that could not be recorded.
    return null;
  }
}

function removalFact(current: Walk, { planned, operation, urn }: ReadyWrite): ProviderFact {
  return factOf(planned.item, {
    verb: 'delete',
    outcome: 'deleted',
    urn,
    desired: desiredOf(operation.desired),
    resourceId: current.states.get(planned.shown.address)?.fact?.resource_id ?? null,
    origin: null,
    executionId: current.context.execution_id,
    digest: current.request.confirm,
  });
}

interface Undone {
  readonly sequence: number;
  readonly fact: ProviderFact;
  readonly result: WriteResult;
}

async function recordUndo(
  current: Walk,
  write: ReadyWrite,
  before: StepState,
  { sequence, fact, result }: Undone,
): Promise<boolean> {
  const { address } = write.planned.shown;
  const gone = result.kind === 'done' || result.kind === 'noop';
  const outcome: OutcomeBody = {
    type: 'provider.outcome',
    intent_sequence: sequence,
    status: gone ? 'done' : result.kind === 'uncertain' || result.kind === 'pending' ? 'uncertain' : 'failed',
    code: gone ? null : result.why.code,
    operation_name: null,
  };
  const { protect: _protect, ...written } = fact;
  const rows: RowBody[] = gone ? [{ type: 'provider.fact', provider_fact: written }, outcome] : [outcome];
  const problem = await appendRows(current, rows);
  if (gone && problem === null) finish(current, address, { ...before, outcome: 'rolled_back', fact: written });
  else if (!gone) finish(current, address, { ...before, diagnostics: [...before.diagnostics, result.why] });
  return gone && problem === null;
}
