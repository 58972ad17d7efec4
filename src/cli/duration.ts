const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const LONGEST_MS = 365 * 86_400_000;

/** Milliseconds of `250ms`, `30s`, `5m`, `1h`, `7d` or a bare number of seconds; null for anything else. */
export function parseDuration(text: string): number | null {
  const match = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h|d)?$/.exec(text.trim());
  if (match === null) return null;
  const milliseconds = Math.round(Number(match[1]) * (UNITS[match[2] ?? 's'] ?? 1000));
  return milliseconds <= LONGEST_MS ? milliseconds : null;
}
