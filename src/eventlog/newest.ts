import type { FileHandle } from 'node:fs/promises';
import { DiagnosticError } from '../core/diagnostics.ts';
import { isDocument } from './document.ts';
import { eachHistoryRow, type HasHistory, type HistoryRow, rowOf } from './history.ts';
import { linesFromEnd } from './lines.ts';
import { type ReadOptions, startLines } from './read-log.ts';

/** The newest rows of several logs, the last log's last; of each no more is read than is needed. */
export async function newestRows(logs: readonly HasHistory[], limit: number): Promise<readonly HistoryRow[]> {
  let rows: readonly HistoryRow[] = [];
  for (const log of logs.toReversed()) {
    const wanted = limit - rows.length;
    if (wanted === 0) break;
    const older = log.newest === undefined ? await newestOf(log, wanted) : await log.newest(wanted);
    rows = [...older, ...rows];
  }
  return rows;
}

/** Rows as they come, of which only the last ones are kept. */
export function startWindow(limit: number | null) {
  const rows: HistoryRow[] = [];
  const add = (row: HistoryRow): void => {
    rows.push(row);
    if (limit !== null && rows.length >= 2 * limit) rows.splice(0, rows.length - limit);
  };
  return { add, rows: (): readonly HistoryRow[] => (limit === null ? rows : rows.slice(-limit)) };
}

async function newestOf(log: HasHistory, limit: number): Promise<readonly HistoryRow[]> {
  const window = startWindow(limit);
  await log.history(window.add);
  return window.rows();
}

/** The last rows of a file, read from its end; from its start where only that tells what they are, or which is broken. */
export async function newestInFile(
  handle: FileHandle,
  size: number,
  options: ReadOptions,
  limit: number,
): Promise<readonly HistoryRow[]> {
  const found = (await isDocument(handle, size)) ? null : await fromEnd(handle, size, options, limit);
  return found ?? newestOf({ history: (onRow) => eachHistoryRow(handle, size, options, onRow) }, limit);
}

async function fromEnd(
  handle: FileHandle,
  size: number,
  options: ReadOptions,
  limit: number,
): Promise<readonly HistoryRow[] | null> {
  const lines = startLines(options);
  const rows: HistoryRow[] = [];
  try {
    for await (const line of linesFromEnd(handle, size)) {
      const entries = lines.entriesOf(line);
      rows.push(...entries.map((entry) => rowOf(line, entry)).reverse());
      if (rows.length >= limit) break;
    }
    // Behind no row at all, an unfinished line may be anything.
    if (rows.length === 0) return null;
  } catch (error) {
    if (error instanceof DiagnosticError) return null;
    throw error;
  }
  return rows.slice(0, limit).reverse();
}
