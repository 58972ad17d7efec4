import type { Diagnostic } from '../core/diagnostics.ts';

const MAX_NAMED = 10;

/** What several steps were told in the same words is told once, with the steps that it is about. */
export function onePerCause(found: readonly Diagnostic[]): readonly Diagnostic[] {
  const causes = new Map<string, Diagnostic[]>();
  for (const item of found) {
    const key = JSON.stringify([item.code, item.severity, item.detail, item.hint]);
    causes.set(key, [...(causes.get(key) ?? []), item]);
  }
  return [...causes.values()].flatMap(together);
}

function together(same: readonly Diagnostic[]): readonly Diagnostic[] {
  const [first] = same;
  const addresses = [...new Set(same.flatMap(({ address }) => (address === null ? [] : [address])))];
  if (first === undefined || addresses.length < 2) return same.slice(0, 1);
  const more = addresses.length > MAX_NAMED ? `, and ${addresses.length - MAX_NAMED} more` : '';
  const named = addresses.slice(0, MAX_NAMED).join(', ');
  return [{ ...first, address: null, urn: null, detail: `${first.detail} It is so for ${named}${more}.` }];
}
