import { invalid, invalidField, RpcFailure } from '../cli/failures.ts';
import { ZONES } from '../world/ids.ts';
import type { Resource } from '../world/state.ts';
import type { Kind } from './kind.ts';

const VPC_NAME = /^(?:|[a-zA-Z](?:[-_a-zA-Z0-9]{0,61}[a-zA-Z0-9])?)$/;
const COMPUTE_NAME = /^(?:|[a-z](?:[-_a-z0-9]{0,61}[a-z0-9])?)$/;
const NARROW_LABELS = { key: /^[a-z][-_0-9a-z]{0,62}$/, value: /^[-_0-9a-z]{0,63}$/ };
const WIDE_LABELS = { key: /^[a-z][-_./\\@0-9a-z]{0,62}$/, value: /^[-_./\\@0-9a-z]{0,63}$/ };
const MAX_LABELS = 64;
const MAX_DESCRIPTION = 256;

export function checkName(kind: Kind, name: string): void {
  const pattern = kind.service === 'vpc' ? VPC_NAME : COMPUTE_NAME;
  if (!pattern.test(name)) throw invalidField('name', `Field does not match the pattern ${pattern}`);
}

export function checkDescription(description: string): void {
  if (description.length > MAX_DESCRIPTION)
    throw invalidField('description', `The string length must be less than or equal to ${MAX_DESCRIPTION}`);
}

export function checkLabels(kind: Kind, labels: Readonly<Record<string, string>>): void {
  const narrow = kind.name === 'network' || kind.name === 'subnet' || kind.name === 'address';
  const rules = narrow ? NARROW_LABELS : WIDE_LABELS;
  const pairs = Object.entries(labels);
  if (pairs.length > MAX_LABELS)
    throw invalidField('labels', `Number of elements must be in the range 0-${MAX_LABELS}`);
  for (const [key, value] of pairs) {
    if (!rules.key.test(key)) throw invalidField(`labels.${key}`, `Map key does not match the pattern ${rules.key}`);
    if (!rules.value.test(value))
      throw invalidField(`labels.${key}`, `Map value does not match the pattern ${rules.value}`);
  }
}

export function checkUnique(kind: Kind, name: string, others: readonly Resource[]): void {
  if (name !== '' && others.some((other) => other.name === name))
    throw new RpcFailure('AlreadyExists', `${kind.title} with name ${name} already exists`);
}

export function checkZone(zone: string): void {
  // Closed for what is new.
  if (zone === 'ru-central1-c') throw invalid('Illegal argument zone_id');
  if (!ZONES.some((known) => known === zone)) throw invalid(`unknown zone id '${zone}'`);
}

const UNITS: Readonly<Record<string, number>> = { '': 2 ** 30, K: 2 ** 10, M: 2 ** 20, G: 2 ** 30, T: 2 ** 40 };

/** Bytes of `20`, `20G`, `20GB`, `512M`; undefined when it is none of these. */
export function bytesOf(text: string): number | undefined {
  const [, amount, unit = ''] = /^(\d+(?:\.\d+)?)([KMGT]?)B?$/i.exec(text) ?? [];
  const factor = UNITS[unit.toUpperCase()];
  return amount === undefined || factor === undefined ? undefined : Number(amount) * factor;
}
