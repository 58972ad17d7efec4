import type { FileHandle } from 'node:fs/promises';
import type { ProviderFact } from '../core/facts.ts';
import type { ExactJson } from '../core/json.ts';
import { scanFact } from './fact-scan.ts';
import { sortRows } from './fold-log.ts';
import { FILE_START, type Line } from './lines.ts';
import { parseLossless } from './lossless.ts';
import { timeOf } from './marked-fold.ts';
import type { Entry } from './parse-row.ts';
import { eachRow, type ReadOptions, startLines } from './read-log.ts';
import { withoutSecrets } from './row-secrets.ts';

/** A row as it stands in the log, for those who show it: nobody knows what others put into theirs. */
export interface HistoryRow {
  /** Where it starts in the file, from 1; in a server's log, which row it is. */
  readonly line: number;
  /** The whole line but for secrets; a list or reply that wraps several rows comes once for each of them. */
  readonly json: ExactJson;
  readonly entry: Entry;
}

/** Of the log's own facts, whether one with this URN and stack is asked for; all other rows always are. */
export type WantsUrn = (urn: string, stack: string) => boolean;

/** Anything whose rows can be walked. */
export interface HasHistory {
  /** Streams every row, of every target, in the order in which it stands; `wants` lets rows be left out unparsed. */
  history(onRow: (row: HistoryRow) => void, wants?: WantsUrn): Promise<void>;
  /** The last rows alone; absent where that saves nothing. */
  newest?(limit: number): Promise<readonly HistoryRow[]>;
}

/** Streams every row, of every target, in file order. Throws DiagnosticError (LOG_INVALID) on a broken line. */
export async function eachHistoryRow(
  handle: FileHandle,
  size: number,
  options: ReadOptions,
  onRow: (row: HistoryRow) => void,
  wants?: WantsUrn,
): Promise<void> {
  const lines = startLines(options);
  await eachRow(handle, size, options, FILE_START, (line) => {
    const scanned = wants === undefined ? null : scanFact(line);
    if (scanned !== null) lines.saw();
    if (scanned !== null && wants?.(scanned.urn, scanned.stack) === false) return;
    for (const entry of lines.entriesOf(line)) onRow(rowOf(line, entry));
  });
}

export function rowOf({ bytes, number }: Line, entry: Entry): HistoryRow {
  const text = bytes.toString('utf8');
  return {
    line: number,
    get json() {
      return withoutSecrets(parseLossless(text));
    },
    entry,
  };
}

/**
 * The rows of one resource, each once: facts, intents and their outcomes, under every URN that it had in any of the
 * logs (`names`, followed through `renamed_from` and `renamed_to`). Each log keeps its own order; between logs the time
 * counts, and where a row has none yet, the order of the list, the writable log last.
 */
export async function historyOf(logs: readonly HasHistory[], names: readonly string[]): Promise<readonly HistoryRow[]> {
  const urns = await namesOf(logs, names);
  const histories: (readonly TimedRow[])[] = [];
  for (const log of logs) histories.push(withTimes(await rowsAbout(log, urns)));
  return histories
    .flat()
    .sort((a, b) => (a.at === b.at ? 0 : a.at - b.at))
    .map(({ row }) => row);
}

async function rowsAbout(log: HasHistory, urns: ReadonlySet<string>): Promise<readonly HistoryRow[]> {
  // Sequence numbers are a log's own.
  const intents = new Set<number>();
  const rows: HistoryRow[] = [];
  await log.history(
    (row) => {
      const { item, sequence } = row.entry;
      if (item.kind === 'intent' && sequence !== null && urns.has(item.intent.urn)) intents.add(sequence);
      if (isAbout(row.entry, urns, intents)) rows.push(row);
    },
    (other) => urns.has(other),
  );
  return sortRows(rows, ({ entry }) => entry);
}

interface TimedRow {
  readonly row: HistoryRow;
  /** The latest time of this row and those before it, in milliseconds: sorting by it keeps a log's order. */
  readonly at: number;
}

function withTimes(rows: readonly HistoryRow[]): readonly TimedRow[] {
  let at = Number.NEGATIVE_INFINITY;
  return rows.map((row) => {
    at = Math.max(at, timeOf(row.entry.recordedAt) ?? at);
    return { row, at };
  });
}

function isAbout({ item }: Entry, urns: ReadonlySet<string>, intents: ReadonlySet<number>): boolean {
  switch (item.kind) {
    case 'fact':
      return urns.has(item.fact.urn);
    case 'intent':
      return urns.has(item.intent.urn);
    case 'outcome':
      return intents.has(item.outcome.intent_sequence);
    case 'nothing':
      return false;
  }
}

/** Every URN that the resource had or has. */
async function namesOf(logs: readonly HasHistory[], known: readonly string[]): Promise<ReadonlySet<string>> {
  const renames: (readonly [string, string])[] = [];
  const note = ({ urn: own, renamed_from, renamed_to }: ProviderFact): void => {
    if (renamed_from !== undefined) renames.push([own, renamed_from]);
    if (renamed_to !== undefined) renames.push([own, renamed_to]);
  };
  const look = ({ entry: { item } }: HistoryRow): void => {
    if (item.kind === 'fact' && item.fact.outcome !== 'planned') note(item.fact);
  };
  // What can be left out unparsed says nothing about renaming.
  for (const log of logs) await log.history(look, () => false);
  const names = new Set(known);
  for (let before = 0; before < names.size; ) {
    before = names.size;
    for (const pair of renames) if (pair.some((name) => names.has(name))) for (const name of pair) names.add(name);
  }
  return names;
}
