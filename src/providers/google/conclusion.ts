import { diagnostic } from '../../core/codes.ts';
import type { Diagnostic } from '../../core/diagnostics.ts';
import type { ApiCall, ApiFailure, ApiResult } from './client.ts';
import type { Trouble } from './exchange.ts';
import type { Try } from './retry.ts';
import { maybeOwnEffect } from './retry.ts';

/**
 * What a call came to after its last try. `uncertain` is an earlier try of a write of which it is not known what it
 * did: then neither "nothing was sent" nor a conflict proves that nothing happened.
 */
export function conclude(call: ApiCall, last: Try, uncertain: Try | null): ApiResult {
  const earlier = uncertain === null ? null : reasonOf(uncertain);
  switch (last.kind) {
    case 'ok':
      return { kind: 'ok', body: last.body };
    case 'lost':
      return lost(call, last.trouble.text, last.trouble);
    case 'unsent':
      if (earlier !== null) return lost(call, `${earlier}, then ${last.trouble.text}`, last.trouble);
      return { kind: 'unsent', diagnostic: unsent(last.trouble) };
    case 'unusable':
      if (earlier !== null) return lost(call, `${earlier}, then ${last.diagnostic.detail}`, null);
      return { kind: 'unsent', diagnostic: last.diagnostic };
    case 'refused':
      return refused(call, last.failure, earlier);
  }
}

function reasonOf(outcome: Try): string {
  if (outcome.kind === 'lost') return outcome.trouble.text;
  return outcome.kind === 'refused' ? `HTTP ${outcome.failure.status}` : 'no answer';
}

function refused(call: ApiCall, failure: ApiFailure, earlier: string | null): ApiResult {
  if (call.repeatability === 'read') return { kind: 'refused', failure };
  if (failure.status >= 500 && failure.status !== 501)
    return lost(call, `HTTP ${failure.status}: ${failure.message}`, null);
  if (earlier !== null && maybeOwnEffect(failure))
    return lost(call, `${earlier}, then ${failure.diagnostic.detail}`, null);
  return { kind: 'refused', failure };
}

function lost(call: ApiCall, why: string, trouble: Trouble | null): ApiResult {
  if (call.repeatability !== 'read') {
    const detail = `The write was sent, and it is not known whether it was carried out (${why}).`;
    return { kind: 'lost', diagnostic: diagnostic('OUTCOME_UNKNOWN', detail, { retryable: null }) };
  }
  return { kind: 'lost', diagnostic: troubleDiagnostic(trouble ?? { kind: 'connection', text: why }) };
}

function unsent(trouble: Trouble): Diagnostic {
  if (trouble.kind === 'interrupted')
    return diagnostic('INTERRUPTED', 'The run was interrupted before the request was sent.');
  return diagnostic('UNAVAILABLE', `The service can't be reached: ${trouble.text}. Nothing was sent.`, {
    retryable: true,
  });
}

function troubleDiagnostic(trouble: Trouble): Diagnostic {
  const detail = `No usable answer: ${trouble.text}.`;
  switch (trouble.kind) {
    case 'timeout':
      return diagnostic('TIMEOUT', detail, { retryable: true });
    case 'interrupted':
      return diagnostic('INTERRUPTED', 'The run was interrupted while it waited for an answer.');
    case 'invalid':
      return diagnostic('INVALID_RESPONSE', detail, { retryable: false });
    case 'connection':
      return diagnostic('UNAVAILABLE', detail, { retryable: true });
  }
}
