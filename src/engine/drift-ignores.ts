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

/** What of a deviation is ignored, and why. */
export interface Ignored {
  /** The reasons where ignores that have not expired cover all of it; what could not be read never is. */
  readonly whole: string | null;
  /** The reason of each field that an ignore of its own covers. */
  readonly fields: Readonly<Record<string, string>>;
}

const NOTHING: Ignored = { whole: null, fields: {} };

export function ignoredOf(
  ignores: readonly DriftIgnore[],
  urn: string,
  drift: Verdict,
  differing: readonly string[],
  now: number,
): Ignored {
  if (!IGNORABLE.has(drift)) return NOTHING;
  const valid = ignores.filter((ignore) => matches(ignore.urn, urn) && !isExpired(ignore.until, now));
  const whole = valid.find((ignore) => ignore.field === null);
  if (whole !== undefined) return { whole: whole.reason, fields: {} };
  if (drift !== 'modified') return NOTHING;
  const reasons = differing.flatMap((field) => {
    const reason = valid.find((ignore) => ignore.field === field)?.reason;
    return reason === undefined ? [] : [[field, reason] as const];
  });
  const isWhole = reasons.length > 0 && reasons.length === differing.length;
  const all = [...new Set(reasons.map(([, reason]) => reason))].join('; ');
  return { whole: isWhole ? all : null, fields: Object.fromEntries(reasons) };
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
