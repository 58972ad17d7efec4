import { readSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { diagnostic } from '../core/codes.ts';
import type { Diagnostic } from '../core/diagnostics.ts';
import { type Cutoff, startCutoff } from './cutoff.ts';
import { eachDocumentRow, isDocument } from './document.ts';
import { scanFact } from './fact-scan.ts';
import {
  type Deferred,
  type Folded,
  type RecordedFact,
  type SequenceState,
  sortRows,
  startLogFold,
  startSequence,
} from './fold-log.ts';
import { eachLine, FILE_START, Line, type LinePlace } from './lines.ts';
import { type Entry, type ForeignMap, parseLine } from './parse-row.ts';
import { failure } from './problems.ts';
import { isWhole, startsOurs } from './tail.ts';
import { RefusalError } from './tier-records.ts';

export interface ReadOptions {
  readonly path: string;
  readonly target: string;
  readonly mapForeign: ForeignMap;
  /** Counts broken lines instead of failing on the first. */
  readonly skipInvalid: boolean;
  /** Milliseconds since the epoch: later rows are left out. */
  readonly until?: number;
}

/** A fold of a log's first lines, from which a later read can go on. */
export interface Resumable {
  readonly place: LinePlace;
  readonly sequence: SequenceState;
  readonly folded: Folded;
}

/** What was folded, and what was passed over on the way. */
export interface ReadResult extends Folded {
  readonly diagnostics: readonly Diagnostic[];
  /** Null where a later read has to start anew: a document, rows out of order, an unterminated last line. */
  readonly resumable: Resumable | null;
}

/** Streams the first `size` bytes of a log into a fold. Throws DiagnosticError (LOG_INVALID) on a broken line. */
export async function foldFile(
  handle: FileHandle,
  size: number,
  options: ReadOptions,
  from?: Resumable,
): Promise<ReadResult> {
  const fold = startLogFold(options.target, (row) => reread(handle, row, options), from?.folded);
  const sequence = startSequence(from?.sequence);
  const cutoff = startCutoff(options.until);
  const lines = startLines(options, from !== undefined);
  let ordered = true;
  const isFolded = (row: Pick<Entry, 'sequence' | 'key' | 'recordedAt'>): boolean => {
    const placement = ordered ? sequence.place(row) : 'disorder';
    if (placement === 'disorder') ordered = false;
    return placement === 'fold' && cutoff.isWithin(row.recordedAt);
  };
  const end = await eachRow(handle, size, options, from?.place ?? FILE_START, (line) => {
    // What is to be passed over has to be parsed to be found.
    const fact = options.skipInvalid ? null : scanFact(line);
    if (fact !== null) lines.saw();
    if (fact !== null && isFolded(fact)) fold.defer(fact);
    if (fact === null) for (const entry of lines.entriesOf(line)) if (isFolded(entry)) fold.add(entry);
  });
  if (!ordered) return foldSorted(handle, size, options);
  const folded = fold.finish();
  const resumable = end?.offset === size ? { place: end, sequence: sequence.state(), folded } : null;
  return { ...folded, diagnostics: [...lines.diagnostics(), ...passedOver(cutoff, folded, options)], resumable };
}

/** By content, not by file name: a row a line, or one document that wraps them. Null behind a document. */
export async function eachRow(
  handle: FileHandle,
  size: number,
  options: ReadOptions,
  from: LinePlace,
  onRow: (line: Line) => void,
): Promise<LinePlace | null> {
  if (from.offset > 0 || !(await isDocument(handle, size))) return eachLine(handle, size, onRow, from);
  await eachDocumentRow(handle, size, options.path, onRow);
  return null;
}

/** Two logs in one file, or a merge out of order: only here is every row held in memory. */
async function foldSorted(handle: FileHandle, size: number, options: ReadOptions): Promise<ReadResult> {
  const entries: Entry[] = [];
  const lines = startLines(options);
  await eachRow(handle, size, options, FILE_START, (line) => entries.push(...lines.entriesOf(line)));
  const fold = startLogFold(options.target, (row) => reread(handle, row, options));
  const cutoff = startCutoff(options.until);
  for (const entry of sortRows(entries, (row) => row)) if (cutoff.isWithin(entry.recordedAt)) fold.add(entry);
  const folded = fold.finish();
  const diagnostics = [...lines.diagnostics(), ...passedOver(cutoff, folded, options)];
  return { ...folded, diagnostics, resumable: null };
}

/** Says what of a log's rows could not be taken as it stands. */
export function passedOver(
  { untimed }: Cutoff,
  { dropped }: Pick<Folded, 'dropped'>,
  { path }: Pick<ReadOptions, 'path'>,
): readonly Diagnostic[] {
  const untold = `${untimed} rows of ${path} have no recorded_at; each was taken to be as old as the row before it.`;
  const more = dropped.length > KEYS_NAMED ? `, and ${dropped.length - KEYS_NAMED} more` : '';
  const named = `${dropped.slice(0, KEYS_NAMED).join(', ')}${more}`;
  return [
    ...(untimed === 0 ? [] : [diagnostic('LOG_INVALID', untold, { severity: 'note' })]),
    ...(dropped.length === 0 ? [] : [diagnostic('FOREIGN_KEYS', `In rows of others in ${path}: ${named}.`)]),
  ];
}

const KEYS_NAMED = 10;

function reread(handle: FileHandle, { offset, length, line }: Deferred, options: ReadOptions): RecordedFact {
  const bytes = Buffer.allocUnsafe(length);
  const read = readSync(handle.fd, bytes, 0, length, offset);
  const row = new Line(bytes.subarray(0, read), { number: line, offset, terminated: true });
  const entries = entriesOf(row, options);
  const entry = entries === 'torn' ? undefined : entries?.[0];
  if (entry?.item.kind !== 'fact') throw new TypeError('a deferred row is a fact');
  return { fact: entry.item.fact, recordedAt: entry.recordedAt };
}

/** Parses line after line, and counts those passed over; `goesOn`: rows stand before the first line that comes. */
export function startLines(
  options: ReadOptions,
  goesOn = false,
): {
  entriesOf(line: Line): readonly Entry[];
  /** A row came by that needs no parsing. */
  saw(): void;
  diagnostics(): readonly Diagnostic[];
} {
  let skipped = 0;
  let torn: Line | null = null;
  let hasRows = goesOn;
  return {
    entriesOf: (line) => {
      const entries = entriesOf(line, options);
      if (entries === 'torn') {
        if (!hasRows && !startsOurs(line)) throw noRow(options);
        torn = line;
        return [];
      }
      hasRows = true;
      if (entries === null) skipped += 1;
      return entries ?? [];
    },
    saw: () => {
      hasRows = true;
    },
    diagnostics: () => [...skippedRows(skipped, options), ...tornLine(torn, options)],
  };
}

function noRow({ path }: ReadOptions): Error {
  return failure('LOG_INVALID', `${path} holds no whole row: what is there is no event log, or only a piece of one.`);
}

function tornLine(torn: Line | null, { path }: ReadOptions): readonly Diagnostic[] {
  if (torn === null) return [];
  const detail = `The last line of ${path} is unfinished (${torn.length} bytes): it was passed over.`;
  return [diagnostic('LOG_TORN', detail)];
}

/** Says that broken lines were passed over. */
export function skippedRows(skipped: number, { path }: Pick<ReadOptions, 'path'>): readonly Diagnostic[] {
  if (skipped === 0) return [];
  const what = skipped === 1 ? '1 broken line' : `${skipped} broken lines`;
  const detail = `${what} of ${path} ${skipped === 1 ? 'was' : 'were'} passed over.`;
  return [diagnostic('LOG_INVALID', detail, { severity: 'warning' })];
}

/** Null for a broken line that is to be passed over. */
function entriesOf(line: Line, { path, mapForeign, skipInvalid }: ReadOptions): readonly Entry[] | 'torn' | null {
  try {
    return parseLine(line.bytes.toString('utf8'), mapForeign);
  } catch (error) {
    if (!line.terminated && !isWhole(line.bytes)) return 'torn';
    if (skipInvalid && !(error instanceof RefusalError)) return null;
    throw failure('LOG_INVALID', `Line ${line.number} of ${path} is broken: ${whyBroken(error)}.`, SKIP_INVALID);
  }
}

export const SKIP_INVALID = 'Put the log back from a copy; --skip-invalid passes broken rows over and counts them.';

/** What is wrong with a row that does not parse. */
export function whyBroken(error: unknown): string {
  if (error instanceof SyntaxError) return 'it is not JSON';
  return error instanceof Error ? error.message : String(error);
}
