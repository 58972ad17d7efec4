import type { ProviderFact } from './facts.ts';
import { assertsOwnership, endsOwnership, type Owned, type OwnershipModel } from './fold.ts';
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

/** The one URN that all ways to write a resource's own come to. */
export type OneUrn = (urn: string) => string;

const AS_WRITTEN: OneUrn = (urn) => urn;

/** What is owned and not declared, whatever its stack, by URN. An alias of something declared is none. */
export function detectOrphans(
  model: OwnershipModel,
  declared: Declared,
  oneUrn: OneUrn = AS_WRITTEN,
): readonly Owned[] {
  const keyOf = resourceKeys(model, oneUrn);
  const all = [...model.owned.values()];
  const ones = new Set([...declared.urns].map(oneUrn));
  const kept = new Set(all.filter((item) => ones.has(oneUrn(item.urn)) || hasDeclaredId(item, declared)).map(keyOf));
  return all.filter((item) => !kept.has(keyOf(item))).sort(byUrn);
}

/** The same for one stack: what other stacks own, under whichever name, is never its orphan. */
export function detectOrphansScoped(
  model: OwnershipModel,
  stack: string,
  declared: Declared,
  oneUrn: OneUrn = AS_WRITTEN,
): readonly Owned[] {
  const keyOf = resourceKeys(model, oneUrn);
  const theirs = new Set([...model.owned.values()].filter((item) => item.stack !== stack).map(keyOf));
  return detectOrphans(model, declared, oneUrn).filter((item) => item.stack === stack && !theirs.has(keyOf(item)));
}

/** Groups of owned URNs that name one resource, each group and the whole by URN. */
export function detectAliases(model: OwnershipModel, oneUrn: OneUrn = AS_WRITTEN): readonly (readonly Owned[])[] {
  const keyOf = resourceKeys(model, oneUrn);
  const groups = new Map<string, Owned[]>();
  for (const item of model.owned.values()) {
    const key = keyOf(item);
    groups.set(key, [...(groups.get(key) ?? []), item]);
  }
  const aliases = [...groups.values()].filter((group) => group.length > 1).map((group) => group.sort(byUrn));
  return aliases.sort(([a], [b]) => compareText(a?.urn ?? '', b?.urn ?? ''));
}

/** The stacks that claim one URN, and those that did so against each other. */
export interface Claims {
  /** In order of their claim; each ends with its stack's forgetting, or with the resource. */
  readonly claims: readonly string[];
  /** Every stack that claimed it beside another one; empty: there was no conflict. */
  readonly contested: readonly string[];
}

export const NO_CLAIMS: Claims = { claims: [], contested: [] };

/** What a fact of the same URN makes of the claims to it; a transfer (one stack forgets, the next adopts) is no conflict. */
export function foldClaims(before: Claims, fact: ProviderFact): Claims {
  if (endsOwnership(fact)) {
    // Forgetting ends one stack's claim; a deletion, whoever did it, ends all of them.
    return { ...before, claims: fact.forgotten === true ? before.claims.filter((stack) => stack !== fact.stack) : [] };
  }
  if (!assertsOwnership(fact)) return before;
  return contest(before.claims.includes(fact.stack) ? before : { ...before, claims: [...before.claims, fact.stack] });
}

/** Whoever claims it beside another one is in conflict with that. */
export function contest({ claims, contested }: Claims): Claims {
  const isContested = claims.length > 1 && !claims.every((stack) => contested.includes(stack));
  return { claims, contested: isContested ? [...new Set([...contested, ...claims])] : contested };
}

/** Takes facts in log order. */
export function detectStackConflicts(facts: Iterable<ProviderFact>): readonly StackConflict[] {
  const claims = new Map<string, Claims>();
  for (const fact of facts) claims.set(fact.urn, foldClaims(claims.get(fact.urn) ?? NO_CLAIMS, fact));
  return stackConflicts(claims);
}

/** The conflicts among claims, by URN. */
export function stackConflicts(claims: ReadonlyMap<string, Claims>): readonly StackConflict[] {
  return [...claims]
    .flatMap(([urn, { contested }]) => (contested.length === 0 ? [] : [{ urn, stacks: contested }]))
    .sort(byUrn);
}

function byUrn(a: { readonly urn: string }, b: { readonly urn: string }): number {
  return compareText(a.urn, b.urn);
}

function hasDeclaredId({ resourceId }: Owned, { resourceIds }: Declared): boolean {
  return resourceId !== null && resourceIds?.has(resourceId) === true;
}

/** What two owned URNs of one resource have in common: the cloud's id, where one of them has it, else their one URN. */
function resourceKeys({ owned }: OwnershipModel, oneUrn: OneUrn): (item: Owned) => string {
  const ids = new Map<string, string>();
  for (const item of owned.values()) {
    const key = resourceKey(item);
    if (key !== null) ids.set(oneUrn(item.urn), key);
  }
  return ({ urn }) => ids.get(oneUrn(urn)) ?? oneUrn(urn);
}

function resourceKey(item: Owned): string | null {
  return item.resourceId === null ? null : [item.provider, item.service, item.resourceType, item.resourceId].join(' ');
}
