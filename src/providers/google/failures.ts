import { diagnostic } from '../../core/codes.ts';
import type { JsonObject } from '../../core/json.ts';
import type { ApiCall, ApiFailure, GoogleService } from './client.ts';
import type { FailureParts } from './failure-parts.ts';
import { readEnvelope, readStatus, takeApart } from './failure-parts.ts';
import type { FailureFacts } from './failure-rule.ts';
import { meaningOf } from './failure-table.ts';
import type { Scrub } from './vendor-text.ts';

/** Where a failure came from. */
export interface FailureContext {
  readonly service: GoogleService;
  readonly call: Pick<ApiCall, 'method' | 'path'> | null;
  readonly quotaProject: string | null;
  readonly scrub: Scrub;
}

/** gRPC code -> canonical name and the HTTP status it maps to (google/rpc/code.proto). */
const GRPC: Readonly<Record<number, readonly [string, number]>> = {
  1: ['CANCELLED', 499],
  2: ['UNKNOWN', 500],
  3: ['INVALID_ARGUMENT', 400],
  4: ['DEADLINE_EXCEEDED', 504],
  5: ['NOT_FOUND', 404],
  6: ['ALREADY_EXISTS', 409],
  7: ['PERMISSION_DENIED', 403],
  8: ['RESOURCE_EXHAUSTED', 429],
  9: ['FAILED_PRECONDITION', 400],
  10: ['ABORTED', 409],
  11: ['OUT_OF_RANGE', 400],
  12: ['UNIMPLEMENTED', 501],
  13: ['INTERNAL', 500],
  14: ['UNAVAILABLE', 503],
  15: ['DATA_LOSS', 500],
  16: ['UNAUTHENTICATED', 401],
};

/** A refusal and how long its RetryInfo asks to wait (milliseconds, null where it doesn't). */
interface DecodedFailure {
  readonly failure: ApiFailure;
  readonly retryDelayMs: number | null;
}

/** Decodes an answer of HTTP `status`; null where the body is not Google's error envelope. */
export function decodeFailure(status: number, body: unknown, context: FailureContext): DecodedFailure | null {
  const wire = readEnvelope(body);
  if (wire === null) return null;
  const canonical = wire.status !== null && /^[A-Z_]{2,40}$/.test(wire.status) ? wire.status : null;
  const parts = takeApart(wire, status, canonical, context.scrub);
  return { failure: withMeaning(parts, context), retryDelayMs: parts.retryDelayMs };
}

/**
 * Decodes the google.rpc.Status inside an operation: a numeric gRPC code, message and details. The HTTP status is the
 * one that the code maps to; an unknown code counts as UNKNOWN.
 */
export function failureOfOperationError(service: GoogleService, status: JsonObject): ApiFailure {
  const wire = readStatus(status) ?? {
    code: 2,
    message: 'the operation failed without saying why',
    status: null,
    details: [],
  };
  const [canonical, http] = GRPC[wire.code] ?? ['UNKNOWN', 500];
  const scrub: Scrub = (text) => text;
  return withMeaning(takeApart(wire, http, canonical, scrub), { service, call: null, quotaProject: null, scrub });
}

/** A refusal whose body is not Google's: only its status speaks. */
export function bareFailure(status: number, message: string, context: FailureContext): ApiFailure {
  const parts = takeApart({ code: status, message, status: null, details: [] }, status, null, context.scrub);
  return withMeaning(parts, context);
}

function withMeaning(parts: FailureParts, context: FailureContext): ApiFailure {
  const facts: FailureFacts = {
    ...parts,
    service: context.service,
    call: context.call,
    quotaProject: context.quotaProject,
  };
  const { code, cause, hint, retryable } = meaningOf(facts);
  const { status, canonical, reason, message, metadata, violations, details } = parts;
  return {
    status,
    canonical,
    reason,
    message,
    metadata,
    violations,
    details,
    diagnostic: diagnostic(code, `${cause} ${quote(parts)}`.trim(), { hint, retryable }),
  };
}

/** What Google said, with every violation: the message alone is often just "Precondition check failed." */
function quote(parts: FailureParts): string {
  const head = [parts.canonical ?? `HTTP ${parts.status}`, parts.reason].filter((item) => item !== null).join('/');
  const violations = parts.violations.map((item) =>
    [item.type, item.subject, item.description].filter((text) => text !== '').join(': '),
  );
  const fields = parts.fields.map((item) => `${item.field}: ${item.description}`);
  return `Google says: ${[`${head}: ${parts.message}`, ...violations, ...fields].join(' | ')}`;
}
