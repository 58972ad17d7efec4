import { faultOf } from '../core/codes.ts';
import type { Diagnostic } from '../core/diagnostics.ts';

/** What to do about a step that could not be read, as the end of a run of sentences: what its reason offers. */
export function wayToRead(why: Diagnostic | null): string {
  if (why === null || faultOf(why) === 'auth') return 'Give the step an auth that works here.';
  if (why.code === 'UNDECIDED') return 'Leave out --offline.';
  return why.hint === null ? 'See what is said of the step.' : `${why.hint.replace(/\.$/, '')}.`;
}
