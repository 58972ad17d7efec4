import { managedFields } from '../core/diff.ts';
import type { DigestEntry } from '../core/digest.ts';
import type { JsonObject } from '../core/json.ts';
import type { PlanStep } from '../core/plan.ts';
import { redactForDigest } from '../core/redaction.ts';
import type { Observation, PlannedRequest } from '../core/resource.ts';
import { displayObject, type ValueObject } from '../core/value.ts';
import type { PreparedStep } from './prepare.ts';

export interface EntryInput {
  readonly item: PreparedStep;
  readonly shown: PlanStep;
  readonly desired: ValueObject;
  readonly observation: Observation | null;
  readonly requests: readonly PlannedRequest[];
  readonly flags: {
    readonly allowSelfLockout: boolean;
    readonly takeOver: string | null;
    readonly includeFound: boolean;
  };
}

/** A step as it enters the digest (design: The digest). */
export function digestEntry(input: EntryInput): DigestEntry {
  const { shown } = input;
  if (shown.held !== null) return { address: shown.address, why: `held: ${shown.held}` };
  return { ...commonPart(input), ...ownPart(input) };
}

/** A skipped step enters by address and reason alone. */
export function skippedEntry(address: string, reason: string): DigestEntry {
  return { address, why: `skipped: ${reason}` };
}

function commonPart({ item, shown, flags }: EntryInput): DigestEntry {
  return {
    address: shown.address,
    action: shown.action,
    reconcile: shown.reconcile,
    held: shown.held,
    change: shown.change,
    record: shown.record,
    stack: shown.stack,
    protect: item.step.protect,
    depends_on: shown.depends_on,
    guard: item.step.guard,
    flags,
  };
}

function ownPart(input: EntryInput): JsonObject {
  const { shown, item, desired, observation, requests } = input;
  const logical = requests.map((request) => request.logical);
  if (item.spec.kind === 'read') return { requests: logical };
  const present = observation?.kind === 'present' ? observation : null;
  const managed = present === null ? null : managedFields(desired, present.actual, item.declaration.fields);
  if (shown.change === 'none') return { urn: shown.urn, present: shown.present, fields: redactForDigest(managed) };
  const whole = {
    urn: shown.urn,
    id: present?.id ?? null,
    present: shown.present,
    state: present?.state ?? null,
    desired: redactForDigest(displayObject(desired)),
    actual: redactForDigest(managed),
    requests: redactForDigest(logical),
  };
  const ownEtag = item.spec.kind === 'delete' || shown.change === 'adopt';
  return ownEtag ? { ...whole, etag: present?.etag ?? null } : whole;
}
