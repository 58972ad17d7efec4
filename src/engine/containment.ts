import type { Owned, OwnershipModel } from '../core/fold.ts';
import { closureOf, type Edges } from '../core/graph.ts';
import { oneNames } from './one-name.ts';
import type { EnginePorts } from './ports.ts';

/** What lies in what, among all that the log owns, whatever stack owns it. */
export interface Containment {
  /** URNs of all that a resource lies in or needs, directly or not, without its own; only what is owned is known. */
  outerOf(urn: string): readonly string[];
  /** The same, the next ones only. */
  nextOf(urn: string): readonly string[];
}

export function containmentOf(ports: Pick<EnginePorts, 'catalogues'>, model: OwnershipModel): Containment {
  const edges = containers(ports, model);
  return {
    nextOf: (urn) => edges.get(urn) ?? [],
    outerOf: (urn) => [...closureOf(edges.get(urn) ?? [], edges)].filter((outer) => outer !== urn),
  };
}

function containers(ports: Pick<EnginePorts, 'catalogues'>, model: OwnershipModel): Edges {
  const { owned } = model;
  const { urnOf, ownedAs } = oneNames(ports, model);
  const byId = new Map<string, string>();
  for (const { urn, resourceId } of owned.values()) if (resourceId !== null) byId.set(resourceId, urn);
  const nextOf = ({ urn, provider, resourceType, lastDesired }: Owned): readonly string[] => {
    const names = ports.catalogues.get(provider)?.containersOf(resourceType, urnOf(urn), lastDesired) ?? [];
    const outer = names.flatMap((name) => byId.get(name) ?? ownedAs(name).map((other) => other.urn));
    return [...new Set(outer)].filter((other) => other !== urn);
  };
  return new Map([...owned.values()].map((item) => [item.urn, nextOf(item)]));
}
