import type { ProviderFact } from '../core/facts.ts';
import { assertsOwnership, endsOwnership, type OwnershipModel, startFold } from '../core/fold.ts';
import { type Claims, foldClaims, NO_CLAIMS } from '../core/orphans.ts';

/** What one log knows about a URN beside its ownership: since when, and what putting several logs together needs. */
export interface Mark extends Claims {
  /** When its present owner became that, in milliseconds; null: it has none, or that is not known. */
  readonly ownedSince: number | null;
  /** When the fact that decides about its ownership was recorded, in milliseconds; null: not known. */
  readonly decidedAt: number | null;
  /** The same of the newest word about its protection. */
  readonly protectedAt: number | null;
  /** Whether this log made somebody its owner. */
  readonly asserted: boolean;
  /** Whether ownership ended in this log: nothing of an older log shows through then. */
  readonly ended: boolean;
  /** Stacks that forgot it before this log knew an owner: an older log says whether one of them was it. */
  readonly forgottenBy: readonly string[];
  /** Older names of it: what an older log says of the first one it knows about counts more than this log's word. */
  readonly protectedLike: readonly string[];
}

export type Marks = ReadonlyMap<string, Mark>;

export interface MarkedModel {
  readonly model: OwnershipModel;
  readonly marks: Marks;
}

export interface MarkedFold extends MarkedModel {
  /**
   * `recordedAt`: RFC 3339; null where the row has none. `firstAt`: of the first of several facts of one stack that this
   * one stands for.
   */
  add(fact: ProviderFact, recordedAt: string | null, firstAt?: string | null): void;
}

const NO_MARK: Mark = {
  ownedSince: null,
  decidedAt: null,
  protectedAt: null,
  asserted: false,
  ended: false,
  forgottenBy: [],
  protectedLike: [],
  ...NO_CLAIMS,
};

/** A fold that takes facts in log order, from nothing or from (a copy of) what was folded before. */
export function startMarkedFold(from?: MarkedModel): MarkedFold {
  const { model, add: fold } = startFold(from?.model);
  const marks = new Map<string, Mark>(from?.marks);
  const add = (fact: ProviderFact, recordedAt: string | null, firstAt = recordedAt): void => {
    if (fact.outcome === 'planned') return;
    const before = marks.get(fact.urn) ?? NO_MARK;
    const owner = model.owned.get(fact.urn)?.stack;
    const isVoid = forgetsAnother(owner, fact);
    fold(fact);
    const at = timeOf(recordedAt);
    const since = owner === fact.stack ? before.ownedSince : timeOf(firstAt);
    const { claims, contested } = foldClaims(before, fact);
    const decided = { ...(isVoid ? before : decide(before, fact, at, since)), claims, contested };
    marks.set(fact.urn, markProtection(decided, fact, at, { model, marks }));
  };
  return { model, marks, add };
}

/** Milliseconds since the epoch; null for a text that is no time. */
export function timeOf(recordedAt: string | null): number | null {
  const time = recordedAt === null ? Number.NaN : Date.parse(recordedAt);
  return Number.isNaN(time) ? null : time;
}

function forgetsAnother(owner: string | undefined, fact: ProviderFact): boolean {
  return endsOwnership(fact) && fact.forgotten === true && owner !== undefined && owner !== fact.stack;
}

function decide(before: Mark, fact: ProviderFact, at: number | null, since: number | null): Mark {
  if (assertsOwnership(fact)) return { ...before, ownedSince: since, decidedAt: at, asserted: true };
  if (!endsOwnership(fact)) return before;
  const mark = { ...before, ownedSince: null, decidedAt: at };
  if (before.asserted || before.ended || fact.forgotten !== true) return { ...mark, ended: true };
  return { ...mark, forgottenBy: [...new Set([...before.forgottenBy, fact.stack])] };
}

function markProtection(mark: Mark, fact: ProviderFact, at: number | null, { model, marks }: MarkedModel): Mark {
  if (fact.protect !== undefined) return { ...mark, protectedAt: at, protectedLike: [] };
  const from = fact.renamed_from;
  if (from === undefined || !assertsOwnership(fact)) return mark;
  const like = marks.get(from)?.protectedLike ?? [];
  if (model.protection.has(from)) return { ...mark, protectedAt: at, protectedLike: like };
  return { ...mark, protectedLike: [...new Set([...like, from, ...mark.protectedLike])] };
}
