import { compareLive, type FieldRules } from '../core/drift.ts';
import type { Json } from '../core/json.ts';
import type { Verdict } from '../core/plan.ts';
import type { Observation } from '../core/resource.ts';

/** What is live against what the log (or known_desired) says was last desired; null: neither says anything. */
export function verdictOf(recorded: Json, seen: Observation, fields: FieldRules): Verdict {
  if (seen.kind === 'unreadable' || seen.kind === 'not_visible') return 'unchecked';
  const live = seen.kind === 'present' && seen.state !== 'DELETE_REQUESTED' ? seen.actual : null;
  return compareLive(recorded ?? undefined, live, fields).kind;
}
