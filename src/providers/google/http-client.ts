import { setMaxListeners } from 'node:events';
import { diagnostic } from '../../core/codes.ts';
import type { Diagnostic } from '../../core/diagnostics.ts';
import type { EndpointSpec } from '../../core/step.ts';
import { readExchange } from './answer.ts';
import type { ApiCall, ApiResult, GoogleClient } from './client.ts';
import { conclude } from './conclusion.ts';
import { baseUrlProblem, callUrl, isCloud } from './endpoints.ts';
import type { Limits } from './exchange.ts';
import { DEFAULT_LIMITS, isTimeUp, Transport } from './exchange.ts';
import type { Attempts, Try } from './retry.ts';
import { decide, isFolderQuota, NO_ATTEMPTS, refusalKind } from './retry.ts';
import type { Timing } from './timing.ts';
import { SYSTEM_TIMING } from './timing.ts';
import { ConcurrencyLimit, TokenBucket } from './token-bucket.ts';
import type { TokenSource } from './token-source.ts';
import { scrubber } from './vendor-text.ts';

export interface GoogleClientOptions {
  /** Base URL of each service with its version segment; calls of a service that is null are refused. */
  readonly endpoints: EndpointSpec;
  readonly credential: TokenSource;
  /** Sent as x-goog-user-project. */
  readonly quotaProject: string | null;
  /** `infra/<version>`. */
  readonly userAgent: string;
  readonly timing?: Timing;
  readonly limits?: Partial<Limits>;
  /** Requests of one service under way at once; default 32. */
  readonly concurrency?: number;
  /** Ends every call that has no signal of its own. */
  readonly signal?: AbortSignal;
  /** Told of waits of seconds before a request is sent again; `limited`: for a rate limit. */
  readonly onWait?: (service: string, ms: number, limited: boolean) => void;
}

const DEFAULT_CONCURRENCY = 32;
const DEFAULT_BUDGET_MS = 120_000;

/** Requests that share a quota wait for one another. */
interface Lane {
  readonly bucket: TokenBucket;
  readonly room: ConcurrencyLimit;
}

interface Machinery {
  readonly options: GoogleClientOptions;
  readonly timing: Timing;
  readonly transport: Transport;
  lane(call: ApiCall): Lane;
}

/**
 * A client that sends calls with a credential, retries as gcp-rest section 6 says, and decodes refusals. It never
 * throws for what the network or the cloud does; it sends nothing until the first call.
 */
export function createGoogleClient(options: GoogleClientOptions): GoogleClient {
  const timing = options.timing ?? SYSTEM_TIMING;
  const concurrency = options.concurrency ?? DEFAULT_CONCURRENCY;
  const transport = new Transport({ ...DEFAULT_LIMITS, connections: concurrency, ...options.limits });
  const lanes = new Map<string, Lane>();
  const lane = (call: ApiCall): Lane => {
    const key = isFolderQuota(call) ? 'crm folders' : call.service;
    const known = lanes.get(key) ?? {
      bucket: new TokenBucket(timing),
      room: new ConcurrencyLimit(concurrency, timing),
    };
    lanes.set(key, known);
    return known;
  };
  const machinery: Machinery = { options, timing, transport, lane };
  return {
    call: async (given) => {
      const signal = given.signal ?? options.signal;
      const call = signal === undefined ? given : { ...given, signal };
      return isTimeUp(signal) ? nothingSent() : withoutInterrupt(await perform(machinery, call), signal);
    },
    close: () => transport.close(),
  };
}

function nothingSent(): ApiResult {
  const detail = 'The time given by --timeout is over; nothing more was sent.';
  return { kind: 'unsent', diagnostic: diagnostic('TIMEOUT', detail, { retryable: true }) };
}

/** What ended because time is up was not interrupted by anybody. */
function withoutInterrupt(result: ApiResult, signal: AbortSignal | undefined): ApiResult {
  if (
    result.kind === 'ok' ||
    result.kind === 'refused' ||
    result.diagnostic.code !== 'INTERRUPTED' ||
    !isTimeUp(signal)
  )
    return result;
  const detail = 'The time given by --timeout was over before the answer came.';
  return { kind: result.kind, diagnostic: diagnostic('TIMEOUT', detail, { retryable: true }) };
}

/** A wait that is shorter is none that anybody has to be told of. */
const TOLD_MS = 3000;

/** What has happened to a call so far. */
interface Course {
  attempts: Attempts;
  /** Milliseconds spent sending and backing off; waiting for a turn doesn't count. */
  spentMs: number;
  /** A try left without an answer, or with one that leaves it open what happened. */
  uncertain: Try | null;
  /** The token of the last try. */
  token: string;
}

async function perform(machinery: Machinery, call: ApiCall): Promise<ApiResult> {
  const target = targetOf(machinery.options, call);
  if (!(target instanceof URL)) return { kind: 'unsent', diagnostic: target };
  // One signal serves a whole run, and every request listens to it.
  if (call.signal !== undefined) setMaxListeners(0, call.signal);
  const course: Course = { attempts: NO_ATTEMPTS, spentMs: 0, uncertain: null, token: '' };
  for (;;) {
    const outcome = await tryOnce(machinery, call, target, course);
    const decision = decide(call, course.attempts, outcome, machinery.timing.random);
    if (decision.kind === 'final') return conclude(call, outcome, course.uncertain);
    const budget = call.budgetMs ?? DEFAULT_BUDGET_MS;
    if (course.spentMs + decision.delayMs > budget) return conclude(call, outcome, course.uncertain);
    if (decision.refresh) {
      const token = await machinery.options.credential.refresh(course.token);
      if (token.kind === 'failed') return conclude(call, withoutToken(outcome, token.why), course.uncertain);
    }
    if (leavesOpen(call, outcome)) course.uncertain = outcome;
    if (decision.limited) slowDown(machinery.lane(call), decision.delayMs);
    if (decision.delayMs >= TOLD_MS) machinery.options.onWait?.(call.service, decision.delayMs, decision.limited);
    await machinery.timing.sleep(decision.delayMs, call.signal);
    if (call.signal?.aborted === true)
      return conclude(call, { kind: 'unsent', trouble: INTERRUPTED }, course.uncertain);
    course.spentMs += decision.delayMs;
    course.attempts = decision.next;
  }
}

const INTERRUPTED = { kind: 'interrupted', text: 'the run was interrupted' } as const;

/** A 401 that no other token can mend: why there is none says more than the refusal. */
function withoutToken(outcome: Try, why: Diagnostic): Try {
  if (outcome.kind !== 'refused') return outcome;
  const { failure } = outcome;
  const detail = `${why.detail} ${failure.diagnostic.detail}`;
  return { ...outcome, failure: { ...failure, diagnostic: { ...failure.diagnostic, detail, hint: why.hint } } };
}

function leavesOpen(call: ApiCall, outcome: Try): boolean {
  if (call.repeatability === 'read') return false;
  return outcome.kind === 'lost' || (outcome.kind === 'refused' && outcome.failure.status >= 500);
}

function slowDown(lane: Lane, delayMs: number): void {
  lane.bucket.limited(delayMs);
  lane.room.limited();
}

/** Where the call goes, or why it may not go there. */
function targetOf(options: GoogleClientOptions, call: ApiCall): URL | Diagnostic {
  const base = options.endpoints[call.service];
  if (base === null) {
    return diagnostic(
      'ENDPOINT_NOT_ALLOWED',
      `The step's endpoint names no address for ${call.service}: calls to that service are refused, they never go to the real cloud instead.`,
    );
  }
  const problem = baseUrlProblem(base);
  if (problem !== null)
    return diagnostic('ENDPOINT_NOT_ALLOWED', `The address of ${call.service} can't be used: ${problem}.`);
  if (options.credential.reach === 'cloud' && !isCloud(options.endpoints)) {
    return diagnostic(
      'CREDENTIAL_MISDIRECTED',
      "A real credential goes to Google's API hosts only; another address is called with a bearer token that is spelt in the playbook.",
    );
  }
  return (
    callUrl(base, call) ??
    diagnostic(
      'INVALID_VALUE',
      "A part of the resource's name would lead the request to another address; nothing was sent.",
    )
  );
}

async function tryOnce(machinery: Machinery, call: ApiCall, url: URL, course: Course): Promise<Try> {
  const { room, bucket } = machinery.lane(call);
  if (!(await room.enter(call.signal))) return { kind: 'unsent', trouble: INTERRUPTED };
  try {
    await bucket.take(call.signal);
    const started = machinery.timing.now();
    const outcome = await sendOnce(machinery, call, url, course);
    course.spentMs += machinery.timing.now() - started;
    if (isAnswerWithinQuota(outcome)) {
      bucket.succeeded();
      room.succeeded();
    }
    return outcome;
  } finally {
    room.leave();
  }
}

function isAnswerWithinQuota(outcome: Try): boolean {
  return outcome.kind === 'ok' || (outcome.kind === 'refused' && refusalKind(outcome.failure) !== 'rate_limit');
}

async function sendOnce(machinery: Machinery, call: ApiCall, url: URL, course: Course): Promise<Try> {
  const { credential, quotaProject } = machinery.options;
  const result = await credential.token();
  if (result.kind === 'failed') return { kind: 'unusable', diagnostic: result.why };
  course.token = result.token;
  const body = call.body === undefined ? null : JSON.stringify(call.body);
  const headers = headersOf(machinery.options, call, result.token);
  const exchange = await machinery.transport.send({ url, method: call.method, headers, body, signal: call.signal });
  const scrub = scrubber(() => credential.issued());
  return readExchange(exchange, { service: call.service, call, quotaProject, scrub }, credential.issued());
}

function headersOf(options: GoogleClientOptions, call: ApiCall, token: string): Record<string, string> {
  const { quotaProject, userAgent } = options;
  return {
    accept: 'application/json',
    authorization: `Bearer ${token}`,
    'user-agent': userAgent,
    ...(call.body === undefined ? {} : { 'content-type': 'application/json; charset=utf-8' }),
    ...(quotaProject === null || call.omitQuotaProject === true ? {} : { 'x-goog-user-project': quotaProject }),
  };
}
