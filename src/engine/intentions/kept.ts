import { UNSCOPED } from '../../core/facts.ts';
import type { OwnershipModel } from '../../core/fold.ts';
import type { Candidate } from './candidate.ts';

/** Addresses that a destruction leaves alone, each with why. */
export function keptSteps(
  candidates: ReadonlyMap<string, Candidate>,
  model: OwnershipModel,
  includeFound: boolean,
): ReadonlyMap<string, string> {
  const kept = new Map<string, string>();
  for (const [address, candidate] of candidates) {
    if (isProtected(candidate, model)) kept.set(address, 'protected');
    else if (!includeFound && isMerelyFound(candidate)) kept.set(address, 'found as declared, not made by this stack');
  }
  for (const [address, candidate] of candidates) keepContents(address, candidate, candidates, model, kept);
  for (const [address, why] of [...kept]) keepNeeds(address, why, candidates, kept);
  return kept;
}

/** The newest word of the facts; projects and folders count as protected where there is none. Only what we own can be. */
function isProtected({ item, urn, owned }: Candidate, model: OwnershipModel): boolean {
  if (urn === null || owned === null || owned.stack !== (item.stack ?? UNSCOPED)) return false;
  return model.protection.get(urn) ?? item.catalogue.traitsOf(item.spec.resourceType).protectedByDefault;
}

function isMerelyFound({ item, owned }: Candidate): boolean {
  return owned !== null && owned.stack === (item.stack ?? UNSCOPED) && owned.origin === 'found';
}

/** What lies in something protected stays, unless a fact about it says `protect: false`. */
function keepContents(
  address: string,
  candidate: Candidate,
  all: ReadonlyMap<string, Candidate>,
  model: OwnershipModel,
  kept: Map<string, string>,
): void {
  if (kept.has(address) || candidate.owned === null) return;
  if (candidate.urn !== null && model.protection.get(candidate.urn) === false) return;
  const seen = new Set<string>();
  const open = [...candidate.item.declaration.needs];
  for (let outer = open.pop(); outer !== undefined; outer = open.pop()) {
    if (seen.has(outer)) continue;
    seen.add(outer);
    if (kept.get(outer) === 'protected') {
      kept.set(address, `kept with ${outer}, which is protected`);
      return;
    }
    open.push(...(all.get(outer)?.item.declaration.needs ?? []));
  }
}

/** What something kept needs to exist stays as well. */
function keepNeeds(address: string, why: string, all: ReadonlyMap<string, Candidate>, kept: Map<string, string>): void {
  for (const need of all.get(address)?.item.declaration.needs ?? []) {
    if (kept.has(need) || all.get(need)?.owned == null) continue;
    kept.set(need, `needed by ${address}, which is kept (${why})`);
    keepNeeds(need, why, all, kept);
  }
}
