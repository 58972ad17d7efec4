import { diagnostic } from '../core/codes.ts';
import type { Diagnostic } from '../core/diagnostics.ts';
import { type ProviderFact, UNSCOPED } from '../core/facts.ts';
import { type Owned, startFold } from '../core/fold.ts';
import { jsonEquals } from '../core/json.ts';
import type { Observation, PresentObservation } from '../core/resource.ts';
import type { ValueObject } from '../core/value.ts';
import type { OpenedProvider } from '../providers/lifecycle-provider.ts';
import { type Decision, decideAdopt, decideDelete, decideEnsure, decideUnowned } from './classify.ts';
import { blockedBy, type Findings, resultOf, urnOf } from './findings.ts';
import { namesakeNotice, namesakeOf } from './namesake.ts';
import { isOnlySelected } from './only-selected.ts';
import { desiredOf, type Ownership, ownedElsewhere, ownershipOf, recordedDesired } from './ownership.ts';
import type { PlanContext } from './plan-context.ts';
import type { PreparedStep } from './prepare.ts';
import { NO_RESULT } from './results.ts';
import { type Settlement, type Sight, settleIntent } from './settle.ts';

/** Why a deletion is held, as the plan shows it. */
export const PROTECTED = 'protected';

export function decide(
  context: PlanContext,
  item: PreparedStep,
  desired: ValueObject,
  opened: OpenedProvider,
  sight: Sight,
): Findings {
  const observation = sight.seen;
  const urn = urnOf(item, desired);
  const settlement = settlementOf(context, item, urn, sight);
  const ownership = withFacts(context, settlement?.facts ?? []);
  const base = {
    desired,
    urn,
    held: item.held,
    observation,
    opened,
    observedAt: context.ports.clock.now(),
    settlement,
    ownership,
  };
  const untold = settlement === null ? null : untoldBy(item, settlement);
  if (untold !== null) return { ...base, held: null, decision: blockedBy(item, untold), result: NO_RESULT };
  const decided = withStackWarning(
    item,
    urn,
    ownedElsewhere(ownership, item, namedBy(urn, desired, observation))[0] ?? null,
    afterPending(item, desired, settlement, decisionOf(context, item, urn, desired, observation, ownership)),
  );
  const isKept = decided.change === 'delete' && isProtected(item, urn, ownership);
  const decision = isKept ? { ...decided, diagnostics: [protectedNote(item, urn), ...decided.diagnostics] } : decided;
  return {
    ...base,
    decision:
      settlement === null
        ? decision
        : { ...decision, diagnostics: [...decision.diagnostics, openNote(item, settlement)] },
    held: heldBy(item, decision, isKept),
    result: resultOf(item, urn, decision, observation),
  };
}

/** What became of a request that an earlier run left open, as far as reading tells. */
function settlementOf(context: PlanContext, item: PreparedStep, urn: string | null, sight: Sight): Settlement | null {
  const before = context.settledBefore?.get(item.step.address);
  const open = urn === null ? undefined : context.openIntents.get(urn);
  return before ?? (open === undefined ? null : settleIntent(item, open, sight, context.ownership));
}

/** Why nothing can be decided while it is not known what a request came to; null: it can. */
function untoldBy(item: PreparedStep, { open, verdict }: Settlement): Diagnostic | null {
  const hint = '`infra recover` says what is known of it, and how to look.';
  if (verdict === 'unresolved') {
    const detail = 'an earlier run was interrupted here, and reading does not tell what became of its request.';
    return diagnostic('OUTCOME_UNKNOWN', detail, { hint });
  }
  // What is still being made or changed is not there to be deleted yet.
  if (verdict !== 'pending' || item.spec.kind !== 'delete' || open.intent.operation === 'delete') return null;
  const detail = `the ${operationText(open.operationName)} of an earlier run (${open.intent.operation}) may still be under way, and what it makes can't be deleted before it has ended.`;
  return diagnostic('OUTCOME_UNKNOWN', detail, { hint, operation: open.operationName });
}

/** An explicit delete is held by an explicit `protect: true` alone, of the step or of the newest fact about it. */
function isProtected({ spec, step }: PreparedStep, urn: string | null, { model, names }: Ownership): boolean {
  const known = urn === null ? [] : [urn, ...names.ownedAs(urn).map((owned) => owned.urn)];
  const byFact = known.some((name) => model.protection.get(name) === true);
  return spec.kind === 'delete' && (step.protect === true || byFact);
}

function protectedNote({ step }: PreparedStep, urn: string | null): Diagnostic {
  const detail = 'a fact or the step says protect: true. Set protect: false on its ensure step and apply that first.';
  return diagnostic('PROTECTED', detail, { address: step.address, urn, source: step.source, severity: 'warning' });
}

/** A report with nothing to report is not held; a dry run is, whatever there is to do. */
function heldBy({ held, step }: PreparedStep, { change }: Decision, isKept: boolean): string | null {
  if (change === 'blocked') return null;
  if (change === 'none') return step.dryRun === true ? held : null;
  return held ?? (isKept ? PROTECTED : null);
}

/** That an earlier run was cut here, and what a read makes of it. */
export function openNote({ step, spec }: PreparedStep, { open, verdict }: Settlement): Diagnostic {
  const isSame = (open.intent.operation === 'delete') === (spec.kind === 'delete');
  const shown = {
    done: 'a read shows that it was done, which the run that is confirmed records',
    not_applied: `a read shows no effect of it${isSame ? ', so it is sent again' : ', which the run that is confirmed records'}`,
    pending: `its ${operationText(open.operationName)} may still run, and is taken up again`,
    unresolved: 'what became of it could not be told',
  }[verdict];
  const detail = `an earlier run was interrupted after it set out to ${open.intent.operation} this: ${shown}.`;
  return diagnostic('OPEN_INTENT', detail, { address: step.address, urn: open.intent.urn, source: step.source });
}

/** An operation under way may be taken up again, but not for something else than it was started for. */
function afterPending(
  item: PreparedStep,
  desired: ValueObject,
  settlement: Settlement | null,
  decision: Decision,
): Decision {
  if (settlement?.verdict !== 'pending' || decision.change === 'none' || decision.change === 'blocked') return decision;
  const { intent, operationName } = settlement.open;
  const deletes = (change: string) => change === 'delete';
  const same = deletes(intent.operation) === deletes(decision.change);
  if (same && jsonEquals(intent.provider_fact.desired, desiredOf(desired))) return decision;
  const why = diagnostic(
    'BLOCKED',
    `${String(operationName)} of an earlier run (${intent.operation}) may still be under way, for another declaration than this one.`,
    { hint: 'Plan again when it has ended, or settle it with `infra recover`.', operation: operationName },
  );
  return { ...blockedBy(item, why), present: decision.present };
}

function withFacts({ ports, ownership }: PlanContext, facts: readonly ProviderFact[]): Ownership {
  if (facts.length === 0) return ownership;
  const fold = startFold(ownership.model);
  for (const fact of facts) fold.add(fact);
  return ownershipOf(ports, fold.model);
}

function decisionOf(
  context: PlanContext,
  item: PreparedStep,
  urn: string | null,
  desired: ValueObject,
  seen: Observation,
  ownership: Ownership,
): Decision {
  const model = ownership.model;
  const owned = urn === null ? undefined : model.owned.get(urn);
  if (item.spec.kind === 'delete') {
    if (item.verdict?.kind === 'unowned') return decideUnowned(item, urn, seen, item.verdict);
    const namesake = namesakeOf(owned, seen);
    if (owned !== undefined && namesake !== null && context.prepared.verb !== 'exec')
      return decideNamesake(context, item, owned, namesake);
    const decided = decideDelete(item, urn, seen, { wasDeletedByUs: urn !== null && model.tombstones.has(urn) });
    const theirs =
      decided.change === 'delete' ? foreignOwner(context, item, namedBy(urn, desired, seen), ownership) : null;
    return theirs === null ? decided : { ...blockedBy(item, notToDelete(urn, theirs)), present: decided.present };
  }
  if (item.reconcile !== 'adopt') return withNamesake(item, owned, seen, decideEnsure(item, urn, desired, seen));
  const { verb, options } = context.prepared;
  const elsewhere = ownedElsewhere(ownership, item, namedBy(urn, desired, seen));
  const foreign = elsewhere.find(({ stack }) => stack !== options.takeOver);
  return decideAdopt(item, urn, desired, seen, {
    recorded: recordedDesired(item, urn, ownership),
    // The step that confirms a dry one may run again: there an adoption stays one.
    accepted: isAccepted(item, owned, seen, verb) ? owned.lastDesired : null,
    foreignStack: foreign?.stack ?? null,
    amongOthers: verb === 'adopt' && !isOnlySelected(context.prepared, item),
  });
}

function isAccepted(
  { stack }: PreparedStep,
  owned: Owned | undefined,
  seen: Observation,
  verb: PlanContext['prepared']['verb'],
): owned is Owned {
  return verb !== 'exec' && owned?.stack === (stack ?? UNSCOPED) && namesakeOf(owned, seen) === null;
}

/** What is owned is gone already; what has its name is not this stack's to delete. */
function decideNamesake(
  { prepared: { verb } }: PlanContext,
  item: PreparedStep,
  owned: Owned,
  namesake: PresentObservation,
): Decision {
  const { address, source } = item.step;
  const notice = { ...namesakeNotice(owned, namesake, ', which is left alone'), address, urn: owned.urn, source };
  if (verb === 'destroy') return { change: 'none', present: false, diff: {}, diagnostics: [notice] };
  const hint = `infra forget ${owned.urn} gives up what is gone; then this step is about what is there.`;
  return { ...blockedBy(item, { ...notice, severity: 'error', hint }), present: true };
}

function withNamesake(
  { step: { address, source } }: PreparedStep,
  owned: Owned | undefined,
  seen: Observation,
  decision: Decision,
): Decision {
  const namesake = namesakeOf(owned, seen);
  if (owned === undefined || namesake === null) return decision;
  const notice = { ...namesakeNotice(owned, namesake, ', which is taken for it'), address, urn: owned.urn, source };
  return { ...decision, diagnostics: [...decision.diagnostics, notice] };
}

function namedBy(urn: string | null, desired: ValueObject, seen: Observation) {
  const id = seen.kind === 'present' ? seen.id : null;
  return { urn, desired: desiredOf(desired), ...(id === null ? {} : { resource_id: id }) };
}

/** Who owns what an explicit delete is about, where this stack does not and was not told to take it over. */
function foreignOwner(
  { prepared: { options } }: PlanContext,
  item: PreparedStep,
  named: ReturnType<typeof namedBy>,
  ownership: Ownership,
): Owned | null {
  const elsewhere = ownedElsewhere(ownership, item, named).filter(({ stack }) => stack !== options.takeOver);
  return isOurs(item, named, ownership) ? null : (elsewhere[0] ?? null);
}

function isOurs({ stack, spec }: PreparedStep, { urn, resource_id: id }: ReturnType<typeof namedBy>, log: Ownership) {
  const byId = id === undefined ? [] : (log.byResourceId.get(id) ?? []);
  const known = [...(urn === null ? [] : log.names.ownedAs(urn)), ...byId];
  return known.some((owned) => owned.resourceType === spec.resourceType && owned.stack === (stack ?? UNSCOPED));
}

function notToDelete(urn: string | null, { stack }: Owned): Diagnostic {
  return diagnostic('NOT_OURS', `stack ${JSON.stringify(stack)} owns it, so this one does not delete it.`, {
    urn,
    hint: `Delete it in that stack, or give it up there (infra forget). --take-over ${stack} deletes it from here.`,
  });
}

function withStackWarning(item: PreparedStep, urn: string | null, owner: Owned | null, decision: Decision): Decision {
  if (item.spec.kind !== 'ensure' || item.reconcile === 'adopt' || owner === null) return decision;
  const warning = diagnostic(
    'OTHER_STACK',
    `stack ${JSON.stringify(owner.stack)} owns this resource too. Two stacks that manage one resource will undo each other's changes.`,
    { address: item.step.address, urn, source: item.step.source },
  );
  return { ...decision, diagnostics: [...decision.diagnostics, warning] };
}

/** An operation may be known to run without its name being known. */
function operationText(name: string | null): string {
  return name === null || name === '' ? 'operation' : `operation ${name}`;
}
