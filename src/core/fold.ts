import { type ExecutionId, type Origin, type ProviderFact, UNSCOPED } from './facts.ts';
import { type Json, jsonEquals } from './json.ts';

/** A resource that the log says is owned. */
export interface Owned {
  readonly urn: string;
  readonly stack: string;
  readonly provider: string;
  readonly service: string;
  readonly resourceType: string;
  readonly resourceId: string | null;
  readonly lastDesired: Json;
  readonly lastExecutionId: ExecutionId;
  /** As a fact says it; null: none does, as in the logs of others. Ask `originOf`. */
  readonly origin: Origin | null;
  /** How its ownership began: as a fact says it (by an origin, or by adopting it), else by the outcome of the first one. */
  readonly began: 'said' | 'changed' | 'noop';
  readonly credential: string | null;
}

/** How it came to be owned: what was as desired when it was first recorded was found. Null: it may have been made. */
export function originOf({ origin, began }: Pick<Owned, 'origin' | 'began'>): Origin | null {
  return origin ?? (began === 'noop' ? 'found' : null);
}

/** Ownership as facts give it: the last writer wins per URN. */
export interface OwnershipModel {
  readonly owned: ReadonlyMap<string, Owned>;
  /** URNs given up or deleted, with the fact that did it. */
  readonly tombstones: ReadonlyMap<string, ProviderFact>;
  /** The newest word about protection, which outlives declaration and ownership; the newest last. */
  readonly protection: ReadonlyMap<string, boolean>;
  /** URNs by the cloud's own ids, as a look at the cloud gave them: they count before what facts say. Left out: none. */
  readonly learned?: ReadonlyMap<string, readonly string[]>;
}

export interface OwnershipFold {
  add(fact: ProviderFact): void;
  readonly model: OwnershipModel;
}

const ASSERTING: ReadonlySet<string> = new Set(['ensure/changed', 'ensure/noop', 'adopt/adopted']);
const ENDING: ReadonlySet<string> = new Set(['delete/deleted', 'delete/absent']);

/** Applied ensures and adoptions make their stack the owner; a planned fact is intent, not ownership. */
export function assertsOwnership(fact: ProviderFact): boolean {
  return ASSERTING.has(`${fact.verb}/${fact.outcome}`);
}

/** Applied deletions, and what gives ownership up: forgotten and renamed. */
export function endsOwnership(fact: ProviderFact): boolean {
  return ENDING.has(`${fact.verb}/${fact.outcome}`);
}

/** A fold that takes facts one by one, in log order, from nothing or from (a copy of) what was folded before. */
export function startFold(from?: OwnershipModel): OwnershipFold {
  const owned = new Map<string, Owned>(from?.owned);
  const tombstones = new Map<string, ProviderFact>(from?.tombstones);
  const protection = new Map<string, boolean>(from?.protection);
  const add = (fact: ProviderFact): void => {
    if (fact.outcome === 'planned') return;
    if (assertsOwnership(fact)) assertOwnership(fact, owned, tombstones);
    else if (endsOwnership(fact)) endOwnership(fact, owned, tombstones);
    const protect = fact.protect ?? inheritedProtection(fact, protection);
    if (protect === undefined) return;
    protection.delete(fact.urn);
    protection.set(fact.urn, protect);
  };
  const learned = from?.learned;
  return { add, model: { owned, tombstones, protection, ...(learned === undefined ? {} : { learned }) } };
}

/** A resource under its new URN is as protected as under the old one. */
function inheritedProtection(fact: ProviderFact, protection: ReadonlyMap<string, boolean>): boolean | undefined {
  return fact.renamed_from === undefined || !assertsOwnership(fact) ? undefined : protection.get(fact.renamed_from);
}

function assertOwnership(fact: ProviderFact, owned: Map<string, Owned>, tombstones: Map<string, ProviderFact>): void {
  const before = owned.get(fact.urn);
  tombstones.delete(fact.urn);
  owned.set(fact.urn, {
    urn: fact.urn,
    stack: fact.stack,
    provider: fact.provider,
    service: fact.service,
    resourceType: fact.resource_type,
    resourceId: fact.resource_id ?? before?.resourceId ?? null,
    lastDesired: fact.desired,
    lastExecutionId: fact.execution_id,
    origin: fact.origin ?? before?.origin ?? null,
    began: beganBy(fact, before),
    credential: fact.credential ?? before?.credential ?? null,
  });
}

function beganBy({ origin, verb, outcome }: ProviderFact, before: Owned | undefined): Owned['began'] {
  if (origin !== undefined || verb === 'adopt') return 'said';
  return before?.began ?? (outcome === 'noop' ? 'noop' : 'changed');
}

function endOwnership(fact: ProviderFact, owned: Map<string, Owned>, tombstones: Map<string, ProviderFact>): void {
  const before = owned.get(fact.urn);
  // Forgetting gives up what is the stack's own, and nothing of another's.
  if (before !== undefined && fact.forgotten === true && before.stack !== fact.stack) return;
  owned.delete(fact.urn);
  tombstones.set(fact.urn, fact);
}

export function foldFacts(facts: Iterable<ProviderFact>): OwnershipModel {
  const fold = startFold();
  for (const fact of facts) fold.add(fact);
  return fold.model;
}

/** Whether the fact would change what the log says: facts that would not are not written. */
export function altersFold(model: OwnershipModel, fact: ProviderFact): boolean {
  if (fact.protect !== undefined && model.protection.get(fact.urn) !== fact.protect) return true;
  const owned = model.owned.get(fact.urn);
  if (fact.verb === 'delete') return owned !== undefined && !(fact.forgotten === true && owned.stack !== fact.stack);
  if (owned === undefined || owned.stack !== fact.stack) return true;
  if (fact.resource_id !== undefined && owned.resourceId !== fact.resource_id) return true;
  return !jsonEquals(owned.lastDesired, fact.desired);
}

/** The model narrowed to what one stack owns or gave up; protection is a resource's, whoever owns it. */
export function forStack(model: OwnershipModel, stack: string): OwnershipModel {
  return {
    ...model,
    owned: new Map([...model.owned].filter(([, item]) => item.stack === stack)),
    tombstones: new Map([...model.tombstones].filter(([, fact]) => fact.stack === stack)),
  };
}

/** The URNs that the cloud's own ids are known by: as the cloud says, else of what is owned, then of what was given up. */
export function urnsByResourceId({
  owned,
  tombstones,
  learned,
}: OwnershipModel): ReadonlyMap<string, readonly string[]> {
  const urns = new Map<string, string[]>();
  const note = (id: string | null | undefined, urn: string): void => {
    if (id == null) return;
    const list = urns.get(id);
    if (list === undefined) urns.set(id, [urn]);
    else list.push(urn);
  };
  for (const { resourceId, urn } of owned.values()) note(resourceId, urn);
  for (const { resource_id, urn } of tombstones.values()) note(resource_id, urn);
  for (const [id, known] of learned ?? []) urns.set(id, [...known]);
  return urns;
}

/** Every stack that owns something, sorted. */
export function stacksOf(model: OwnershipModel): readonly string[] {
  return [...new Set([...model.owned.values()].map((item) => item.stack))].sort();
}

/** The stack that owns a URN, or null. */
export function ownerOf(model: OwnershipModel, urn: string): string | null {
  return model.owned.get(urn)?.stack ?? null;
}

export function stackName(stack: string | null): string {
  return stack ?? UNSCOPED;
}
