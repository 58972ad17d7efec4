import type { Owned, OwnershipModel } from '../core/fold.ts';
import { closureOf } from '../core/graph.ts';
import { oneNames } from './one-name.ts';
import type { EnginePorts } from './ports.ts';

/** What tells where a resource lies: something owned, or something declared. */
export type Placed = Pick<Owned, 'urn' | 'provider' | 'resourceType' | 'lastDesired'>;

/** What lies in what, among all that the log owns, whatever stack owns it. */
export interface Containment {
  /** URNs of all that a resource lies in or needs, directly or not, without its own; only what is owned is known. */
  outerOf(urn: string): readonly string[];
  /** The same, the next ones only. */
  nextOf(urn: string): readonly string[];
  /** The same as `outerOf`, of something that is declared somewhere. */
  outerOfDeclared(placed: Placed): readonly string[];
  /** URNs of what it may lie in, where the log does not tell what that is. */
  mayLieIn(placed: Placed): readonly string[];
}

export function containmentOf(ports: Pick<EnginePorts, 'catalogues'>, model: OwnershipModel): Containment {
  const all = [...model.owned.values()];
  const nextOf = nextIn(ports, model);
  const edges = new Map(all.map((item) => [item.urn, nextOf(item)]));
  const outerOf = (urn: string, next: readonly string[]) =>
    [...closureOf(next, edges)].filter((outer) => outer !== urn);
  return {
    nextOf: (urn) => edges.get(urn) ?? [],
    outerOf: (urn) => outerOf(urn, edges.get(urn) ?? []),
    outerOfDeclared: (placed) => outerOf(placed.urn, nextOf(placed)),
    mayLieIn: (placed) => {
      const mayLieIn = ports.catalogues.get(placed.provider)?.mayLieIn;
      if (mayLieIn === undefined || nextOf(placed).length > 0) return [];
      const others = all.filter(({ urn, provider }) => urn !== placed.urn && provider === placed.provider);
      return others.filter((outer) => mayLieIn(placed, outer)).map(({ urn }) => urn);
    },
  };
}

function nextIn(ports: Pick<EnginePorts, 'catalogues'>, model: OwnershipModel): (placed: Placed) => readonly string[] {
  const { urnOf, ownedAs } = oneNames(ports, model);
  const byId = new Map<string, string>();
  for (const { urn, resourceId } of model.owned.values()) if (resourceId !== null) byId.set(resourceId, urn);
  return ({ urn, provider, resourceType, lastDesired }) => {
    const names = ports.catalogues.get(provider)?.containersOf(resourceType, urnOf(urn), lastDesired) ?? [];
    const outer = names.flatMap((name) => byId.get(name) ?? ownedAs(name).map((other) => other.urn));
    return [...new Set(outer)].filter((other) => other !== urn);
  };
}
