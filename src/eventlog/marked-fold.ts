import type { ProviderFact } from '../core/facts.ts';
import { assertsOwnership, endsOwnership, type OwnershipModel, startFold } from '../core/fold.ts';

/** What one log knows about a URN beside its ownership: needed only to put several logs together. */
export interface Mark {
  /** When the fact that decides about its ownership was recorded, in milliseconds; null: not known. */
  readonly decidedAt: number | null;
  /** The same of the newest word about its protection. */
  readonly protectedAt: number | null;
  /** Whether this log made somebody its owner: what an older log says is history then. */
  readonly asserted: boolean;
  /** Whether ownership ended in this log: nothing of an older log shows through then. */
  readonly ended: boolean;
  /** The URN it was renamed from, where that one's protection is not known to this log. */
  readonly protectedLike: string | null;
}

export type Marks = ReadonlyMap<string, Mark>;

export interface MarkedModel {
  readonly model: OwnershipModel;
  readonly marks: Marks;
}

export interface MarkedFold extends MarkedModel {
  /** `recordedAt`: RFC 3339; null where the row has none. */
  add(fact: ProviderFact, recordedAt: string | null): void;
}

const NO_MARK: Mark = { decidedAt: null, protectedAt: null, asserted: false, ended: false, protectedLike: null };

/** A fold that takes facts in log order, from nothing or from (a copy of) what was folded before. */
export function startMarkedFold(from?: MarkedModel): MarkedFold {
  const { model, add: fold } = startFold(from?.model);
  const marks = new Map<string, Mark>(from?.marks);
  const add = (fact: ProviderFact, recordedAt: string | null): void => {
    if (fact.outcome === 'planned') return;
    const before = marks.get(fact.urn) ?? NO_MARK;
    const isVoid = forgetsAnother(model, fact);
    const wasTombstone = model.tombstones.has(fact.urn);
    fold(fact);
    const at = timeOf(recordedAt);
    const decided = isVoid ? before : decide(before, fact, at, wasTombstone);
    marks.set(fact.urn, markProtection(decided, fact, at, model));
  };
  return { model, marks, add };
}

/** Milliseconds since the epoch; null for a text that is no time. */
export function timeOf(recordedAt: string | null): number | null {
  const time = recordedAt === null ? Number.NaN : Date.parse(recordedAt);
  return Number.isNaN(time) ? null : time;
}

function forgetsAnother(model: OwnershipModel, fact: ProviderFact): boolean {
  const owner = model.owned.get(fact.urn)?.stack;
  return endsOwnership(fact) && fact.forgotten === true && owner !== undefined && owner !== fact.stack;
}

function decide(before: Mark, fact: ProviderFact, at: number | null, wasTombstone: boolean): Mark {
  if (assertsOwnership(fact)) {
    return { ...before, decidedAt: at, asserted: true, ended: before.ended || wasTombstone };
  }
  if (!endsOwnership(fact)) return before;
  // Forgetting ends only what the stack owns: whether it did, an older log may have to say.
  return { ...before, decidedAt: at, ended: before.ended || before.asserted || fact.forgotten !== true };
}

function markProtection(mark: Mark, fact: ProviderFact, at: number | null, model: OwnershipModel): Mark {
  if (fact.protect !== undefined) return { ...mark, protectedAt: at, protectedLike: null };
  if (fact.renamed_from === undefined || !assertsOwnership(fact)) return mark;
  if (model.protection.has(fact.renamed_from)) return { ...mark, protectedAt: at, protectedLike: null };
  return { ...mark, protectedLike: fact.renamed_from };
}
