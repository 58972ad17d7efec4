import type { ProviderFact } from '../core/facts.ts';
import { sha256Hex } from '../core/json.ts';
import type { LogRow, RowBody, RowContext } from './event-log.ts';

/** `prev` of the first row. */
export const FIRST_PREV = '0'.repeat(64);

const HASH_KEY = ',"hash":"';
const PREV_KEY = ',"prev":"';
const BETWEEN = `"${HASH_KEY}`;
const END = '"}';
/** Bytes from `,"prev":` to the end of a row of ours. */
export const SEAL_BYTES = 9 + 64 + 1 + HASH_KEY.length + 64 + 2;

// `desired` stands last, so that a reader finds everything else near the front of the row.
const FACT_KEYS = [
  'urn',
  'provider',
  'service',
  'resource_type',
  'verb',
  'outcome',
  'stack',
  'execution_id',
  'resource_id',
  'origin',
  'protect',
  'step',
  'digest',
  'credential',
  'forgotten',
  'renamed_to',
  'renamed_from',
  'desired',
] as const satisfies readonly (keyof ProviderFact)[];

/** A row ready to be written: its line with `\n`, and what the caller learns. */
export interface EncodedRow {
  readonly line: string;
  readonly row: LogRow;
}

/** One JSON line, chained to `prev` (64 hex digits) and sealed with its own hash. */
export function encodeRow(
  context: RowContext,
  body: RowBody,
  place: { sequence: number; prev: string; recordedAt: string },
): EncodedRow {
  const common: readonly (readonly [string, string])[] = [
    ['global_sequence', String(place.sequence)],
    ['type', JSON.stringify(body.type)],
    ['recorded_at', JSON.stringify(place.recordedAt)],
    ['execution_id', String(context.execution_id)],
    ['actor', JSON.stringify({ user: context.actor.user, host: context.actor.host })],
    ['infra', JSON.stringify(context.infra)],
    ['target', JSON.stringify(context.target)],
  ];
  const open = `{${members([...common, ...payload(body)])},"prev":"${place.prev}"`;
  const hash = sha256Hex(`${open}}`);
  const row = { global_sequence: place.sequence, recorded_at: place.recordedAt, prev: place.prev, hash };
  return { line: `${open}${HASH_KEY}${hash}"}\n`, row };
}

function members(entries: readonly (readonly [string, string])[]): string {
  return entries.map(([key, text]) => `"${key}":${text}`).join(',');
}

function payload(body: RowBody): readonly (readonly [string, string])[] {
  switch (body.type) {
    case 'provider.fact':
      return [['provider_fact', encodeFact(body.provider_fact)]];
    case 'provider.intent':
      return [
        ...texts(body, ['address', 'urn', 'stack', 'operation', 'operation_id', 'digest']),
        // A reader that takes any `provider_fact` for a fact must see an intent as what it is: planned.
        ['provider_fact', encodeFact({ ...body.provider_fact, outcome: 'planned' })],
      ];
    case 'provider.outcome':
      return texts(body, ['intent_sequence', 'status', 'code', 'operation_name']);
    case 'log.note':
      return texts(body, ['note', 'detail']);
  }
}

function texts<T extends object>(body: T, keys: readonly (keyof T & string)[]): readonly (readonly [string, string])[] {
  return keys.map((key) => [key, JSON.stringify(body[key])] as const);
}

/** A fact as JSON text; an `execution_id` beyond 2^53 is written as the integer it is. */
function encodeFact(fact: ProviderFact): string {
  const entries = FACT_KEYS.filter((key) => fact[key] !== undefined).map((key) => {
    return [key, key === 'execution_id' ? integerText(fact.execution_id) : JSON.stringify(fact[key])] as const;
  });
  return `{${members(entries)}}`;
}

function integerText(id: number | string): string {
  const text = String(id);
  if (!/^-?\d{1,20}$/.test(text)) throw new TypeError('an execution id is an integer');
  return text;
}

/** The links of a line that is sealed as our rows are; null for a line that someone else wrote. */
export function sealOf(line: Buffer): { readonly prev: string; readonly hash: string } | null {
  const end = line.toString('latin1', Math.max(0, line.length - SEAL_BYTES - 1));
  const hash = hashIn(end, 0, end.length);
  return hash === null ? null : { prev: end.slice(1 + PREV_KEY.length, 1 + PREV_KEY.length + 64), hash };
}

/** The hash alone, of a line that stands from `start` to `end` in a text, a character a byte. */
export function hashIn(text: string, start: number, end: number): string | null {
  const seal = end - SEAL_BYTES;
  const between = seal + PREV_KEY.length + 64;
  const hash = between + BETWEEN.length;
  const isSealed =
    seal > start &&
    text.startsWith(PREV_KEY, seal) &&
    text.startsWith(BETWEEN, between) &&
    text.startsWith(END, hash + 64);
  return isSealed ? text.slice(hash, hash + 64) : null;
}

/** The hash that a sealed line must have: over its own bytes up to `,"hash":`, closed by `}`. */
export function sealedHash(line: Buffer): string {
  const end = line.length - (HASH_KEY.length + 64 + 2);
  const bytes = Buffer.allocUnsafe(end + 1);
  line.copy(bytes, 0, 0, end);
  bytes[end] = 0x7d;
  return sha256Hex(bytes);
}

/** What the next row names as `prev`: the line's hash, else the SHA-256 of its raw bytes (without `\n`). */
export function linkOf(line: Buffer): string {
  return sealOf(line)?.hash ?? sha256Hex(line);
}
