import type { Owned, OwnershipModel } from '../core/fold.ts';
import { closureOf, type Edges } from '../core/graph.ts';
import type { EnginePorts } from './ports.ts';

/** What lies in what, among all that the log owns, whatever stack owns it. */
export interface Containment {
  /** URNs of all that a resource lies in or needs, directly or not, without its own; only what is owned is known. */
  outerOf(urn: string): readonly string[];
  /** The same, the next ones only. */
  nextOf(urn: string): readonly string[];
}

export function containmentOf({ catalogues }: Pick<EnginePorts, 'catalogues'>, { owned }: OwnershipModel): Containment {
  const edges = containers(catalogues, owned);
  return {
    nextOf: (urn) => edges.get(urn) ?? [],
    outerOf: (urn) => [...closureOf(edges.get(urn) ?? [], edges)].filter((outer) => outer !== urn),
  };
}

function containers(catalogues: EnginePorts['catalogues'], owned: ReadonlyMap<string, Owned>): Edges {
  const byId = new Map<string, string>();
  for (const { urn, resourceId } of owned.values()) if (resourceId !== null) byId.set(resourceId, urn);
  const nextOf = ({ urn, provider, resourceType, lastDesired }: Owned): readonly string[] => {
    const names = catalogues.get(provider)?.containersOf(resourceType, urn, lastDesired) ?? [];
    const outer = names.flatMap((name) => (owned.has(name) ? [name] : (byId.get(name) ?? [])));
    return [...new Set(outer)].filter((other) => other !== urn);
  };
  return new Map([...owned.values()].map((item) => [item.urn, nextOf(item)]));
}
