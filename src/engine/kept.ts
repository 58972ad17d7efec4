import { type Owned, type OwnershipModel, originOf } from '../core/fold.ts';
import type { Containment, Placed } from './containment.ts';
import type { EnginePorts } from './ports.ts';
import { protectionOf } from './protection.ts';

/** Something owned that would go, with what is declared of it beside what the log says. */
export interface Going {
  readonly owned: Owned;
  /** As it is called to people: its step's address, else its URN. */
  readonly name: string;
  /** Whether the stack that is taken down owns it: only that can be kept for itself. */
  readonly isOurs: boolean;
  /** Whether a step says `protect: true` of it. */
  readonly isProtected: boolean;
  /** Why it can't go at all; null: it can. */
  readonly refused: string | null;
  /** URNs of what else would go and has to exist for it to exist, as the steps say. */
  readonly needs: readonly string[];
}

export interface KeptRequest {
  readonly catalogues: EnginePorts['catalogues'];
  readonly model: OwnershipModel;
  readonly within: Containment;
  readonly going: readonly Going[];
  /** What playbooks declare, owned or not: what that lies in stays. */
  readonly declared: readonly Placed[];
  /** What the caller wants left alone: what that lies in stays, too. Left out: nothing. */
  readonly excluded?: readonly Placed[];
  /** Whether what was merely found as desired goes, too. */
  readonly includeFound: boolean;
  /** Whether what is protected and does not go itself keeps this in it. */
  outsiderKeeps(outer: Owned, inner: Owned): boolean;
}

interface Kept {
  /** Protected itself, merely found, not to be deleted, with what it lies in, or for what lies in it. */
  readonly kind: 'protected' | 'found' | 'refused' | 'with' | 'needed';
  readonly why: string;
}

/** What is found out while all that would go is gone through. */
interface Keeping extends KeptRequest {
  readonly byUrn: ReadonlyMap<string, Going>;
  readonly kept: Map<string, Kept>;
  isProtected(owned: Owned): boolean;
}

/** URNs of what a destruction leaves alone, each with why. */
export function keptOf(request: KeptRequest): ReadonlyMap<string, string> {
  const { going, model } = request;
  const byUrn = new Map(going.map((one) => [one.owned.urn, one]));
  const keeping: Keeping = { ...request, byUrn, kept: new Map(), isProtected: protectionOf(request, model) };
  const { kept } = keeping;
  for (const one of going) keepItself(keeping, one);
  for (const one of going) keepContents(keeping, one);
  for (const [urn, { why }] of [...kept]) keepNeeds(keeping, urn, `${nameOf(keeping, urn)}, which is kept (${why})`);
  for (const { urn, why } of standingElsewhere(keeping))
    keepNeeds(keeping, urn, `${nameOf(keeping, urn)}, which ${why}`);
  for (const placed of request.declared) keepPlaces(keeping, placed, 'a playbook declares');
  for (const placed of request.excluded ?? []) keepPlaces(keeping, placed, '--exclude leaves alone');
  for (const one of going) keepWhatMayHold(keeping, one);
  for (const one of going) keepOfProject(keeping, one);
  return new Map([...kept].map(([urn, { why }]) => [urn, why]));
}

/** By the newest word of the facts; projects and folders count as protected where there is none, and a step can only add to it. */
function keepItself({ kept, isProtected, includeFound }: Keeping, one: Going): void {
  const { owned } = one;
  if (!one.isOurs) return;
  if (one.isProtected || isProtected(owned)) kept.set(owned.urn, { kind: 'protected', why: 'protected' });
  else if (!includeFound && originOf(owned) === 'found')
    kept.set(owned.urn, { kind: 'found', why: 'found as declared, not made by this stack' });
  else if (one.refused !== null) kept.set(owned.urn, { kind: 'refused', why: one.refused });
}

/** What lies in something protected stays, unless a fact about it says `protect: false`. */
function keepContents(keeping: Keeping, { owned }: Going): void {
  if (!mayBeKept(keeping, owned)) return;
  const keeper = containersOf(keeping, owned.urn).find((urn) => keeps(keeping, owned, urn));
  if (keeper === undefined) return;
  keeping.kept.set(owned.urn, { kind: 'with', why: `kept with ${nameOf(keeping, keeper)}, which is protected` });
}

/** URNs of what it lies in, as the steps or the facts say, the nearest first: what it merely needs is none of that. */
function containersOf(keeping: Keeping, urn: string): readonly string[] {
  const { byUrn, within } = keeping;
  const nextOf = (inner: string) =>
    [...(byUrn.get(inner)?.needs ?? []), ...within.nextOf(inner)].filter((outer) => isContainer(keeping, outer));
  const found = new Set<string>();
  const open = [...nextOf(urn)];
  for (let outer = open.shift(); outer !== undefined; outer = open.shift()) {
    if (outer === urn || found.has(outer)) continue;
    found.add(outer);
    open.push(...nextOf(outer));
  }
  return [...found];
}

function isContainer({ byUrn, model, catalogues }: Keeping, urn: string): boolean {
  const owned = byUrn.get(urn)?.owned ?? model.owned.get(urn);
  return owned !== undefined && catalogues.get(owned.provider)?.traitsOf(owned.resourceType).isContainer === true;
}

function mayBeKept({ kept, model }: Keeping, { urn }: Owned): boolean {
  return !kept.has(urn) && model.protection.get(urn) !== false;
}

function isKeptAs({ kept }: Keeping, urn: string, kind: Kept['kind']): boolean {
  return kept.get(urn)?.kind === kind;
}

function nameOf({ byUrn }: Keeping, urn: string): string {
  return byUrn.get(urn)?.name ?? urn;
}

function keeps(keeping: Keeping, inner: Owned, urn: string): boolean {
  if (keeping.byUrn.has(urn)) return isKeptAs(keeping, urn, 'protected');
  const outer = keeping.model.owned.get(urn);
  return outer !== undefined && keeping.isProtected(outer) && keeping.outsiderKeeps(outer, inner);
}

/** What something that stays needs to exist stays as well. */
function keepNeeds(keeping: Keeping, urn: string, keeper: string): void {
  const { byUrn, within } = keeping;
  keepFor(keeping, [...(byUrn.get(urn)?.needs ?? []), ...within.outerOf(urn)], keeper);
}

function keepFor(keeping: Keeping, needs: readonly string[], keeper: string): void {
  const { byUrn, kept } = keeping;
  for (const need of new Set(needs)) {
    if (kept.has(need) || !byUrn.has(need)) continue;
    kept.set(need, { kind: 'needed', why: `needed by ${keeper}` });
    keepNeeds(keeping, need, `${nameOf(keeping, need)}, which is kept (needed by ${keeper})`);
  }
}

/** What is declared or left alone keeps what it lies in, and what it may lie in. */
function keepPlaces(keeping: Keeping, placed: Placed, why: string): void {
  const { within } = keeping;
  const { urn } = placed;
  keepFor(keeping, [...within.outerOfDeclared(placed), ...within.mayLieIn(placed)], `${urn}, which ${why}`);
}

/** Where the log does not tell what something that stays lies in, whatever may hold it stays as well. */
function keepWhatMayHold(keeping: Keeping, { owned }: Going): void {
  const why = keeping.kept.get(owned.urn)?.why;
  if (why === undefined) return;
  const name = nameOf(keeping, owned.urn);
  keepFor(keeping, keeping.within.mayLieIn(owned), `${name}, which is kept (${why}) and may lie in it`);
}

/** What does not go itself and stays: what is protected, whoever owns it, and what this stack merely found. */
function standingElsewhere(keeping: Keeping): readonly { readonly urn: string; readonly why: string }[] {
  const { model, byUrn, going, includeFound, isProtected } = keeping;
  const ours = new Set(going.flatMap(({ isOurs, owned }) => (isOurs ? [owned.stack] : [])));
  return [...model.owned.values()].flatMap((owned) => {
    const { urn } = owned;
    if (byUrn.get(urn)?.isOurs === true) return [];
    if (isProtected(owned)) return [{ urn, why: 'is protected' }];
    const isFound = !byUrn.has(urn) && ours.has(owned.stack) && originOf(owned) === 'found';
    return isFound && !includeFound ? [{ urn, why: 'was found as declared, not made by this stack' }] : [];
  });
}

/** What is kept for something in it is kept whole: a project with its link, services and grants. */
function keepOfProject(keeping: Keeping, { owned }: Going): void {
  if (!mayBeKept(keeping, owned)) return;
  const takesContents = (type: string) => keeping.catalogues.get(owned.provider)?.traitsOf(type).takesContents === true;
  if (takesContents(owned.resourceType)) return;
  const keeper = keeping.within.nextOf(owned.urn).find((urn) => {
    const outer = keeping.byUrn.get(urn)?.owned;
    if (outer === undefined || outer.provider !== owned.provider || !takesContents(outer.resourceType)) return false;
    return isKeptAs(keeping, urn, 'needed');
  });
  if (keeper !== undefined) keeping.kept.set(owned.urn, { kind: 'with', why: `kept with ${nameOf(keeping, keeper)}` });
}
