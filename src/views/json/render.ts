import { randomBytes } from 'node:crypto';
import { isJsonObject } from '../../core/json.ts';

// What JSON allows raw but a terminal or a text tool may act on: DEL and C1 controls, bidi and invisible characters,
// line separators, lone surrogates. JSON.stringify already escapes the C0 controls.
const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
// A CI runner's commands; only inside strings can JSON text have a `#`.
const RUNNER = /##(?=\w*\[)/g;

function escapeUnits(text: string): string {
  return Array.from(
    { length: text.length },
    (_, index) => `\\u${text.charCodeAt(index).toString(16).padStart(4, '0')}`,
  ).join('');
}

function harmless(json: string): string {
  return json
    .replace(UNSAFE, (character) => (character === '\n' ? character : escapeUnits(character)))
    .replace(RUNNER, '#\\u0023');
}

/** Integers that a double can't carry stand as text in what is rendered; in these fields of a fact, or of what is owned. */
const ID_KEYS: ReadonlySet<string> = new Set(['execution_id', 'last_execution_id']);
const INTEGER = /^-?[1-9]\d{15,19}$/;

/** JSON as JSON.stringify has it, but for integers beyond 2^53, which come out digit by digit. */
function exactJson(value: object, indent: number): string {
  // Nobody who writes a log can guess it.
  const mark = `integer ${randomBytes(16).toString('hex')} `;
  let isMarked = false;
  const text = JSON.stringify(
    value,
    function (this: unknown, key, item: unknown) {
      if (typeof item !== 'bigint' && !isLongId(this, key, item)) return item;
      isMarked = true;
      return `${mark}${String(item)}`;
    },
    indent,
  );
  return isMarked ? text.replace(new RegExp(`"${mark}(-?\\d+)"`, 'g'), '$1') : text;
}

/** What has no URN is a row of others, whose texts stay texts. */
function isLongId(holder: unknown, key: string, item: unknown): boolean {
  if (!ID_KEYS.has(key) || typeof item !== 'string' || !INTEGER.test(item)) return false;
  return isJsonObject(holder) && typeof holder['urn'] === 'string' && !Number.isSafeInteger(Number(item));
}

/** A document as it is printed: indented, ending in a newline, the same data for every parser, harmless on a terminal. */
export function renderJson(document: object): string {
  return `${harmless(exactJson(document, 2))}\n`;
}

/** One value on one line. */
export function jsonLine(value: object): string {
  return `${harmless(exactJson(value, 0))}\n`;
}
