import { diagnostic } from '../core/codes.ts';
import type { Diagnostic } from '../core/diagnostics.ts';
import { type ProviderFact, UNSCOPED } from '../core/facts.ts';
import { closureOf } from '../core/graph.ts';
import type { RowContext } from '../eventlog/event-log.ts';
import { logProblemOf } from './append-rows.ts';
import type { Ownership } from './ownership.ts';
import type { EnginePorts } from './ports.ts';
import type { PreparedStep } from './prepare.ts';
import { protectionOf } from './protection.ts';
import type { ReadyWrite } from './runtime.ts';
import type { StepState } from './step-state.ts';
import { type Undone, undoCreate } from './undo.ts';

/** A create that happened, with the sequence of its intent. */
interface Made {
  readonly write: ReadyWrite;
  readonly sequence: number;
}

/** What is remembered of a run while it goes on, in case that something fails. */
export interface Undoable {
  /** Stacks in which nothing new may start, because a write that can be undone failed there. */
  readonly stoppedStacks: Map<string, Diagnostic>;
  /** What this run made. */
  readonly made: Made[];
  /** How its steps ended. */
  readonly states: ReadonlyMap<string, StepState>;
}

/** A run that may have to be undone. */
export interface RollbackRequest extends Undoable {
  readonly ports: EnginePorts;
  readonly context: RowContext;
  /** As it was before the run. */
  readonly ownership: Ownership;
  readonly steps: ReadonlyMap<string, PreparedStep>;
  /** What was confirmed; null where nothing covers the whole run. */
  readonly digest: string | null;
  /** False under `--no-rollback`. */
  readonly allowed: boolean;
  readonly abort: AbortSignal;
  /** A step ended otherwise than it seemed. */
  finish(address: string, state: StepState): void;
  /** The log can't be written. */
  stop(why: Diagnostic): void;
}

/**
 * Remembers what was made, and what failed for certain: nothing new starts in that stack, and what the run made there is
 * undone at its end. Only where a create can be proved by its nonce.
 */
export function noteForRollback(run: Undoable, write: ReadyWrite, { outcome }: StepState, sequence: number): void {
  if (write.provider.recovery === undefined) return;
  if (outcome === 'changed' && write.operation.change === 'create') run.made.push({ write, sequence });
  if (outcome !== 'failed') return;
  const why = diagnostic('BLOCKED', `${write.planned.shown.address} failed, so nothing new was started in its stack.`);
  run.stoppedStacks.set(stackOf(write.planned.item), why);
}

function stackOf({ stack }: PreparedStep): string {
  return stack ?? UNSCOPED;
}

/** Deletes, what was asked for last first, what this run made in the stacks where something failed, and says what of it is kept. */
export async function rollBack(run: RollbackRequest): Promise<readonly Diagnostic[]> {
  if (!run.allowed) return [];
  const told: Diagnostic[] = [];
  for (const stack of run.stoppedStacks.keys()) {
    const made = run.made
      .filter(({ write }) => stackOf(write.planned.item) === stack)
      .sort((a, b) => b.sequence - a.sequence)
      .map(({ write }) => write);
    const kept = run.abort.aborted ? made.map(addressOf).reverse() : await undoAll(run, made);
    if (kept.length > 0) told.push(keptNote(run, stack, kept));
  }
  return told;
}

function addressOf({ planned }: ReadyWrite): string {
  return planned.shown.address;
}

/** The addresses of what is still there. What the kept needs is kept with it; everything else goes. */
async function undoAll(run: RollbackRequest, made: readonly ReadyWrite[]): Promise<readonly string[]> {
  const kept: string[] = [];
  const needs = needsIn(run);
  for (const write of made) {
    const address = addressOf(write);
    const why = reasonToKeep(run, write, kept, needs);
    const isGone = why === null ? await undo(run, write) : keep(run, address, why);
    if (!isGone) kept.push(address);
  }
  return kept;
}

/** Protection, what stays and needs it, and what may come to life yet and would stand on it. */
function reasonToKeep(
  run: RollbackRequest,
  write: ReadyWrite,
  kept: readonly string[],
  needs: Needs,
): Diagnostic | null {
  const address = addressOf(write);
  if (isProtected(run, write)) return diagnostic('PROTECTED', 'it is protected (protect: true).');
  const user = kept.find((other) => needs(other).has(address));
  if (user !== undefined) return diagnostic('CONFLICT', `${user}, which depends on it, is kept.`);
  const open = uncertain(run).find((other) => needs(other).has(address));
  if (open === undefined) return null;
  return diagnostic('CONFLICT', `${open}, which depends on it, is uncertain and may come to life yet.`);
}

/** By the step, else by the newest word of the facts. */
function isProtected({ ports, ownership, steps }: RollbackRequest, write: ReadyWrite): boolean {
  const { item } = write.planned;
  const { spec } = item;
  const { provider } = item.step;
  const said = steps.get(addressOf(write))?.step.protect ?? item.step.protect;
  return said ?? protectionOf(ports, ownership.model)({ urn: write.urn, provider, resourceType: spec.resourceType });
}

/** What was sent to be made or changed, and nobody knows what became of it. */
function uncertain({ states, steps }: RollbackRequest): readonly string[] {
  return [...states].flatMap(([address, { outcome }]) => {
    const isOpen = outcome === 'uncertain' || outcome === 'pending';
    return isOpen && steps.get(address)?.spec.kind === 'ensure' ? [address] : [];
  });
}

/** All that a step depends on, directly or not. */
type Needs = (address: string) => ReadonlySet<string>;

function needsIn({ steps }: RollbackRequest): Needs {
  const edges = new Map([...steps].map(([each, { dependsOn }]) => [each, dependsOn]));
  return (address) => closureOf(edges.get(address) ?? [], edges);
}

function keep(run: RollbackRequest, address: string, why: Diagnostic, outcome?: 'uncertain'): false {
  const before = run.states.get(address);
  if (before === undefined) return false;
  const told = { ...why, detail: `Made by this run and not undone: ${why.detail}` };
  run.finish(address, {
    ...before,
    outcome: outcome ?? before.outcome,
    diagnostics: [...before.diagnostics, told],
  });
  return false;
}

function keptNote(run: RollbackRequest, stack: string, kept: readonly string[]): Diagnostic {
  const why = run.abort.aborted ? ', because the run was stopped' : '';
  const detail = `Something failed in stack ${stack}, but not all that the run made there could be undone${why}. Kept: ${kept.join(', ')}.`;
  const isOpen = [...run.states.values()].some(({ outcome }) => outcome === 'uncertain');
  return diagnostic('ROLLBACK_INCOMPLETE', detail, { hint: isOpen ? GO_ON_OPEN : GO_ON });
}

const GO_ON = 'Apply again to go on, or remove it with infra destroy.';
const GO_ON_OPEN =
  'infra recover --rollback goes on with undoing. Instead, a plain infra recover settles what is uncertain and keeps what was made: then apply again to go on, or remove it with infra destroy.';

/** Whether it is gone. */
async function undo(run: RollbackRequest, write: ReadyWrite): Promise<boolean> {
  const address = addressOf(write);
  const before = run.states.get(address);
  if (before === undefined) return false;
  const undone = await tryUndo(run, write, before.fact);
  switch (undone.kind) {
    case 'deleted':
    case 'absent':
      run.finish(address, { ...before, outcome: 'rolled_back', fact: undone.fact });
      return true;
    case 'kept':
      return keep(run, address, undone.why);
    case 'uncertain':
      return keep(run, address, undone.why, 'uncertain');
  }
}

async function tryUndo(run: RollbackRequest, write: ReadyWrite, made: ProviderFact | null): Promise<Undone> {
  const { operation, provider } = write;
  const { recovery } = provider;
  const id = made?.resource_id;
  if (recovery === undefined || made === null || id === undefined)
    return { kind: 'kept', why: diagnostic('NOT_OURS', 'the log has no id of it.') };
  const { declaration, desired, nonce, timeoutMs } = operation;
  try {
    return await undoCreate(run.ports, run.context, {
      address: addressOf(write),
      made,
      id,
      nonce,
      target: { declaration, desired, resourceId: id, pending: new Set(), forDelete: true },
      recovery,
      digest: run.digest,
      timeoutMs,
    });
  } catch (error) {
    const why = logProblemOf(error);
    run.stop(why);
    return { kind: 'kept', why };
  }
}
