import { diagnostic } from '../core/codes.ts';
import { UNSCOPED } from '../core/facts.ts';
import { logProblemOf } from './append-rows.ts';
import type { ReadyWrite } from './runtime.ts';
import type { StepState } from './step-state.ts';
import { type Undone, undoCreate } from './undo.ts';
import { finish, type Walk } from './walk-state.ts';

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
  const { address } = write.planned.shown;
  const before = current.states.get(address);
  if (before === undefined) return false;
  const undone = await tryUndo(current, write, before);
  if (undone === null) return false;
  if (undone.kind === 'gone') finish(current, address, { ...before, outcome: 'rolled_back', fact: undone.fact });
  else finish(current, address, { ...before, diagnostics: [...before.diagnostics, undone.why] });
  return undone.kind === 'gone';
}

async function tryUndo(current: Walk, write: ReadyWrite, before: StepState): Promise<Undone | null> {
  const { planned, operation, provider } = write;
  const { recovery } = provider;
  if (recovery === undefined || before.fact === null) return null;
  const { declaration, desired, nonce, timeoutMs } = operation;
  const resourceId = before.fact.resource_id ?? null;
  try {
    return await undoCreate(current.ports, current.context, {
      address: planned.shown.address,
      made: before.fact,
      nonce,
      target: { declaration, desired, resourceId, pending: new Set(), forDelete: true },
      recovery,
      digest: current.request.confirm,
      timeoutMs,
    });
  } catch (error) {
    const why = logProblemOf(error);
    current.stopped ??= why;
    return { kind: 'kept', why };
  }
}
