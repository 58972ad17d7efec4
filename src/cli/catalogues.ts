import type { ProviderFact } from '../core/facts.ts';
import type { ProviderCatalogue } from '../core/resource.ts';
import { googleCatalogue } from '../providers/google/catalogue.ts';

/** What a provider package offers offline. */
export const CATALOGUES: ReadonlyMap<string, ProviderCatalogue> = new Map([['google', googleCatalogue]]);

/** A fact that someone else wrote, with the URN and the keys that ours have. */
export function toOurs(fact: ProviderFact): ProviderFact {
  const catalogue = CATALOGUES.get(fact.provider);
  return catalogue === undefined
    ? fact
    : { ...fact, ...catalogue.fromForeign(fact.resource_type, fact.urn, fact.desired) };
}
