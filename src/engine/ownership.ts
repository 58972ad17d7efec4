import { type Origin, type ProviderFact, UNSCOPED } from '../core/facts.ts';
import { altersFold, type Owned, type OwnershipModel } from '../core/fold.ts';
import type { Json } from '../core/json.ts';
import type { RecordKind } from '../core/plan.ts';
import { displayObject, type ValueObject } from '../core/value.ts';
import type { PreparedStep } from './prepare.ts';

/** The log as a plan sees it: the fold, with what settled intents add to it. */
export interface Ownership {
  readonly model: OwnershipModel;
  /** Owned URNs by the cloud's own id. */
  readonly byResourceId: ReadonlyMap<string, readonly Owned[]>;
}

export function ownershipOf(model: OwnershipModel): Ownership {
  const byResourceId = new Map<string, Owned[]>();
  for (const owned of model.owned.values()) {
    if (owned.resourceId === null) continue;
    const list = byResourceId.get(owned.resourceId);
    if (list === undefined) byResourceId.set(owned.resourceId, [owned]);
    else list.push(owned);
  }
  return { model, byResourceId };
}

export interface FactInput {
  readonly verb: ProviderFact['verb'];
  readonly outcome: ProviderFact['outcome'];
  readonly urn: string;
  readonly desired: Json;
  readonly resourceId: string | null;
  readonly origin: Origin | null;
  readonly executionId: number;
  readonly digest: string | null;
}

/** A fact about the step's resource; keys without a value are left out. */
export function factOf(item: PreparedStep, input: FactInput): ProviderFact {
  const { step, spec } = item;
  return {
    urn: input.urn,
    provider: spec.provider,
    service: spec.service,
    resource_type: spec.resourceType,
    verb: input.verb,
    stack: item.stack ?? UNSCOPED,
    desired: input.desired,
    execution_id: input.executionId,
    outcome: input.outcome,
    ...(input.resourceId === null ? {} : { resource_id: input.resourceId }),
    ...(input.origin === null ? {} : { origin: input.origin }),
    ...(step.protect === null || spec.kind === 'delete' ? {} : { protect: step.protect }),
    step: step.address,
    ...(input.digest === null ? {} : { digest: input.digest }),
    ...(step.auth?.credential == null ? {} : { credential: step.auth.credential }),
  };
}

export function desiredOf(desired: ValueObject): Json {
  return displayObject(desired);
}

/** The URN under which this stack owns the resource now, when that is not the one the playbook gives it. */
export function renamedFrom(
  ownership: Ownership,
  item: Pick<PreparedStep, 'stack' | 'spec'>,
  urn: string,
  resourceId: string | null,
): Owned | null {
  if (resourceId === null || ownership.model.owned.has(urn)) return null;
  const stack = item.stack ?? UNSCOPED;
  const others = ownership.byResourceId.get(resourceId) ?? [];
  return (
    others.find(
      (owned) => owned.stack === stack && owned.resourceType === item.spec.resourceType && owned.urn !== urn,
    ) ?? null
  );
}

/** What another stack owns of this resource: under its URN, else (where a URN names its stack) under another one. */
export function ownedElsewhere(
  ownership: Ownership,
  item: Pick<PreparedStep, 'stack' | 'spec'>,
  urn: string | null,
  resourceId: string | null,
): Owned | null {
  const stack = item.stack ?? UNSCOPED;
  const owned = urn === null ? undefined : ownership.model.owned.get(urn);
  if (owned !== undefined) return owned.stack === stack ? null : owned;
  const others = resourceId === null ? [] : (ownership.byResourceId.get(resourceId) ?? []);
  return others.find((other) => other.stack !== stack && other.resourceType === item.spec.resourceType) ?? null;
}

/** What the log learns from a resource that is already as desired. */
export function recordOf(ownership: Ownership, item: PreparedStep, fact: ProviderFact): RecordKind | null {
  if (renamedFrom(ownership, item, fact.urn, fact.resource_id ?? null) !== null) return 'rename';
  if (!altersFold(ownership.model, fact)) return null;
  const owned = ownership.model.owned.get(fact.urn);
  if (owned === undefined || owned.stack !== fact.stack) return 'own';
  const { protect, ...rest } = fact;
  const protectOnly = protect !== undefined && !altersFold(ownership.model, rest);
  return protectOnly ? 'protect' : 'own';
}
