import { diagnostic } from '../core/codes.ts';
import { stepDigest } from '../core/digest.ts';
import type { JsonObject } from '../core/json.ts';
import type { Change, PlanStep, RecordKind } from '../core/plan.ts';
import { redact } from '../core/redaction.ts';
import type { Observation, PlannedRequest, WriteChange } from '../core/resource.ts';
import type { Step } from '../core/step.ts';
import { displayObject, isKnown, type Value, type ValueObject } from '../core/value.ts';
import { digestEntry } from './entries.ts';
import type { Findings } from './findings.ts';
import { recordedDesired } from './ownership.ts';
import type { PlanContext } from './plan-context.ts';
import type { PreparedStep } from './prepare.ts';
import { recordedFacts, recordKind } from './recorded-facts.ts';
import type { PlannedStep } from './runtime.ts';
import { verdictOf } from './verdict.ts';

/** Puts a planned step together from what was found out about it. */
export function assembleStep(context: PlanContext, item: PreparedStep, findings: Findings): PlannedStep {
  const { desired, urn, observation, opened, observedAt, result, settlement } = findings;
  const requests = requestsOf(item, desired, findings.decision.change, observation);
  const facts = recordedFacts(item, findings);
  const shown = showStep(item, findings, requests, recordKind(item, findings, facts));
  const { allowSelfLockout, takeOver, includeFound } = context.prepared.options;
  const flags = { allowSelfLockout, takeOver, includeFound };
  const entry = digestEntry({ item, shown, desired, observation, requests, flags });
  const provider = opened.kind === 'open' ? opened.provider : null;
  return { item, shown, entry, desired, urn, observation, observedAt, provider, requests, result, settlement, facts };
}

function showStep(
  item: PreparedStep,
  findings: Findings,
  requests: readonly PlannedRequest[],
  record: RecordKind | null,
): PlanStep {
  const { desired, urn, decision, held, observation } = findings;
  const isRead = item.spec.kind === 'read';
  const present = observation?.kind === 'present' ? observation : null;
  const recorded = recordedDesired(item, urn, findings.ownership);
  const { step } = item;
  // Spelt out rather than spread: with this many keys V8 makes a dictionary of a spread, which a big plan feels.
  return {
    address: step.address,
    step: step.name,
    action: step.action,
    provider: step.provider,
    source: step.source,
    desc: step.desc,
    backend: item.catalogue.backend,
    urn,
    stack: item.stack,
    reconcile: item.reconcile,
    change: decision.change,
    present: decision.present,
    record,
    depends_on: item.dependsOn,
    input: redact(displayObject(item.step.input)) as JsonObject,
    desired: isRead ? null : displayObject(desired),
    actual: present?.actual ?? null,
    recorded: isRead ? null : recorded,
    diff: decision.diff,
    unknown: Object.keys(desired).filter((field) => !isKnown(desired[field] as Value)),
    would_call: requests.map((request) => request.call),
    converge: item.spec.converge,
    plan_digest: ownDigest(item, findings, requests),
    held,
    drift:
      item.reconcile === 'report' && observation !== null
        ? verdictOf(recorded, observation, item.declaration.fields)
        : null,
    preflight: null,
    diagnostics: decision.diagnostics,
    resource_id: present?.id ?? null,
    state: present?.state ?? null,
  };
}

/** What an `infra exec` step confirms; deletes and adoptions have one. */
function ownDigest(item: PreparedStep, findings: Findings, requests: readonly PlannedRequest[]): string | null {
  const { urn, decision, observation } = findings;
  const confirmable = item.spec.kind === 'delete' || item.reconcile === 'adopt';
  if (!confirmable || observation === null || decision.change === 'blocked') return null;
  const present = observation.kind === 'present' ? observation : null;
  return stepDigest({
    action: item.step.action,
    urn,
    change: decision.change,
    present: decision.present,
    id: present?.id ?? null,
    etag: present?.etag ?? null,
    state: present?.state ?? null,
    actual: present?.actual ?? null,
    requests: requests.map((request) => request.logical),
  });
}

const WRITE_CHANGES: ReadonlySet<Change> = new Set<Change>(['create', 'update', 'move', 'undelete', 'delete']);

/** Reads show their request; an undecided step shows what a create would send. */
export function requestsOf(
  item: PreparedStep,
  desired: ValueObject,
  change: Change,
  seen: Observation | null,
): readonly PlannedRequest[] {
  if (item.spec.kind === 'read') return item.catalogue.readRequests(item.declaration, desired, item.step);
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
  const { address, source } = step;
  return {
    address,
    step: step.name,
    action: step.action,
    provider: step.provider,
    source,
    desc: step.desc,
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
    diagnostics: [diagnostic('STEP_SKIPPED', reason, { address, source })],
    resource_id: null,
    state: null,
  };
}
