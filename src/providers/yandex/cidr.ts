import type { Rule } from './inputs.ts';

/** An IPv4 network: the first address as a number, and the length of its prefix. */
export interface Cidr {
  readonly first: number;
  readonly prefix: number;
}

const TEXT = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})\/(\d{1,2})$/;

/** Strict: no leading zeros, no host bits. */
export function parseCidr(text: string): Cidr | null {
  const match = TEXT.exec(text);
  if (match === null) return null;
  const parts = match.slice(1);
  if (parts.some((part) => part.length > 1 && part.startsWith('0'))) return null;
  const [a = 0, b = 0, c = 0, d = 0, prefix = 0] = parts.map(Number);
  if ([a, b, c, d].some((octet) => octet > 255) || prefix > 32) return null;
  const first = ((a * 256 + b) * 256 + c) * 256 + d;
  return first % sizeOf(prefix) === 0 ? { first, prefix } : null;
}

function sizeOf(prefix: number): number {
  return 2 ** (32 - prefix);
}

export function overlaps(one: Cidr, other: Cidr): boolean {
  return one.first < other.first + sizeOf(other.prefix) && other.first < one.first + sizeOf(one.prefix);
}

function notStrict(text: string): string {
  return `${JSON.stringify(text.slice(0, 80))} is no IPv4 network such as 10.42.0.0/24; no bit may be set behind the prefix.`;
}

export const cidrRule: Rule = (text) => (parseCidr(text) === null ? notStrict(text) : null);

export const subnetCidrRule: Rule = (text) => {
  const cidr = parseCidr(text);
  if (cidr === null) return notStrict(text);
  return cidr.prefix >= 16 && cidr.prefix <= 28 ? null : `A subnet has a prefix from /16 to /28, not /${cidr.prefix}.`;
};
