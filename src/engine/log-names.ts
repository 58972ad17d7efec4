import type { OwnershipModel } from '../core/fold.ts';
import { isKnown, type Reference, resolveValue, type ValueObject } from '../core/value.ts';
import type { Prepared, PreparedStep } from './prepare.ts';

/** The URN of a step's resource; where it holds another step's id, that id comes from the log. Null: the log has none. */
export function urnThroughLog(prepared: Prepared, item: PreparedStep, model: OwnershipModel): string | null {
  if (item.declaration.urn !== null) return item.declaration.urn;
  const lookup = (ref: Reference) => idInLog(prepared, model, ref) ?? undefined;
  const resolved = resolveValue(item.declaration.desired, lookup, () => undefined) as ValueObject;
  return isKnown(resolved) ? item.catalogue.urnOf(item.declaration, resolved) : null;
}

/** The cloud's own id of what another step ensures, as the log recorded it; of what is gone, the last one. */
function idInLog(prepared: Prepared, model: OwnershipModel, { address, path }: Reference): string | null {
  const urn = prepared.declared.get(address)?.declaration.urn ?? null;
  return path !== 'resource.name' || urn === null
    ? null
    : (model.owned.get(urn)?.resourceId ?? model.tombstones.get(urn)?.resource_id ?? null);
}
