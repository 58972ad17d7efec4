import type { Diagnostic } from '../core/diagnostics.ts';
import { type OwnershipModel, urnsByResourceId } from '../core/fold.ts';
import type { Declaration, NamedWithin, Observation, ProviderCatalogue } from '../core/resource.ts';
import { isKnown } from '../core/value.ts';
import type { ReadSession } from '../providers/lifecycle-provider.ts';
import { oneNames, withOneProtection } from './one-name.ts';
import type { EnginePorts } from './ports.ts';

/** A URN of which it matters what else it is called; `via`: with what that can be looked at. */
export interface Asked<Via> {
  readonly urn: string;
  readonly via: Via;
}

export interface LearnRequest<Via> {
  readonly catalogues: EnginePorts['catalogues'];
  readonly model: OwnershipModel;
  readonly asked: readonly Asked<Via>[];
  /** Those of them that would go with all that is in them. */
  readonly going: ReadonlySet<string>;
  look(declaration: Declaration, via: Via): Promise<Observation>;
}

/** Two URNs of which nobody can tell whether the one is the other, or lies in it. */
export interface Untold {
  readonly urns: readonly [string, string];
  readonly why: Diagnostic;
}

export interface Learned {
  /** With what the cloud told of names, and with one word about the protection of each resource. */
  readonly model: OwnershipModel;
  readonly untold: readonly Untold[];
}

/** Something by one of its names. */
interface Named<Via> {
  readonly catalogue: ProviderCatalogue;
  readonly declaration: Declaration;
  readonly via: Via;
  answer: Observation | null;
}

/** A number and an id that may be of one thing, for these two URNs. */
interface Pair<Via> {
  readonly number: Named<Via>;
  readonly id: Named<Via>;
  readonly urns: readonly [string, string];
}

/** Asks the cloud which numbers and ids are of one thing, where that matters and the log does not tell. */
export async function learnNames<Via>(request: LearnRequest<Via>): Promise<Learned> {
  const pairs = pairsOf(request);
  const numbers = new Set(pairs.map(({ number }) => number));
  const ids = new Set(pairs.map(({ id }) => id));
  const [first, second] = numbers.size <= ids.size ? [numbers, ids] : [ids, numbers];
  await lookAt(request, first);
  const open = new Set(pairs.filter((pair) => !isTold(pair)).flatMap(({ number, id }) => [number, id]));
  await lookAt(request, new Set([...second].filter((named) => open.has(named))));
  const learned = new Map(request.model.learned);
  for (const named of [...ids, ...numbers]) for (const [id, urn] of nameIn(named)) learned.set(id, [urn]);
  const model = learned.size === 0 ? request.model : { ...request.model, learned };
  return { model: withOneProtection(request, model), untold: pairs.flatMap(untoldOf) };
}

async function lookAt<Via>({ look }: LearnRequest<Via>, all: ReadonlySet<Named<Via>>): Promise<void> {
  await Promise.all(
    [...all].map(async (named) => {
      named.answer = await look(named.declaration, named.via);
    }),
  );
}

function isTold<Via>({ number, id }: Pair<Via>): boolean {
  return [number, id].some(({ answer }) => answer?.kind === 'present' || answer?.kind === 'absent');
}

function untoldOf<Via>(pair: Pair<Via>): readonly Untold[] {
  const { answer } = pair.number;
  const isUnseen = answer?.kind === 'unreadable' || answer?.kind === 'not_visible';
  return isTold(pair) || !isUnseen ? [] : [{ urns: pair.urns, why: answer.why }];
}

/** The cloud's own id, and the URN that what was seen has by its id. */
function nameIn<Via>({ catalogue, declaration, answer }: Named<Via>): readonly (readonly [string, string])[] {
  if (answer?.kind !== 'present' || answer.id === null) return [];
  const urn = catalogue.urnOf({ ...declaration, urn: null }, answer.actual);
  return urn === null ? [] : [[answer.id, urn]];
}

/** A URN that names something by a number or an id, of which the log may not know the other. */
interface Open<Via> {
  readonly urn: string;
  readonly within: NamedWithin;
  readonly catalogue: ProviderCatalogue;
  /** Null: only what it may be one with can be asked with. */
  readonly via: Via | null;
}

function pairsOf<Via>(request: LearnRequest<Via>): readonly Pair<Via>[] {
  const namesAsked = request.asked.flatMap(({ urn, via }) => nameOf(request, urn, via));
  const namesOwned = [...request.model.owned.keys()].flatMap((urn) => nameOf(request, urn, null));
  // As nearly always: then nothing else has to be found out.
  if (![...namesAsked, ...namesOwned].some(({ within }) => within.isNumber)) return [];
  const isOpen = openNames(request);
  const [asked, owned] = [namesAsked.filter(isOpen), namesOwned.filter(isOpen)];
  const groups = new Map<string, Open<Via>[]>();
  for (const open of [...asked, ...owned]) {
    const shape = shapeOf(open);
    const group = groups.get(shape);
    if (group === undefined) groups.set(shape, [open]);
    else group.push(open);
  }
  const kept = owned.filter(({ urn }) => request.model.protection.get(urn) === true);
  const named = new Map<string, Named<Via>>();
  const pairs = new Map<string, Pair<Via>>();
  for (const one of asked) {
    const inside = request.going.has(one.urn) ? kept : [];
    for (const other of [...(groups.get(shapeOf(one)) ?? []), ...inside]) {
      const pair = pairOf(one, other, named);
      if (pair !== null) pairs.set(pair.urns.join(' '), pair);
    }
  }
  return [...pairs.values()];
}

/** What two URNs have in common that may be one resource. */
function shapeOf<Via>({ within: { before, after } }: Open<Via>): string {
  return `${before} ${after}`;
}

function pairOf<Via>(one: Open<Via>, other: Open<Via>, known: Map<string, Named<Via>>): Pair<Via> | null {
  if (one.within.isNumber === other.within.isNumber) return null;
  const [number, id] = one.within.isNumber ? [one, other] : [other, one];
  const via = one.via ?? other.via;
  if (via === null) return null;
  const namedOf = (open: Open<Via>): Named<Via> => {
    const { declaration } = open.within;
    const found = known.get(declaration.address) ?? {
      catalogue: open.catalogue,
      declaration,
      via: open.via ?? via,
      answer: null,
    };
    known.set(declaration.address, found);
    return found;
  };
  return { number: namedOf(number), id: namedOf(id), urns: [number.urn, id.urn] };
}

function nameOf<Via>({ catalogues }: LearnRequest<Via>, urn: string, via: Via | null): readonly Open<Via>[] {
  const catalogue = catalogues.get(urn.slice(0, urn.indexOf(':')));
  const within = catalogue?.namedWithin?.(urn) ?? null;
  return catalogue === undefined || within === null ? [] : [{ urn, within, catalogue, via }];
}

/** Whether the log does not tell the other name. */
function openNames<Via>({ catalogues, model }: LearnRequest<Via>): (named: Open<Via>) => boolean {
  const { urnOf } = oneNames({ catalogues }, model);
  const told = new Set<string>();
  for (const urns of urnsByResourceId(model).values())
    if (new Set(urns.map(urnOf)).size === 1) for (const urn of urns) told.add(urn);
  return ({ urn, within }) => (within.isNumber ? urnOf(urn) === urn : !told.has(within.declaration.address));
}

/** How a named thing is looked at once a session is there. */
export async function observeNamed(session: ReadSession, declaration: Declaration): Promise<Observation> {
  const { desired } = declaration;
  if (!isKnown(desired)) return { kind: 'absent' };
  return await session.observe({ declaration, desired, resourceId: null, pending: new Set(), forDelete: false });
}
