import { UNSCOPED } from '../core/facts.ts';
import type { Owned, OwnershipModel } from '../core/fold.ts';
import type { Declaration, ProviderCatalogue } from '../core/resource.ts';
import { isKnown, type Reference, resolveValue, type Value, type ValueObject } from '../core/value.ts';
import { urnThroughLog } from './log-names.ts';
import { oneNames } from './one-name.ts';
import type { EnginePorts } from './ports.ts';
import type { Prepared, PreparedStep } from './prepare.ts';

/** Which owned resources the steps of a playbook stand for, as far as the log alone tells. */
export interface DeclaredNames {
  /** Its URN; null where that depends on an id that the log does not have. */
  urnOf(item: PreparedStep): string | null;
  /** What the log owns as it: under its URN, however written, under its place by ids, or under what `was` says. */
  ownedOf(item: PreparedStep): Owned | null;
  /** The same by its place alone, whose ids were looked up live. */
  ownedAt(item: PreparedStep, desired: ValueObject): Owned | null;
}

export function declaredNames(
  { catalogues }: Pick<EnginePorts, 'catalogues'>,
  prepared: Prepared,
  model: OwnershipModel,
): DeclaredNames {
  const places = ownedPlaces(catalogues, model);
  const { ownedAs } = oneNames({ catalogues }, model);
  const known = new Map<string, Owned | null>();
  const ownedOf = (item: PreparedStep): Owned | null => {
    const { address } = item.step;
    const before = known.get(address);
    if (before !== undefined) return before;
    const found = lookUp(item);
    known.set(address, found);
    return found;
  };
  const lookUp = (item: PreparedStep): Owned | null => {
    const urn = urnOf(item);
    const own = urn === null ? undefined : (model.owned.get(urn) ?? ownOf(item, ownedAs(urn)));
    if (own !== undefined || !isRenamable(item.declaration)) return own ?? null;
    const desired = withIds(item);
    const was = item.declaration.options['was'];
    const at = (place: string | null) => (place === null ? undefined : places.get(place));
    return at(placeOf(item, desired)) ?? (isMap(was) ? at(placeOf(item, { ...desired, ...was })) : undefined) ?? null;
  };
  const withIds = (item: PreparedStep): ValueObject =>
    resolveValue(
      item.declaration.desired,
      ({ address, path }: Reference) => {
        const other = path === 'resource.name' ? prepared.declared.get(address) : undefined;
        return other === undefined ? undefined : (ownedOf(other)?.resourceId ?? undefined);
      },
      () => undefined,
    ) as ValueObject;
  const urnOf = (item: PreparedStep): string | null => {
    if (item.declaration.urn !== null) return item.declaration.urn;
    const desired = withIds(item);
    const urn = isKnown(desired) ? item.catalogue.urnOf(item.declaration, desired) : null;
    return urn ?? urnThroughLog(prepared, item, model);
  };
  const ownedAt = (item: PreparedStep, desired: ValueObject) => places.get(placeOf(item, desired) ?? '') ?? null;
  return { urnOf, ownedOf, ownedAt };
}

/** Of what one resource is owned as, what the step's own stack owns. */
function ownOf({ stack }: PreparedStep, owned: readonly Owned[]): Owned | undefined {
  return owned.find((item) => item.stack === (stack ?? UNSCOPED)) ?? owned[0];
}

/** Whether one resource can have several URNs, because they are made of what can change: its place and its name. */
export function isRenamable({ fields }: Pick<Declaration, 'fields'>): boolean {
  return !Object.values(fields).includes('identity');
}

/** The same of something owned: only what is known by its place can be what a step means by another name. */
export function mayBeRenamed(catalogues: EnginePorts['catalogues'], item: Owned): boolean {
  return ownedPlace(catalogues.get(item.provider), item) !== null;
}

/** Owned things by the URN that their place has when it is written by ids. */
function ownedPlaces(catalogues: EnginePorts['catalogues'], { owned }: OwnershipModel): ReadonlyMap<string, Owned> {
  const places = new Map<string, Owned>();
  for (const item of owned.values()) {
    const place = ownedPlace(catalogues.get(item.provider), item);
    if (place !== null) places.set(place, item);
  }
  return places;
}

function ownedPlace(catalogue: ProviderCatalogue | undefined, item: Owned): string | null {
  const ours = catalogue?.fromForeign(item.resourceType, item.urn, item.lastDesired);
  if (catalogue === undefined || ours === undefined) return null;
  const declaration = catalogue.declarationOf(item.resourceType, ours.urn, ours.desired);
  return declaration === null ? null : placeByIds(catalogue, declaration, declaration.desired);
}

function placeOf({ catalogue, declaration }: PreparedStep, desired: ValueObject): string | null {
  return isKnown(desired) ? catalogue.urnOf({ ...declaration, urn: null }, desired) : null;
}

/** The URN that a resource's place has when it is written by ids; null where it is not known by its place. */
export function placeByIds(catalogue: ProviderCatalogue, declaration: Declaration, desired: Value): string | null {
  return isMap(desired) && isRenamable(declaration) && isKnown(desired)
    ? catalogue.urnOf({ ...declaration, urn: null }, desired)
    : null;
}

function isMap(value: Value | undefined): value is ValueObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
