import { diagnostic } from '../../core/codes.ts';
import type { Diagnostic } from '../../core/diagnostics.ts';
import type { GuardSpec } from '../../core/step.ts';
import { text } from './observing.ts';
import type { Reads } from './reads.ts';

const MAX_DEPTH = 24;
const ORGANIZATION = /^organizations\/\d+$/;

/** Where a place was found to lie: an organisation, no organisation at all, or nobody can tell. */
type Top =
  | { readonly kind: 'organization'; readonly name: string }
  | { readonly kind: 'none' }
  | { readonly kind: 'unknown'; readonly why: string };

/**
 * What only the cloud can tell about a pinned target: that every place lies below the pinned organisation, by its number,
 * by its name, or by both. Each part of a guard is checked by itself; what can't be verified is refused.
 */
export async function checkGuardLive(
  guard: GuardSpec,
  places: readonly string[],
  reads: Reads,
): Promise<readonly Diagnostic[]> {
  const { requireOrg, requireOrgDisplayName, requireBillingAccount } = guard;
  if (requireOrg === null && requireOrgDisplayName === null) return [];
  const account = requireBillingAccount === null ? null : `billingAccounts/${requireBillingAccount}`;
  const all = [...new Set([...(account === null ? [] : [account]), ...places])];
  const checks = [
    ...(requireOrg === null || requireOrgDisplayName === null
      ? []
      : [checkName(`organizations/${requireOrg}`, requireOrgDisplayName, reads)]),
    ...all.map((place) => checkPlace(place, guard, place === account, reads)),
  ];
  return onePerText((await Promise.all(checks)).filter((found): found is Diagnostic => found !== null));
}

function onePerText(found: readonly Diagnostic[]): readonly Diagnostic[] {
  return [...new Map(found.map((item) => [item.detail, item])).values()];
}

function refused(detail: string): Diagnostic {
  return diagnostic('GUARD', detail);
}

async function checkPlace(
  place: string,
  { requireOrg, requireOrgDisplayName }: GuardSpec,
  isPinned: boolean,
  reads: Reads,
): Promise<Diagnostic | null> {
  const pinned =
    requireOrg === null ? `an organisation called "${requireOrgDisplayName}"` : `organizations/${requireOrg}`;
  const top = await topOf(place, reads);
  if (top.kind === 'unknown') return refused(`That ${place} belongs to ${pinned} can't be verified: ${top.why}`);
  // The account itself is pinned: where nobody owns it, there is no one else's to mistake it for.
  if (top.kind === 'none')
    return isPinned ? null : refused(`${place} belongs to no organisation, but the guard pins ${pinned}.`);
  if (requireOrg === null) return checkName(top.name, requireOrgDisplayName ?? '', reads);
  return top.name === pinned ? null : refused(`${place} belongs to ${top.name}, but the guard pins ${pinned}.`);
}

async function checkName(organization: string, wanted: string, reads: Reads): Promise<Diagnostic | null> {
  const answer = await reads.organization(organization);
  if (answer.kind === 'failed') return refused(`The name of ${organization} can't be verified: ${answer.why.detail}`);
  const name = text(answer.value, 'displayName');
  return name === wanted ? null : refused(`${organization} is called "${name}", but the guard pins "${wanted}".`);
}

/** Walks up to the organisation. A sub-account belongs where its master account does. */
async function topOf(place: string, reads: Reads): Promise<Top> {
  let name = place;
  for (let depth = 0; depth < MAX_DEPTH; depth += 1) {
    if (name === '') return { kind: 'none' };
    if (ORGANIZATION.test(name)) return { kind: 'organization', name };
    const answer = await readOf(name, reads);
    if (answer === null) return { kind: 'unknown', why: `it lies below ${name}.` };
    if (answer.kind === 'failed') return { kind: 'unknown', why: answer.why.detail };
    name = text(answer.value, 'parent') || text(answer.value, 'masterBillingAccount');
  }
  return { kind: 'unknown', why: 'it is nested too deep, or in itself.' };
}

function readOf(name: string, reads: Reads): ReturnType<Reads['folder']> | null {
  if (name.startsWith('folders/')) return reads.folder(name);
  if (name.startsWith('projects/')) return reads.project(name.slice('projects/'.length));
  return name.startsWith('billingAccounts/') ? reads.billingAccount(name) : null;
}
