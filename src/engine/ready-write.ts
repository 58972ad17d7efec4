import { diagnostic } from '../core/codes.ts';
import { type Diagnostic, DiagnosticError } from '../core/diagnostics.ts';
import { jsonEquals } from '../core/json.ts';
import type { Observation, PresentObservation, WriteChange } from '../core/resource.ts';
import type { ValueObject } from '../core/value.ts';
import type { LifecycleProvider, WriteOperation } from '../providers/lifecycle-provider.ts';
import { type Decision, decideDelete, decideEnsure } from './classify.ts';
import { verifyLate } from './live-guard.ts';
import { withoutOwnObstacles } from './own-obstacles.ts';
import { checkGuardOffline } from './prepare.ts';
import { resolveDesired } from './resolve.ts';
import type { PlannedStep, ReadyWrite } from './runtime.ts';
import { type StepState, stateOf } from './step-state.ts';
import { FRESH_MS, type Walk } from './walk-state.ts';

/** A write that a second look showed to be needless. */
export interface AlreadyDone {
  readonly planned: PlannedStep;
  readonly desired: ValueObject;
  readonly already: Observation;
}

/** Resolves what became known, looks again where the plan's look is too old, and refuses what moved. */
export async function prepareWrite(current: Walk, planned: PlannedStep): Promise<ReadyWrite | AlreadyDone | StepState> {
  try {
    return await prepareChecked(current, planned);
  } catch (error) {
    if (!(error instanceof DiagnosticError)) throw error;
    return stateOf('failed', { diagnostics: error.diagnostics });
  }
}

async function prepareChecked(current: Walk, planned: PlannedStep): Promise<ReadyWrite | AlreadyDone | StepState> {
  const { item, provider } = planned;
  if (provider === null) return refusedState(diagnostic('BLOCKED', 'the step has no provider to write with.'));
  const resolved = resolveDesired(
    item,
    planned.desired,
    (address) => current.states.get(address)?.result,
    current.run.evaluate,
  );
  const offline = checkGuardOffline(item, resolved);
  const guard = offline.length > 0 ? offline : await verifyLate(current, planned, provider, resolved);
  if (guard.length > 0) return stateOf('refused', { diagnostics: guard });
  const looked = await lookAgain(current, planned, provider, resolved);
  if ('outcome' in looked || 'already' in looked) return looked;
  const urn = planned.urn ?? item.catalogue.urnOf(item.declaration, looked.desired);
  if (urn === null) return refusedState(diagnostic('BLOCKED', 'its identity is still not known.'));
  const fresh = hasFreshDependency(current, planned);
  const input = {
    nonce: current.nonce,
    fresh,
    allowSelfLockout: current.request.options.allowSelfLockout,
  };
  return {
    planned,
    urn,
    provider,
    startedAt: current.ports.clock.now(),
    operation: operationOf(planned, looked.desired, looked.observation, input),
  };
}

/** Whether something it depends on was made, changed or removed in this run. */
function hasFreshDependency(current: Walk, { item }: PlannedStep): boolean {
  return item.dependsOn.some((need) => ['changed', 'deleted'].includes(current.states.get(need)?.outcome ?? ''));
}

function refusedState(why: Diagnostic): StepState {
  return stateOf('blocked', { diagnostics: [why] });
}

interface Looked {
  readonly desired: ValueObject;
  readonly observation: PresentObservation | null;
}

/** The plan's own look while it is fresh; else a new one, which must ask for the same change or for none. */
async function lookAgain(
  current: Walk,
  planned: PlannedStep,
  provider: LifecycleProvider,
  desired: ValueObject,
): Promise<Looked | AlreadyDone | StepState> {
  const { item, observation } = planned;
  const age = current.ports.clock.now() - planned.observedAt;
  const seen = observation?.kind === 'present' ? observation : null;
  // A policy is read right before it is written anyway (read-modify-write), so looking twice would show nothing new.
  if (age <= FRESH_MS || item.spec.resourceType === 'binding') return { desired, observation: seen };
  const session = current.freshSession(provider);
  const owned = planned.urn === null ? undefined : current.ownership.model.owned.get(planned.urn);
  const target = {
    declaration: item.declaration,
    desired,
    resourceId: seen?.id ?? owned?.resourceId ?? null,
    pending: new Set<string>(),
    forDelete: item.spec.kind === 'delete',
    recorded: owned?.lastDesired,
  };
  const resolved = await session.resolve(target);
  if (resolved.kind === 'failed') return stateOf('failed', { diagnostics: [resolved.why] });
  const now = await session.observe({ ...target, desired: resolved.desired });
  return judge(current, planned, resolved.desired, withoutOwnNames(current, planned, now));
}

/** A look that is shared may be older than what gave a name up in this run. */
function withoutOwnNames({ ownership, run }: Walk, { item }: PlannedStep, now: Observation): Observation {
  if (item.spec.kind !== 'ensure') return now;
  const earlier = item.dependsOn.flatMap((address) => {
    const planned = run.steps.get(address);
    return planned === undefined ? [] : [[address, planned] as const];
  });
  return withoutOwnObstacles(ownership, item, now, new Map(earlier)).seen;
}

function judge(
  current: Walk,
  planned: PlannedStep,
  desired: ValueObject,
  now: Observation,
): Looked | AlreadyDone | StepState {
  const decision = decideAgain(current, planned, desired, now);
  if (decision.change === 'none') return { planned, desired, already: now };
  const same =
    decision.change === planned.shown.change &&
    (decision.change === 'delete'
      ? sameResource(planned, now) && newBlockers(current, planned, now).length === 0
      : sameDiff(planned, decision));
  if (same) return { desired, observation: now.kind === 'present' ? now : null };
  if (now.kind === 'unreadable') return stateOf('failed', { diagnostics: decision.diagnostics });
  const detail = `the plan wanted to ${planned.shown.change}; right before the write ${movedText(current, planned, decision, now)}. It was not touched.`;
  return stateOf('refused', {
    diagnostics: [
      diagnostic('STALE', detail, { hint: 'Plan again and review what changed.' }),
      ...decision.diagnostics,
    ],
  });
}

/** What is other than it was when the plan looked. */
function movedText(current: Walk, planned: PlannedStep, decision: Decision, now: Observation): string {
  const { shown, observation } = planned;
  if (decision.change !== shown.change) return `a look asks for ${decision.change}`;
  const then = observation?.kind === 'present' ? observation : null;
  if (now.kind !== 'present' || then === null) return 'it is there no more, or is there now';
  const fields = [...new Set([...Object.keys(then.actual), ...Object.keys(now.actual)])];
  const moved = fields.filter((field) => !jsonEquals(then.actual[field] ?? null, now.actual[field] ?? null));
  const parts = (['id', 'state', 'etag'] as const).filter((part) => then[part] !== now[part]);
  const changed = [...moved, ...parts];
  if (changed.length > 0) return `a look shows that ${changed.join(', ')} changed`;
  const more = new Set(newBlockers(current, planned, now).map(({ code }) => code));
  return `a look shows what the plan did not (${[...more].join(', ')})`;
}

function decideAgain(current: Walk, planned: PlannedStep, desired: ValueObject, now: Observation): Decision {
  const { item, urn } = planned;
  if (item.spec.kind !== 'delete') return decideEnsure(item, urn, desired, now);
  return decideDelete(item, urn, now, {
    wasDeletedByUs: urn !== null && current.ownership.model.tombstones.has(urn),
  });
}

/** The live side of the diff must be what was reviewed; the desired side may only have become known. */
function sameDiff(planned: PlannedStep, decision: Decision): boolean {
  const actual = (diff: Decision['diff']) =>
    Object.fromEntries(Object.entries(diff).map(([field, { actual: found }]) => [field, found]));
  return jsonEquals(actual(planned.shown.diff), actual(decision.diff));
}

/**
 * What goes must be what was reviewed, to the etag. No other step of a run writes to the very same resource, so nothing
 * that this run did moves it.
 */
function sameResource({ observation: then }: PlannedStep, now: Observation): boolean {
  if (then?.kind !== 'present' || now.kind !== 'present') return false;
  const same = (['id', 'state', 'etag'] as const).every((part) => then[part] === now[part]);
  return same && jsonEquals(then.actual, now.actual);
}

/** What goes along or stands in the way and was not to be seen at the review; what this run deleted may still show. */
function newBlockers(current: Walk, planned: PlannedStep, now: Observation): readonly Diagnostic[] {
  if (planned.observation?.kind !== 'present' || now.kind !== 'present') return [];
  const told = new Set(planned.observation.blockers.map(saying));
  const gone = new Set(
    [...current.states].flatMap(([address, { outcome }]) =>
      outcome === 'deleted' ? [current.run.steps.get(address)?.shown.urn ?? null] : [],
    ),
  );
  return now.blockers.filter((found) => !told.has(saying(found)) && (found.urn === null || !gone.has(found.urn)));
}

function saying({ code, detail }: Diagnostic): string {
  return `${code} ${detail}`;
}

export interface OperationInput {
  readonly nonce: string;
  /** Something it depends on was made or removed in this run. */
  readonly fresh: boolean;
  readonly allowSelfLockout: boolean;
}

/** Only what may be the same request once more: what an earlier one did to the resource for good says nothing of it. */
function isRepeat(settlement: PlannedStep['settlement'], change: string): boolean {
  return settlement !== null && settlement.verdict !== 'done' && settlement.open.intent.operation === change;
}

/** The write of a planned step; an operation that an earlier run left pending goes on under its own nonce. */
export function operationOf(
  planned: PlannedStep,
  desired: ValueObject,
  observation: PresentObservation | null,
  input: OperationInput,
): WriteOperation {
  const { item, settlement } = planned;
  const pending = settlement?.verdict === 'pending' ? settlement.open : null;
  return {
    declaration: item.declaration,
    desired,
    change: planned.shown.change as WriteChange,
    observation,
    nonce: pending?.intent.operation_id ?? input.nonce,
    poll: item.step.poll,
    timeoutMs: item.step.timeoutMs,
    repeat: isRepeat(settlement, planned.shown.change),
    pendingOperation: pending?.operationName ?? null,
    freshDependencies: input.fresh,
    allowSelfLockout: input.allowSelfLockout,
  };
}
