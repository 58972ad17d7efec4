import type { OwnershipModel } from '../core/fold.ts';
import { closureOf, type Edges, topologicalOrder } from '../core/graph.ts';
import { soleNameOf } from './own-obstacles.ts';
import type { Prepared, PreparedStep } from './prepare.ts';

/**
 * Puts what is to get a name that only one can have after the step by whose change or deletion its owner, as the log has
 * it, gives it up. Where each of two waits for the other's name, only one comes after: a look tells that it is taken.
 */
export function afterGivenNames(prepared: Prepared, model: OwnershipModel): Prepared {
  const givers = giversOf(prepared, model);
  if (givers.size === 0) return prepared;
  const steps = new Map(prepared.steps);
  for (const [address, item] of steps) {
    const giver = item.spec.kind === 'ensure' ? givers.get(wantedBy(item) ?? '') : undefined;
    if (giver === undefined || giver === address || waits(steps, giver, address)) continue;
    if (![...item.dependsOn, ...item.after].includes(giver))
      steps.set(address, { ...item, after: [...item.after, giver].sort() });
  }
  const ordering = topologicalOrder(edgesOf(steps));
  return ordering.kind === 'ordered' ? { ...prepared, steps, order: ordering.order } : prepared;
}

/** Addresses of the steps that give a name up, by that name. */
function giversOf({ steps }: Prepared, model: OwnershipModel): ReadonlyMap<string, string> {
  const givers = new Map<string, string>();
  for (const [address, item] of steps) {
    const { catalogue, declaration, spec } = item;
    const owned = declaration.urn === null ? undefined : model.owned.get(declaration.urn);
    if (owned === undefined || spec.kind === 'read' || item.held !== null) continue;
    const had = catalogue.soleName?.(owned) ?? null;
    if (had !== null && (spec.kind === 'delete' || wantedBy(item) !== had)) givers.set(had, address);
  }
  return givers;
}

function wantedBy(item: PreparedStep): string | null {
  return soleNameOf(item, item.declaration.desired);
}

function waits(steps: ReadonlyMap<string, PreparedStep>, address: string, other: string): boolean {
  return closureOf([address], edgesOf(steps)).has(other);
}

function edgesOf(steps: ReadonlyMap<string, PreparedStep>): Edges {
  return new Map(
    [...steps].map(([address, { dependsOn, after }]) => [
      address,
      [...dependsOn, ...after].filter((other) => steps.has(other)),
    ]),
  );
}
