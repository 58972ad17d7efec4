import { randomBytes } from 'node:crypto';

const ALPHABET = '0123456789abcdefghijklmnopqrstuv';

/** Zones that new resources can go to; ru-central1-c is closed, but has its prefixes. */
export const ZONES = ['ru-central1-a', 'ru-central1-b', 'ru-central1-d', 'kz1-a'] as const;

const SUBNET_PREFIXES: Readonly<Record<string, string>> = {
  'ru-central1-a': 'e9b',
  'ru-central1-b': 'e2l',
  'ru-central1-c': 'b0c',
  'ru-central1-d': 'fl8',
};
const COMPUTE_PREFIXES: Readonly<Record<string, string>> = {
  'ru-central1-a': 'fhm',
  'ru-central1-b': 'epd',
  'ru-central1-c': 'ef3',
  'ru-central1-d': 'fv4',
};
const KNOWN = [
  'b1g',
  'bpf',
  'enp',
  'fd8',
  'aje',
  ...Object.values(SUBNET_PREFIXES),
  ...Object.values(COMPUTE_PREFIXES),
];

export const VPC_PREFIX = 'enp';
export const subnetPrefix = (zone: string) => SUBNET_PREFIXES[zone] ?? 'e9b';
export const computePrefix = (zone: string) => COMPUTE_PREFIXES[zone] ?? 'fhm';

/** 85 random bits after the prefix: none comes twice. */
export function newId(prefix: string): string {
  return prefix + [...randomBytes(17)].map((byte) => ALPHABET[byte % ALPHABET.length]).join('');
}

/** Of any family: the server looks an id of another family up, and finds nothing. */
export function isWellFormed(id: string): boolean {
  return /^[a-z0-9]{20}$/.test(id) && KNOWN.includes(id.slice(0, 3));
}
