import type { Verdict } from '../core/plan.ts';

/** A known deviation that drift shows as ignored; from infra.yaml. */
export interface DriftIgnore {
  /** A URN, `*` for any run of characters. */
  readonly urn: string;
  /** Null: every field. */
  readonly field: string | null;
  readonly reason: string;
  /** A date (through its end, UTC) or a time; null: no end. */
  readonly until: string | null;
}

const IGNORABLE: ReadonlySet<Verdict> = new Set<Verdict>(['modified', 'missing', 'untracked', 'not_managed']);

/** Why a deviation is ignored, where ignores that have not expired cover all of it; what could not be read never is. */
export function ignoreReason(
  ignores: readonly DriftIgnore[],
  urn: string,
  drift: Verdict,
  fields: readonly string[],
  now: number,
): string | null {
  if (!IGNORABLE.has(drift)) return null;
  const valid = ignores.filter((ignore) => matches(ignore.urn, urn) && !isExpired(ignore.until, now));
  const whole = valid.find((ignore) => ignore.field === null);
  if (whole !== undefined) return whole.reason;
  if (drift !== 'modified') return null;
  const reasons = fields.map((field) => valid.find((ignore) => ignore.field === field)?.reason);
  return reasons.length > 0 && reasons.every((reason) => reason !== undefined)
    ? [...new Set(reasons)].join('; ')
    : null;
}

function matches(pattern: string, urn: string): boolean {
  const parts = pattern.split('*');
  const [first = '', ...rest] = parts;
  if (rest.length === 0) return pattern === urn;
  const last = rest.pop() ?? '';
  if (!urn.startsWith(first) || !urn.endsWith(last) || urn.length < first.length + last.length) return false;
  let at = first.length;
  for (const part of rest) {
    const found = urn.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at <= urn.length - last.length;
}

function isExpired(until: string | null, now: number): boolean {
  if (until === null) return false;
  const end = Date.parse(/^\d{4}-\d{2}-\d{2}$/.test(until) ? `${until}T23:59:59.999Z` : until);
  return Number.isNaN(end) || end < now;
}
