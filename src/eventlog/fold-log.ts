import type { ProviderFact } from '../core/facts.ts';
import type { OpenIntent } from './event-log.ts';
import type { ScannedFact } from './fact-scan.ts';
import { type MarkedModel, startMarkedFold } from './marked-fold.ts';
import { startOpenIntents } from './open-intents.ts';
import type { Entry } from './parse-row.ts';

/** What rows fold to. */
export interface Folded extends MarkedModel {
  readonly openIntents: readonly OpenIntent[];
  /** The targets that rows name, sorted; a row of someone else may name none. */
  readonly targets: readonly string[];
  /** Whether every row carries a seal. */
  readonly sealed: boolean;
  /** Keys of what others desired that were dropped, as `<resource type>.<key>`, sorted. */
  readonly dropped: readonly string[];
}

export interface RecordedFact {
  readonly fact: ProviderFact;
  readonly recordedAt: string | null;
}

/** Takes rows in log order; what it holds grows with what is owned and open, not with the log. */
export interface LogFold {
  add(entry: Entry): void;
  /** A fact that is parsed only if no later one of its URN makes it needless. */
  defer(fact: ScannedFact): void;
  /** Call it after the last row. */
  finish(): Folded;
}

/** Where a deferred row stands, and what a later one must have to replace it: its fields and its stack. */
export interface Deferred extends Pick<ScannedFact, 'stack'> {
  offset: number;
  length: number;
  fields: number;
  line: number;
  /** When the first of the rows was recorded that this one has replaced. */
  readonly firstAt: string;
}

/**
 * Folds the rows of one target and those that name none, on from what was folded before; `reread` gives the fact of a
 * deferred row.
 */
export function startLogFold(target: string, reread: (row: Deferred) => RecordedFact, from?: Folded): LogFold {
  const facts = startMarkedFold(from);
  const open = startOpenIntents(from?.openIntents);
  const targets = new Set<string>(from?.targets);
  const dropped = new Set<string>(from?.dropped);
  let sealed = from?.sealed ?? true;
  let lastTarget: string | null = null;
  const deferrals = startDeferrals((row) => {
    const { fact, recordedAt } = reread(row);
    facts.add(fact, recordedAt, row.firstAt);
  });
  const add = ({ item, sequence, target: named, isSealed, recordedAt }: Entry): void => {
    if (!isSealed) sealed = false;
    if (named !== null) targets.add(named);
    if (named !== null && named !== target) return;
    if (item.kind === 'outcome') open.outcome(item.outcome);
    if (item.kind === 'intent' && sequence !== null) open.intent(sequence, item.intent, target);
    if (item.kind !== 'fact') return;
    for (const key of item.dropped ?? []) dropped.add(`${item.fact.resource_type}.${key}`);
    open.fact(item.fact.urn);
    deferrals.flush(item.fact.urn);
    facts.add(item.fact, recordedAt);
  };
  const defer = (fact: ScannedFact): void => {
    if (fact.target === target) {
      deferrals.put(fact);
      open.fact(fact.urn);
    }
    if (fact.target === lastTarget) return;
    lastTarget = fact.target;
    if (!targets.has(lastTarget)) targets.add(ownCopy(lastTarget));
  };
  const finish = () => {
    deferrals.flushAll();
    const { model, marks } = facts;
    return {
      model,
      marks,
      openIntents: open.list(),
      targets: [...targets].sort(),
      sealed,
      dropped: [...dropped].sort(),
    };
  };
  return { add, defer, finish };
}

/** The newest row of each URN that nothing has needed yet; `onNeeded` gets it when something does. */
function startDeferrals(onNeeded: (row: Deferred) => void) {
  const waiting = new Map<string, Deferred>();
  const flush = (urn: string): void => {
    const row = waiting.get(urn);
    if (row === undefined) return;
    waiting.delete(urn);
    onNeeded(row);
  };
  const put = ({ urn, stack, recordedAt, offset, length, fields, line }: ScannedFact): void => {
    const before = waiting.get(urn);
    if (before === undefined || (before.fields & ~fields) !== 0 || before.stack !== stack) {
      flush(urn);
      const firstAt = ownCopy(recordedAt);
      waiting.set(ownCopy(urn), { stack: ownCopy(stack), firstAt, offset, length, fields, line });
    } else {
      // Changed in place: a new object a row is what would cost most in a long log.
      before.offset = offset;
      before.length = length;
      before.fields = fields;
      before.line = line;
    }
  };
  const flushAll = (): void => {
    for (const urn of [...waiting.keys()]) flush(urn);
  };
  return { put, flush, flushAll };
}

/** A text cut out of another keeps all of that in memory; a copy doesn't. */
function ownCopy(text: string): string {
  return Buffer.from(text, 'utf8').toString('utf8');
}

/** What to do with the next row: fold it, pass over one that came before, or sort the whole log first. */
export type Placement = 'fold' | 'duplicate' | 'disorder';

/** Where a sequence stands: its last number, and the rows seen with it. */
export interface SequenceState {
  /** Null before the first row that has one. */
  readonly last: number | null;
  readonly keys: readonly string[];
}

export interface Sequence {
  place(row: Pick<Entry, 'sequence' | 'key'>): Placement;
  state(): SequenceState;
}

/** Sees, without remembering rows, whether they come in order; only then can duplicates be told by the row before. */
export function startSequence(from: SequenceState = { last: null, keys: [] }): Sequence {
  let last = from.last ?? Number.NEGATIVE_INFINITY;
  // A set only where rows share their number: one a row is much in a long log.
  let key: string | null = from.keys[0] ?? null;
  let more: Set<string> | null = from.keys.length > 1 ? new Set(from.keys.slice(1)) : null;
  const place: Sequence['place'] = (row) => {
    if (row.sequence === null) return 'fold';
    if (row.sequence < last) return 'disorder';
    if (row.sequence > last) {
      last = row.sequence;
      key = row.key;
      more = null;
      return 'fold';
    }
    if (row.key === null) return 'fold';
    if (row.key === key || more?.has(row.key) === true) return 'duplicate';
    if (key === null) key = row.key;
    else more = (more ?? new Set()).add(row.key);
    return 'fold';
  };
  const state = () => ({
    last: last === Number.NEGATIVE_INFINITY ? null : last,
    keys: [...(key === null ? [] : [key]), ...(more ?? [])],
  });
  return { place, state };
}

/** Rows by sequence, each once; a row without one stays behind the row that it followed. */
export function sortRows<T>(rows: readonly T[], entryOf: (row: T) => Pick<Entry, 'sequence' | 'key'>): readonly T[] {
  let last = Number.NEGATIVE_INFINITY;
  const placed = rows.map((row) => {
    last = entryOf(row).sequence ?? last;
    return { row, place: last };
  });
  const seen = new Set<string>();
  return placed
    .sort((a, b) => (a.place === b.place ? 0 : a.place - b.place))
    .map(({ row }) => row)
    .filter((row) => {
      const { sequence, key } = entryOf(row);
      if (sequence === null || key === null) return true;
      const id = `${sequence}:${key}`;
      return !seen.has(id) && seen.add(id);
    });
}
