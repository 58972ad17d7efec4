import type { ProviderFact } from '../core/facts.ts';
import type { Json } from '../core/json.ts';
import { type Ownership, renamedFrom } from './ownership.ts';
import type { PreparedStep } from './prepare.ts';

/** A fact with what it says about the URN under which the same resource was owned before. */
export function withRename(ownership: Ownership, item: PreparedStep, fact: ProviderFact): readonly ProviderFact[] {
  const before = renamedFrom(ownership, item, fact.urn, fact.resource_id ?? null);
  if (before === null) return [fact];
  if (fact.verb === 'delete') return [{ ...fact, urn: before.urn, desired: before.lastDesired }, fact];
  return renameFacts(fact, before);
}

/** A URN that changed: given up under the old name, owned under the new one, so that any reader of facts folds it right. */
function renameFacts(
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
  return [given, taken];
}
