import { diagnostic } from '../core/codes.ts';
import type { Diagnostic } from '../core/diagnostics.ts';
import type { Owned } from '../core/fold.ts';
import type { Observation, PresentObservation } from '../core/resource.ts';

/**
 * What has the name of something owned, and is another resource: the log knows that by another id, and that is gone. Null:
 * what is seen may be the one that is owned.
 */
export function namesakeOf(
  owned: Pick<Owned, 'resourceId'> | null | undefined,
  seen: Observation | null,
): PresentObservation | null {
  const known = owned?.resourceId ?? null;
  if (known === null || seen?.kind !== 'present' || seen.byName !== true) return null;
  return seen.id === null || seen.id === known ? null : seen;
}

/** Whether all that was seen is something else that has the name, which could not be taken for it. */
export function isNameTaken(seen: Observation): boolean {
  return seen.kind === 'unreadable' && seen.takenBy !== undefined;
}

/** As what is owned stands: gone where only a namesake is there. */
export function seenAsOwned(owned: Pick<Owned, 'resourceId'>, seen: Observation): Observation {
  const isTaken = isNameTaken(seen) && owned.resourceId !== null;
  return isTaken || namesakeOf(owned, seen) !== null ? { kind: 'absent' } : seen;
}

/** Says which one is owned and which one is there. */
export function namesakeNotice(
  { resourceId }: Pick<Owned, 'resourceId'>,
  { id }: PresentObservation,
  more: string,
): Diagnostic {
  const detail = `the log knows ${String(resourceId)}, which is gone; what has its name now is ${String(id)}${more}.`;
  return diagnostic('NAMESAKE', detail, { severity: 'warning' });
}
