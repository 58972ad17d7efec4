import { UNSCOPED } from '../../core/facts.ts';
import type { Owned, OwnershipModel } from '../../core/fold.ts';
import type { Containment } from '../containment.ts';
import type { Candidate } from './candidate.ts';

export interface KeptRequest {
  readonly candidates: ReadonlyMap<string, Candidate>;
  readonly model: OwnershipModel;
  readonly within: Containment;
  readonly isProtected: (owned: Owned) => boolean;
  readonly includeFound: boolean;
}

interface Kept {
  /** Protected itself, merely found, with what it lies in, or for what lies in it. */
  readonly kind: 'protected' | 'found' | 'with' | 'needed';
  readonly why: string;
}

/** What is found out while the steps are gone through. */
interface Keeping extends KeptRequest {
  /** The steps by the URN under which the log owns their resources. */
  readonly byOwned: ReadonlyMap<string, string>;
  readonly kept: Map<string, Kept>;
}

/** Addresses that a destruction leaves alone, each with why. */
export function keptSteps(request: KeptRequest): ReadonlyMap<string, string> {
  const { candidates } = request;
  const byOwned = [...candidates].flatMap(([address, { owned }]) =>
    owned === null ? [] : [[owned.urn, address] as const],
  );
  const keeping: Keeping = { ...request, byOwned: new Map(byOwned), kept: new Map() };
  const { kept } = keeping;
  for (const [address, candidate] of candidates) keepItself(keeping, address, candidate);
  for (const [address, candidate] of candidates) keepContents(keeping, address, candidate);
  for (const [address, { why }] of [...kept]) keepNeeds(keeping, address, `${address}, which is kept (${why})`);
  for (const urn of protectedElsewhere(keeping)) keepAround(keeping, urn);
  for (const [address, candidate] of candidates) keepOfProject(keeping, address, candidate);
  return new Map([...kept].map(([address, { why }]) => [address, why]));
}

/**
 * By the newest word of the facts; projects and folders count as protected where there is none, and a step can only add
 * to it. Only what this stack owns can be.
 */
function keepItself(
  { kept, isProtected, includeFound }: Keeping,
  address: string,
  { item: { step, stack }, owned }: Candidate,
): void {
  if (owned === null || owned.stack !== (stack ?? UNSCOPED)) return;
  if (step.protect === true || isProtected(owned)) kept.set(address, { kind: 'protected', why: 'protected' });
  else if (!includeFound && owned.origin === 'found')
    kept.set(address, { kind: 'found', why: 'found as declared, not made by this stack' });
}

/** What lies in something protected stays, unless a fact about it says `protect: false`. */
function keepContents(keeping: Keeping, address: string, candidate: Candidate): void {
  const { owned } = candidate;
  if (owned === null || !mayBeKept(keeping, address, owned)) return;
  const keeper =
    protectedNeed(keeping, candidate) ?? keeping.within.outerOf(owned.urn).find((urn) => keeps(keeping, owned, urn));
  if (keeper === undefined) return;
  keeping.kept.set(address, { kind: 'with', why: `kept with ${nameOf(keeping, keeper)}, which is protected` });
}

function mayBeKept({ kept, model }: Keeping, address: string, { urn }: Owned): boolean {
  return !kept.has(address) && model.protection.get(urn) !== false;
}

function nameOf({ byOwned }: Keeping, urn: string): string {
  return byOwned.get(urn) ?? urn;
}

/** The nearest protected step among those that must exist for this one to exist. */
function protectedNeed({ candidates, kept }: Keeping, { item }: Candidate): string | undefined {
  const seen = new Set<string>();
  const open = [...item.declaration.needs];
  for (let outer = open.pop(); outer !== undefined; outer = open.pop()) {
    if (seen.has(outer)) continue;
    seen.add(outer);
    if (kept.get(outer)?.kind === 'protected') return outer;
    open.push(...(candidates.get(outer)?.item.declaration.needs ?? []));
  }
  return undefined;
}

/** Of what no step here stands for: protected by a fact, or by default in the stack that is taken down. */
function keeps({ byOwned, kept, model, isProtected }: Keeping, inner: Owned, urn: string): boolean {
  const address = byOwned.get(urn);
  if (address !== undefined) return kept.get(address)?.kind === 'protected';
  const outer = model.owned.get(urn);
  if (outer === undefined || !isProtected(outer)) return false;
  return outer.stack === inner.stack || model.protection.get(urn) === true;
}

/** What something kept needs to exist stays as well. */
function keepNeeds(keeping: Keeping, address: string, keeper: string): void {
  const { candidates, kept } = keeping;
  const candidate = candidates.get(address);
  const inLog = candidate?.owned == null ? [] : outerSteps(keeping, candidate.owned.urn);
  for (const need of new Set([...(candidate?.item.declaration.needs ?? []), ...inLog])) {
    if (kept.has(need) || candidates.get(need)?.owned == null) continue;
    keepFor(keeping, need, keeper);
    keepNeeds(keeping, need, `${need}, which is kept (needed by ${keeper})`);
  }
}

function keepFor({ kept }: Keeping, address: string, keeper: string): void {
  kept.set(address, { kind: 'needed', why: `needed by ${keeper}` });
}

/** What is owned and protected, whoever owns it, and no step here stands for. */
function protectedElsewhere({ model, byOwned, isProtected }: Keeping): readonly string[] {
  return [...model.owned.values()].flatMap((owned) =>
    !byOwned.has(owned.urn) && isProtected(owned) ? [owned.urn] : [],
  );
}

function keepAround(keeping: Keeping, urn: string): void {
  const keeper = `${urn}, which is protected`;
  for (const address of outerSteps(keeping, urn)) {
    if (keeping.kept.has(address)) continue;
    keepFor(keeping, address, keeper);
    keepNeeds(keeping, address, keeper);
  }
}

function outerSteps({ within, byOwned }: Keeping, urn: string): readonly string[] {
  return within.outerOf(urn).flatMap((outer) => byOwned.get(outer) ?? []);
}

/** What is kept for something in it is kept whole: a project with its link, services and grants. */
function keepOfProject(keeping: Keeping, address: string, { item, owned }: Candidate): void {
  if (owned === null || !mayBeKept(keeping, address, owned)) return;
  const takesContents = (type: string) => item.catalogue.traitsOf(type).takesContents;
  if (takesContents(item.spec.resourceType)) return;
  const { within, model, byOwned, kept } = keeping;
  const keeper = within.nextOf(owned.urn).find((urn) => {
    const outer = model.owned.get(urn);
    if (outer === undefined || outer.provider !== owned.provider || !takesContents(outer.resourceType)) return false;
    return kept.get(byOwned.get(urn) ?? '')?.kind === 'needed';
  });
  if (keeper !== undefined) kept.set(address, { kind: 'with', why: `kept with ${nameOf(keeping, keeper)}` });
}
