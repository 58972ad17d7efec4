import { parse } from 'lossless-json';
import type { Json } from '../core/json.ts';

/** What a parser gives that keeps integers beyond 2^53 apart, as bigint. */
export type LosslessJson = null | boolean | number | bigint | string | readonly LosslessJson[] | LosslessObject;
export interface LosslessObject {
  readonly [key: string]: LosslessJson;
}

// An integer of 16 digits or more where a JSON value may stand; a false alarm (inside a string) only costs time.
const LONG_INTEGER = /[:[,\s]-?\d{16}/;

/** Parses JSON; integers beyond 2^53 come as bigint. Throws SyntaxError. */
export function parseLossless(text: string): LosslessJson {
  if (!LONG_INTEGER.test(text)) return JSON.parse(text) as LosslessJson;
  return parse(text, null, { parseNumber, onDuplicateKey: ({ newValue }) => newValue }) as LosslessJson;
}

function parseNumber(text: string): number | bigint {
  const value = Number(text);
  return Number.isSafeInteger(value) || !/^-?\d+$/.test(text) ? value : BigInt(text);
}

export function isLosslessObject(value: LosslessJson | undefined): value is LosslessObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Plain JSON: an integer that a double can't carry as its decimal text, so that nothing is lost. */
export function toJson(value: LosslessJson): Json {
  if (typeof value === 'bigint') return integerJson(value);
  if (Array.isArray(value)) return value.map((item: LosslessJson) => toJson(item));
  if (isLosslessObject(value))
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, toJson(item)]));
  return value as Json;
}

function integerJson(value: bigint): number | string {
  const double = Number(value);
  const carried = Number.isFinite(double) && (BigInt(double) === value || String(double) === value.toString());
  return carried ? double : value.toString();
}
