import type { Diagnostic } from '../../core/diagnostics.ts';
import type { Json, JsonObject } from '../../core/json.ts';

/** The three APIs; each has a base URL with its version segment (`/v3`, `/v1`). */
export type GoogleService = 'crm' | 'billing' | 'serviceusage';

/**
 * What may be done when no answer came (gcp-rest, retry policy): `read` and `idempotent` calls are sent again;
 * a `once` call never is after its bytes left, the caller re-reads and decides. A `decided` one is idempotent, too, and was
 * decided on a read: after a conflict the caller reads again first.
 */
export type Repeatability = 'read' | 'idempotent' | 'decided' | 'once';

/** One call of an API. */
export interface ApiCall {
  readonly service: GoogleService;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the version segment, slashes kept, each segment already encoded: `projects/p1:move`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: Json;
  readonly repeatability: Repeatability;
  /** Made in this run: permission and "API disabled" refusals may be propagation, and are waited out within a bound. */
  readonly fresh?: boolean;
  /** Leave x-goog-user-project out (calls on a project created in this run). */
  readonly omitQuotaProject?: boolean;
  readonly signal?: AbortSignal;
  /** Milliseconds for the call with all its repetitions; default 120,000. */
  readonly budgetMs?: number;
}

/** A refusal by the API, taken apart once. */
export interface ApiFailure {
  /** HTTP status; for an operation's error the status its gRPC code maps to. */
  readonly status: number;
  /** Canonical status: PERMISSION_DENIED, ABORTED, ...; null where the body is not Google's. */
  readonly canonical: string | null;
  /** ErrorInfo.reason, null where there is none. */
  readonly reason: string | null;
  readonly message: string;
  readonly metadata: Readonly<Record<string, string>>;
  /** PreconditionFailure and QuotaFailure violations. */
  readonly violations: readonly { readonly type: string; readonly subject: string; readonly description: string }[];
  readonly details: readonly JsonObject[];
  /** Decoded: cause, hint, retryable. The address is filled in by the caller. */
  readonly diagnostic: Diagnostic;
}

export type ApiResult =
  | { readonly kind: 'ok'; readonly body: JsonObject }
  | { readonly kind: 'refused'; readonly failure: ApiFailure }
  /** Sent, and no (whole) answer: for a `once` or `idempotent` call it is not known what happened. */
  | { readonly kind: 'lost'; readonly diagnostic: Diagnostic }
  /** Nothing was sent: no connection, no token, a refused target, aborted before sending. */
  | { readonly kind: 'unsent'; readonly diagnostic: Diagnostic };

export interface GoogleClient {
  call(call: ApiCall): Promise<ApiResult>;
  close(): Promise<void>;
}
