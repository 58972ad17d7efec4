import { diagnostic } from '../../core/codes.ts';
import type { Diagnostic } from '../../core/diagnostics.ts';
import type { JsonObject } from '../../core/json.ts';
import { isJsonObject } from '../../core/json.ts';
import type { PollSpec } from '../../core/step.ts';
import type { ApiFailure, ApiResult, GoogleClient, GoogleService } from './client.ts';
import { isTimeUp } from './exchange.ts';
import { failureOfOperationError } from './failures.ts';
import type { Timing } from './timing.ts';
import { SYSTEM_TIMING } from './timing.ts';

export type OperationResult =
  /** The response, `@type` included; the body itself where the API answered with the resource; null where there is none. */
  | { readonly kind: 'done'; readonly response: JsonObject | null }
  | { readonly kind: 'failed'; readonly failure: ApiFailure }
  /** Still running when the bound was reached, the run was interrupted, or the credential gave out. */
  | { readonly kind: 'pending'; readonly name: string; readonly why: Diagnostic }
  /** It can't be asked about (refused, gone, no operation at all): only a read of the resource tells. */
  | { readonly kind: 'unknown'; readonly name: string | null; readonly why: Diagnostic };

interface OperationHooks {
  readonly signal?: AbortSignal;
  /** It was issued (attempt 0), or is polled for the n-th time. */
  onOperation?(name: string, attempt: number): void;
  readonly timing?: Timing;
}

const FIRST_POLL_MS = 500;
const GROWTH = 1.5;
const JITTER = 0.2;
const LONGEST_INTERVAL_MS = 10_000;
/** One poll with its repetitions. */
const POLL_BUDGET_MS = 30_000;
/** An operation that an earlier run left: answers "not found" so often, it is gone. */
const GONE_AFTER = 3;

/**
 * Waits for what a mutating call answered. The operation may be done at once, with or without a name; it is polled on
 * the service that issued it; `error` wins over `response` and over a missing `done`. Server errors, rate limits and
 * "not found" while polling are waited out within the bound: attempts or seconds, whichever trips first.
 */
export async function awaitOperation(
  client: GoogleClient,
  service: GoogleService,
  operation: JsonObject,
  poll: PollSpec,
  hooks: OperationHooks = {},
): Promise<OperationResult> {
  const state = readOperation(service, operation);
  if (state.kind !== 'running') return state;
  hooks.onOperation?.(state.name, 0);
  return pollUntilDone(client, service, state.name, poll, hooks, Number.POSITIVE_INFINITY);
}

/** Picks up an operation that an earlier run left pending. One that is gone is `unknown`: Google forgets them after hours. */
export async function resumeOperation(
  client: GoogleClient,
  service: GoogleService,
  name: string,
  poll: PollSpec,
  hooks: OperationHooks = {},
): Promise<OperationResult> {
  if (!OPERATION_NAME.test(name)) return { kind: 'unknown', name: null, why: noName() };
  if (isNoop(name)) return { kind: 'done', response: null };
  return pollUntilDone(client, service, name, poll, hooks, GONE_AFTER);
}

const OPERATION_NAME = /^operations\/[A-Za-z0-9][A-Za-z0-9._~-]{0,200}(\/[A-Za-z0-9][A-Za-z0-9._~-]{0,200})*$/;

/** Service Usage's name for "nothing had to change"; it can't be polled. */
function isNoop(name: string): boolean {
  return name.startsWith('operations/noop.');
}

type OperationState =
  | Exclude<OperationResult, { kind: 'pending' }>
  | { readonly kind: 'running'; readonly name: string };

function readOperation(service: GoogleService, body: JsonObject): OperationState {
  const { name, done, error, response } = body;
  if (isJsonObject(error) && Object.keys(error).length > 0) {
    return { kind: 'failed', failure: failureOfOperationError(service, error) };
  }
  const named = typeof name === 'string' && name.startsWith('operations/');
  if (done === true || (named && isNoop(name)))
    return { kind: 'done', response: isJsonObject(response) ? response : null };
  if (named && OPERATION_NAME.test(name)) return { kind: 'running', name };
  if (named || done !== undefined) return { kind: 'unknown', name: null, why: noName() };
  return { kind: 'done', response: Object.keys(body).length === 0 ? null : body };
}

function noName(): Diagnostic {
  return diagnostic('INVALID_RESPONSE', "The operation is not done and has no usable name, so it can't be waited for.");
}

async function pollUntilDone(
  client: GoogleClient,
  service: GoogleService,
  name: string,
  poll: PollSpec,
  hooks: OperationHooks,
  goneAfter: number,
): Promise<OperationResult> {
  const timing = hooks.timing ?? SYSTEM_TIMING;
  const deadline = timing.now() + poll.maxWaitSecs * 1000;
  let notFound = 0;
  for (let attempt = 1; attempt <= poll.maxAttempts; attempt += 1) {
    const left = deadline - timing.now();
    if (left <= 0) break;
    await timing.sleep(Math.min(left, intervalBefore(attempt, poll, timing)), hooks.signal);
    if (hooks.signal?.aborted === true) return interrupted(name, hooks.signal);
    hooks.onOperation?.(name, attempt);
    const answer = await ask(client, service, name, deadline - timing.now(), hooks.signal);
    const state = readAnswer(service, name, answer);
    if (state.kind !== 'running') return state;
    notFound = answer.kind === 'refused' && answer.failure.status === 404 ? notFound + 1 : 0;
    if (notFound >= goneAfter) return gone(name);
  }
  return pending(
    name,
    `The operation ${name} is still running after ${poll.maxWaitSecs} s or ${poll.maxAttempts} polls; the next run picks it up.`,
  );
}

/** Milliseconds before the n-th poll: quick at first, then up to the interval, with jitter. */
function intervalBefore(attempt: number, poll: PollSpec, timing: Timing): number {
  const longest = Math.min(poll.intervalMs, LONGEST_INTERVAL_MS);
  const base = Math.min(longest, FIRST_POLL_MS * GROWTH ** (attempt - 1));
  return base * (1 - JITTER + 2 * JITTER * timing.random());
}

function ask(
  client: GoogleClient,
  service: GoogleService,
  name: string,
  leftMs: number,
  signal: AbortSignal | undefined,
): Promise<ApiResult> {
  const budgetMs = Math.max(0, Math.min(POLL_BUDGET_MS, leftMs));
  return client.call({
    service,
    method: 'GET',
    path: name,
    repeatability: 'read',
    budgetMs,
    ...(signal === undefined ? {} : { signal }),
  });
}

function readAnswer(
  service: GoogleService,
  name: string,
  answer: ApiResult,
): OperationState | Extract<OperationResult, { kind: 'pending' }> {
  switch (answer.kind) {
    case 'ok':
      return readPolled(service, name, answer.body);
    case 'refused':
      if (passes(answer.failure)) return { kind: 'running', name };
      if (answer.failure.status === 401) return locked(name, answer.failure.diagnostic);
      return { kind: 'unknown', name, why: answer.failure.diagnostic };
    case 'lost':
    case 'unsent':
      if (answer.diagnostic.code === 'INTERRUPTED') return interrupted(name);
      if (answer.diagnostic.code === 'AUTHENTICATION') return locked(name, answer.diagnostic);
      return NO_WAY.includes(answer.diagnostic.code)
        ? { kind: 'unknown', name, why: answer.diagnostic }
        : { kind: 'running', name };
  }
}

/** Nothing can be sent, however often it is tried. */
const NO_WAY: readonly string[] = ['ENDPOINT_NOT_ALLOWED', 'CREDENTIAL_MISDIRECTED', 'INVALID_VALUE'];

/** A poll's answer keeps the name that it was asked by, whatever it calls itself. */
function readPolled(service: GoogleService, name: string, body: JsonObject): OperationState {
  const state = readOperation(service, body);
  const empty = state.kind === 'done' && body['done'] !== true && state.response === null;
  return state.kind === 'running' || empty ? { kind: 'running', name } : state;
}

function passes(failure: ApiFailure): boolean {
  return failure.status >= 500 || [404, 408, 429].includes(failure.status) || failure.diagnostic.code === 'THROTTLED';
}

function interrupted(name: string, signal?: AbortSignal): Extract<OperationResult, { kind: 'pending' }> {
  const why = isTimeUp(signal) ? 'The time given by --timeout was over' : 'Interrupted';
  return pending(name, `${why} while waiting for the operation ${name}; it runs on, and the next run picks it up.`);
}

/** Accepted, but there is no token any more to ask with. */
function locked(name: string, why: Diagnostic): Extract<OperationResult, { kind: 'pending' }> {
  return pending(
    name,
    `The operation ${name} was started and can't be asked about: ${why.detail} The next run picks it up.`,
  );
}

function pending(name: string, detail: string): Extract<OperationResult, { kind: 'pending' }> {
  return { kind: 'pending', name, why: diagnostic('OPERATION_PENDING', detail, { operation: name }) };
}

function gone(name: string): OperationResult {
  const detail = `The operation ${name} is not known any more: Google forgets operations after some hours. Only the resource itself tells.`;
  return { kind: 'unknown', name, why: diagnostic('OUTCOME_UNKNOWN', detail, { operation: name }) };
}
