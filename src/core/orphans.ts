import type { ProviderFact } from './facts.ts';
import { assertsOwnership, endsOwnership, forStack, type Owned, type OwnershipModel } from './fold.ts';
import { compareText } from './graph.ts';

/** What the playbooks declare: URNs, and the clouds' own ids where they are known. */
export interface Declared {
  readonly urns: ReadonlySet<string>;
  readonly resourceIds?: ReadonlySet<string>;
}

/** A URN that several stacks assert to own, without one giving it up for the next. */
export interface StackConflict {
  readonly urn: string;
  /** In order of their first claim. */
  readonly stacks: readonly string[];
}

/** What is owned and not declared, whatever its stack, by URN. An alias of something declared is none. */
export function detectOrphans(model: OwnershipModel, declared: Declared): readonly Owned[] {
  const kept = new Set<string>();
  for (const item of model.owned.values()) {
    const key = resourceKey(item);
    if (key !== null && isDeclared(item, declared)) kept.add(key);
  }
  return [...model.owned.values()]
    .filter((item) => !isDeclared(item, declared) && !kept.has(resourceKey(item) ?? ''))
    .sort(byUrn);
}

/** The same for one stack: what other stacks own is never its orphan. */
export function detectOrphansScoped(model: OwnershipModel, stack: string, declared: Declared): readonly Owned[] {
  const mine = new Set(forStack(model, stack).owned.keys());
  return detectOrphans(model, declared).filter((item) => mine.has(item.urn));
}

/** Groups of owned URNs that name one resource, each group and the whole by URN. */
export function detectAliases(model: OwnershipModel): readonly (readonly Owned[])[] {
  const groups = new Map<string, Owned[]>();
  for (const item of model.owned.values()) {
    const key = resourceKey(item);
    if (key !== null) groups.set(key, [...(groups.get(key) ?? []), item]);
  }
  const aliases = [...groups.values()].filter((group) => group.length > 1).map((group) => group.sort(byUrn));
  return aliases.sort(([a], [b]) => compareText(a?.urn ?? '', b?.urn ?? ''));
}

/** Takes facts in log order; a transfer (one stack deletes or forgets, the next adopts) is no conflict. */
export function detectStackConflicts(facts: Iterable<ProviderFact>): readonly StackConflict[] {
  const claims = new Map<string, Set<string>>();
  const conflicts = new Map<string, Set<string>>();
  for (const fact of facts) {
    if (endsOwnership(fact)) endClaims(claims, fact);
    if (!assertsOwnership(fact)) continue;
    const stacks = claims.get(fact.urn) ?? new Set();
    claims.set(fact.urn, stacks.add(fact.stack));
    if (stacks.size > 1) conflicts.set(fact.urn, new Set([...(conflicts.get(fact.urn) ?? []), ...stacks]));
  }
  return [...conflicts].map(([urn, stacks]) => ({ urn, stacks: [...stacks] })).sort(byUrn);
}

/** Forgetting ends one stack's claim; a deletion, whoever did it, ends all of them. */
function endClaims(claims: Map<string, Set<string>>, fact: ProviderFact): void {
  if (fact.forgotten === true) claims.get(fact.urn)?.delete(fact.stack);
  else claims.delete(fact.urn);
}

function byUrn(a: { readonly urn: string }, b: { readonly urn: string }): number {
  return compareText(a.urn, b.urn);
}

function isDeclared(item: Owned, declared: Declared): boolean {
  return (
    declared.urns.has(item.urn) || (item.resourceId !== null && declared.resourceIds?.has(item.resourceId) === true)
  );
}

function resourceKey(item: Owned): string | null {
  return item.resourceId === null ? null : [item.provider, item.service, item.resourceType, item.resourceId].join(' ');
}
