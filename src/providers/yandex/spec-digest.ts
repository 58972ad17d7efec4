import { canonicalJson, type Json, sha256Hex } from '../../core/json.ts';
import { isKnown, type Value, type ValueObject } from '../../core/value.ts';
import type { KindDefinition } from './define-kind.ts';

const DIGITS = 40;

/**
 * The digest of a desired spec, as the label `infra-spec` holds it; null while a part of it is not known. Dependencies
 * enter by the logical ids of what they lead to, which are known before any id is.
 */
export function specDigest(
  { kind, dependencies }: KindDefinition,
  desired: ValueObject,
  logicalIds: ValueObject,
): string | null {
  const ids = new Set(dependencies.map(({ field }) => field));
  const spec: Record<string, Value> = { kind };
  for (const [key, value] of Object.entries(desired)) {
    if (key === 'labels') continue;
    spec[key] = ids.has(key) ? (logicalIds[key] ?? value) : value;
  }
  return isKnown(spec) ? sha256Hex(canonicalJson(spec as Json)).slice(0, DIGITS) : null;
}
