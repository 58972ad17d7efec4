import type { ProviderFact } from '../core/facts.ts';
import { originOf } from '../core/fold.ts';
import type { Json } from '../core/json.ts';
import { type Nameable, type Ownership, renamedFrom } from './ownership.ts';

/** A fact with what it says about the other URNs under which the same resource was owned before. */
export function withRename(ownership: Ownership, item: Nameable, fact: ProviderFact): readonly ProviderFact[] {
  const before = renamedFrom(ownership, item, fact);
  if (fact.verb === 'delete')
    return [...before.map(({ urn, lastDesired }) => ({ ...fact, urn, desired: lastDesired })), fact];
  const [first, ...more] = before;
  if (first === undefined) return [fact];
  const own = ownership.model.owned.get(fact.urn);
  // What was said under this name as well must not be lost to what the other name inherits to it.
  const protect = fact.protect ?? (own === undefined ? undefined : ownership.model.protection.get(fact.urn));
  const kept = protect === undefined ? fact : { ...fact, protect };
  const origin = (own?.stack === fact.stack ? originOf(own) : null) ?? originOf(first);
  return [...renameFacts(kept, { ...first, origin }), ...more.map((owned) => givenFact(kept, owned))];
}

/** The fact about the step's own URN, among those that give up another name or another stack's claim. */
export function ownFact(facts: readonly ProviderFact[]): ProviderFact | null {
  return facts.findLast((fact) => fact.renamed_to === undefined && fact.forgotten !== true) ?? facts.at(-1) ?? null;
}

/**
 * A URN that changed: owned under the new name, given up under the old one, so that any reader of facts folds it right.
 * In this order, because a log cut between the two must not have lost the resource.
 */
function renameFacts(
  fact: ProviderFact,
  before: { readonly urn: string; readonly lastDesired: Json; readonly origin: ProviderFact['origin'] | null },
): readonly ProviderFact[] {
  // An adoption stays one: it is what makes the stack the owner, whatever its name was.
  const asserted: Partial<ProviderFact> =
    fact.verb === 'adopt'
      ? {}
      : { verb: 'ensure', outcome: 'changed', ...(before.origin == null ? {} : { origin: before.origin }) };
  const taken: ProviderFact = { ...fact, ...asserted, renamed_from: before.urn };
  return [taken, givenFact(fact, before)];
}

function givenFact(fact: ProviderFact, before: { readonly urn: string; readonly lastDesired: Json }): ProviderFact {
  const { protect: _protect, origin: _origin, ...rest } = fact;
  return {
    ...rest,
    urn: before.urn,
    verb: 'delete',
    outcome: 'absent',
    desired: before.lastDesired,
    renamed_to: fact.urn,
  };
}
