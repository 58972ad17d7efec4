import { pageRecords } from './ehdb-reply.ts';
import type { EhdbLimits, EhdbTransport } from './ehdb-transport.ts';
import { type EhdbAddress, pageUrl } from './ehdb-url.ts';
import { sortRows } from './fold-log.ts';
import { isLosslessObject, type LosslessJson } from './lossless.ts';
import { sequenceOf, tierKey } from './parse-row.ts';
import { failure } from './problems.ts';

export interface PageSource {
  readonly address: EhdbAddress;
  readonly token: string | null;
  readonly transport: EhdbTransport;
  readonly limits: EhdbLimits;
}

/** What has been read so far. */
interface Progress {
  /** The highest sequence number; -1 before the first row. */
  readonly last: number;
  /** The rows that may come again: those of the last page, and all with the highest number. */
  readonly seen: ReadonlySet<string>;
  /** How many rows the last page had. */
  readonly count: number;
  /** The most rows that the server gives at once, where it is known to give fewer than it is asked for. */
  readonly cap: number | null;
}

interface Numbered {
  readonly record: LosslessJson;
  readonly sequence: number;
  readonly key: string;
}

/**
 * The rows of the log, page by page in order of their sequence, none twice. Two shards can share the sequence number at
 * a page's edge: the next page is asked from before it, and rows that came already are dropped, until a page brings
 * nothing new. Throws DiagnosticError where the server refuses or its paging can't be followed.
 */
export async function* eachPage(source: PageSource): AsyncGenerator<readonly LosslessJson[], void, undefined> {
  let progress: Progress = { last: -1, seen: new Set(), count: 0, cap: null };
  for (;;) {
    const rows = await askAfter(Math.max(0, progress.last - 1), source);
    const fresh = sortRows(rows, (row) => row).filter((row) => !progress.seen.has(idOf(row)));
    checkPage(rows, fresh, progress, source);
    if (fresh.length === 0) {
      await checkEnd(rows, progress, source);
      return;
    }
    yield fresh.map(({ record }) => record);
    progress = advance(progress, rows, source.limits);
  }
}

async function askAfter(after: number, source: PageSource): Promise<readonly Numbered[]> {
  const exchange = await source.transport.get(pageUrl(source.address, after, source.limits.pageRows));
  const records = pageRecords(exchange, { shown: source.address.shown, token: source.token });
  return records.map((record) => {
    const sequence = isLosslessObject(record) ? sequenceOf(record) : null;
    if (sequence === null || sequence < 0) throw unreadable(source, 'served a row without a global_sequence');
    return { record, sequence, key: keyOf(record) };
  });
}

function checkPage(
  rows: readonly Numbered[],
  fresh: readonly Numbered[],
  { last }: Progress,
  source: PageSource,
): void {
  const isFull = rows.length >= source.limits.pageRows;
  if (isFull && isOfOneNumber(rows)) throw wholePage(rows, source);
  const early = fresh.find(({ sequence }) => sequence < last);
  if (early !== undefined)
    throw unreadable(source, `was asked for rows after ${last - 1} and served row ${early.sequence}`);
  if (isFull && fresh.length === 0)
    throw unreadable(source, `was asked for rows after ${last - 1} and served the page before again`);
}

/** A page may be smaller than was asked for: where several rows share the last number, more of them may be hidden. */
async function checkEnd(rows: readonly Numbered[], { last, cap }: Progress, source: PageSource): Promise<void> {
  if (rows.length < 2 || !isOfOneNumber(rows)) return;
  // As many as it ever gives: there may be more of this number, and no page would show them.
  if (cap !== null && rows.length >= cap) throw wholePage(rows, source);
  const beyond = await askAfter(last, source);
  if (beyond.some(({ sequence }) => sequence > last)) throw wholePage(rows, source);
}

function isOfOneNumber(rows: readonly Numbered[]): boolean {
  return rows.every(({ sequence }) => sequence === rows[0]?.sequence);
}

function advance(before: Progress, rows: readonly Numbered[], { pageRows }: EhdbLimits): Progress {
  const last = rows.reduce((most, { sequence }) => Math.max(most, sequence), before.last);
  const ids = rows.map(idOf);
  // Rows that the page before had room for, by what was asked for, and did not have.
  const isCapped = before.count > 0 && before.count < pageRows;
  const cap = isCapped ? Math.max(before.cap ?? 0, before.count) : before.cap;
  return { last, seen: new Set(last === before.last ? [...before.seen, ...ids] : ids), count: rows.length, cap };
}

function idOf({ sequence, key }: Numbered): string {
  return `${sequence}:${key}`;
}

/** The row's ids; where it lacks one, all that it says. */
function keyOf(record: LosslessJson): string {
  const key = isLosslessObject(record) ? tierKey(record) : null;
  return key ?? JSON.stringify(record, (_, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value));
}

function wholePage(rows: readonly Numbered[], source: PageSource): Error {
  const number = rows[0]?.sequence ?? 0;
  return unreadable(source, `served a whole page of sequence number ${number}: what follows it can't be reached`);
}

function unreadable({ address }: PageSource, what: string): Error {
  return failure('LOG_INVALID', `The event log ${address.shown} ${what}.`);
}
