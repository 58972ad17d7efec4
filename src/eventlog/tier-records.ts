import type { ExecutionId, FactOutcome, FactVerb, Origin, ProviderFact } from '../core/facts.ts';
import { foldFacts, type OwnershipModel } from '../core/fold.ts';
import { isLosslessObject, type LosslessJson, type LosslessObject, parseLossless, toJson } from './lossless.ts';
import { withoutSecrets } from './row-secrets.ts';

/** How deep below an event's top a fact is looked for. */
const MAX_DEPTH = 12;
/** `action` of a reply of the tier, and the outcomes that are answers; all others are refusals. */
const TIER_QUERY = 'ehdb.tier.query';
const ANSWERS: ReadonlySet<string> = new Set(['served', 'absent']);
const REFUSALS: ReadonlySet<string> = new Set([
  'disabled',
  'unavailable',
  'guard_refused',
  'invalid',
  'rejected',
  'error',
]);
/** What only a row has, so that an outcome beside it is the row's. */
const ROW_KEYS = ['urn', 'type', 'provider_fact', 'payload', 'global_sequence', 'execution_id'];
const VERBS: ReadonlySet<string> = new Set<FactVerb>(['ensure', 'delete', 'adopt']);
const OUTCOMES: ReadonlySet<string> = new Set<FactOutcome>([
  'planned',
  'changed',
  'noop',
  'deleted',
  'absent',
  'adopted',
]);
const ORIGINS: ReadonlySet<string> = new Set<Origin>(['created', 'adopted', 'found']);
const OPTIONAL_TEXTS = ['resource_id', 'step', 'digest', 'credential', 'renamed_to', 'renamed_from'] as const;
const OPTIONAL_FLAGS = ['protect', 'forgotten'] as const;
const MIN_INT64 = -(2n ** 63n);
const MAX_INT64 = 2n ** 63n - 1n;

/**
 * The facts in rows of the raw eventlog tier (payload as JSON text), decoded event bodies, wrapped or bare facts; at
 * most one a row, in row order. Rows without a strict fact give none. Rows come from parseLossless, else their 64-bit
 * ids are lost already. Throws SyntaxError for a payload that is no JSON.
 */
export function extractFactsFromTierRecords(records: readonly LosslessJson[]): readonly ProviderFact[] {
  return records.flatMap((record) => factIn(record) ?? []);
}

/** The same for callers that hold decoded event bodies. */
export function extractFactsFromEventlog(bodies: readonly LosslessJson[]): readonly ProviderFact[] {
  return extractFactsFromTierRecords(bodies);
}

/** Ownership as the rows of the tier give it. */
export function foldTierRecords(records: readonly LosslessJson[]): OwnershipModel {
  return foldFacts(extractFactsFromTierRecords(records));
}

/** The fact of one row; null where it carries none. */
export function factIn(record: LosslessJson): ProviderFact | null {
  if (!isLosslessObject(record)) return null;
  const payload = record['payload'];
  const body = typeof payload === 'string' ? parseLossless(payload) : record;
  return acceptFact(body) ?? search(body, 0);
}

/**
 * The rows of a list, or of a tier's reply that wraps them (`records`, `result.records`); null where the value is one
 * row itself. Throws an Error for a reply that is a refusal: it says nothing about what is owned.
 */
export function wrappedRecords(value: LosslessJson): readonly LosslessJson[] | null {
  if (Array.isArray(value)) return value as readonly LosslessJson[];
  if (!isLosslessObject(value) || value['event_type'] !== undefined) return null;
  const rows = recordsIn(value);
  const refused = refusalOf(value['action'], value['outcome']);
  const isRow = ROW_KEYS.some((key) => value[key] !== undefined);
  if (refused !== null && !isRow) throw new RefusalError(refused);
  if (rows === null && !isRow && recordsMember(value) !== undefined) throw new RefusalError('its records are no list');
  const isEmptyAnswer = rows === null && !isRow && value['outcome'] === 'served' && search(value, 0) === null;
  if (isEmptyAnswer) throw new RefusalError('the reply has no records');
  if (value['action'] !== TIER_QUERY) return rows;
  if (rows === null && value['outcome'] !== 'absent') throw new RefusalError('the reply has no records');
  return rows ?? [];
}

/** A reply that says nothing about what is owned: it is no broken row that could be passed over. */
export class RefusalError extends Error {}

/** Why a reply with this action and outcome is a refusal; null where it is none. */
export function refusalOf(action: LosslessJson | undefined, outcome: LosslessJson | undefined): string | null {
  const refuses = action === TIER_QUERY ? !isAnswer(outcome) : typeof outcome === 'string' && REFUSALS.has(outcome);
  return refuses ? `the server refused: its outcome is ${String(outcome)}` : null;
}

/** The rows under `result.records` or, of older servers, `records`; null where there are none of either. */
export function recordsIn(reply: LosslessObject): readonly LosslessJson[] | null {
  const records = recordsMember(reply);
  return Array.isArray(records) ? (records as readonly LosslessJson[]) : null;
}

function recordsMember({ result, records }: LosslessObject): LosslessJson | undefined {
  const inner = isLosslessObject(result) ? result['records'] : undefined;
  return records ?? inner ?? (records === undefined ? inner : records);
}

/** Whether a reply's outcome is an answer; every other one is a refusal. */
export function isAnswer(outcome: LosslessJson | undefined): boolean {
  return typeof outcome === 'string' && ANSWERS.has(outcome);
}

/** A strict fact: every required field there and of its type; optional ones of another type are left out. */
export function acceptFact(value: LosslessJson | undefined): ProviderFact | null {
  if (!isLosslessObject(value)) return null;
  const { urn, provider, service, resource_type, stack, verb, outcome } = value;
  const executionId = integer(value['execution_id']);
  if (typeof urn !== 'string' || typeof provider !== 'string' || typeof service !== 'string') return null;
  if (typeof resource_type !== 'string' || typeof stack !== 'string' || executionId === null) return null;
  if (typeof verb !== 'string' || !VERBS.has(verb) || typeof outcome !== 'string' || !OUTCOMES.has(outcome))
    return null;
  return {
    urn,
    provider,
    service,
    resource_type,
    verb: verb as FactVerb,
    stack,
    // What others wrote may hold anything.
    desired: toJson(withoutSecrets(value['desired'] ?? null) as LosslessJson),
    execution_id: executionId,
    outcome: outcome as FactOutcome,
    ...optionalFields(value),
  };
}

function optionalFields(value: LosslessObject): Partial<ProviderFact> {
  const fields: Record<string, string | boolean> = {};
  for (const key of OPTIONAL_TEXTS) {
    const text = value[key];
    if (typeof text === 'string') fields[key] = text;
  }
  for (const key of OPTIONAL_FLAGS) {
    const flag = value[key];
    if (typeof flag === 'boolean') fields[key] = flag;
  }
  const origin = value['origin'];
  if (typeof origin === 'string' && ORIGINS.has(origin)) fields['origin'] = origin;
  return fields;
}

/** Beyond 2^53 the decimal text. */
function integer(value: LosslessJson | undefined): ExecutionId | null {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? value : null;
  return typeof value === 'bigint' && value >= MIN_INT64 && value <= MAX_INT64 ? value.toString() : null;
}

function search(value: LosslessJson | undefined, depth: number): ProviderFact | null {
  if (depth > MAX_DEPTH || typeof value !== 'object' || value === null) return null;
  if (isLosslessObject(value)) {
    const here = acceptFact(value['provider_fact']);
    if (here !== null) return here;
  }
  for (const item of Object.values(value) as readonly LosslessJson[]) {
    const found = search(item, depth + 1);
    if (found !== null) return found;
  }
  return null;
}
