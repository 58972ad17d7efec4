import { type OwnershipModel, startFold } from '../core/fold.ts';
import type { OpenIntent, OutcomeBody } from './event-log.ts';
import type { Entry } from './parse-row.ts';

/** Takes rows in log order; what it holds grows with what is owned and open, not with the log. */
export interface LogFold {
  add(entry: Entry): void;
  readonly model: OwnershipModel;
  openIntents(): readonly OpenIntent[];
}

/** Folds the rows of one target and those that name none. */
export function startLogFold(target: string): LogFold {
  const facts = startFold();
  const open = new Map<number, OpenIntent>();
  const add = (entry: Entry): void => {
    if (entry.target !== null && entry.target !== target) return;
    const { item, sequence } = entry;
    if (item.kind === 'fact') facts.add(item.fact);
    else if (item.kind === 'outcome') settle(open, item.outcome);
    else if (item.kind === 'intent' && sequence !== null) {
      open.set(sequence, { sequence, intent: item.intent, target, operationName: null });
    }
  };
  return { add, model: facts.model, openIntents: () => [...open.values()] };
}

function settle(open: Map<number, OpenIntent>, outcome: OutcomeBody): void {
  const intent = open.get(outcome.intent_sequence);
  if (intent === undefined) return;
  switch (outcome.status) {
    case 'done':
    case 'failed':
    case 'abandoned':
      open.delete(outcome.intent_sequence);
      return;
    case 'uncertain':
    case 'pending':
      open.set(intent.sequence, { ...intent, operationName: outcome.operation_name ?? intent.operationName });
  }
}

/** What to do with the next row: fold it, pass over one that came before, or sort the whole log first. */
export type Placement = 'fold' | 'duplicate' | 'disorder';

/** Sees, without remembering rows, whether they come in order; only then can duplicates be told by the row before. */
export function startSequence(): (entry: Entry) => Placement {
  let last = Number.NEGATIVE_INFINITY;
  const keys = new Set<string>();
  return ({ sequence, key }) => {
    if (sequence === null) return 'fold';
    if (sequence < last) return 'disorder';
    if (sequence > last) keys.clear();
    last = sequence;
    if (key === null) return 'fold';
    if (keys.has(key)) return 'duplicate';
    keys.add(key);
    return 'fold';
  };
}

/** Rows by sequence, each once; a row without one stays behind the row that it followed. */
export function sortEntries(entries: readonly Entry[]): readonly Entry[] {
  let place = Number.NEGATIVE_INFINITY;
  const placed = entries.map((entry) => {
    place = entry.sequence ?? place;
    return { entry, place };
  });
  const seen = new Set<string>();
  return placed
    .sort((a, b) => (a.place === b.place ? 0 : a.place - b.place))
    .map(({ entry }) => entry)
    .filter(({ sequence, key }) => {
      if (sequence === null || key === null) return true;
      const id = `${sequence}:${key}`;
      return !seen.has(id) && seen.add(id);
    });
}
