import { type Owned, type OwnershipModel, urnsByResourceId } from '../core/fold.ts';
import type { OneUrn } from '../core/orphans.ts';
import type { EnginePorts } from './ports.ts';

/** What the log owns, however its URNs are written: what stands in a project's number is what stands in its id. */
export interface OneNames {
  readonly urnOf: OneUrn;
  /** What is owned as this resource, under its URN or another one. */
  ownedAs(urn: string): readonly Owned[];
}

export function oneNames({ catalogues }: Pick<EnginePorts, 'catalogues'>, model: OwnershipModel): OneNames {
  const urns = urnsByResourceId(model);
  const urnsOf = (id: string): readonly string[] => urns.get(id) ?? [];
  const urnOf = (urn: string): string => catalogues.get(urn.slice(0, urn.indexOf(':')))?.oneUrn?.(urn, urnsOf) ?? urn;
  const others = new Map<string, Owned[]>();
  for (const owned of model.owned.values()) {
    const one = urnOf(owned.urn);
    if (one !== owned.urn) others.set(one, [...(others.get(one) ?? []), owned]);
  }
  const ownedAs = (urn: string): readonly Owned[] => {
    const one = urnOf(urn);
    const own = model.owned.get(one);
    return [...(own === undefined ? [] : [own]), ...(others.get(one) ?? [])];
  };
  return { urnOf, ownedAs };
}

/** All URNs of the log, of what is owned and of what was given up, that are a way to write this one. */
export function writtenAs(
  ports: Pick<EnginePorts, 'catalogues'>,
  model: OwnershipModel,
  urn: string,
): readonly string[] {
  const { urnOf } = oneNames(ports, model);
  const one = urnOf(urn);
  return [...model.owned.keys(), ...model.tombstones.keys()].filter((other) => urnOf(other) === one);
}

/** The same ownership, with the newest word about protection under every name of a resource. */
export function withOneProtection(ports: Pick<EnginePorts, 'catalogues'>, model: OwnershipModel): OwnershipModel {
  const { urnOf } = oneNames(ports, model);
  const names = [...model.owned.keys(), ...model.protection.keys()];
  if (names.every((urn) => urnOf(urn) === urn)) return model;
  const newest = new Map([...model.protection].map(([urn, isProtected]) => [urnOf(urn), isProtected] as const));
  const protection = new Map(model.protection);
  for (const urn of names) {
    const isProtected = newest.get(urnOf(urn));
    if (isProtected !== undefined) protection.set(urn, isProtected);
  }
  return { ...model, protection };
}
