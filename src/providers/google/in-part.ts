import { diagnostic } from '../../core/codes.ts';
import { diffFields, managedFields } from '../../core/diff.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Observation } from '../../core/resource.ts';
import { display } from '../../core/value.ts';
import type { InPart, WriteOperation, WriteResult } from '../lifecycle-provider.ts';
import type { ApiRequest } from './define-resource.ts';

type Ended = Extract<WriteResult, InPart & { kind: 'failed' | 'uncertain' | 'pending' | 'stale' }>;

/** Whether nothing of the step was done, or all of it. */
export function isWhole(
  result: WriteResult,
  before: readonly ApiRequest[],
): result is Extract<WriteResult, { kind: 'done' | 'noop' }> {
  return before.length === 0 || result.kind === 'done' || result.kind === 'noop';
}

/** A step of which a part was done before it ended says so, and how far it got. */
export function inPart(
  result: Ended,
  operation: WriteOperation,
  before: readonly ApiRequest[],
  seen: Observation,
): WriteResult {
  const parts = before.map(({ method, path }) => `${method} ${path}`).join(', ');
  const { address, urn } = result.why;
  const reached = reachedFields(operation, seen);
  const hint =
    reached === null ? 'Plan again: the plan shows what is left.' : 'Confirm the same plan again to do the rest.';
  const detail = `What was sent before the failure is done: ${parts}.`;
  const partly = diagnostic('PARTLY_DONE', detail, { address, urn, hint });
  const ended = result.kind === 'stale' ? { kind: 'failed' as const, why: result.why } : result;
  return { ...ended, partly, ...(reached === null ? {} : { reached }) };
}

/** Null where it can't be told. What is neither as desired nor as it was is someone else's doing, and counts as before. */
function reachedFields({ desired, declaration, observation }: WriteOperation, seen: Observation): JsonObject | null {
  if (seen.kind !== 'present' || observation === null || seen.id !== observation.id) return null;
  const then = managedFields(desired, observation.actual, declaration.fields);
  const left = diffFields(desired, seen.actual, declaration.fields);
  return Object.fromEntries(
    Object.entries(desired).map(([field, wanted]) => [field, field in left ? (then[field] ?? null) : display(wanted)]),
  );
}
