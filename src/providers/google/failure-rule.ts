import type { Code } from '../../core/codes.ts';
import type { ApiCall, GoogleService } from './client.ts';
import type { FailureParts } from './failure-parts.ts';

/** Everything that a decoding may look at. */
export interface FailureFacts extends FailureParts {
  readonly service: GoogleService;
  /** Null for an operation's error. */
  readonly call: Pick<ApiCall, 'method' | 'path'> | null;
  /** The x-goog-user-project that was sent. */
  readonly quotaProject: string | null;
}

/** What a failure means: its cause, what to do, and whether the same call may succeed later without anyone acting. */
export interface Meaning {
  readonly code: Code;
  readonly cause: string;
  readonly hint: string | null;
  readonly retryable: boolean;
}

/** Conditions are and-ed; within a list one is enough. `text` is the last resort, for failures without structure. */
interface Match {
  readonly service?: GoogleService;
  readonly status?: readonly number[];
  readonly canonical?: readonly string[];
  readonly reason?: readonly string[];
  /** Type of a PreconditionFailure or QuotaFailure violation (QUOTA where it has none). */
  readonly violation?: RegExp;
  readonly text?: RegExp;
  readonly also?: (facts: FailureFacts) => boolean;
}

/** The first rule that matches decides. */
export interface Rule {
  readonly when: Match;
  readonly means: (facts: FailureFacts) => Meaning;
}

function admits<T>(allowed: readonly T[] | undefined, value: T | null): boolean {
  return allowed === undefined || (value !== null && allowed.includes(value));
}

export function matches(when: Match, facts: FailureFacts): boolean {
  const { violation, text } = when;
  return (
    (when.service === undefined || when.service === facts.service) &&
    admits(when.status, facts.status) &&
    admits(when.canonical, facts.canonical) &&
    admits(when.reason, facts.reason) &&
    (violation === undefined || facts.violations.some((item) => violation.test(item.type))) &&
    (text === undefined || text.test(facts.message)) &&
    (when.also === undefined || when.also(facts))
  );
}

/** A failure that stays until somebody acts. */
export function final(code: Code, cause: string, hint: string | null = null): Meaning {
  return { code, cause, hint, retryable: false };
}

/** A failure that passes. */
export function passing(code: Code, cause: string, hint: string | null = null): Meaning {
  return { code, cause, hint, retryable: true };
}

/** A parameter of a violation's subject: `?error_code=390001&project=1&services=a&services=b`. */
export function subjectValues(facts: FailureFacts, key: string): readonly string[] {
  return facts.violations
    .filter((item) => item.subject.startsWith('?'))
    .flatMap((item) => new URLSearchParams(item.subject).getAll(key));
}

export function servicesNamed(facts: FailureFacts): readonly string[] {
  const listed =
    facts.metadata['services']?.split(',') ?? subjectValues(facts, 'services').flatMap((item) => item.split(','));
  const fromText = /service\(s\)[:\s]+'?([a-z0-9.,\s-]+\.[a-z]+)/i.exec(facts.message)?.[1]?.split(',') ?? [];
  const names = listed.length > 0 ? listed : fromText;
  return [...new Set(names.map((name) => name.trim()).filter((name) => name !== ''))];
}

/** The first violation of a type. */
export function violationOf(facts: FailureFacts, type: RegExp) {
  return facts.violations.find((item) => type.test(item.type));
}
