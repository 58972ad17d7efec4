import { hasPendingWrite, type PlannedBatch } from '../core/plan.ts';
import type { WriteChange } from '../core/resource.ts';
import type { PreparedStep } from './prepare.ts';
import type { PlannedStep } from './runtime.ts';

/** Which steps' writes go out in one request; a write by itself is no batch. */
export function batchesOf(steps: readonly PlannedStep[]): readonly PlannedBatch[] {
  const groups = new Map<string, PlannedStep[]>();
  for (const planned of steps) {
    const { item, shown } = planned;
    const shared = togetherKey(item);
    if (shared === null || !hasPendingWrite(shown)) continue;
    const key = `${limitOf(planned)} ${shared}`;
    groups.set(key, [...(groups.get(key) ?? []), planned]);
  }
  return [...groups.values()].flatMap((group) => requestsOf(group).filter(({ addresses }) => addresses.length > 1));
}

/** What goes out together: one batch key, one credential, one place. Null: it goes alone. */
export function togetherKey({ declaration: { batchKey }, step: { auth, endpoint } }: PreparedStep): string | null {
  return batchKey === null ? null : JSON.stringify([batchKey, auth, endpoint]);
}

function limitOf({ item, shown }: PlannedStep): number {
  const limit = item.catalogue.batchLimit?.(item.declaration, shown.change as WriteChange);
  return limit ?? Number.POSITIVE_INFINITY;
}

function requestsOf(group: readonly PlannedStep[]): readonly PlannedBatch[] {
  const [first] = group;
  if (first === undefined) return [];
  const size = Math.min(limitOf(first), group.length);
  const request = first.item.declaration.batchKey ?? '';
  return Array.from({ length: Math.ceil(group.length / size) }, (_, index) => ({
    request,
    addresses: group.slice(index * size, (index + 1) * size).map(({ shown }) => shown.address),
  }));
}
