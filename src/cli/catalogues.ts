import type { ProviderFact } from '../core/facts.ts';
import type { ProviderCatalogue } from '../core/resource.ts';
import { googleCatalogue } from '../providers/google/catalogue.ts';

type Catalogues = ReadonlyMap<string, ProviderCatalogue>;

const loaded = new Map<string, ProviderCatalogue>([['google', googleCatalogue]]);

/** What the providers that are loaded so far offer offline. */
export const CATALOGUES: Catalogues = loaded;

/** Loads what is not loaded at once, because most playbooks do without. */
export async function loadAllCatalogues(): Promise<Catalogues> {
  const { yandexCatalogue } = await import('../providers/yandex/catalogue.ts');
  loaded.set('yandex', yandexCatalogue);
  return CATALOGUES;
}

/** A fact that someone else wrote, with the URN and the keys that ours have. */
export function toOurs(fact: ProviderFact, onDropped: (key: string) => void = () => undefined): ProviderFact {
  const catalogue = CATALOGUES.get(fact.provider);
  if (catalogue === undefined) return fact;
  const { urn, desired, dropped } = catalogue.fromForeign(fact.resource_type, fact.urn, fact.desired);
  dropped?.forEach(onDropped);
  return { ...fact, urn, desired };
}
