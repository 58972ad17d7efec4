import { diagnostic } from '../core/codes.ts';
import { type Diagnostic, DiagnosticError } from '../core/diagnostics.ts';
import { stepDigest } from '../core/digest.ts';
import { type ProviderFact, UNSCOPED } from '../core/facts.ts';
import { startFold } from '../core/fold.ts';
import { isJsonObject, type Json, type JsonObject } from '../core/json.ts';
import { type Change, hasPendingWrite, type PlanStep, type RecordKind } from '../core/plan.ts';
import { redact } from '../core/redaction.ts';
import type { Observation, PlannedRequest, WriteChange } from '../core/resource.ts';
import type { Step } from '../core/step.ts';
import { display, displayObject, isKnown, referencesIn, type Value, type ValueObject } from '../core/value.ts';
import type { OpenedProvider, Target } from '../providers/lifecycle-provider.ts';
import { adoptedDesired, type Decision, decideAdopt, decideDelete, decideEnsure } from './classify.ts';
import { digestEntry } from './entries.ts';
import { desiredOf, factOf, type Ownership, ownershipOf, recordOf, renamedFrom } from './ownership.ts';
import type { PlanContext } from './plan-context.ts';
import { checkGuardOffline, type PreparedStep } from './prepare.ts';
import { resolveDesired } from './resolve.ts';
import { NO_RESULT, resultData, type StepResult } from './results.ts';
import type { PlannedStep } from './runtime.ts';
import { type Settlement, settleIntent } from './settle.ts';
import { verdictOf } from './verdict.ts';

type Dependencies = ReadonlyMap<string, PlannedStep>;

/** What was found out about a step before it is put together as a planned one. */
interface Findings {
  readonly desired: ValueObject;
  readonly urn: string | null;
  readonly decision: Decision;
  readonly held: string | null;
  readonly observation: Observation | null;
  readonly opened: OpenedProvider;
  readonly observedAt: number;
  readonly result: StepResult;
  readonly settlement: Settlement | null;
  readonly ownership: Ownership;
}

/** Plans one step after those it depends on. */
export async function planStep(context: PlanContext, item: PreparedStep): Promise<PlannedStep> {
  const dependencies = await dependenciesOf(context, item);
  const findings = await findOut(context, item, dependencies);
  const planned = assembleStep(context, item, findings);
  context.ports.emit({ type: 'step_planned', step: planned.shown });
  return planned;
}

async function dependenciesOf(context: PlanContext, item: PreparedStep): Promise<Dependencies> {
  const found = new Map<string, PlannedStep>();
  for (const address of item.dependsOn) {
    const planned = await context.planned(address);
    if (planned !== undefined) found.set(address, planned);
  }
  return found;
}

async function findOut(context: PlanContext, item: PreparedStep, dependencies: Dependencies): Promise<Findings> {
  const opened = await context.open(item);
  try {
    const desired = resolveDesired(
      item,
      item.declaration.desired,
      (address) => dependencies.get(address)?.result,
      context.evaluate,
    );
    const early = blockedEarly(item, desired, dependencies);
    if (early !== null) return unread(context, item, desired, opened, early);
    const session = context.sessionOf(opened);
    if (session === null || opened.kind === 'unusable') return withoutReading(context, item, desired, opened);
    const target = targetOf(context, item, desired, dependencies);
    const resolved = await session.resolve(target);
    if (resolved.kind === 'failed') return unread(context, item, desired, opened, blockedBy(item, resolved.why));
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
    return decide(context, item, resolved.desired, opened, observation);
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
    if (held === null || item.held !== null) continue;
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

function blockedBy(item: PreparedStep, why: Diagnostic): Decision {
  return {
    change: 'blocked',
    present: 'unknown',
    diff: {},
    diagnostics: [{ ...why, address: item.step.address, source: why.source ?? item.step.source }],
  };
}

function checkResolved(item: PreparedStep, desired: ValueObject): readonly Diagnostic[] {
  return isKnown(item.declaration.desired) && desired === item.declaration.desired
    ? []
    : checkGuardOffline(item, desired);
}

function urnOf(item: PreparedStep, desired: ValueObject): string | null {
  return item.declaration.urn ?? item.catalogue.urnOf(item.declaration, desired);
}

function unread(
  context: PlanContext,
  item: PreparedStep,
  desired: ValueObject,
  opened: OpenedProvider,
  decision: Decision,
): Findings {
  const held = decision.change === 'blocked' ? null : item.held;
  return {
    desired,
    urn: urnOf(item, desired),
    decision,
    held,
    observation: null,
    opened,
    observedAt: context.ports.clock.now(),
    result: NO_RESULT,
    settlement: null,
    ownership: context.ownership,
  };
}

/** No usable auth, or offline: what needs the live cloud is held or blocked, the rest is planned as far as it goes. */
function withoutReading(
  context: PlanContext,
  item: PreparedStep,
  desired: ValueObject,
  opened: OpenedProvider,
): Findings {
  const why = opened.kind === 'unusable' ? opened.why : null;
  const held =
    item.held ?? (item.spec.kind === 'read' ? (context.prepared.options.offline ? 'offline' : 'no auth') : null);
  if (item.spec.kind === 'read')
    return {
      ...unread(context, item, desired, opened, { change: 'read', present: 'unknown', diff: {}, diagnostics: [] }),
      held,
    };
  if (item.spec.kind === 'delete' || item.reconcile === 'adopt') {
    if (held !== null)
      return unread(context, item, desired, opened, {
        change: 'unknown',
        present: 'unknown',
        diff: {},
        diagnostics: [],
      });
    const needed = diagnostic(
      'BLOCKED',
      `a ${item.spec.kind === 'delete' ? 'delete' : 'adoption'} is decided on the live resource, which could not be read: ${why?.detail ?? 'no auth'}`,
      { hint: 'Give the step an auth that works here.' },
    );
    return unread(context, item, desired, opened, blockedBy(item, { ...needed, severity: 'warning' }));
  }
  const note: readonly Diagnostic[] =
    why === null
      ? []
      : [{ ...why, severity: 'note', address: item.step.address, source: why.source ?? item.step.source }];
  return {
    ...unread(context, item, desired, opened, { change: 'unknown', present: 'unknown', diff: {}, diagnostics: note }),
    held,
  };
}

function targetOf(context: PlanContext, item: PreparedStep, desired: ValueObject, dependencies: Dependencies): Target {
  const pending = [...dependencies].filter(([, planned]) => isPendingContainer(planned)).map(([address]) => address);
  const urn = urnOf(item, desired);
  const owned = urn === null ? undefined : context.ownership.model.owned.get(urn);
  return {
    declaration: item.declaration,
    desired,
    resourceId: owned?.resourceId ?? null,
    pending: new Set(pending),
    forDelete: item.spec.kind === 'delete',
  };
}

function isPendingContainer({ shown }: PlannedStep): boolean {
  return shown.change === 'create' || shown.change === 'unknown';
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

function decide(
  context: PlanContext,
  item: PreparedStep,
  desired: ValueObject,
  opened: OpenedProvider,
  observation: Observation,
): Findings {
  const urn = urnOf(item, desired);
  const open = urn === null ? undefined : context.openIntents.get(urn);
  const settlement = open === undefined ? null : settleIntent(item, open, observation);
  const ownership = settlement?.fact == null ? context.ownership : withFact(context.ownership, settlement.fact);
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
  if (settlement?.verdict === 'unresolved') {
    const why = diagnostic(
      'BLOCKED',
      'an earlier run was interrupted here, and what became of its request could not be read.',
      { hint: 'Run the plan again when the resource can be read.' },
    );
    return { ...base, held: null, decision: blockedBy(item, why), result: NO_RESULT };
  }
  const decision = withStackWarning(
    item,
    urn,
    ownership,
    decisionOf(context, item, urn, desired, observation, ownership),
  );
  return {
    ...base,
    decision,
    held: decision.change === 'none' || decision.change === 'blocked' ? null : item.held,
    result: resultOf(item, urn, decision, observation),
  };
}

function withFact(ownership: Ownership, fact: ProviderFact): Ownership {
  const fold = startFold(ownership.model);
  fold.add(fact);
  return ownershipOf(fold.model);
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
    const isProtected = item.step.protect === true || (urn !== null && model.protection.get(urn) === true);
    return decideDelete(item, urn, seen, { isProtected, wasDeletedByUs: urn !== null && model.tombstones.has(urn) });
  }
  if (item.reconcile !== 'adopt') return decideEnsure(item, urn, desired, seen);
  const foreignStack =
    owned !== undefined && owned.stack !== (item.stack ?? UNSCOPED) && owned.stack !== context.prepared.options.takeOver
      ? owned.stack
      : null;
  return decideAdopt(item, urn, desired, seen, {
    recorded: owned?.lastDesired ?? null,
    owned: owned !== undefined && owned.stack === (item.stack ?? UNSCOPED),
    foreignStack,
  });
}

function withStackWarning(item: PreparedStep, urn: string | null, ownership: Ownership, decision: Decision): Decision {
  const owner = urn === null ? undefined : ownership.model.owned.get(urn);
  if (
    item.spec.kind !== 'ensure' ||
    item.reconcile === 'adopt' ||
    owner === undefined ||
    owner.stack === (item.stack ?? UNSCOPED)
  )
    return decision;
  const warning = diagnostic(
    'OTHER_STACK',
    `stack ${JSON.stringify(owner.stack)} owns this resource too. Two stacks that manage one resource will undo each other's changes.`,
    { address: item.step.address, urn, source: item.step.source },
  );
  return { ...decision, diagnostics: [...decision.diagnostics, warning] };
}

/** Of something that will change only the names are known now. */
function resultOf(item: PreparedStep, urn: string | null, decision: Decision, seen: Observation): StepResult {
  if (seen.kind !== 'present' || decision.change === 'blocked' || decision.change === 'delete') return NO_RESULT;
  if (decision.change === 'none' || decision.change === 'adopt')
    return { data: resultData(item, urn, seen.resource), complete: true };
  const stable = isJsonObject(seen.resource)
    ? Object.fromEntries(
        Object.entries(seen.resource).filter(([key]) => key === 'name' || key === 'id' || key === 'projectId'),
      )
    : {};
  return { data: resultData(item, urn, stable), complete: false };
}

function assembleStep(context: PlanContext, item: PreparedStep, findings: Findings): PlannedStep {
  const { desired, urn, decision, held, observation, opened } = findings;
  const requests = requestsOf(item, desired, decision.change, observation);
  const facts = recordedFacts(item, findings);
  const record = recordKind(item, findings, facts);
  const present = observation?.kind === 'present' ? observation : null;
  const owned = urn === null ? undefined : findings.ownership.model.owned.get(urn);
  const recorded: Json =
    item.step.knownDesired !== null ? display(item.step.knownDesired) : (owned?.lastDesired ?? null);
  const logical = requests.map((request) => request.logical);
  const shown: PlanStep = {
    address: item.step.address,
    step: item.step.name,
    action: item.step.action,
    provider: item.step.provider,
    backend: item.catalogue.backend,
    urn,
    stack: item.stack,
    reconcile: item.reconcile,
    change: decision.change,
    present: decision.present,
    record,
    depends_on: item.dependsOn,
    input: redact(displayObject(item.step.input)) as JsonObject,
    desired: item.spec.kind === 'read' ? null : displayObject(desired),
    actual: present?.actual ?? null,
    recorded: item.spec.kind === 'read' ? null : recorded,
    diff: decision.diff,
    unknown: Object.keys(desired).filter((field) => !isKnown(desired[field] as Value)),
    would_call: requests.map((request) => request.call),
    converge: item.spec.converge,
    plan_digest:
      hasOwnDigest(item) && observation !== null && decision.change !== 'blocked'
        ? stepDigest({
            action: item.step.action,
            urn,
            change: decision.change,
            present: decision.present,
            id: present?.id ?? null,
            etag: present?.etag ?? null,
            state: present?.state ?? null,
            actual: present?.actual ?? null,
            requests: logical,
          })
        : null,
    held,
    drift:
      item.reconcile === 'report' && observation !== null
        ? verdictOf(recorded, observation, item.declaration.fields)
        : null,
    preflight: null,
    source: item.step.source,
    diagnostics: decision.diagnostics,
    resource_id: present?.id ?? null,
    state: present?.state ?? null,
    desc: item.step.desc,
  };
  const { allowSelfLockout, takeOver, includeFound } = context.prepared.options;
  const entry = digestEntry({
    item,
    shown,
    desired,
    observation,
    requests,
    flags: { allowSelfLockout, takeOver, includeFound },
  });
  const provider = opened.kind === 'open' ? opened.provider : null;
  return {
    item,
    shown,
    entry,
    desired,
    urn,
    observation,
    observedAt: findings.observedAt,
    provider,
    requests,
    result: findings.result,
    settlement: findings.settlement,
    facts,
  };
}

function hasOwnDigest(item: PreparedStep): boolean {
  return item.spec.kind === 'delete' || item.reconcile === 'adopt';
}

const WRITE_CHANGES: ReadonlySet<Change> = new Set<Change>(['create', 'update', 'move', 'undelete', 'delete']);

/** Reads show their request; an undecided step shows what a create would send. */
export function requestsOf(
  item: PreparedStep,
  desired: ValueObject,
  change: Change,
  seen: Observation | null,
): readonly PlannedRequest[] {
  if (item.spec.kind === 'read') return [item.catalogue.readRequest(item.declaration, desired, item.step)];
  const write: WriteChange | null =
    change === 'unknown'
      ? item.spec.kind === 'delete'
        ? 'delete'
        : 'create'
      : WRITE_CHANGES.has(change)
        ? (change as WriteChange)
        : null;
  if (write === null) return [];
  const observation = seen?.kind === 'present' ? seen : null;
  return item.catalogue.requests({ declaration: item.declaration, desired, change: write, observation }, item.step);
}

/** Facts that need no cloud write: a first ownership, protection, a tombstone, another name for the same resource, an adoption. */
function recordedFacts(item: PreparedStep, findings: Findings): readonly ProviderFact[] {
  const { urn, decision, observation, desired, ownership, held } = findings;
  if (urn === null || held !== null || item.held !== null) return [];
  const present = observation?.kind === 'present' ? observation : null;
  const base = { urn, resourceId: present?.id ?? null, executionId: 0, digest: null };
  if (decision.change === 'adopt' && present !== null) {
    return [
      ...takeOverFacts(item, findings),
      factOf(item, {
        ...base,
        verb: 'adopt',
        outcome: 'adopted',
        desired: adoptedDesired(item, desired, present.actual),
        origin: 'adopted',
      }),
    ];
  }
  if (decision.change !== 'none') return [];
  if (item.spec.kind === 'delete')
    return ownership.model.owned.has(urn)
      ? [factOf(item, { ...base, verb: 'delete', outcome: 'absent', desired: desiredOf(desired), origin: null })]
      : [];
  if (item.reconcile === 'adopt') return [];
  const found = ownership.model.owned.has(urn) ? null : 'found';
  const fact = factOf(item, { ...base, verb: 'ensure', outcome: 'noop', desired: desiredOf(desired), origin: found });
  const before = renamedFrom(ownership, item, urn, base.resourceId);
  if (before !== null) return renameFacts(item, fact, before);
  return recordOf(ownership, item, fact) === null ? [] : [fact];
}

/** A URN that changed: given up under the old name, owned under the new one, so that any reader of facts folds it right. */
export function renameFacts(
  item: PreparedStep,
  fact: ProviderFact,
  before: { readonly urn: string; readonly lastDesired: Json; readonly origin: ProviderFact['origin'] | null },
): readonly ProviderFact[] {
  const { protect: _protect, origin: _origin, ...rest } = fact;
  const given: ProviderFact = {
    ...rest,
    urn: before.urn,
    verb: 'delete',
    outcome: 'absent',
    desired: before.lastDesired,
    renamed_to: fact.urn,
  };
  const taken: ProviderFact = {
    ...fact,
    verb: 'ensure',
    outcome: 'changed',
    ...(before.origin == null ? {} : { origin: before.origin }),
    renamed_from: before.urn,
  };
  return item.spec.kind === 'ensure' ? [given, taken] : [];
}

function takeOverFacts(item: PreparedStep, { urn, ownership, desired }: Findings): readonly ProviderFact[] {
  const owned = urn === null ? undefined : ownership.model.owned.get(urn);
  if (urn === null || owned === undefined || owned.stack === (item.stack ?? UNSCOPED)) return [];
  const given = factOf(item, {
    urn,
    verb: 'delete',
    outcome: 'absent',
    desired: desiredOf(desired),
    resourceId: owned.resourceId,
    origin: null,
    executionId: 0,
    digest: null,
  });
  const { protect: _protect, ...rest } = given;
  return [{ ...rest, stack: owned.stack, forgotten: true }];
}

function recordKind(item: PreparedStep, findings: Findings, facts: readonly ProviderFact[]): RecordKind | null {
  const last = facts.at(-1);
  if (last === undefined) return null;
  if (last.verb === 'delete') return 'tombstone';
  if (findings.decision.change === 'adopt') return 'own';
  return recordOf(findings.ownership, item, last);
}

/** A step that takes no part, as the plan shows it. */
export function skippedStep(step: Step, reason: string): PlanStep {
  const note = diagnostic('STEP_SKIPPED', reason, { address: step.address, source: step.source });
  return {
    address: step.address,
    step: step.name,
    action: step.action,
    provider: step.provider,
    backend: step.provider === 'yandex' ? 'yc' : 'rest',
    urn: null,
    stack: null,
    reconcile: null,
    change: 'skipped',
    present: 'unknown',
    record: null,
    depends_on: [],
    input: {},
    desired: null,
    actual: null,
    recorded: null,
    diff: {},
    unknown: [],
    would_call: [],
    converge: '',
    plan_digest: null,
    held: null,
    drift: null,
    preflight: null,
    source: step.source,
    diagnostics: [note],
    resource_id: null,
    state: null,
    desc: step.desc,
  };
}
