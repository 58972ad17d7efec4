import { diagnostic } from '../core/codes.ts';
import { DiagnosticError } from '../core/diagnostics.ts';
import type { Exchange } from './ehdb-transport.ts';
import { isLosslessObject, type LosslessJson, type LosslessObject, parseLossless } from './lossless.ts';
import { isAnswer, recordsIn } from './tier-records.ts';

/** Who answered, and what must not be repeated of it. */
export interface ReplySource {
  /** The log's address, for diagnostics. */
  readonly shown: string;
  readonly token: string | null;
}

/**
 * The rows of a page. Throws DiagnosticError for everything that is no answer, whatever its HTTP status: AUTHENTICATION,
 * PERMISSION_DENIED, else LOG_INVALID. Only `absent` and an empty list mean that there are no rows. Older servers, whose
 * records stand at the top, may say no outcome; one that puts them under `result` has to.
 */
export function pageRecords(exchange: Exchange, source: ReplySource): readonly LosslessJson[] {
  if (exchange.kind === 'lost') throw refusal(source, `can't be read: ${exchange.why}`, true);
  const reply = parseReply(exchange.body);
  if (exchange.status !== 200) throw statusRefusal(exchange, reply, source);
  if (reply === null) throw refusal(source, `answered with ${kindOf(exchange)}, not with JSON`);
  if (!isLosslessObject(reply)) throw refusal(source, 'answered with JSON that is no reply of the tier');
  if (reply['outcome'] !== undefined && !isAnswer(reply['outcome'])) {
    throw refusal(source, `refused: its outcome is ${quoted(reply['outcome'], source)}${reasonIn(reply, source)}`);
  }
  const records = recordsIn(reply);
  if (records !== null && reply['outcome'] === undefined && !Array.isArray(reply['records'])) {
    throw refusal(source, 'answered with records and without an outcome: whether that is an answer is not known');
  }
  if (records !== null) return complete(reply, records, source);
  if (reply['outcome'] === 'absent') return [];
  throw refusal(source, 'answered without records: that is another protocol, not an empty log');
}

/** A reply that says how many rows it returns has to have as many. */
function complete(
  reply: LosslessObject,
  records: readonly LosslessJson[],
  source: ReplySource,
): readonly LosslessJson[] {
  const result = reply['result'];
  const returned = reply['returned'] ?? (isLosslessObject(result) ? result['returned'] : undefined);
  if (typeof returned !== 'number' || returned === records.length) return records;
  throw refusal(source, `says that it returned ${returned} rows and has ${records.length}: the answer was cut`, true);
}

function parseReply(body: Buffer): LosslessJson | null {
  try {
    return parseLossless(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return null;
  }
}

type Answered = Extract<Exchange, { kind: 'answered' }>;

function statusRefusal({ status }: Answered, reply: LosslessJson | null, source: ReplySource): DiagnosticError {
  const said = isLosslessObject(reply) ? reply : {};
  const isOutcome = said['outcome'] !== undefined;
  const outcome = isOutcome ? ` and the outcome ${quoted(said['outcome'], source)}` : '';
  const detail = `The event log ${source.shown} refused with HTTP ${status}${outcome}${STATUS[status] ?? ''}${reasonIn(said, source)}.`;
  const retryable = status === 429 || status >= 500;
  if (status === 401) return coded('AUTHENTICATION', detail, source.token === null ? SET_TOKEN : null);
  if (status === 403 && !isOutcome) return coded('PERMISSION_DENIED', detail, null);
  return coded('LOG_INVALID', detail, null, retryable && status !== 501);
}

const SET_TOKEN = 'set INFRA_EVENTLOG_TOKEN';
const STATUS: Readonly<Record<number, string>> = {
  301: ', a redirect, which is not followed',
  302: ', a redirect, which is not followed',
  303: ', a redirect, which is not followed',
  307: ', a redirect, which is not followed',
  308: ', a redirect, which is not followed',
  400: ': it does not know this tier or this request',
  404: ': nothing is served at this address',
  501: ': its relay to the event log is not configured',
};

function refusal({ shown }: ReplySource, what: string, retryable = false): DiagnosticError {
  return coded('LOG_INVALID', `The event log ${shown} ${what}.`, null, retryable);
}

function coded(
  code: 'AUTHENTICATION' | 'PERMISSION_DENIED' | 'LOG_INVALID',
  detail: string,
  hint: string | null,
  retryable = false,
): DiagnosticError {
  return new DiagnosticError([diagnostic(code, detail, { hint, retryable })]);
}

function kindOf({ headers, body }: Answered): string {
  if (body.length === 0) return 'an empty body';
  const type = /^[a-z]+\/[a-z0-9.+-]+/i.exec(String(headers['content-type'] ?? ''))?.[0];
  return type === undefined || type === 'application/json' ? 'a broken or unfinished body' : type.toLowerCase();
}

/** What the server says about it, if it does. */
function reasonIn(reply: LosslessObject, source: ReplySource): string {
  const nested = reply['error'];
  const places = [reply, isLosslessObject(nested) ? nested : {}];
  for (const place of places) {
    for (const key of ['reason', 'message', 'detail', 'error']) {
      const text = place[key];
      if (typeof text === 'string' && text !== '') return ` (it says ${quoted(text, source)})`;
    }
  }
  return '';
}

/** A server's text as it can be shown: short, on one line, without control characters or the token. */
function quoted(value: LosslessJson | undefined, { token }: ReplySource): string {
  const text = typeof value === 'string' ? value : 'of another type';
  const safe = token === null ? text : text.replaceAll(token, '***');
  return JSON.stringify(safe.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ').slice(0, 200));
}
