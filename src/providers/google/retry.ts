import type { Diagnostic } from '../../core/diagnostics.ts';
import type { JsonObject } from '../../core/json.ts';
import type { ApiCall, ApiFailure } from './client.ts';
import type { Trouble } from './exchange.ts';
import { isZeroQuota } from './failure-access.ts';
import { isActivationBusy } from './failure-services.ts';

/** What one try of a call came to. */
export type Try =
  | { readonly kind: 'ok'; readonly body: JsonObject }
  /** `floorMs`: what Retry-After or RetryInfo asks for. */
  | { readonly kind: 'refused'; readonly failure: ApiFailure; readonly floorMs: number }
  /** Sent, without an answer of the API. `passing`: sending again may help. */
  | { readonly kind: 'lost'; readonly trouble: Trouble; readonly passing: boolean }
  | { readonly kind: 'unsent'; readonly trouble: Trouble }
  /** Nothing can be sent at all. */
  | { readonly kind: 'unusable'; readonly diagnostic: Diagnostic };

/** How often each kind of waiting was used so far. */
export interface Attempts {
  /** Resends after lost answers, server errors and failed connections. */
  readonly faults: number;
  readonly limits: number;
  /** Waits for propagation. */
  readonly fresh: number;
  readonly busy: number;
  readonly refreshed: boolean;
  readonly unavailable: boolean;
}

export const NO_ATTEMPTS: Attempts = { faults: 0, limits: 0, fresh: 0, busy: 0, refreshed: false, unavailable: false };

export type Decision =
  | { readonly kind: 'final' }
  | {
      readonly kind: 'resend';
      readonly delayMs: number;
      readonly next: Attempts;
      /** Take a new token first. */
      readonly refresh: boolean;
      /** The refusal was a rate limit: slow the service down. */
      readonly limited: boolean;
    };

const BASE_MS = 500;
const CAP_MS = 30_000;
const MAX_TRIES = 6;
const PROPAGATION_MS = [5_000, 10_000, 20_000, 30_000] as const;
/** Folder creates and moves have a quota of six a minute. */
const FOLDER_FLOOR_MS = 10_000;
const BUSY_MS = { least: 5_000, most: 60_000 } as const;

/** Full jitter: between 0 and the exponential bound. */
export function backoff(attempt: number, random: () => number): number {
  return random() * Math.min(CAP_MS, BASE_MS * 2 ** attempt);
}

/** What a refusal is, as far as sending again is concerned. */
type RefusalKind =
  | 'rate_limit'
  | 'unauthenticated'
  | 'propagation'
  | 'busy'
  | 'aborted'
  | 'request_timeout'
  | 'server'
  | 'final';

/** Codes that may go away by themselves where the call depends on something that was made a moment ago. */
const PROPAGATING: readonly string[] = [
  'API_DISABLED',
  'PERMISSION_DENIED',
  'NOT_VISIBLE',
  'QUOTA_PROJECT',
  'SERVICE_NOT_FOUND',
];

export function refusalKind(failure: ApiFailure): RefusalKind {
  const { status, canonical, diagnostic } = failure;
  if (diagnostic.code === 'PROJECT_QUOTA' || isZeroQuota(failure)) return 'final';
  if (status === 429 || (diagnostic.code === 'THROTTLED' && status < 500)) return 'rate_limit';
  if (status === 401) return 'unauthenticated';
  if (status === 403 && PROPAGATING.includes(diagnostic.code)) return 'propagation';
  if (status === 400 && isActivationBusy(failure)) return 'busy';
  if (canonical === 'ABORTED' && status === 409) return 'aborted';
  if (status === 408) return 'request_timeout';
  return status === 500 || (status >= 502 && status <= 504) ? 'server' : 'final';
}

/** Folder creates and moves: their quota is their own, and small. */
export function isFolderQuota(call: ApiCall): boolean {
  return call.service === 'crm' && call.method === 'POST' && /^folders(\/[^/]+:move)?$/.test(call.path);
}

/**
 * A 503 that says UNAVAILABLE is a refusal before execution in all likelihood: a custom verb (`x:move`,
 * `x:setIamPolicy`) may be sent once more. A create may not: had the first one been carried out after all, the second
 * would meet its own "already exists" as if it were a stranger's.
 */
function mayRepeatUnavailable(call: ApiCall, failure: ApiFailure): boolean {
  return failure.status === 503 && failure.canonical === 'UNAVAILABLE' && call.path.includes(':');
}

/** Decides by gcp-rest section 6 whether a call is sent again, and when. */
export function decide(call: ApiCall, attempts: Attempts, outcome: Try, random: () => number): Decision {
  switch (outcome.kind) {
    case 'ok':
    case 'unusable':
      return FINAL;
    case 'unsent':
      return outcome.trouble.kind === 'interrupted' ? FINAL : fault(attempts, 0, random);
    case 'lost':
      if (!outcome.passing || outcome.trouble.kind === 'interrupted' || call.repeatability === 'once') return FINAL;
      return fault(attempts, 0, random);
    case 'refused':
      return decideRefusal(call, attempts, outcome.failure, outcome.floorMs, random);
  }
}

const FINAL: Decision = { kind: 'final' };

function resend(delayMs: number, next: Attempts, extra: { refresh?: boolean; limited?: boolean } = {}): Decision {
  return { kind: 'resend', delayMs, next, refresh: extra.refresh === true, limited: extra.limited === true };
}

function fault(attempts: Attempts, floorMs: number, random: () => number): Decision {
  if (attempts.faults + 1 >= MAX_TRIES) return FINAL;
  const delay = Math.max(floorMs, backoff(attempts.faults, random));
  return resend(delay, { ...attempts, faults: attempts.faults + 1 });
}

function decideRefusal(
  call: ApiCall,
  attempts: Attempts,
  failure: ApiFailure,
  floorMs: number,
  random: () => number,
): Decision {
  switch (refusalKind(failure)) {
    case 'rate_limit':
      return rateLimit(call, attempts, floorMs, random);
    case 'unauthenticated':
      return attempts.refreshed ? FINAL : resend(0, { ...attempts, refreshed: true }, { refresh: true });
    case 'propagation':
      return call.fresh === true ? propagation(attempts) : FINAL;
    case 'busy':
      return busy(attempts, floorMs, random);
    case 'request_timeout':
      return fault(attempts, floorMs, random);
    case 'aborted':
      return ['read', 'idempotent'].includes(call.repeatability) ? fault(attempts, floorMs, random) : FINAL;
    case 'server':
      if (call.repeatability !== 'once') return fault(attempts, floorMs, random);
      if (attempts.unavailable || !mayRepeatUnavailable(call, failure)) return FINAL;
      return fault({ ...attempts, unavailable: true }, floorMs, random);
    case 'final':
      return FINAL;
  }
}

/** Bounded by the call's budget alone: a rate limit slows a run down and doesn't fail it. */
function rateLimit(call: ApiCall, attempts: Attempts, floorMs: number, random: () => number): Decision {
  const floor = Math.max(floorMs, isFolderQuota(call) ? FOLDER_FLOOR_MS : 0);
  const delay = Math.max(floor, backoff(attempts.limits, random));
  return resend(delay, { ...attempts, limits: attempts.limits + 1 }, { limited: true });
}

function propagation(attempts: Attempts): Decision {
  const delay = PROPAGATION_MS[Math.min(attempts.fresh, PROPAGATION_MS.length - 1)] ?? CAP_MS;
  return resend(delay, { ...attempts, fresh: attempts.fresh + 1 });
}

function busy(attempts: Attempts, floorMs: number, random: () => number): Decision {
  const bound = Math.min(BUSY_MS.most, BUSY_MS.least * 2 ** (attempts.busy + 1));
  const delay = Math.max(floorMs, BUSY_MS.least + random() * (bound - BUSY_MS.least));
  return resend(delay, { ...attempts, busy: attempts.busy + 1 });
}

/**
 * Whether an answer may describe what an earlier, unanswered try of the same call did: then it is no proof that nothing
 * happened.
 */
export function maybeOwnEffect(failure: ApiFailure): boolean {
  return [404, 409, 412].includes(failure.status) || failure.canonical === 'FAILED_PRECONDITION';
}

/** Retry-After in milliseconds: seconds or an HTTP date, at most an hour; 0 where there is none. */
export function retryAfterMs(header: string | undefined, wallClock: () => number): number {
  if (header === undefined) return 0;
  const wait = /^\d{1,9}$/.test(header) ? Number(header) * 1000 : Date.parse(header) - wallClock();
  return Number.isFinite(wait) ? Math.min(3_600_000, Math.max(0, wait)) : 0;
}
