import { diagnostic } from '../../core/codes.ts';
import type { Diagnostic } from '../../core/diagnostics.ts';
import type { GuardSpec } from '../../core/step.ts';
import { text } from './observing.ts';
import type { Reads } from './reads.ts';

const MAX_DEPTH = 24;

/**
 * What only the cloud can tell about a pinned target: the organisation's name, whose the billing account is, and that
 * every parent lies below the pinned organisation. What can't be verified is refused.
 */
export async function checkGuardLive(
  guard: GuardSpec,
  parents: readonly string[],
  reads: Reads,
): Promise<readonly Diagnostic[]> {
  const { requireOrg, requireOrgDisplayName, requireBillingAccount } = guard;
  if (requireOrg === null) return [];
  const tree = `organizations/${requireOrg}`;
  const checks = [
    ...(requireOrgDisplayName === null ? [] : [checkName(tree, requireOrgDisplayName, reads)]),
    ...(requireBillingAccount === null ? [] : [checkAccount(`billingAccounts/${requireBillingAccount}`, tree, reads)]),
    ...[...new Set(parents)].map((place) =>
      place.startsWith('billingAccounts/') ? checkAccount(place, tree, reads) : checkAncestry(place, tree, reads),
    ),
  ];
  return (await Promise.all(checks)).filter((found): found is Diagnostic => found !== null);
}

function refused(detail: string): Diagnostic {
  return diagnostic('GUARD', detail);
}

async function checkName(tree: string, wanted: string, reads: Reads): Promise<Diagnostic | null> {
  const answer = await reads.organization(tree);
  if (answer.kind === 'failed') return refused(`The name of ${tree} can't be verified: ${answer.why.detail}`);
  const name = text(answer.value, 'displayName');
  return name === wanted ? null : refused(`${tree} is called "${name}", but the guard pins "${wanted}".`);
}

/** A sub-account belongs where its master account does. An account without a parent belongs to no organisation. */
async function checkAccount(account: string, tree: string, reads: Reads): Promise<Diagnostic | null> {
  let name = account;
  for (let depth = 0; depth < MAX_DEPTH; depth += 1) {
    const answer = await reads.billingAccount(name);
    if (answer.kind === 'failed') return refused(`Whose ${account} is can't be verified: ${answer.why.detail}`);
    const parent = text(answer.value, 'parent') || text(answer.value, 'masterBillingAccount');
    if (parent === '' || parent === tree) return null;
    if (!parent.startsWith('billingAccounts/'))
      return refused(`${account} belongs to ${parent}, but the guard pins ${tree}.`);
    name = parent;
  }
  return refused(`Whose ${account} is can't be verified: its accounts form a circle.`);
}

async function checkAncestry(parent: string, tree: string, reads: Reads): Promise<Diagnostic | null> {
  let name = parent;
  for (let depth = 0; depth < MAX_DEPTH; depth += 1) {
    if (name === tree) return null;
    const read = name.startsWith('folders/')
      ? reads.folder(name)
      : name.startsWith('projects/')
        ? reads.project(name.slice('projects/'.length))
        : null;
    if (read === null) return refused(`${parent} lies below ${name || 'no organisation'}, but the guard pins ${tree}.`);
    const answer = await read;
    if (answer.kind === 'failed')
      return refused(`That ${parent} lies below ${tree} can't be verified: ${answer.why.detail}`);
    name = text(answer.value, 'parent');
  }
  return refused(`That ${parent} lies below ${tree} can't be verified: it is nested too deep.`);
}
