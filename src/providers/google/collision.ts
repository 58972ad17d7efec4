import { diagnostic } from '../../core/codes.ts';
import { diffFields } from '../../core/diff.ts';
import { jsonEquals } from '../../core/json.ts';
import type { Observation, PresentObservation } from '../../core/resource.ts';
import type { WriteOperation, WriteResult } from '../lifecycle-provider.ts';
import type { ApiRequest } from './define-resource.ts';
import { about, failed, repeatabilityOf, type Sent } from './writing.ts';

/** How often a request that met another's change is decided anew. */
export const MAX_COLLISIONS = 6;

export type Collision = Extract<Sent, { kind: 'refused' }>;

/** Refused because the resource is being changed, or was since the read that the request was decided on. */
export function isCollision(operation: WriteOperation, request: ApiRequest, sent: Sent): sent is Collision {
  if (sent.kind !== 'refused' || sent.failure.status !== 409 || sent.failure.canonical !== 'ABORTED') return false;
  return operation.change !== 'create' || mayFollow(request);
}

/** Whether the request may be sent a second time at all. */
export function mayFollow({ method, path }: ApiRequest): boolean {
  return repeatabilityOf(method, path) !== 'once';
}

/** The operation as it is after a new read: what others changed beside what was confirmed is kept. Else how it ends. */
export function decideAnew(
  operation: WriteOperation,
  seen: Observation,
  { failure }: Collision,
): { readonly anew: WriteOperation } | { readonly end: WriteResult } {
  if (seen.kind === 'unreadable' || (seen.kind === 'not_visible' && operation.observation !== null))
    return { end: failed(operation, seen.why) };
  if (!hasMoved(operation, seen)) return { anew: { ...operation, observation: seen.kind === 'present' ? seen : null } };
  const detail = `It was changed by someone else since it was looked at: ${failure.diagnostic.detail}`;
  const why = diagnostic('STALE', detail, { hint: 'Plan again and review what changed.' });
  return { end: { kind: 'stale', why: about(operation, why) } };
}

function hasMoved(operation: WriteOperation, seen: Observation): boolean {
  const then = operation.observation;
  if (then === null) return seen.kind === 'present';
  if (seen.kind !== 'present' || then.id !== seen.id || then.state !== seen.state) return true;
  return operation.change === 'delete'
    ? then.etag !== seen.etag || !jsonEquals(then.actual, seen.actual)
    : hasOtherDiff(operation, then, seen);
}

/** What is left to change must be a part of what was confirmed, from the value that it had. */
function hasOtherDiff(
  { desired, declaration }: WriteOperation,
  then: PresentObservation,
  now: PresentObservation,
): boolean {
  const before = diffFields(desired, then.actual, declaration.fields);
  const left = diffFields(desired, now.actual, declaration.fields);
  return Object.entries(left).some(([field, { actual }]) => {
    const confirmed = before[field];
    return confirmed === undefined || !jsonEquals(confirmed.actual, actual);
  });
}
