const MAX_TEXT = 1000;
const REDACTED = '***redacted***';
/** Shorter values are words rather than secrets; replacing them would garble texts. */
const MIN_SECRET = 6;

/** Replaces secrets by a mark wherever they occur. */
export type Scrub = (text: string) => string;

/** A scrubber for values that may change while it is in use (a refreshed token). */
export function scrubber(secrets: () => Iterable<string>): Scrub {
  return (text) => {
    let clean = text;
    for (const secret of secrets()) if (secret.length >= MIN_SECRET) clean = clean.replaceAll(secret, REDACTED);
    return clean;
  };
}

/**
 * A vendor's text made fit to show: one line, without control and direction characters, without Google's support
 * token ("Help Token: ..."), without secrets, at most `limit` characters.
 */
export function vendorText(text: string, scrub: Scrub, limit = MAX_TEXT): string {
  const plain = scrub(text)
    .replace(/\s*Help Token: \S+/g, '')
    .replace(/\s+/g, ' ')
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu, '')
    .trim();
  const clean = scrub(plain);
  return clean.length <= limit ? clean : `${clean.slice(0, limit - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
