import { diagnostic } from '../../core/codes.ts';
import type { Diagnostic } from '../../core/diagnostics.ts';
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts';
import type { WriteHooks, WriteOperation, WriteResult } from '../lifecycle-provider.ts';
import { openReads } from './cached-reads.ts';
import type { ApiCall, ApiFailure, ApiResult, GoogleClient, Repeatability } from './client.ts';
import type { ApiRequest } from './define-resource.ts';
import { awaitOperation, type OperationResult, resumeOperation } from './operations.ts';
import type { Reads } from './reads.ts';
import type { Timing } from './timing.ts';

/** What every write of a run shares. */
export interface Writing {
  readonly client: GoogleClient;
  readonly timing: Timing;
  readonly hooks: WriteHooks;
  /** The project that calls are counted in, where one is set. */
  readonly quotaProject: string | null;
}

/** What became of one request and the operation it started. */
export type Sent =
  /** Null where the API said that it is done and not what came of it. */
  | { readonly kind: 'ok'; readonly body: JsonObject | null }
  | { readonly kind: 'refused'; readonly failure: ApiFailure }
  /** Only a read tells whether it took effect. `accepted`: the API started an operation, and what came of it is not known. */
  | { readonly kind: 'lost'; readonly accepted: boolean; readonly why: Diagnostic }
  | { readonly kind: 'unsent'; readonly why: Diagnostic }
  | { readonly kind: 'pending'; readonly operation: string; readonly why: Diagnostic };

/** Reads that see the world as it is now. */
export function freshReads(writing: Writing, operations: readonly WriteOperation[]): Reads {
  const fresh = operations.some((operation) => operation.freshDependencies);
  return openReads(writing.client, { signal: writing.hooks.signal, ...(fresh ? { fresh } : {}) });
}

/** Sends one request for one or several steps and waits for the operation that it starts, within the steps' bounds. */
export async function send(
  writing: Writing,
  operations: readonly WriteOperation[],
  request: ApiRequest,
): Promise<Sent> {
  const answer = await writing.client.call(callOf(writing, operations, request));
  if (answer.kind !== 'ok') return notSent(answer);
  if (request.service === 'billing' || request.path.endsWith(':setIamPolicy')) return { kind: 'ok', body: answer.body };
  return settled(
    await awaitOperation(
      writing.client,
      request.service,
      answer.body,
      pollOf(operations),
      hooksOf(writing, operations),
    ),
  );
}

/** Goes on waiting for an operation of an earlier run. */
export async function resume(
  writing: Writing,
  operations: readonly WriteOperation[],
  service: ApiRequest['service'],
  name: string,
): Promise<Sent> {
  return settled(
    await resumeOperation(writing.client, service, name, pollOf(operations), hooksOf(writing, operations)),
  );
}

function callOf(
  writing: Writing,
  operations: readonly WriteOperation[],
  { service, method, path, query, body }: ApiRequest,
): ApiCall {
  const fresh = operations.some((operation) => operation.freshDependencies);
  const budgets = operations.flatMap(({ timeoutMs }) => (timeoutMs === null ? [] : [timeoutMs]));
  const ownProject =
    fresh && writing.quotaProject !== null && new RegExp(`^projects/${writing.quotaProject}([/:]|$)`).test(path);
  return {
    service,
    method,
    path,
    repeatability: repeatabilityOf(method, path),
    signal: writing.hooks.signal,
    ...(query === undefined ? {} : { query }),
    ...(body === undefined ? {} : { body }),
    ...(fresh ? { fresh } : {}),
    ...(ownProject ? { omitQuotaProject: true } : {}),
    ...(budgets.length === 0 ? {} : { budgetMs: Math.min(...budgets) }),
  };
}

/**
 * By gcp-rest section 6: creates, moves and policy writes are never sent blindly a second time; other writes of what was
 * read before are not after a conflict.
 */
export function repeatabilityOf(method: ApiCall['method'], path: string): Repeatability {
  const isOnce =
    method === 'POST' &&
    (path === 'folders' || path === 'projects' || path.endsWith(':move') || path.endsWith(':setIamPolicy'));
  if (isOnce) return 'once';
  return path.includes('/services') ? 'idempotent' : 'decided';
}

function notSent(answer: Exclude<ApiResult, { kind: 'ok' }>): Sent {
  if (answer.kind === 'refused') return answer;
  return answer.kind === 'lost'
    ? { kind: 'lost', accepted: false, why: answer.diagnostic }
    : { kind: 'unsent', why: answer.diagnostic };
}

function settled(result: OperationResult): Sent {
  switch (result.kind) {
    case 'done':
      return { kind: 'ok', body: result.response };
    case 'failed':
      return { kind: 'refused', failure: result.failure };
    case 'pending':
      return { kind: 'pending', operation: result.name, why: result.why };
    case 'unknown':
      return { kind: 'lost', accepted: true, why: result.why };
  }
}

/** Of several steps the most patient bound; a step's timeout bounds its wait as well. */
function pollOf(operations: readonly WriteOperation[]) {
  const bounds = operations.map(({ poll, timeoutMs }) =>
    timeoutMs === null ? poll : { ...poll, maxWaitSecs: Math.min(poll.maxWaitSecs, timeoutMs / 1000) },
  );
  return {
    maxAttempts: Math.max(...bounds.map((poll) => poll.maxAttempts)),
    intervalMs: Math.min(...bounds.map((poll) => poll.intervalMs)),
    maxWaitSecs: Math.max(...bounds.map((poll) => poll.maxWaitSecs)),
  };
}

function hooksOf(writing: Writing, operations: readonly WriteOperation[]) {
  return {
    signal: writing.hooks.signal,
    timing: writing.timing,
    onOperation: (name: string, attempt: number) => {
      for (const { declaration } of operations) writing.hooks.onOperation(declaration.address, name, attempt);
    },
  };
}

export function failed(operation: WriteOperation, why: Diagnostic): WriteResult {
  return { kind: 'failed', why: about(operation, why) };
}

export function uncertain(operation: WriteOperation, why: Diagnostic): WriteResult {
  const unknown = why.code === 'OUTCOME_UNKNOWN' ? why : diagnostic('OUTCOME_UNKNOWN', why.detail, { hint: why.hint });
  return { kind: 'uncertain', why: about(operation, unknown) };
}

export function pending(operation: WriteOperation, name: string, why: Diagnostic): WriteResult {
  return { kind: 'pending', operation: name, why: about(operation, why) };
}

export function about({ declaration }: WriteOperation, why: Diagnostic): Diagnostic {
  return { ...why, address: declaration.address, urn: why.urn ?? declaration.urn };
}

/** A resource without the type that an operation's response wraps it in. */
export function bare(resource: Json): Json {
  if (!isJsonObject(resource)) return resource;
  const { '@type': _type, ...rest } = resource;
  return rest;
}

/** Milliseconds to wait where something that this run made or deleted has yet to be seen everywhere: two minutes in all. */
export const PROPAGATION_MS: readonly number[] = [5_000, 10_000, 20_000, 30_000, 30_000, 25_000];
