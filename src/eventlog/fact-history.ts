import type { ProviderFact } from '../core/facts.ts';
import { sortRows } from './fold-log.ts';
import type { HasHistory } from './history.ts';
import { timeOf } from './marked-fold.ts';
import type { Entry } from './parse-row.ts';

export type OnFact = (fact: ProviderFact, recordedAt: string | null) => void;

interface FactRow extends Pick<Entry, 'sequence' | 'key' | 'recordedAt'> {
  readonly fact: ProviderFact;
}

/**
 * The facts of a target, each once, in the order in which they count: within a log by its sequence, across logs by the
 * time they were recorded at, else the logs in the order given. `until`: milliseconds since the epoch. What was desired
 * is left out of them, so that memory does not grow with it.
 */
export function factHistory(
  logs: readonly HasHistory[],
  until: number | null = null,
): (target: string, onFact: OnFact) => Promise<void> {
  return async (target, onFact) => {
    const histories = await Promise.all(logs.map((log) => factsOf(log, target)));
    for (const { fact, recordedAt, at } of merged(histories)) {
      if (until === null || at === null || at <= until) onFact(fact, recordedAt);
    }
  };
}

async function factsOf(log: HasHistory, target: string): Promise<readonly FactRow[]> {
  const rows: FactRow[] = [];
  await log.history(({ entry: { item, sequence, key, recordedAt, target: named } }) => {
    if (item.kind !== 'fact' || (named !== null && named !== target)) return;
    rows.push({ fact: { ...item.fact, desired: null }, sequence, key, recordedAt });
  });
  return sortRows(rows, (row) => row);
}

interface TimedRow extends FactRow {
  /** Of a row without a time: that of the row before it. */
  readonly at: number | null;
}

function merged(histories: readonly (readonly FactRow[])[]): readonly TimedRow[] {
  const [first = [], ...others] = histories.map(withTimes);
  if (others.length === 0) return first;
  const seen = new Set<string>();
  return others.reduce(mergeTwo, first).filter(({ key }) => key === null || (!seen.has(key) && seen.add(key)));
}

/** Each log keeps its own order. */
function mergeTwo(first: readonly TimedRow[], second: readonly TimedRow[]): readonly TimedRow[] {
  const rows: TimedRow[] = [];
  let next = 0;
  for (const row of first) {
    for (; next < second.length; next += 1) {
      const other = second[next];
      if (other === undefined || other.at === null || row.at === null || other.at >= row.at) break;
      rows.push(other);
    }
    rows.push(row);
  }
  return [...rows, ...second.slice(next)];
}

function withTimes(rows: readonly FactRow[]): readonly TimedRow[] {
  let at: number | null = null;
  return rows.map((row) => {
    at = timeOf(row.recordedAt) ?? at;
    return { ...row, at };
  });
}
