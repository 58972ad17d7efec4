import type { ProviderFact } from '../core/facts.ts';
import type { IntentBody, OutcomeBody } from './event-log.ts';
import { isLosslessObject, type LosslessJson, type LosslessObject, parseLossless } from './lossless.ts';
import { acceptFact, factIn, wrappedRecords } from './tier-records.ts';

export type RowItem =
  /** `dropped`: keys of what others desired that mean nothing to us. */
  | { readonly kind: 'fact'; readonly fact: ProviderFact; readonly dropped?: readonly string[] }
  | { readonly kind: 'intent'; readonly intent: IntentBody }
  | { readonly kind: 'outcome'; readonly outcome: OutcomeBody }
  /** Read and understood, and nothing to fold: notes, events without a fact. */
  | { readonly kind: 'nothing' };

/** One row as a fold takes it. */
export interface Entry {
  /** Null where the row has none: it keeps its place in the file. */
  readonly sequence: number | null;
  /** Tells the row from another with this sequence; rows with the same are one. Null: can't be told. */
  readonly key: string | null;
  /** Null where the row says none: it counts for every target. */
  readonly target: string | null;
  /** Whether it carries a seal, as rows of ours do. */
  readonly isSealed: boolean;
  /** RFC 3339, as it stands in the row; null where the row has none. */
  readonly recordedAt: string | null;
  readonly item: RowItem;
}

const OPERATIONS: ReadonlySet<string> = new Set<IntentBody['operation']>([
  'create',
  'update',
  'move',
  'undelete',
  'delete',
]);
const STATUSES: ReadonlySet<string> = new Set<OutcomeBody['status']>([
  'done',
  'failed',
  'uncertain',
  'pending',
  'abandoned',
]);
const NOTHING: RowItem = { kind: 'nothing' };

/** Maps a fact that someone else wrote (its URN, its desired) to ours; `onDropped` gets the keys that it has no use for. */
export type ForeignMap = (fact: ProviderFact, onDropped: (key: string) => void) => ProviderFact;

/** The rows of a line: one, or those that it wraps. Throws an Error that says what is wrong with it. */
export function parseLine(text: string, mapForeign: ForeignMap): readonly Entry[] {
  const value = parseLossless(text);
  const wrapped = wrappedRecords(value);
  return wrapped === null ? [parseRecord(value, mapForeign)] : wrapped.map((record) => parseRecord(record, mapForeign));
}

/** One row that is parsed already. Throws an Error that says what is wrong with it. */
export function parseRecord(value: LosslessJson, mapForeign: ForeignMap): Entry {
  if (!isLosslessObject(value)) throw new Error('a row is a JSON object');
  const sequence = sequenceOf(value);
  const time = value['recorded_at'];
  const recordedAt = typeof time === 'string' ? time : null;
  if (isOurs(value)) {
    const [key, target] = [String(value['hash']), String(value['target'])];
    return { sequence, key, target, isSealed: true, recordedAt, item: ourItem(value) };
  }
  if (isTierRow(value) && typeof value['payload'] !== 'string') throw new Error('its payload is not a text');
  const item = foreignItem(factIn(value), mapForeign);
  return { sequence, key: tierKey(value), target: targetOf(value), isSealed: false, recordedAt, item };
}

function foreignItem(fact: ProviderFact | null, mapForeign: ForeignMap): RowItem {
  if (fact === null) return NOTHING;
  const dropped: string[] = [];
  const ours = mapForeign(fact, (key) => dropped.push(key));
  return { kind: 'fact', fact: ours, ...(dropped.length === 0 ? {} : { dropped }) };
}

/** The target that a row says without a seal; other people's events use the key for other things. */
function targetOf({ target }: LosslessObject): string | null {
  if (typeof target !== 'string') return null;
  const isOne = target === 'cloud' || target === 'emulator' || /^https?:\/\/[^/?#\s]+$/.test(target);
  return isOne ? target : null;
}

export function sequenceOf(value: LosslessObject): number | null {
  const sequence = value['global_sequence'];
  return typeof sequence === 'number' && Number.isSafeInteger(sequence) ? sequence : null;
}

function isOurs(value: LosslessObject): boolean {
  return ['type', 'recorded_at', 'target', 'infra', 'prev', 'hash'].every((key) => typeof value[key] === 'string');
}

/** What tells rows of one sequence number apart; null where a row lacks it. */
export function tierKey(value: LosslessObject): string | null {
  const ids = [value['execution_id'], value['transaction_id']];
  return ids.includes(undefined) ? null : ids.map(String).join(':');
}

/** A row of the raw tier, whose event body is a text; the body itself would name its type. */
function isTierRow(value: LosslessObject): boolean {
  const isRaw = ['payload', 'global_sequence', 'transaction_id'].every((key) => value[key] !== undefined);
  return isRaw && value['event_type'] === undefined && !isLosslessObject(value['payload'] ?? null);
}

function ourItem(value: LosslessObject): RowItem {
  switch (value['type']) {
    case 'provider.fact':
      return { kind: 'fact', fact: strictFact(value) };
    case 'provider.intent':
      return { kind: 'intent', intent: intentOf(value) };
    case 'provider.outcome':
      return { kind: 'outcome', outcome: outcomeOf(value) };
    default:
      return NOTHING;
  }
}

function strictFact(value: LosslessObject): ProviderFact {
  const fact = acceptFact(value['provider_fact']);
  if (fact === null) throw new Error('its provider_fact lacks a field or has one of another type');
  return fact;
}

function intentOf(value: LosslessObject): IntentBody {
  const operation = text(value, 'operation');
  if (!OPERATIONS.has(operation)) throw new Error(`its operation ${operation} is not known`);
  return {
    type: 'provider.intent',
    address: text(value, 'address'),
    urn: text(value, 'urn'),
    stack: text(value, 'stack'),
    operation: operation as IntentBody['operation'],
    operation_id: text(value, 'operation_id'),
    digest: textOrNull(value, 'digest'),
    provider_fact: strictFact(value),
  };
}

function outcomeOf(value: LosslessObject): OutcomeBody {
  const status = text(value, 'status');
  const sequence = value['intent_sequence'];
  if (!STATUSES.has(status)) throw new Error(`its status ${status} is not known`);
  if (typeof sequence !== 'number') throw new Error('its intent_sequence is not a number');
  return {
    type: 'provider.outcome',
    intent_sequence: sequence,
    status: status as OutcomeBody['status'],
    code: textOrNull(value, 'code'),
    operation_name: textOrNull(value, 'operation_name'),
  };
}

function text(value: LosslessObject, key: string): string {
  const found = value[key];
  if (typeof found !== 'string') throw new Error(`its ${key} is not a text`);
  return found;
}

function textOrNull(value: LosslessObject, key: string): string | null {
  const found = value[key];
  return found === undefined || found === null ? null : text(value, key);
}
