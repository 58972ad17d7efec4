import type { ProviderFact } from '../core/facts.ts';
import type { Owned, OwnershipModel } from '../core/fold.ts';
import type { Mark, MarkedModel, Marks } from './marked-fold.ts';

/** A log's ownership; without marks nothing is known about its times. */
export interface ModelOfLog {
  readonly model: OwnershipModel;
  readonly marks?: Marks;
}

/** What one log, or several together, say about a URN. */
interface Word {
  readonly owned: Owned | null;
  readonly tombstone: ProviderFact | null;
  readonly mark: Mark;
}

const UNKNOWN: Mark = { decidedAt: null, protectedAt: null, asserted: true, ended: false, protectedLike: null };

/**
 * Ownership of several logs, URN by URN: the newer word wins where both have a time, else the later log in the list.
 * Memory grows with what is owned and given up, not with the logs. Inside one log its own order counts.
 */
export function combineModels(logs: readonly ModelOfLog[]): MarkedModel {
  const words = new Map<string, Word>();
  const protection = startProtection();
  for (const log of logs) {
    for (const urn of new Set([...log.model.owned.keys(), ...log.model.tombstones.keys()])) {
      const word = wordOf(log, urn);
      const before = words.get(urn);
      words.set(urn, before === undefined ? word : inOrder(before, word));
    }
    protection.add(log);
  }
  return { model: modelOf(words, protection.settle(words)), marks: marksOf(words, protection.times) };
}

function wordOf({ model, marks }: ModelOfLog, urn: string): Word {
  const owned = model.owned.get(urn) ?? null;
  return { owned, tombstone: model.tombstones.get(urn) ?? null, mark: marks?.get(urn) ?? UNKNOWN };
}

/** `given`: the word of the log that stands later in the list. */
function inOrder(first: Word, given: Word): Word {
  return isNewer(first.mark.decidedAt, given.mark.decidedAt) ? compose(given, first) : compose(first, given);
}

function isNewer(at: number | null, than: number | null): boolean {
  return at !== null && than !== null && at > than;
}

/** What an older and a newer word come to. */
function compose(older: Word, newer: Word): Word {
  const asserted = older.mark.asserted || newer.mark.asserted;
  const ended = older.mark.ended || newer.mark.ended;
  if (newer.owned === null && newer.tombstone !== null && keepsOwner(older, newer, newer.tombstone)) {
    return { ...older, mark: { ...older.mark, asserted, ended } };
  }
  const inherits = newer.owned !== null && older.owned !== null && !newer.mark.ended;
  const owned = inherits ? inheriting(newer.owned, older.owned) : newer.owned;
  return { ...newer, owned, mark: { ...newer.mark, asserted, ended } };
}

/** A stack that forgets gives up what is its own, and nothing of another's: as inside one log. */
function keepsOwner(older: Word, newer: Word, tombstone: ProviderFact): boolean {
  if (newer.mark.asserted || newer.mark.ended || tombstone.forgotten !== true) return false;
  return older.owned !== null && older.owned.stack !== tombstone.stack;
}

function inheriting(newer: Owned, older: Owned): Owned {
  return {
    ...newer,
    resourceId: newer.resourceId ?? older.resourceId,
    origin: newer.origin ?? older.origin,
    credential: newer.credential ?? older.credential,
  };
}

/** The newest word about protection, which outlives ownership. */
function startProtection() {
  const said = new Map<string, boolean>();
  const times = new Map<string, number | null>();
  const add = ({ model, marks }: ModelOfLog): void => {
    for (const [urn, isProtected] of model.protection) {
      const at = marks?.get(urn)?.protectedAt ?? null;
      if (said.has(urn) && isNewer(times.get(urn) ?? null, at)) continue;
      said.set(urn, isProtected);
      times.set(urn, at);
    }
  };
  /** A resource that was renamed in one log is as protected as another log says of its older name. */
  const settle = (words: ReadonlyMap<string, Word>): ReadonlyMap<string, boolean> => {
    for (const [urn, { mark }] of words) {
      const inherited = mark.protectedLike === null ? undefined : said.get(mark.protectedLike);
      if (inherited !== undefined && !said.has(urn)) said.set(urn, inherited);
    }
    return said;
  };
  return { add, settle, times };
}

function modelOf(words: ReadonlyMap<string, Word>, protection: ReadonlyMap<string, boolean>): OwnershipModel {
  const owned = new Map<string, Owned>();
  const tombstones = new Map<string, ProviderFact>();
  for (const [urn, word] of words) {
    if (word.owned !== null) owned.set(urn, word.owned);
    else if (word.tombstone !== null) tombstones.set(urn, word.tombstone);
  }
  return { owned, tombstones, protection };
}

function marksOf(words: ReadonlyMap<string, Word>, times: ReadonlyMap<string, number | null>): Marks {
  return new Map(
    [...words].map(([urn, { mark }]) => [urn, { ...mark, protectedAt: times.get(urn) ?? mark.protectedAt }]),
  );
}
