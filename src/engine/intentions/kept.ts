import { UNSCOPED } from '../../core/facts.ts';
import type { Owned, OwnershipModel } from '../../core/fold.ts';
import type { Containment } from '../containment.ts';
import type { Candidate } from './candidate.ts';

/** How it begins that something is kept for what lies in it. */
const NEEDED = 'needed by';

export interface KeptRequest {
  readonly candidates: ReadonlyMap<string, Candidate>;
  readonly model: OwnershipModel;
  readonly within: Containment;
  readonly isProtected: (owned: Owned) => boolean;
  readonly includeFound: boolean;
}

/** Addresses that a destruction leaves alone, each with why. */
export function keptSteps(request: KeptRequest): ReadonlyMap<string, string> {
  const kept = new Map<string, string>();
  const byOwned = addressesOf(request);
  for (const [address, candidate] of request.candidates) {
    if (!isMine(candidate)) continue;
    if (isProtected(request, candidate)) kept.set(address, 'protected');
    else if (!request.includeFound && candidate.owned?.origin === 'found')
      kept.set(address, 'found as declared, not made by this stack');
  }
  for (const [address, candidate] of request.candidates) keepContents(request, address, candidate, byOwned, kept);
  for (const [address, why] of [...kept])
    keepNeeds(request, address, `${address}, which is kept (${why})`, byOwned, kept);
  for (const urn of protectedElsewhere(request, byOwned))
    for (const address of outerSteps(request, urn, byOwned)) {
      if (kept.has(address)) continue;
      kept.set(address, `${NEEDED} ${urn}, which is protected`);
      keepNeeds(request, address, `${urn}, which is protected`, byOwned, kept);
    }
  for (const [address, candidate] of request.candidates) keepOfProject(request, address, candidate, byOwned, kept);
  return kept;
}

/** What is kept for something in it is kept whole: a project with its link, services and grants. */
function keepOfProject(
  { within, model }: KeptRequest,
  address: string,
  { item, owned }: Candidate,
  byOwned: ReadonlyMap<string, string>,
  kept: Map<string, string>,
): void {
  if (kept.has(address) || owned === null || model.protection.get(owned.urn) === false) return;
  if (item.catalogue.traitsOf(item.spec.resourceType).takesContents) return;
  const takesAlong = ({ provider, resourceType }: Owned) =>
    provider === item.step.provider && item.catalogue.traitsOf(resourceType).takesContents;
  const keeper = within.nextOf(owned.urn).find((urn) => {
    const outer = model.owned.get(urn);
    return outer !== undefined && takesAlong(outer) && kept.get(byOwned.get(urn) ?? '')?.startsWith(NEEDED);
  });
  if (keeper !== undefined) kept.set(address, `kept with ${byOwned.get(keeper) ?? keeper}`);
}

/** The steps by the URN under which the log owns their resources. */
function addressesOf({ candidates }: KeptRequest): ReadonlyMap<string, string> {
  return new Map(
    [...candidates].flatMap(([address, { owned }]) => (owned === null ? [] : [[owned.urn, address] as const])),
  );
}

function isMine({ item, owned }: Candidate): boolean {
  return owned !== null && owned.stack === (item.stack ?? UNSCOPED);
}

/** The newest word of the facts; projects and folders count as protected where there is none. A step can only add to it. */
function isProtected(request: KeptRequest, { item, owned }: Candidate): boolean {
  return owned !== null && (item.step.protect === true || request.isProtected(owned));
}

/** What lies in something protected stays, unless a fact about it says `protect: false`. */
function keepContents(
  request: KeptRequest,
  address: string,
  candidate: Candidate,
  byOwned: ReadonlyMap<string, string>,
  kept: Map<string, string>,
): void {
  const { owned } = candidate;
  if (kept.has(address) || owned === null || request.model.protection.get(owned.urn) === false) return;
  const seen = new Set<string>();
  const open = [...candidate.item.declaration.needs];
  for (let outer = open.pop(); outer !== undefined; outer = open.pop()) {
    if (seen.has(outer)) continue;
    seen.add(outer);
    if (kept.get(outer) === 'protected') {
      kept.set(address, `kept with ${outer}, which is protected`);
      return;
    }
    open.push(...(request.candidates.get(outer)?.item.declaration.needs ?? []));
  }
  const keeper = request.within.outerOf(owned.urn).find((urn) => keepsContents(request, owned, urn, byOwned, kept));
  if (keeper !== undefined) kept.set(address, `kept with ${byOwned.get(keeper) ?? keeper}, which is protected`);
}

/** Of what no step here stands for: protected by a fact, or by default in the stack that is taken down. */
function keepsContents(
  { model, isProtected: protects }: KeptRequest,
  inner: Owned,
  urn: string,
  byOwned: ReadonlyMap<string, string>,
  kept: ReadonlyMap<string, string>,
): boolean {
  const address = byOwned.get(urn);
  if (address !== undefined) return kept.get(address) === 'protected';
  const outer = model.owned.get(urn);
  if (outer === undefined || !protects(outer)) return false;
  return outer.stack === inner.stack || model.protection.get(urn) === true;
}

/** What is owned and protected, whoever owns it, and no step here stands for. */
function protectedElsewhere({ model, isProtected: protects }: KeptRequest, byOwned: ReadonlyMap<string, string>) {
  return [...model.owned.values()].filter((owned) => !byOwned.has(owned.urn) && protects(owned)).map(({ urn }) => urn);
}

function outerSteps({ within }: KeptRequest, urn: string, byOwned: ReadonlyMap<string, string>): readonly string[] {
  return within.outerOf(urn).flatMap((outer) => byOwned.get(outer) ?? []);
}

/** What something kept needs to exist stays as well. */
function keepNeeds(
  request: KeptRequest,
  address: string,
  keeper: string,
  byOwned: ReadonlyMap<string, string>,
  kept: Map<string, string>,
): void {
  const candidate = request.candidates.get(address);
  const inLog = candidate?.owned == null ? [] : outerSteps(request, candidate.owned.urn, byOwned);
  for (const need of new Set([...(candidate?.item.declaration.needs ?? []), ...inLog])) {
    if (kept.has(need) || request.candidates.get(need)?.owned == null) continue;
    const why = `${NEEDED} ${keeper}`;
    kept.set(need, why);
    keepNeeds(request, need, `${need}, which is kept (${why})`, byOwned, kept);
  }
}
