import { isKnown, type Reference, referencesIn, resolveValue, type ValueObject } from '../core/value.ts';
import type { DriftRequest } from './drift.ts';
import type { Prepared, PreparedStep } from './prepare.ts';

type Looking = Pick<DriftRequest, 'readers' | 'authOf'>;

/** A step's desired with the ids of other steps' resources looked up live; null where one is not there to be found. */
export async function resolveIds(
  request: Looking,
  prepared: Prepared,
  item: PreparedStep,
): Promise<ValueObject | null> {
  const ids = new Map<string, string>();
  for (const { address, path } of referencesIn(item.declaration.desired)) {
    const other = prepared.steps.get(address);
    const id = other === undefined || path !== 'resource.name' ? null : await idOf(request, prepared, other);
    if (id === null) return null;
    ids.set(address, id);
  }
  const lookup = ({ address, path }: Reference) => (path === 'resource.name' ? ids.get(address) : undefined);
  return resolveValue(item.declaration.desired, lookup, () => undefined) as ValueObject;
}

async function idOf(request: Looking, prepared: Prepared, item: PreparedStep): Promise<string | null> {
  const desired = await resolveIds(request, prepared, item);
  if (desired === null || !isKnown(desired)) return null;
  const own = request.authOf(item.stack ?? '');
  const opened = await request.readers.open({
    provider: item.step.provider,
    auth: item.step.auth ?? own.auth,
    endpoint: item.step.endpoint ?? own.endpoint,
  });
  if (opened.kind === 'unusable') return null;
  const session = opened.provider.openSession();
  const target = {
    declaration: item.declaration,
    desired,
    resourceId: null,
    pending: new Set<string>(),
    forDelete: false,
  };
  const resolved = await session.resolve(target);
  if (resolved.kind === 'failed') return null;
  const seen = await session.observe({ ...target, desired: resolved.desired });
  return seen.kind === 'present' ? seen.id : null;
}
