import { diagnostic } from '../core/codes.ts';
import type { Diagnostic } from '../core/diagnostics.ts';

/** Where a verb finds no auth because nothing names a playbook that would give one. `ways`: what would give one. */
export function noAuth(command: string, ways: string): Diagnostic {
  const detail = `infra ${command} has no playbook to take an auth from, and there is no ambient fallback.`;
  return diagnostic('AUTH_REQUIRED', detail, { hint: ways, retryable: false });
}

/** What gives one to a verb that starts from the log. */
export const OF_THE_LOG =
  'give --credential <name> of your own config.yaml, stacks.<stack>.credential there, or the playbook';
/** What gives one to a verb that takes no playbook. */
export const OF_A_SCOPE =
  'give --credential <name> of your own config.yaml, or --stack <stack> with stacks.<stack>.credential there';
