import type { EmulatorKnobs } from '../options.ts';
import { type ApiError, invalidArgument } from '../wire/errors.ts';

const EMAIL_KINDS = new Set(['user', 'serviceAccount', 'group', 'domain']);
const PRINCIPAL_KINDS = new Set(['principal', 'principalSet', 'principalHierarchy']);
const PUBLIC_MEMBERS = new Set(['allUsers', 'allAuthenticatedUsers']);

/** A member as stored: addresses in lower case, everything else as sent. Throws what the service answers to a bad one. */
export function acceptMember(member: string, resource: string, knobs: EmulatorKnobs): string {
  if (PUBLIC_MEMBERS.has(member)) return acceptPublicMember(member, resource);
  const [kind, value] = splitOnce(member);
  if (kind === 'deleted') return acceptDeletedMember(member, value);
  if (PRINCIPAL_KINDS.has(kind)) {
    if (!value.startsWith('//')) throw invalidArgument(`Invalid principal ${member}.`);
    return member;
  }
  if (!EMAIL_KINDS.has(kind)) throw unknownKind(member);
  if (!isWellFormed(kind, value))
    throw invalidArgument(`Invalid member ${member}: the ${kind} must be a valid address.`);
  const stored = `${kind}:${value.toLowerCase()}`;
  if (knobs.missingMembers?.some((missing) => missing.toLowerCase() === stored.toLowerCase()))
    throw doesNotExist(kind, value);
  return stored;
}

function acceptPublicMember(member: string, resource: string): string {
  if (resource.startsWith('projects/')) {
    throw invalidArgument(`Members of type allUsers and allAuthenticatedUsers cannot be added to projects: ${member}.`);
  }
  return member;
}

/** `deleted:user:address?uid=N` returns unchanged but for the address's case; it need not exist. */
function acceptDeletedMember(member: string, rest: string): string {
  const [kind, value] = splitOnce(rest);
  if (PRINCIPAL_KINDS.has(kind)) return member;
  if (!EMAIL_KINDS.has(kind) || !/\?uid=\d+$/.test(value)) throw unknownKind(member);
  return `deleted:${kind}:${value.toLowerCase()}`;
}

function isWellFormed(kind: string, value: string): boolean {
  if (kind === 'domain') return /^[^@\s]+\.[^@\s]+$/.test(value);
  if (kind === 'serviceAccount' && /^[^@\s]+\.svc\.id\.goog\[[^\]]+\]$/.test(value)) return true;
  return /^[^@\s]+@[^@\s]+$/.test(value);
}

function splitOnce(text: string): readonly [string, string] {
  const colon = text.indexOf(':');
  return colon < 0 ? [text, ''] : [text.slice(0, colon), text.slice(colon + 1)];
}

function unknownKind(member: string): ApiError {
  return invalidArgument(`The member ${member} is of an unknown type. Please set a valid type prefix for the member.`);
}

function doesNotExist(kind: string, value: string): ApiError {
  const titles: Readonly<Record<string, string>> = { user: 'User', serviceAccount: 'Service account', group: 'Group' };
  return invalidArgument(`${titles[kind] ?? 'Domain'} ${value} does not exist.`);
}
