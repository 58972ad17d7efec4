import { diagnostic } from '../core/codes.ts';
import type { Diagnostic } from '../core/diagnostics.ts';
import { UNSCOPED } from '../core/facts.ts';
import { closureOf } from '../core/graph.ts';
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

/** Deletes, newest first, what this run made in the stacks where something failed, and says what of it is kept. */
export async function rollBack(current: Walk): Promise<readonly Diagnostic[]> {
  if (!current.request.options.rollback) return [];
  const told: Diagnostic[] = [];
  for (const stack of current.stoppedStacks.keys()) {
    const made = current.made.filter(({ planned }) => (planned.item.stack ?? UNSCOPED) === stack);
    const kept = current.abort.aborted ? made.map(addressOf) : await undoAll(current, made.reverse());
    if (kept.length > 0) told.push(keptNote(current, stack, kept));
  }
  return told;
}

function addressOf({ planned }: ReadyWrite): string {
  return planned.shown.address;
}

/** The addresses of what is still there. What the kept needs is kept with it; everything else goes. */
async function undoAll(current: Walk, made: readonly ReadyWrite[]): Promise<readonly string[]> {
  const kept: string[] = [];
  for (const write of made) {
    const address = addressOf(write);
    const user = kept.find((other) => needs(current, other).has(address));
    const isGone = user === undefined ? await undo(current, write) : keep(current, address, neededBy(user));
    if (!isGone) kept.push(address);
  }
  return kept;
}

/** All that a step depends on, directly or not. */
function needs({ run }: Walk, address: string): ReadonlySet<string> {
  const edges = new Map([...run.steps].map(([each, { item }]) => [each, item.dependsOn]));
  return closureOf(edges.get(address) ?? [], edges);
}

function neededBy(user: string): Diagnostic {
  return diagnostic('CONFLICT', `${user}, which depends on it, is kept.`);
}

function keep(current: Walk, address: string, why: Diagnostic, outcome: 'changed' | 'uncertain' = 'changed'): false {
  const before = current.states.get(address);
  if (before === undefined) return false;
  const told = { ...why, detail: `Made by this run and not undone: ${why.detail}` };
  finish(current, address, { ...before, outcome, diagnostics: [...before.diagnostics, told] });
  return false;
}

function keptNote(current: Walk, stack: string, kept: readonly string[]): Diagnostic {
  const why = current.abort.aborted ? ', because the run was stopped' : '';
  const detail = `Something failed in stack ${stack}, but not all that the run made there could be undone${why}. Kept: ${kept.join(', ')}.`;
  const isOpen = [...current.states.values()].some(({ outcome }) => outcome === 'uncertain');
  return diagnostic('ROLLBACK_INCOMPLETE', detail, {
    hint: `${isOpen ? 'infra recover settles what is uncertain; then apply' : 'Apply'} again to go on, or remove it with infra destroy.`,
  });
}

/** Whether it is gone. */
async function undo(current: Walk, write: ReadyWrite): Promise<boolean> {
  const address = addressOf(write);
  const before = current.states.get(address);
  if (before === undefined) return false;
  const undone = await tryUndo(current, write, before);
  switch (undone.kind) {
    case 'deleted':
    case 'absent':
      finish(current, address, { ...before, outcome: 'rolled_back', fact: undone.fact });
      return true;
    case 'kept':
      return keep(current, address, undone.why);
    case 'uncertain':
      return keep(current, address, undone.why, 'uncertain');
  }
}

async function tryUndo(current: Walk, write: ReadyWrite, before: StepState): Promise<Undone> {
  const { planned, operation, provider } = write;
  const { recovery } = provider;
  const id = before.fact?.resource_id;
  if (recovery === undefined || before.fact === null || id === undefined)
    return { kind: 'kept', why: diagnostic('NOT_OURS', 'the log has no id of it.') };
  const { declaration, desired, nonce, timeoutMs } = operation;
  try {
    return await undoCreate(current.ports, current.context, {
      address: planned.shown.address,
      made: before.fact,
      id,
      nonce,
      target: { declaration, desired, resourceId: id, pending: new Set(), forDelete: true },
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
