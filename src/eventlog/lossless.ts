import { randomBytes } from 'node:crypto';
import type { Json } from '../core/json.ts';

/** What a parser gives that keeps integers beyond 2^53 apart, as bigint. */
export type LosslessJson = null | boolean | number | bigint | string | readonly LosslessJson[] | LosslessObject;
export interface LosslessObject {
  readonly [key: string]: LosslessJson;
}

// An integer beyond 2^53 where a JSON value may stand, and some below; a false alarm (inside a string) only costs time.
// What we mint has 16 digits and is below: the first digit tells.
const LONG_INTEGER = /(?:^|[:[,\s])-?(?:9\d{15}|\d{17})/;
const SHORTEST = 16;
/** Numbers as JSON has them. */
const NUMBERS = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
/** Begins a string that stands for an integer; nobody who writes a log can guess it. */
const MARK = `integer ${randomBytes(16).toString('hex')} `;
const BACKSLASH = 0x5c;

/** An escape that may be half of a character; nothing else makes one of bytes that were read as UTF-8. */
const HALF = /\\u[dD][89a-fA-F]/;

/**
 * Parses JSON; integers beyond 2^53 come as bigint, half characters, which no URL can carry, as U+FFFD. Throws
 * SyntaxError.
 */
export function parseLossless(text: string): LosslessJson {
  const marked = LONG_INTEGER.test(text) ? markLongIntegers(text) : null;
  const value: unknown = JSON.parse(marked ?? text, HALF.test(text) ? wellFormed : undefined);
  return marked === null ? (value as LosslessJson) : restore(value);
}

function wellFormed(_key: string, value: unknown): unknown {
  if (typeof value === 'string') return whole(value);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [whole(key), item]));
}

function whole(text: string): string {
  return Buffer.from(text, 'utf8').toString('utf8');
}

/** The text with every integer beyond 2^53 as a marked string; null where it has none. One pass, whatever it holds. */
function markLongIntegers(text: string): string | null {
  let marked = '';
  let copied = 0;
  for (let start = 0; start < text.length; ) {
    const quote = text.indexOf('"', start);
    const end = quote === -1 ? text.length : quote;
    for (const { index, token } of longIntegers(text, start, end)) {
      marked += `${text.slice(copied, index)}"${MARK}${token}"`;
      copied = index + token.length;
    }
    start = quote === -1 ? end : endOfString(text, quote);
  }
  return copied === 0 ? null : marked + text.slice(copied);
}

/** Between two strings, where nothing but numbers has digits. */
function* longIntegers(text: string, start: number, end: number): Generator<{ index: number; token: string }> {
  if (end - start < SHORTEST) return;
  for (const { index, 0: token } of text.slice(start, end).matchAll(NUMBERS)) {
    const isLong = token.length >= SHORTEST && /^-?\d+$/.test(token) && !Number.isSafeInteger(Number(token));
    if (isLong) yield { index: start + index, token };
  }
}

/** Behind the closing quote; the text's end where there is none. */
function endOfString(text: string, quote: number): number {
  for (let at = text.indexOf('"', quote + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let escapes = at;
    while (text.charCodeAt(escapes - 1) === BACKSLASH) escapes -= 1;
    if ((at - escapes) % 2 === 0) return at + 1;
  }
  return text.length;
}

/** Makes integers of marked strings, in place: the value was parsed a moment ago. */
function restore(value: unknown): LosslessJson {
  if (typeof value === 'string') return value.startsWith(MARK) ? BigInt(value.slice(MARK.length)) : value;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) value[index] = restore(value[index]);
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      if (key.startsWith(MARK)) throw new SyntaxError('an integer is no key');
      const restored = restore(item);
      // A key may be `__proto__`: it is defined, not assigned.
      if (restored !== item) Object.defineProperty(value, key, { ...PLAIN, value: restored });
    }
  }
  return value as LosslessJson;
}

const PLAIN = { configurable: true, enumerable: true, writable: true };

export function isLosslessObject(value: LosslessJson | undefined): value is LosslessObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value as JSON text, every integer digit by digit. */
export function losslessText(value: LosslessJson): string {
  if (typeof value === 'bigint') return value.toString();
  if (Array.isArray(value)) return `[${value.map((item: LosslessJson) => losslessText(item)).join(',')}]`;
  if (!isLosslessObject(value)) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([key, item]) => `${JSON.stringify(key)}:${losslessText(item)}`)
    .join(',')}}`;
}

/** Plain JSON: a number that a double can't carry as its decimal text, so that nothing is lost. */
export function toJson(value: LosslessJson): Json {
  if (typeof value === 'bigint') return integerJson(value);
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  if (Array.isArray(value)) return value.map((item: LosslessJson) => toJson(item));
  if (isLosslessObject(value))
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, toJson(item)]));
  return value as Json;
}

function integerJson(value: bigint): number | string {
  const double = Number(value);
  return String(double) === value.toString() ? double : value.toString();
}
