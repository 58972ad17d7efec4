import { diagnostic } from '../../core/codes.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import type { Observation, PresentObservation } from '../../core/resource.ts';
import { display, isKnown } from '../../core/value.ts';
import type { Target } from '../lifecycle-provider.ts';
import type { Answer, Reads } from './reads.ts';

const DAY_MS = 86_400_000;

export const ABSENT: Observation = { kind: 'absent' };

/** Something that is there; everything that its type does not say is empty. */
export function found(
  resource: JsonObject,
  seen: Partial<PresentObservation> & Pick<PresentObservation, 'actual'>,
): PresentObservation {
  return {
    kind: 'present',
    id: null,
    etag: null,
    state: null,
    purgeTime: null,
    resource: resource as Json,
    warnings: [],
    blockers: [],
    ...seen,
  };
}

export function unreadable(answer: Extract<Answer<unknown>, { kind: 'failed' }>, target: Target): Observation {
  return { kind: 'unreadable', why: about(answer.why, target) };
}

/** A 403 or 404 on the thing itself may mean that it does not exist; every other failure says nothing about that. */
export function invisible(
  answer: Extract<Answer<unknown>, { kind: 'failed' }>,
  target: Target,
  name: string,
): Observation {
  if (answer.status !== 403 && answer.status !== 404) return unreadable(answer, target);
  const { detail, hint } = answer.why;
  const why = diagnostic('NOT_VISIBLE', `${name}: ${detail}`, { severity: 'warning', hint });
  return { kind: 'not_visible', why: about(why, target) };
}

function about<T extends Answer<unknown>>(why: Extract<T, { kind: 'failed' }>['why'], target: Target) {
  return { ...why, address: target.declaration.address, urn: target.declaration.urn };
}

/** Whether the step that makes what this one lies in is yet to run: nothing can be inside. */
export function isInsidePending(target: Target): boolean {
  return target.declaration.needs.some((address) => target.pending.has(address));
}

/** Whether a project is being deleted, and all that is in it with it: its lists still show that for a while. */
export async function isGoing(projectId: string, reads: Reads): Promise<boolean> {
  return (await reads.projectState(projectId)) === 'DELETE_REQUESTED';
}

/** A place that a declaration names, once it is known. */
export function knownPlace(target: Target, key: string): string | null {
  const value = target.desired[key];
  return typeof value === 'string' && isKnown(value) ? value : null;
}

export function placeUnknown(target: Target, key: string): Observation {
  const shown = JSON.stringify(display(target.desired[key] ?? null));
  const why = diagnostic('BLOCKED', `Where it lies is not known: ${shown}.`);
  return { kind: 'unreadable', why: about(why, target) };
}

export function text(resource: JsonObject, key: string): string {
  const value = resource[key];
  return typeof value === 'string' ? value : '';
}

/** States are left out of some answers; a listed thing without one is active. */
export function stateOf(resource: JsonObject): string {
  return text(resource, 'state') || 'ACTIVE';
}

export function isActive(resource: JsonObject): boolean {
  return stateOf(resource) === 'ACTIVE';
}

/** ISO time at which something deleted is gone for good; null where it is not deleted or the time is not said. */
export function purgeTimeOf(resource: JsonObject, retentionDays: number): string | null {
  const deleted = Date.parse(text(resource, 'deleteTime'));
  return isActive(resource) || Number.isNaN(deleted) ? null : new Date(deleted + retentionDays * DAY_MS).toISOString();
}

export function etagOf(resource: JsonObject): string | null {
  return text(resource, 'etag') || null;
}
