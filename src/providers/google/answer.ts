import { diagnostic } from '../../core/codes.ts';
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts';
import { REDACTED } from '../../core/redaction.ts';
import type { Exchange } from './exchange.ts';
import type { FailureContext } from './failures.ts';
import { bareFailure, decodeFailure } from './failures.ts';
import type { Try } from './retry.ts';
import { retryAfterMs } from './retry.ts';

/** Google's own limit for protobuf messages; deeper answers would only exhaust the stack of whoever walks them. */
const MAX_DEPTH = 100;
/** Shorter ones are words that belong there rather than secrets. */
const MIN_SECRET_IN_BODY = 12;

/** What an exchange came to, with refusals decoded. `secrets`: the tokens that were sent. */
export function readExchange(exchange: Exchange, context: FailureContext, secrets: readonly string[]): Try {
  if (exchange.kind === 'unsent') return exchange;
  if (exchange.kind === 'lost')
    return { kind: 'lost', trouble: exchange.trouble, passing: exchange.trouble.kind !== 'invalid' };
  const { status, headers } = exchange;
  const body = parseBody(exchange.body, secrets);
  if (status >= 200 && status < 300) return success(status, body);
  if (status >= 300 && status < 400) return redirected(status, context);
  const floor = retryAfterMs(headerText(headers['retry-after']), Date.now);
  const decoded = body === null ? null : decodeFailure(status, body, context);
  if (decoded !== null) {
    return { kind: 'refused', failure: decoded.failure, floorMs: Math.max(floor, decoded.retryDelayMs ?? 0) };
  }
  if (status >= 500 || status === 401 || status === 408 || status === 429) {
    return {
      kind: 'refused',
      failure: bareFailure(status, 'the answer is not in the form of the API', context),
      floorMs: floor,
    };
  }
  return notTheApi(`HTTP ${status} whose body is not in the form of the API: something else than the API answered`);
}

function success(status: number, body: JsonObject | null): Try {
  if (body !== null) return { kind: 'ok', body };
  const text = `HTTP ${status} whose body is not a JSON object (cut short, empty, or not from the API)`;
  return { kind: 'lost', trouble: { kind: 'invalid', text }, passing: true };
}

/** A redirect is never followed: it would take the credential, and a body, elsewhere. */
function redirected(status: number, context: FailureContext): Try {
  const failure = bareFailure(status, 'a redirect', context);
  const why = diagnostic(
    'INVALID_RESPONSE',
    `HTTP ${status}: the address answers with a redirect, which is never followed.`,
    { retryable: false },
  );
  return { kind: 'refused', failure: { ...failure, diagnostic: why }, floorMs: 0 };
}

/** A proxy's or a wrong address's page must not be read as "the resource does not exist". */
function notTheApi(text: string): Try {
  return { kind: 'lost', trouble: { kind: 'invalid', text }, passing: false };
}

function headerText(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'object' ? value[0] : value;
}

/** The JSON object that a body is; null where it is none, is too deep, or is cut short. */
function parseBody(body: Buffer, secrets: readonly string[]): JsonObject | null {
  if (tooDeep(body)) return null;
  const text = body.toString('utf8');
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? withoutSecrets(value, text, secrets) : null;
  } catch {
    return null;
  }
}

/** Texts are looked into as they were meant: in the body a secret may be spelt with escapes. */
function withoutSecrets(value: JsonObject, body: string, secrets: readonly string[]): JsonObject {
  const long = secrets.filter((secret) => secret.length >= MIN_SECRET_IN_BODY);
  if (!long.some((secret) => body.includes(secret)) && (long.length === 0 || !body.includes('\\'))) return value;
  const clean = (text: string) => long.reduce((rest, secret) => rest.replaceAll(secret, REDACTED), text);
  const walk = (item: Json): Json => {
    if (typeof item === 'string') return clean(item);
    if (Array.isArray(item)) return item.map((entry: Json) => walk(entry));
    return isJsonObject(item) ? walkObject(item) : item;
  };
  const walkObject = (object: JsonObject): JsonObject =>
    Object.fromEntries(Object.entries(object).map(([key, entry]) => [clean(key), walk(entry)]));
  return walkObject(value);
}

const [QUOTE, BACKSLASH, OPEN_LIST, CLOSE_LIST, OPEN_MAP, CLOSE_MAP] = [0x22, 0x5c, 0x5b, 0x5d, 0x7b, 0x7d];

function tooDeep(body: Buffer): boolean {
  let depth = 0;
  let inString = false;
  for (let index = 0; index < body.length; index += 1) {
    const byte = body[index];
    if (inString) {
      if (byte === BACKSLASH) index += 1;
      else if (byte === QUOTE) inString = false;
    } else if (byte === QUOTE) inString = true;
    else if (byte === OPEN_LIST || byte === OPEN_MAP) depth += 1;
    else if (byte === CLOSE_LIST || byte === CLOSE_MAP) depth -= 1;
    if (depth > MAX_DEPTH) return true;
  }
  return false;
}
