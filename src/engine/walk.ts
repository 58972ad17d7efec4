import { diagnostic } from '../core/codes.ts';
import type { Diagnostic } from '../core/diagnostics.ts';
import { UNSCOPED } from '../core/facts.ts';
import { reversed } from '../core/graph.ts';
import { hasPendingWrite } from '../core/plan.ts';
import { isKnown } from '../core/value.ts';
import type { LifecycleProvider, ReadSession } from '../providers/lifecycle-provider.ts';
import { recordAlready } from './already-done.ts';
import { togetherKey } from './batches.ts';
import type { PreparedStep } from './prepare.ts';
import { prepareWrite } from './ready-write.ts';
import { ownFact } from './rename.ts';
import { noteForRollback, type RollbackRequest, rollBack } from './rollback.ts';
import type { PlannedStep, ReadyWrite } from './runtime.ts';
import { type StepState, stateOf } from './step-state.ts';
import { withTimeLimit } from './time-limit.ts';
import { readStep } from './walk-read.ts';
import {
  appendRows,
  FRESH_MS,
  failedDependency,
  finish,
  notStarted,
  stamped,
  type Walk,
  type WalkRequest,
} from './walk-state.ts';
import { writeBatch } from './write-batch.ts';

export interface Walked {
  readonly states: ReadonlyMap<string, StepState>;
  /** About the run as a whole. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Does what the plan says, each step after those it depends on; a failure stops its dependants only. */
export async function walk(given: WalkRequest): Promise<Walked> {
  const current = startWalk(given);
  const active = new Map<string, Promise<void>>();
  for (;;) {
    await startReady(current, active);
    if (active.size > 0) await firstOf(active);
    // What was under way may have ended while others were started, and may have set more free.
    else if (current.free.size === 0) break;
  }
  for (const address of given.run.steps.keys())
    if (!current.states.has(address)) finish(current, address, notStarted(current));
  return { diagnostics: await rollBack(toUndo(current)), states: current.states };
}

function toUndo(current: Walk): RollbackRequest {
  const { request, run } = current;
  return {
    ...current,
    steps: new Map([...run.steps].map(([address, { item }]) => [address, item])),
    digest: request.confirm,
    allowed: request.options.rollback,
    finish: (address, state) => finish(current, address, state),
    stop: (why) => {
      current.stopped ??= why;
    },
  };
}

/** Waits until something ends. Where that is a bug, what else is under way is recorded before it is thrown. */
async function firstOf(active: ReadonlyMap<string, Promise<void>>): Promise<void> {
  try {
    await Promise.race(active.values());
  } catch (error) {
    await Promise.allSettled(active.values());
    throw error;
  }
}

function startWalk(given: WalkRequest): Walk {
  const { settings } = given.request;
  const fresh = new Map<LifecycleProvider, { readonly session: ReadSession; readonly at: number }>();
  const { steps } = given.run;
  const edges = new Map(
    [...steps].map(([address, { item }]) => [address, waitsFor(item).filter((other) => steps.has(other))]),
  );
  const unmet = new Map([...edges].map(([address, needs]) => [address, needs.length]));
  const current: Walk = {
    ...given,
    states: new Map(),
    free: new Set([...unmet].flatMap(([address, count]) => (count === 0 ? [address] : []))),
    unmet,
    dependants: reversed(edges),
    freshSession: (provider) => {
      const now = given.ports.clock.now();
      const known = fresh.get(provider);
      if (known !== undefined && now - known.at < FRESH_MS) return known.session;
      const session = provider.openSession();
      fresh.set(provider, { session, at: now });
      return session;
    },
    stopped: null,
    stoppedStacks: new Map(),
    nonce: given.ports.randomHex(16),
    made: [],
    abort: withTimeLimit(settings.abort, settings.timeoutMs),
  };
  return current;
}

/** What must have ended before: dependencies, and what this only comes after. */
function waitsFor({ dependsOn, after }: PreparedStep): readonly string[] {
  return [...new Set([...dependsOn, ...after])];
}

/** Starts whatever can start now; steps without a write are done on the spot, which may free others. */
async function startReady(current: Walk, active: Map<string, Promise<void>>): Promise<void> {
  for (let progressed = true; progressed; ) {
    noticeStop(current);
    const ready = [...current.free].flatMap((address) => current.run.steps.get(address) ?? []);
    const quiet = ready.filter(({ shown }) => !hasPendingWrite(shown) && shown.change !== 'read');
    for (const planned of quiet) current.free.delete(planned.shown.address);
    progressed = quiet.length > 0;
    await finishQuietly(current, quiet);
    if (progressed) continue;
    startReads(current, active, ready);
    progressed = startWrites(
      current,
      active,
      ready.filter(({ shown }) => hasPendingWrite(shown)),
    );
  }
}

function noticeStop(current: Walk): void {
  if (current.request.settings.stop.aborted)
    current.stopped ??= diagnostic('INTERRUPTED', 'the run was interrupted: nothing new was started.');
  else if (current.abort.aborted)
    current.stopped ??= diagnostic('TIMEOUT', 'the time given by --timeout is over: nothing new was started.');
}

/** Ends steps that send nothing to the cloud; their facts go to the log in one append. */
async function finishQuietly(current: Walk, steps: readonly PlannedStep[]): Promise<void> {
  const ended = steps.map((planned) => ({ planned, state: quietState(current, planned) }));
  const facts = ended.flatMap(({ planned, state }) =>
    isQuietSuccess(state) ? planned.facts.map((fact) => stamped(current, fact)) : [],
  );
  const problem = await appendRows(
    current,
    facts.map((fact) => ({ type: 'provider.fact', provider_fact: fact })),
  );
  for (const { planned, state } of ended) {
    const own = isQuietSuccess(state) ? ownFact(planned.facts) : null;
    const fact = own === null ? null : stamped(current, own);
    if (problem !== null && fact !== null)
      finish(current, planned.shown.address, stateOf('failed', { diagnostics: [problem] }));
    else finish(current, planned.shown.address, { ...state, fact });
  }
  if (problem === null) for (const fact of facts) current.ports.emit({ type: 'fact', provider_fact: fact });
}

function isQuietSuccess(state: StepState): boolean {
  return state.outcome === 'noop' || state.outcome === 'absent' || state.outcome === 'adopted';
}

function quietState(current: Walk, planned: PlannedStep): StepState {
  const { shown, result, observation } = planned;
  const blocking = shown.change === 'blocked' ? null : failedDependency(current, planned);
  if (shown.change !== 'blocked' && shown.held !== null) return stateOf('held', { result });
  if (shown.change === 'blocked' || blocking !== null)
    return stateOf('blocked', { diagnostics: blocking === null ? [] : [blocking] });
  if (waitsForSkipped(current, planned)) return notStarted(current);
  const resource = observation?.kind === 'present' ? observation.resource : null;
  if (shown.change === 'adopt')
    return current.stopped === null ? stateOf('adopted', { result, resource }) : notStarted(current);
  if (shown.change === 'none')
    return stateOf(planned.item.spec.kind === 'delete' ? 'absent' : 'noop', { result, resource });
  return stateOf('skipped');
}

/** Whether a dependency was never started: what is only recorded may be true only after it. */
function waitsForSkipped(current: Walk, { item }: PlannedStep): boolean {
  return item.dependsOn.some((need) => current.states.get(need)?.outcome === 'skipped');
}

function startReads(current: Walk, active: Map<string, Promise<void>>, ready: readonly PlannedStep[]): void {
  for (const planned of ready.filter(({ shown }) => shown.change === 'read')) {
    const { address } = planned.shown;
    current.free.delete(address);
    active.set(
      address,
      readStep(current, planned).then((state) => {
        active.delete(address);
        finish(current, address, state);
      }),
    );
  }
}

/** Starts batches as far as parallelism and "one at a time per batch key" allow; true when a step ended without a write. */
function startWrites(current: Walk, active: Map<string, Promise<void>>, ready: readonly PlannedStep[]): boolean {
  let ended = false;
  for (const planned of ready) {
    const blocking = failedDependency(current, planned);
    const stopped = current.stopped !== null || current.stoppedStacks.has(planned.item.stack ?? UNSCOPED);
    if (blocking === null && !stopped) continue;
    current.free.delete(planned.shown.address);
    finish(
      current,
      planned.shown.address,
      blocking === null ? notStarted(current, planned) : stateOf('blocked', { diagnostics: [blocking] }),
    );
    ended = true;
  }
  if (ended) return true;
  for (const group of groupByBatch(ready)) {
    const key = group[0]?.item.declaration.batchKey ?? group[0]?.shown.address ?? '';
    if (active.has(key) || active.size >= current.request.settings.parallelism) continue;
    for (const planned of group) current.free.delete(planned.shown.address);
    active.set(
      key,
      runGroup(current, group).finally(() => active.delete(key)),
    );
  }
  return false;
}

/** Groups of what goes out together. Those of one batch key still go one after the other. */
function groupByBatch(ready: readonly PlannedStep[]): Iterable<readonly PlannedStep[]> {
  const groups = new Map<string, PlannedStep[]>();
  for (const planned of ready) {
    const key = togetherKey(planned.item) ?? planned.shown.address;
    groups.set(key, [...(groups.get(key) ?? []), planned]);
  }
  return groups.values();
}

async function runGroup(current: Walk, group: readonly PlannedStep[]): Promise<void> {
  const prepared = await Promise.all(group.map((planned) => prepareWrite(current, planned)));
  const writes: ReadyWrite[] = [];
  for (const [index, ready] of prepared.entries()) {
    const planned = group[index];
    if (planned === undefined) continue;
    if ('outcome' in ready) finish(current, planned.shown.address, ready);
    else if ('already' in ready) finish(current, planned.shown.address, await recordAlready(current, ready));
    else if (!isKnown(ready.operation.desired))
      finish(
        current,
        planned.shown.address,
        stateOf('blocked', { diagnostics: [diagnostic('BLOCKED', 'something it needs is still not known.')] }),
      );
    else writes.push(ready);
  }
  noticeStop(current);
  if (current.stopped !== null)
    for (const write of writes) finish(current, write.planned.shown.address, notStarted(current));
  if (writes.length === 0 || current.stopped !== null) return;
  const { ports, context, ownership, abort } = current;
  const end = await writeBatch({ ports, context, ownership, abort, digest: current.request.confirm }, writes);
  if (end.logProblem !== null) current.stopped ??= end.logProblem;
  for (const [index, write] of writes.entries()) {
    const state = end.states[index] ?? stateOf('uncertain');
    noteForRollback(current, write, state, end.sequences[index] ?? 0);
    finish(current, write.planned.shown.address, state);
  }
}
