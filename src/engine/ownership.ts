import { type Origin, type ProviderFact, UNSCOPED } from '../core/facts.ts';
import { altersFold, type Owned, type OwnershipModel } from '../core/fold.ts';
import type { Json } from '../core/json.ts';
import type { RecordKind } from '../core/plan.ts';
import { display, displayObject, type ValueObject } from '../core/value.ts';
import { placeByIds } from './declared-names.ts';
import { type OneNames, oneNames } from './one-name.ts';
import type { EnginePorts } from './ports.ts';
import type { PreparedStep } from './prepare.ts';

/** The log as a plan sees it: the fold, with what settled intents add to it. */
export interface Ownership {
  readonly model: OwnershipModel;
  /** Owned URNs by the cloud's own id. */
  readonly byResourceId: ReadonlyMap<string, readonly Owned[]>;
  readonly names: OneNames;
}

export function ownershipOf(ports: Pick<EnginePorts, 'catalogues'>, model: OwnershipModel): Ownership {
  const byResourceId = new Map<string, Owned[]>();
  for (const owned of model.owned.values()) {
    if (owned.resourceId === null) continue;
    const list = byResourceId.get(owned.resourceId);
    if (list === undefined) byResourceId.set(owned.resourceId, [owned]);
    else list.push(owned);
  }
  return { model, byResourceId, names: oneNames(ports, model) };
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

/** A step as far as the names of its resource go; without a catalogue only its id tells them. */
export type Nameable = Pick<PreparedStep, 'stack' | 'spec' | 'declaration'> & Partial<Pick<PreparedStep, 'catalogue'>>;

/** What a fact says about which resource it is. */
export type Named = Pick<ProviderFact, 'urn' | 'desired' | 'resource_id'>;

/** The URNs under which this stack owns the resource now, beside the one that the playbook gives it. */
export function renamedFrom(ownership: Ownership, item: Nameable, named: Named): readonly Owned[] {
  const stack = item.stack ?? UNSCOPED;
  return otherNames(ownership, item, named).filter((owned) => owned.stack === stack);
}

/**
 * What is owned as the same resource under other URNs, whatever the stack: by the cloud's id, by another way to write
 * its URN, or, where the log has no id, by its place written by ids.
 */
function otherNames(
  { model, byResourceId, names }: Ownership,
  item: Nameable,
  { urn, desired, resource_id: id }: Named,
): readonly Owned[] {
  const place = item.catalogue === undefined ? null : placeByIds(item.catalogue, item.declaration, desired);
  const there = place === null ? undefined : model.owned.get(place);
  const known = id === undefined ? [] : (byResourceId.get(id) ?? []);
  const found = new Set([...known, ...(there?.resourceId === null ? [there] : []), ...names.ownedAs(urn)]);
  return [...found].filter((owned) => owned.resourceType === item.spec.resourceType && owned.urn !== urn);
}

/** What other stacks own of this resource, under its URN or under another one. */
export function ownedElsewhere(
  ownership: Ownership,
  item: Nameable,
  { urn, ...named }: Omit<Named, 'urn'> & { readonly urn: string | null },
): readonly Owned[] {
  if (urn === null) return [];
  const own = ownership.model.owned.get(urn);
  const all = [...(own === undefined ? [] : [own]), ...otherNames(ownership, item, { urn, ...named })];
  return all.filter(({ stack }) => stack !== (item.stack ?? UNSCOPED));
}

/** The last desired: what the step says it was, else what the log says. */
export function recordedDesired(item: PreparedStep, urn: string | null, { model, names }: Ownership): Json {
  if (item.step.knownDesired === null)
    return urn === null ? null : ((model.owned.get(urn) ?? names.ownedAs(urn)[0])?.lastDesired ?? null);
  return item.catalogue.fromForeign(item.spec.resourceType, urn ?? '', display(item.step.knownDesired)).desired;
}

/** What the log learns from a resource that is already as desired. */
export function recordOf(ownership: Ownership, item: PreparedStep, fact: ProviderFact): RecordKind | null {
  if (renamedFrom(ownership, item, fact).length > 0) return 'rename';
  if (!altersFold(ownership.model, fact)) return null;
  const owned = ownership.model.owned.get(fact.urn);
  if (owned === undefined || owned.stack !== fact.stack) return 'own';
  const { protect, ...rest } = fact;
  const protectOnly = protect !== undefined && !altersFold(ownership.model, rest);
  return protectOnly ? 'protect' : 'own';
}
