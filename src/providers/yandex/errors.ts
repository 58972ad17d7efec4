import { type Code, diagnostic } from '../../core/codes.ts';
import type { Diagnostic } from '../../core/diagnostics.ts';
import type { CommandResult } from '../command-runner.ts';
import type { Words } from './commands.ts';
import { operationInError } from './operation.ts';

/** Why a command gave no answer, in words of ours: nothing of what it printed is in it. */
export interface YcFailure {
  readonly code: Code;
  readonly detail: string;
  readonly hint: string | null;
  readonly retryable: boolean;
  /** The operation that an error named; it can be looked up. */
  readonly operationId: string | null;
  /** Nothing was sent: it never ran, or its own parser refused its arguments. */
  readonly isDefinite: boolean;
}

interface Marker {
  /** The outermost status, in lower case without "_"; left out: any, or none. */
  readonly status?: readonly string[];
  /** Searched anywhere in what was printed. */
  readonly pattern?: RegExp;
  readonly code: Code;
  readonly detail: string;
  readonly hint?: string;
  readonly retryable?: boolean;
}

const LOG_IN = 'Renew the session of the profile outside of infra (yc init, or a service account key), then run again.';
const MISSING = 'the folder, or something else that it needs, does not exist.';
const REFUSED = 'Yandex Cloud refused the request';

/** The one table of what `yc` is known to print. The first that fits decides; who one is goes before everything. */
const MARKERS: readonly Marker[] = [
  {
    pattern: /is not supported for IAM token exchange/i,
    code: 'AUTHENTICATION',
    detail: "the profile's OAuth token is of a kind that is no longer accepted.",
    hint: 'Give the profile a service account key or a federation.',
  },
  {
    pattern:
      /iam token create failed|OAuth token is invalid|token is invalid|does not registered in Yandex|service account token from instance metadata|code = UNAUTHENTICATED|code = Unauthenticated/,
    code: 'AUTHENTICATION',
    detail: "Yandex Cloud does not accept the profile's credentials.",
    hint: LOG_IN,
  },
  {
    status: ['permissiondenied'],
    code: 'PERMISSION_DENIED',
    detail: 'the profile may not do this in the folder, or the folder is not there.',
  },
  {
    status: ['resourceexhausted'],
    pattern: /quota limit|limit on maximum/i,
    code: 'COMMAND_FAILED',
    detail: 'a quota is used up.',
    hint: 'Free something, or ask for a higher quota in the console.',
  },
  { status: ['resourceexhausted'], code: 'THROTTLED', detail: 'Yandex Cloud throttles.', retryable: true },
  { status: ['notfound'], code: 'NOT_FOUND', detail: MISSING },
  {
    status: ['alreadyexists'],
    code: 'CONFLICT',
    detail: 'something of this name exists already in the folder.',
    hint: 'Adopt what is there, or give this one another name.',
  },
  {
    status: ['failedprecondition', 'aborted'],
    code: 'CONFLICT',
    detail: 'something else stands in the way: it is in use, not empty, protected, or being changed.',
  },
  {
    status: ['deadlineexceeded'],
    code: 'TIMEOUT',
    detail: 'Yandex Cloud did not answer in time.',
    retryable: true,
  },
  { status: ['invalidargument'], code: 'COMMAND_FAILED', detail: `${REFUSED} as invalid.` },
  { status: ['unavailable'], code: 'COMMAND_FAILED', detail: 'Yandex Cloud could not be reached.' },
  { status: [''], pattern: /with (id or )?name ".*" not found/i, code: 'NOT_FOUND', detail: MISSING },
  {
    status: [''],
    pattern: /context deadline exceeded/i,
    code: 'TIMEOUT',
    detail: 'Yandex Cloud did not answer in time.',
    retryable: true,
  },
];

const STATUS = /rpc error: code = ([A-Za-z_]{1,40}) desc = /;

/** The outermost status of an error; the empty text where it has none. */
function statusIn(text: string): string {
  return (STATUS.exec(text)?.[1] ?? '').toLowerCase().replaceAll('_', '');
}

function markerOf(text: string): Marker | undefined {
  const status = statusIn(text);
  return MARKERS.find((marker) => (marker.status?.includes(status) ?? true) && (marker.pattern?.test(text) ?? true));
}

// What may be shown of a text is matched by strict patterns, so that nothing else of it can be.
/** Of the services that are used here: anything else in that place may be anything, a secret too. */
const QUOTA_NAME = /Quota limit ((?:vpc|compute)(?:\.[a-z][a-zA-Z]{0,40}){1,3}) exceeded/;
const UNKNOWN_FLAG = /^ERROR: (?:execute command: )?unknown flag: (--[a-z0-9-]+)$/;
const MISSING_PORT = 'ERROR: execute command: run command: for rule spec port or [from/to]-port fields is required';
/** What a port can be missing in. */
const RULE_FLAGS: readonly string[] = ['--rule', '--add-rule'];
/** Errors stand at the beginning of what is printed. */
const MAX_SEARCHED = 65_536;

function failure(code: Code, detail: string, more: Partial<YcFailure> = {}): YcFailure {
  return { code, detail, hint: null, retryable: false, operationId: null, isDefinite: false, ...more };
}

/** Of what was asked for by its id: that very one is not there. */
export const IT_IS_GONE = failure('NOT_FOUND', 'it does not exist.');

/** Something is not there, but nobody says that it is what was asked for: that was not read. */
export function notSaidOf({ operationId }: YcFailure): YcFailure {
  const detail =
    'yc misses something, and does not say that it is this one: it may be the folder, the profile or another resource.';
  return failure('COMMAND_FAILED', detail, { operationId, hint: 'infra doctor' });
}

/** Why a command that was not a success failed. */
export function failureOf(result: CommandResult, words: Words): YcFailure {
  const seconds = `${(result.elapsedMs / 1000).toFixed(1)} s`;
  switch (result.end) {
    case 'not_started':
      return failure('UNAVAILABLE', 'yc could not be started.', { isDefinite: true, hint: 'infra doctor' });
    case 'prevented':
      return failure('COMMAND_FAILED', 'the run was interrupted before; nothing was sent.', { isDefinite: true });
    case 'timeout':
      return failure('TIMEOUT', `yc did not answer within its time and was stopped after ${seconds}.`, {
        retryable: true,
      });
    case 'overflow':
      return failure('INVALID_RESPONSE', 'yc printed more than any answer has, and was stopped.');
    case 'aborted':
      return failure('COMMAND_FAILED', `the run was interrupted; yc was stopped after ${seconds}.`);
    case 'signal':
      return failure('COMMAND_FAILED', `yc was ended by a signal after ${seconds}.`);
    case 'exited':
      return result.exitCode === 0
        ? failure('INVALID_RESPONSE', 'the answer of yc is not one JSON document of the shape that it must have.')
        : exitFailure(result, words);
  }
}

function exitFailure(result: CommandResult, words: Words): YcFailure {
  const stderr = result.stderr.slice(0, MAX_SEARCHED);
  const refusal = parserRefusal(result, words);
  if (refusal !== null) return failure('COMMAND_FAILED', refusal, { isDefinite: true });
  const operationId = operationInError(stderr);
  const marker = markerOf(stderr);
  if (marker === undefined)
    return failure(
      'COMMAND_FAILED',
      `yc ended with exit code ${result.exitCode} for a reason that infra does not know.`,
      {
        operationId,
        hint: 'Its own log, below ~/.config/yandex-cloud/logs, has what it printed.',
      },
    );
  const quota = QUOTA_NAME.exec(stderr)?.[1];
  const detail = quota === undefined ? marker.detail : `the quota ${quota} is used up.`;
  return failure(marker.code, detail, {
    operationId,
    hint: marker.hint ?? null,
    retryable: marker.retryable ?? false,
  });
}

/** The local parser's own refusals, to the letter: nothing was sent. Anything that only resembles one is none. */
function parserRefusal({ exitCode, stdout, stderr }: CommandResult, words: Words): string | null {
  if (exitCode !== 1 || stdout !== '') return null;
  const text = stderr.trim();
  const unknown = UNKNOWN_FLAG.exec(text)?.[1];
  if (unknown !== undefined && words.includes(unknown))
    return `this version of yc does not know ${unknown}; nothing was sent.`;
  const hasRule = words.some((word) => RULE_FLAGS.includes(word));
  return hasRule && text === MISSING_PORT ? 'yc asks for a port in a rule that has none; nothing was sent.' : null;
}

/** A failed read, or whatever else sent nothing that could have changed something. */
export function failureDiagnostic({ code, detail, hint, retryable }: YcFailure, what: string): Diagnostic {
  return diagnostic(code, `${what}: ${detail}`, { hint, retryable });
}
