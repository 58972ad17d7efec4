export interface Cidr {
  readonly first: number;
  readonly last: number;
  readonly length: number;
  /** No bit beyond the prefix is set. */
  readonly strict: boolean;
}

export function parseCidr(text: string): Cidr | undefined {
  const [, address = '', bits = ''] = /^([\d.]+)\/(\d{1,2})$/.exec(text) ?? [];
  const start = parseIpv4(address);
  const length = Number(bits);
  if (start === undefined || bits === '' || length > 32) return undefined;
  const size = 2 ** (32 - length);
  const first = Math.floor(start / size) * size;
  return { first, last: first + size - 1, length, strict: first === start };
}

export function parseIpv4(text: string): number | undefined {
  const parts = text.split('.');
  if (parts.length !== 4 || !parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) < 256))
    return undefined;
  return parts.reduce((sum, part) => sum * 256 + Number(part), 0);
}

export function ipv4(value: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join('.');
}

export function overlap(one: Cidr, other: Cidr): boolean {
  return one.first <= other.last && other.first <= one.last;
}

const PRIVATE = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16'].map(parseCidr);

export function isPrivate(cidr: Cidr): boolean {
  return PRIVATE.some((range) => range !== undefined && range.first <= cidr.first && cidr.last <= range.last);
}
