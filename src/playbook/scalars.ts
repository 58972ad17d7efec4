import type { Json } from '../core/json.ts';

const TRUE: ReadonlySet<string> = new Set(['true', '1', 'yes']);
const FALSE: ReadonlySet<string> = new Set(['false', '0', 'no']);

/** Booleans and the texts true/false/1/0/yes/no in any case; null for anything else. */
export function readBoolean(value: Json): boolean | null {
  if (typeof value === 'boolean') return value;
  if (typeof value !== 'string' && typeof value !== 'number') return null;
  const text = String(value).trim().toLowerCase();
  if (TRUE.has(text)) return true;
  return FALSE.has(text) ? false : null;
}

/** `dry_run`: as a boolean, and present but empty or null is true, so that a slip never makes a run write. */
export function readDryRun(value: Json): boolean | null {
  if (value === null || (typeof value === 'string' && value.trim() === '')) return true;
  return readBoolean(value);
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
const LONGEST_MS = 24 * 3_600_000;

/** A duration in milliseconds: a number of seconds, or `500ms`, `30s`, `5m`, `1h`. Null: no duration above 0 and up to a day. */
export function readDuration(value: Json): number | null {
  const match = /^(\d{1,9}(?:\.\d{1,3})?)\s*(ms|s|m|h)?$/.exec(String(value).trim());
  if (match === null || (typeof value !== 'string' && typeof value !== 'number')) return null;
  const milliseconds = Math.round(Number(match[1]) * (UNITS[match[2] ?? 's'] ?? 1000));
  return milliseconds > 0 && milliseconds <= LONGEST_MS ? milliseconds : null;
}
