import type { ProviderFact } from '../core/facts.ts';
import type { Owned, OwnershipModel } from '../core/fold.ts';
import { type Claims, contest, NO_CLAIMS } from '../core/orphans.ts';
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

/** Of a store that keeps no marks: its word stands for itself. */
const UNKNOWN: Mark = {
  ownedSince: null,
  decidedAt: null,
  protectedAt: null,
  asserted: true,
  ended: false,
  forgottenBy: [],
  protectedLike: [],
  ...NO_CLAIMS,
};

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
  return { model: modelOf(words, inTime(protection)), marks: marksOf(words, protection.times) };
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

/** What an older and a newer word come to: what a fold of the one log's facts behind the other's would. */
function compose(older: Word, newer: Word): Word {
  const asserted = older.mark.asserted || newer.mark.asserted;
  const ended = older.mark.ended || newer.mark.ended;
  const forgottenBy = older.mark.asserted ? older.mark.forgottenBy : bothOf(older.mark, newer.mark);
  const mark = { ...newer.mark, ...claimsOf(older.mark, newer.mark), asserted, ended, forgottenBy };
  if (showsThrough(older, newer)) {
    const { ownedSince, decidedAt } = older.mark;
    if (newer.owned === null) return { ...older, mark: { ...mark, ownedSince, decidedAt } };
    const owned = inheriting(newer.owned, older.owned);
    return { ...newer, owned, mark: owned.stack === older.owned.stack ? { ...mark, ownedSince } : mark };
  }
  return { ...newer, mark };
}

/** A claim of the older log stands beside those of the newer one unless that one ended it. */
function claimsOf(older: Mark, newer: Mark): Claims {
  const kept = newer.ended ? [] : older.claims.filter((stack) => !newer.forgottenBy.includes(stack));
  const claims = [...new Set([...kept, ...newer.claims])];
  return contest({ claims, contested: [...new Set([...older.contested, ...newer.contested])] });
}

function bothOf(older: Mark, newer: Mark): readonly string[] {
  return older.ended ? older.forgottenBy : [...new Set([...older.forgottenBy, ...newer.forgottenBy])];
}

/**
 * Whether the older owner is still there when the newer log asserts something, or has nothing but others' forgetting
 * to say: a stack that forgets gives up what is its own, and nothing of another's.
 */
function showsThrough(older: Word, newer: Word): older is Word & { readonly owned: Owned } {
  return older.owned !== null && !newer.mark.ended && !newer.mark.forgottenBy.includes(older.owned.stack);
}

function inheriting(newer: Owned, older: Owned): Owned {
  return {
    ...newer,
    resourceId: newer.resourceId ?? older.resourceId,
    origin: newer.origin ?? older.origin,
    began: newer.began === 'said' ? 'said' : older.began,
    credential: newer.credential ?? older.credential,
  };
}

/** The newest word about protection, which outlives ownership. */
function startProtection() {
  const said = new Map<string, boolean>();
  const times = new Map<string, number | null>();
  const say = (urn: string, isProtected: boolean, at: number | null): void => {
    if (said.has(urn) && isNewer(times.get(urn) ?? null, at)) return;
    said.delete(urn);
    said.set(urn, isProtected);
    times.set(urn, at);
  };
  const add = ({ model, marks = new Map() }: ModelOfLog): void => {
    const inherited = inheritedProtection(marks, said);
    for (const [urn, isProtected] of model.protection) say(urn, isProtected, marks.get(urn)?.protectedAt ?? null);
    for (const [urn, isProtected] of inherited) say(urn, isProtected, marks.get(urn)?.decidedAt ?? null);
  };
  return { add, said, times };
}

/** The newest word last, where all have a time; else as the logs came. */
function inTime({ said, times }: ReturnType<typeof startProtection>): ReadonlyMap<string, boolean> {
  const timed = [...said].map(([urn, word]) => ({ urn, word, at: times.get(urn) ?? null }));
  if (timed.some(({ at }) => at === null)) return said;
  return new Map(timed.sort((a, b) => Number(a.at) - Number(b.at)).map(({ urn, word }) => [urn, word]));
}

/** What was renamed in one log is as protected as an older log says of its older name. */
function inheritedProtection(marks: Marks, said: ReadonlyMap<string, boolean>): ReadonlyMap<string, boolean> {
  const inherited = new Map<string, boolean>();
  for (const [urn, { protectedLike }] of marks) {
    const isProtected = said.get(protectedLike.find((name) => said.has(name)) ?? '');
    if (isProtected !== undefined) inherited.set(urn, isProtected);
  }
  return inherited;
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
