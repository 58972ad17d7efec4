import { type FormatProblem, hasWildcard } from './validation.ts';

/** Where a policy stands; some members and roles fit only some of them. */
export type PolicyHolder = 'organization' | 'folder' | 'project' | 'billing_account';

const ADDRESS_PREFIXES = ['user', 'serviceAccount', 'group'];
const PRINCIPAL_PREFIXES = ['principal', 'principalSet', 'principalHierarchy'];
const PUBLIC_MEMBERS = ['allUsers', 'allAuthenticatedUsers'];
const CONVENIENCE_PREFIXES = ['projectOwner', 'projectEditor', 'projectViewer'];
const KNOWN_PREFIXES = [...ADDRESS_PREFIXES, 'domain', ...PRINCIPAL_PREFIXES, 'deleted'];
const BASIC_ROLES = new Set(['roles/owner', 'roles/editor', 'roles/viewer']);
const GROUP_HOSTS = ['googlegroups.com'];
const WORKLOAD = /^[^@\s]+\.svc\.id\.goog\[[^/\]\s]+\/[^\]\s]+\]$/i;
/** What no server takes for an address is neither of these; the finer rules are those of the cloud's own check. */
const ADDRESS = /^[^@\s\p{Cc}]+@[^@\s\p{Cc}]+$/u;
const DOMAIN = /^[^@\s\p{Cc}]+$/u;
const LABEL = '[\\p{L}\\p{N}](?:[\\p{L}\\p{N}-]*[\\p{L}\\p{N}])?';
const HOST = new RegExp(`^${LABEL}(?:\\.${LABEL})+$`, 'u');
/** Characters that an address would have to quote, which Google's accounts never do. */
const QUOTED = /[<>()[\],;:"\\]/;

/**
 * The form in which two members are compared and stand in URNs: Google ignores the case of addresses and domains, and
 * keeps that of the type prefix and of `principal:` identifiers (gcp-rest 4.5).
 */
export function normalizeMember(member: string): string {
  if (PUBLIC_MEMBERS.includes(member)) return member;
  const [prefix = '', ...rest] = member.split(':');
  if (rest.length === 0 || PRINCIPAL_PREFIXES.includes(prefix)) return member;
  if (prefix === 'deleted') return `${prefix}:${normalizeMember(rest.join(':'))}`;
  return `${prefix}:${rest.join(':').toLowerCase()}`;
}

export function sameMember(a: string, b: string): boolean {
  return a === b || normalizeMember(a) === normalizeMember(b);
}

export function isBasicRole(role: string): boolean {
  return BASIC_ROLES.has(role);
}

/** What is wrong with a grant by rules of Google's that are known without asking; certain is what no server accepts. */
export interface MemberProblem extends FormatProblem {
  readonly certain: boolean;
}

/** Checks a member that is to be granted a role. `deleted:` members come and go by themselves and can't be granted. */
export function memberProblem(member: string, holder: PolicyHolder): MemberProblem | null {
  if (PUBLIC_MEMBERS.includes(member)) {
    return holder === 'project' ? certainly(`${member} can't be granted a role on a project.`) : null;
  }
  const [prefix = '', ...rest] = member.split(':');
  const value = rest.join(':');
  if (prefix === 'deleted') return certainly(`"${member}" is a deleted principal; nothing can be granted to it.`);
  if (CONVENIENCE_PREFIXES.includes(prefix))
    return certainly(`"${member}" has a meaning in policies of buckets and data sets only.`);
  if (!KNOWN_PREFIXES.includes(prefix) || value === '') return unknownPrefix(member, prefix);
  const misshapen = shapeProblem(member, prefix, value);
  if (misshapen !== null) return misshapen;
  if (prefix === 'domain')
    return HOST.test(value) ? null : likely(`"${member}" must name a domain such as domain:example.com.`);
  if (PRINCIPAL_PREFIXES.includes(prefix))
    return value.startsWith('//')
      ? null
      : likely(`"${member}" must continue with //, such as ${prefix}://iam.googleapis.com/...`);
  return addressProblem(member, prefix, value);
}

/** Checks a member that is to lose a role: only its shape, since whatever stands in a policy may be taken out. */
export function removableMemberProblem(member: string): MemberProblem | null {
  if (PUBLIC_MEMBERS.includes(member)) return null;
  const [prefix = '', ...rest] = member.split(':');
  const known = KNOWN_PREFIXES.includes(prefix) || CONVENIENCE_PREFIXES.includes(prefix);
  const value = rest.join(':');
  if (!known || value === '') return unknownPrefix(member, prefix);
  return prefix === 'deleted' ? deletedProblem(member, value) : shapeProblem(member, prefix, value);
}

/** `deleted:` is followed by the member that was, and by the number of the account where it was one. */
function deletedProblem(member: string, rest: string): MemberProblem | null {
  const [, prefix = '', value = '', uid] = /^([^:]*):(.*?)(\?uid=\d+)?$/.exec(rest) ?? [];
  if (PRINCIPAL_PREFIXES.includes(prefix)) return null;
  if (!ADDRESS_PREFIXES.includes(prefix)) return unknownPrefix(member, 'deleted');
  return uid === undefined
    ? certainly(`"${member}" must end with the number of the account, such as deleted:user:ada@example.com?uid=123.`)
    : shapeProblem(member, prefix, value);
}

/** What can't be the kind of member that its prefix says, whoever is asked. */
function shapeProblem(member: string, prefix: string, value: string): MemberProblem | null {
  if (prefix === 'domain' && !DOMAIN.test(value))
    return certainly(`"${member}" must name a domain such as domain:example.com.`);
  const isWorkload = prefix === 'serviceAccount' && WORKLOAD.test(value);
  return !ADDRESS_PREFIXES.includes(prefix) || isWorkload || ADDRESS.test(value)
    ? null
    : certainly(`"${member}" must name an e-mail address.`);
}

/**
 * Whether a member reads like a pattern of ours. What Google itself writes so is none: the whole pool of a principal
 * set (`/*` at the end), the Kubernetes account of a workload identity, the number of a deleted principal.
 */
export function hasMemberWildcard(member: string): boolean {
  const literal = member.startsWith('principalSet:')
    ? member.replace(/\/\*$/, '')
    : member.replace(/\.svc\.id\.goog\[[^\][*?]+\]$/, '').replace(/\?uid=\d+$/, '');
  return hasWildcard(literal);
}

function addressProblem(member: string, prefix: string, value: string): MemberProblem | null {
  if (prefix === 'serviceAccount' && WORKLOAD.test(value)) return null;
  const [local = '', host = ''] = value.toLowerCase().split('@');
  if (QUOTED.test(local) || !HOST.test(host)) return likely(`"${member}" must name an e-mail address.`);
  const ofServiceAccount = host === 'gserviceaccount.com' || host.endsWith('.gserviceaccount.com');
  if (prefix === 'serviceAccount' && !ofServiceAccount) {
    return likely(`"${member}" does not name a service account: their addresses end in gserviceaccount.com.`);
  }
  if (prefix !== 'serviceAccount' && ofServiceAccount) {
    return certainly(`"${member}" is the address of a service account.`, `Write serviceAccount:${value}.`);
  }
  if (prefix === 'user' && GROUP_HOSTS.includes(host))
    return certainly(`"${member}" is the address of a group.`, `Write group:${value}.`);
  return null;
}

function unknownPrefix(member: string, prefix: string): MemberProblem {
  const meant = [...KNOWN_PREFIXES, ...PUBLIC_MEMBERS].find((known) => known.toLowerCase() === prefix.toLowerCase());
  if (meant !== undefined && meant !== prefix)
    return certainly(
      `"${member}" has a type prefix in the wrong case.`,
      `Write ${meant}${member.slice(prefix.length)}.`,
    );
  const hint =
    member.includes('@') && !member.includes(':')
      ? `Write user:${member}, group:${member} or serviceAccount:${member}.`
      : undefined;
  return certainly(
    `"${member}" is not a member; expected one of ${[...KNOWN_PREFIXES.slice(0, -1)].join(', ')} followed by a colon and who it is.`,
    hint,
  );
}

function certainly(detail: string, hint?: string): MemberProblem {
  return hint === undefined ? { detail, certain: true } : { detail, hint, certain: true };
}

function likely(detail: string): MemberProblem {
  return { detail, certain: false };
}
