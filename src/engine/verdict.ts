import { diffFields } from '../core/diff.ts';
import { isJsonObject, type Json } from '../core/json.ts';
import type { Verdict } from '../core/plan.ts';
import type { FieldRule, Observation } from '../core/resource.ts';

/** What is live against what the log (or known_desired) says was last desired. */
export function verdictOf(recorded: Json, seen: Observation, fields: Readonly<Record<string, FieldRule>>): Verdict {
  if (seen.kind === 'unreadable' || seen.kind === 'not_visible') return 'unchecked';
  const live = seen.kind === 'present' && seen.state !== 'DELETE_REQUESTED';
  if (!isJsonObject(recorded)) return live ? 'untracked' : 'not_managed';
  if (!live || seen.kind !== 'present') return 'missing';
  return Object.keys(diffFields(recorded, seen.actual, fields)).length === 0 ? 'in_sync' : 'modified';
}
