import { diagnostic } from '../core/codes.ts';
import { type Diagnostic, DiagnosticError } from '../core/diagnostics.ts';
import { hasPendingWrite } from '../core/plan.ts';
import type { Observation } from '../core/resource.ts';
import { isKnown, referencesIn, undecidedIn, type ValueObject } from '../core/value.ts';
import type { OpenedProvider, Target } from '../providers/lifecycle-provider.ts';
import type { Decision } from './classify.ts';
import { decide, openNote } from './decide-step.ts';
import { lookAtDeclared } from './declared-look.ts';
import { declaredNames } from './declared-names.ts';
import { blockedBy, type Findings, unread, urnOf } from './findings.ts';
import { withOthersInside } from './others-inside.ts';
import { needing, withoutOwnObstacles } from './own-obstacles.ts';
import type { PlanContext } from './plan-context.ts';
import { checkGuardOffline, type IntendedVerdict, type PreparedStep } from './prepare.ts';
import { resolveDesired } from './resolve.ts';
import { resultData } from './results.ts';
import type { PlannedStep } from './runtime.ts';
import { findingOf } from './settle.ts';
import { assembleStep } from './show-step.ts';
import { isRefusedAuth, refusedAuth, withoutReading } from './without-auth.ts';

type Dependencies = ReadonlyMap<string, PlannedStep>;

/** Plans one step after those it depends on. */
export async function planStep(context: PlanContext, item: PreparedStep): Promise<PlannedStep> {
  const dependencies = await plannedOf(context, item.dependsOn);
  const findings = await findOut(context, item, dependencies);
  const planned = assembleStep(context, needing(item, findings.needs ?? []), findings);
  context.ports.emit({ type: 'step_planned', step: planned.shown });
  return planned;
}

async function plannedOf(context: PlanContext, addresses: readonly string[]): Promise<Dependencies> {
  const found = new Map<string, PlannedStep>();
  for (const address of addresses) {
    const planned = await context.planned(address);
    if (planned !== undefined) found.set(address, planned);
  }
  return found;
}

async function findOut(context: PlanContext, item: PreparedStep, dependencies: Dependencies): Promise<Findings> {
  const opened = await context.open(item);
  if (item.verdict?.kind === 'unowned') return await unowned(context, item, opened, dependencies);
  if (item.verdict !== null) return intended(context, item, opened, item.verdict, dependencies);
  try {
    const desired = resolveDesired(
      item,
      item.declaration.desired,
      (address) => dependencies.get(address)?.result,
      context.evaluate,
    );
    const early = blockedEarly(item, desired, dependencies);
    if (early !== null) return unread(context, item, desired, opened, early);
    await refuseUndecided(item, desired);
    const session = context.sessionOf(opened);
    if (session === null || opened.kind === 'unusable') return withoutReading(context, item, desired, opened);
    if (isNowhereYet(item, desired, dependencies))
      return unread(context, item, desired, opened, {
        change: 'unknown',
        present: 'unknown',
        diff: {},
        diagnostics: [],
      });
    const target = targetOf(context, item, desired, dependencies);
    const resolved = await session.resolve(target);
    if (resolved.kind === 'failed')
      return isRefusedAuth(item, resolved.why)
        ? refusedAuth(context, item, desired, opened, resolved.why)
        : unread(context, item, desired, opened, blockedBy(item, resolved.why));
    const refused = checkResolved(item, resolved.desired);
    if (refused.length > 0)
      return unread(context, item, resolved.desired, opened, {
        change: 'blocked',
        present: 'unknown',
        diff: {},
        diagnostics: refused,
      });
    if (item.spec.kind === 'read') return await planRead(context, item, resolved.desired, opened, dependencies);
    const observation = await session.observe({ ...target, desired: resolved.desired });
    if (observation.kind === 'unreadable' && isRefusedAuth(item, observation.why))
      return refusedAuth(context, item, resolved.desired, opened, observation.why);
    const urn = urnOf(item, resolved.desired);
    const open = urn === null ? undefined : context.openIntents.get(urn);
    const isSettled = context.settledBefore?.has(item.step.address) === true;
    const finding = isSettled ? null : await findingOf(open, opened.provider, { ...target, desired: resolved.desired });
    const earlier = new Map([...dependencies, ...(await plannedOf(context, item.after))]);
    const own = withoutOwnObstacles(context.ownership, item, observation, earlier);
    const seen = withOthersInside(context, item, urn, withLockout(context, own.seen));
    return { ...decide(context, item, resolved.desired, opened, { seen, finding }), needs: own.needs };
  } catch (error) {
    if (!(error instanceof DiagnosticError)) throw error;
    const diagnostics = error.diagnostics.map((found) => ({
      ...found,
      address: item.step.address,
      source: found.source ?? item.step.source,
    }));
    return unread(context, item, item.declaration.desired, opened, {
      change: 'blocked',
      present: 'unknown',
      diff: {},
      diagnostics,
    });
  }
}

/** What a step does has to be said by its plan: a filter or a condition on what only an apply will know says nothing. */
async function refuseUndecided(item: PreparedStep, desired: ValueObject): Promise<void> {
  const undecided = item.held === null ? undecidedIn(desired) : [];
  if (undecided.length === 0) return;
  const { decidesOnUnknown } = await import('../playbook/evaluate.ts');
  throw new DiagnosticError(undecided.map(({ template, refs }) => decidesOnUnknown(template, refs)));
}

/** The last grant by which the caller can set a policy stays, unless the caller says otherwise. */
function withLockout(context: PlanContext, seen: Observation): Observation {
  if (seen.kind !== 'present' || context.prepared.options.allowSelfLockout) return seen;
  const blockers = seen.blockers.map((found) =>
    found.code === 'SELF_LOCKOUT' ? { ...found, severity: 'error' as const } : found,
  );
  return { ...seen, blockers };
}

/** What is not owned is looked at as it is declared: no step of its own says how it would be deleted. */
async function unowned(
  context: PlanContext,
  item: PreparedStep,
  opened: OpenedProvider,
  dependencies: Dependencies,
): Promise<Findings> {
  if (opened.kind === 'unusable') return withoutReading(context, item, item.declaration.desired, opened);
  const { desired, seen } = await lookAtDeclared(context, item);
  const found = decide(context, item, desired, opened, { seen, finding: null });
  // Nothing is done to it; what is in its way is in the way of what it stands on all the same.
  const { change, present, diagnostics } = found.decision;
  const early = change === 'none' ? blockedEarly(item, desired, dependencies) : null;
  if (early === null) return found;
  return { ...found, decision: { ...early, present, diagnostics: [...early.diagnostics, ...diagnostics] } };
}

/** What the verb decided needs no look at the cloud. */
function intended(
  context: PlanContext,
  item: PreparedStep,
  opened: OpenedProvider,
  verdict: Exclude<IntendedVerdict, { kind: 'unowned' }>,
  dependencies: Dependencies,
): Findings {
  const { desired } = item.declaration;
  const settled = context.settledBefore?.get(item.step.address);
  const decided = (change: Decision['change']): Decision => ({
    change,
    present: 'unknown',
    diff: {},
    diagnostics: settled === undefined ? [] : [openNote(item, settled)],
  });
  switch (verdict.kind) {
    case 'kept':
      return unread(context, item, desired, opened, withNoAuth(item, opened, decided('delete')));
    case 'blocked':
      return unread(context, item, desired, opened, blockedBy(item, verdict.why));
    case 'within':
      return unread(context, item, desired, opened, blockedEarly(item, desired, dependencies) ?? decided('none'));
  }
}

/** A destruction is decided on what is live: without an auth to read it, what it would keep is no answer either. */
function withNoAuth({ step }: PreparedStep, opened: OpenedProvider, decision: Decision): Decision {
  if (opened.kind !== 'unusable') return decision;
  const why: Diagnostic = {
    ...opened.why,
    severity: 'error',
    address: step.address,
    source: opened.why.source ?? step.source,
  };
  return { ...decision, diagnostics: [...decision.diagnostics, why] };
}

/** A step can't go on where something it depends on is blocked, or where it needs what a held step would make. */
function blockedEarly(item: PreparedStep, desired: ValueObject, dependencies: Dependencies): Decision | null {
  const waiting = new Set(referencesIn(desired).map((ref) => ref.address));
  for (const [address, planned] of dependencies) {
    const { change, held } = planned.shown;
    if (change === 'blocked')
      return blockedBy(
        item,
        diagnostic('BLOCKED', `it depends on ${address}, which is blocked.`, { hint: `See ${address} first.` }),
      );
    // What is held and as declared has its result all the same.
    if (held === null || item.held !== null || change === 'none') continue;
    const missing = change === 'create' || change === 'undelete';
    if (waiting.has(address) || (missing && item.declaration.needs.includes(address))) {
      return blockedBy(
        item,
        diagnostic('BLOCKED', `it needs the result of ${address}, which is held (${held}).`, {
          hint: `Release ${address}, or hold this step as well.`,
        }),
      );
    }
  }
  return null;
}

function checkResolved(item: PreparedStep, desired: ValueObject): readonly Diagnostic[] {
  return isKnown(item.declaration.desired) && desired === item.declaration.desired
    ? []
    : checkGuardOffline(item, desired);
}

function targetOf(context: PlanContext, item: PreparedStep, desired: ValueObject, dependencies: Dependencies): Target {
  const pending = [...dependencies].filter(([, planned]) => isPendingContainer(planned)).map(([address]) => address);
  const urn = urnOf(item, desired);
  const owned = ownedAs(context, item, urn);
  return {
    declaration: item.declaration,
    desired,
    resourceId: owned?.resourceId ?? begunOn(context, urn),
    pending: new Set(pending),
    forDelete: item.spec.kind === 'delete',
    recorded: owned?.lastDesired,
  };
}

/** What a change was begun on whose end nobody saw: the first of its requests may have taken the name that it was found by. */
function begunOn({ openIntents }: PlanContext, urn: string | null): string | null {
  const intent = urn === null ? undefined : openIntents.get(urn)?.intent;
  const isChange = intent !== undefined && intent.operation !== 'create' && intent.operation !== 'delete';
  return isChange ? (intent.provider_fact.resource_id ?? null) : null;
}

/** What the log owns as the step's resource: under its URN, or under the one that `was` says it had. */
function ownedAs({ ports, prepared, ownership: { model } }: PlanContext, item: PreparedStep, urn: string | null) {
  const own = urn === null ? undefined : model.owned.get(urn);
  if (own !== undefined || item.declaration.options['was'] === undefined) return own;
  return declaredNames(ports, prepared, model).ownedOf(item);
}

function isPendingContainer({ shown }: PlannedStep): boolean {
  const absent = shown.reconcile === 'adopt' && shown.present === false;
  return shown.change === 'create' || shown.change === 'undelete' || absent;
}

/** Its place is the result of a step that could not be read: what is there can't be looked at, and may be anything. */
function isNowhereYet(item: PreparedStep, desired: ValueObject, dependencies: Dependencies): boolean {
  if (item.spec.kind !== 'ensure' || isKnown(desired)) return false;
  const waiting = new Set(referencesIn(desired).map((ref) => ref.address));
  return [...dependencies].some(([address, { shown }]) => shown.change === 'unknown' && waiting.has(address));
}

/** A read waits for what changes under it; else it is made now, so that others can use its result. */
async function planRead(
  context: PlanContext,
  item: PreparedStep,
  desired: ValueObject,
  opened: OpenedProvider,
  dependencies: Dependencies,
): Promise<Findings> {
  const later: Decision = { change: 'read', present: 'unknown', diff: {}, diagnostics: [] };
  const waits = [...dependencies.values()].some(({ shown }) => hasPendingWrite(shown) || shown.change === 'unknown');
  const session = context.sessionOf(opened);
  if (item.held !== null || waits || !isKnown(desired) || session === null)
    return unread(context, item, desired, opened, later);
  const answer = await session.read(item.declaration, desired);
  if (answer.kind === 'failed') return unread(context, item, desired, opened, blockedBy(item, answer.why));
  const result = { data: resultData(item, null, answer.resource), complete: true };
  return { ...unread(context, item, desired, opened, { ...later, present: true }), result };
}
