import { parse } from 'lossless-json';
import type { Json } from '../core/json.ts';

/** What a parser gives that keeps integers beyond 2^53 apart, as bigint. */
export type LosslessJson = null | boolean | number | bigint | string | readonly LosslessJson[] | LosslessObject;
export interface LosslessObject {
  readonly [key: string]: LosslessJson;
}

// An integer of 16 digits or more where a JSON value may stand; a false alarm (inside a string) only costs time.
const LONG_INTEGER = /[:[,\s]-?\d{16}/;

/** Parses JSON; integers that a double can't carry come as bigint. Throws SyntaxError. */
export function parseLossless(text: string): LosslessJson {
  if (!LONG_INTEGER.test(text)) return JSON.parse(text) as LosslessJson;
  return parse(text, null, { parseNumber, onDuplicateKey: ({ newValue }) => newValue }) as LosslessJson;
}

function parseNumber(text: string): number | bigint {
  const value = Number(text);
  return /^-?\d+$/.test(text) && !Number.isSafeInteger(value) ? BigInt(text) : value;
}

export function isLosslessObject(value: LosslessJson | undefined): value is LosslessObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Plain JSON: integers beyond 2^53 as their decimal text, so that nothing is lost. */
export function toJson(value: LosslessJson): Json {
  if (typeof value === 'bigint') return value.toString();
  if (Array.isArray(value)) return value.map((item: LosslessJson) => toJson(item));
  if (isLosslessObject(value)) return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, toJson(item)]));
  return value as Json;
}
