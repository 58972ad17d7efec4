import { diagnostic } from '../core/codes.ts';
import { stepDigest } from '../core/digest.ts';
import type { Json, JsonObject } from '../core/json.ts';
import type { Change, PlanStep } from '../core/plan.ts';
import { redact } from '../core/redaction.ts';
import type { Observation, PlannedRequest, WriteChange } from '../core/resource.ts';
import type { Step } from '../core/step.ts';
import { display, displayObject, isKnown, type Value, type ValueObject } from '../core/value.ts';
import { digestEntry } from './entries.ts';
import type { Findings } from './findings.ts';
import type { PlanContext } from './plan-context.ts';
import type { PreparedStep } from './prepare.ts';
import { recordedFacts, recordKind } from './recorded-facts.ts';
import type { PlannedStep } from './runtime.ts';
import { verdictOf } from './verdict.ts';

export function assembleStep(context: PlanContext, item: PreparedStep, findings: Findings): PlannedStep {
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
