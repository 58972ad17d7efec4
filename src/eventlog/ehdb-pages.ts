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

/** What has been read so far: the rows of the highest sequence number may come again. */
interface Progress {
  readonly last: number;
  readonly seen: ReadonlySet<string>;
}

interface Numbered {
  readonly record: LosslessJson;
  readonly sequence: number;
  readonly key: string;
}

/**
 * The rows of the log, page by page in order of their sequence, none twice. Two shards can share the sequence number at a page's edge: the next
 * page is asked from before it, and rows that came already are dropped, until a page brings nothing new. Throws
 * DiagnosticError where the server refuses or its paging can't be followed.
 */
export async function* eachPage(source: PageSource): AsyncGenerator<readonly LosslessJson[], void, undefined> {
  let progress: Progress = { last: -1, seen: new Set() };
  for (;;) {
    const after = Math.max(0, progress.last - 1);
    const exchange = await source.transport.get(pageUrl(source.address, after, source.limits.pageRows));
    const records = pageRecords(exchange, { shown: source.address.shown, token: source.token });
    const rows = numbered(records, source);
    checkPage(rows, after, source);
    const fresh = sortRows(rows, (row) => row).filter((row) => isNew(row, progress));
    if (fresh.length === 0) return;
    yield fresh.map(({ record }) => record);
    progress = advance(progress, fresh);
  }
}

function numbered(records: readonly LosslessJson[], source: PageSource): readonly Numbered[] {
  return records.map((record) => {
    const sequence = isLosslessObject(record) ? sequenceOf(record) : null;
    if (sequence === null || sequence < 0) throw unreadable(source, 'served a row without a global_sequence');
    return { record, sequence, key: keyOf(record) };
  });
}

function checkPage(rows: readonly Numbered[], after: number, source: PageSource): void {
  const numbers = new Set(rows.map(({ sequence }) => sequence));
  if (rows.length >= source.limits.pageRows && numbers.size === 1) {
    const [sequence] = numbers;
    throw unreadable(source, `served a whole page of sequence number ${sequence}: what follows it can't be reached`);
  }
  const early = after === 0 ? undefined : rows.find(({ sequence }) => sequence <= after);
  if (early !== undefined)
    throw unreadable(
      source,
      `was asked for rows after ${after} and served row ${early.sequence}: its paging does not work`,
    );
}

function isNew({ key, sequence }: Numbered, { last, seen }: Progress): boolean {
  return sequence > last || (sequence === last && !seen.has(key));
}

function advance(before: Progress, fresh: readonly Numbered[]): Progress {
  const last = fresh.at(-1)?.sequence ?? before.last;
  const keys = fresh.filter(({ sequence }) => sequence === last).map(({ key }) => key);
  return { last, seen: new Set(last === before.last ? [...before.seen, ...keys] : keys) };
}

/** The row's ids; where it lacks one, all that it says. */
function keyOf(record: LosslessJson): string {
  const key = isLosslessObject(record) ? tierKey(record) : null;
  return key ?? JSON.stringify(record, (_, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value));
}

function unreadable({ address }: PageSource, what: string): Error {
  return failure('LOG_INVALID', `The event log ${address.shown} ${what}.`);
}
