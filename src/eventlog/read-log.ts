import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { diagnostic } from '../core/codes.ts';
import type { Diagnostic } from '../core/diagnostics.ts';
import type { ProviderFact } from '../core/facts.ts';
import type { Json } from '../core/json.ts';
import { eachDocumentRow, isDocument } from './document.ts';
import { scanFact } from './fact-scan.ts';
import { type Deferred, type LogFold, sortEntries, startLogFold, startSequence } from './fold-log.ts';
import { eachLine, type Line } from './lines.ts';
import { parseLossless, toJson } from './lossless.ts';
import { type Entry, type ForeignMap, parseLine } from './parse-row.ts';
import { failure } from './problems.ts';
import { isWhole } from './tail.ts';

const DIGEST = /^[0-9a-f]{64}$/;
const SCAN_BYTES = 1 << 20;

export interface ReadOptions {
  readonly path: string;
  readonly target: string;
  readonly mapForeign: ForeignMap;
  /** Counts broken lines instead of failing on the first. */
  readonly skipInvalid: boolean;
}

/** What was folded, and what was passed over on the way. */
export interface ReadResult extends ReturnType<LogFold['finish']> {
  readonly diagnostics: readonly Diagnostic[];
}

/** Streams the first `size` bytes of a log into a fold. Throws DiagnosticError (LOG_INVALID) on a broken line. */
export async function foldFile(handle: FileHandle, size: number, options: ReadOptions): Promise<ReadResult> {
  const fold = startLogFold(options.target, (row) => reread(handle, row, options));
  const place = startSequence();
  const lines = startLines(options);
  let ordered = true;
  const take = (row: Pick<Entry, 'sequence' | 'key'>, foldRow: () => void): void => {
    const placement = ordered ? place(row) : 'disorder';
    if (placement === 'fold') foldRow();
    if (placement === 'disorder') ordered = false;
  };
  await eachRow(handle, size, options, (line) => {
    // What is to be passed over has to be parsed to be found.
    const fact = options.skipInvalid ? null : scanFact(line);
    if (fact !== null) take({ sequence: fact.sequence, key: fact.hash }, () => fold.defer(fact));
    else for (const entry of lines.entriesOf(line)) take(entry, () => fold.add(entry));
  });
  return { ...(ordered ? fold.finish() : await foldSorted(handle, size, options)), diagnostics: lines.diagnostics() };
}

/** By content, not by file name: a row a line, or one document that wraps them. */
async function eachRow(
  handle: FileHandle,
  size: number,
  options: ReadOptions,
  onRow: (line: Line) => void,
): Promise<void> {
  if (await isDocument(handle, size)) await eachDocumentRow(handle, size, options.path, onRow);
  else await eachLine(handle, size, onRow);
}

/** A row as it stands in the file, for those who show the log. */
export interface HistoryRow {
  /** Where it starts in the file, from 1. */
  readonly line: number;
  /** The whole line; a list or reply that wraps several rows comes once for each of them. */
  readonly json: Json;
  readonly entry: Entry;
}

/** Streams every row, of every target, in file order. Throws DiagnosticError (LOG_INVALID) on a broken line. */
export async function eachHistoryRow(
  handle: FileHandle,
  size: number,
  options: ReadOptions,
  onRow: (row: HistoryRow) => void,
): Promise<void> {
  const lines = startLines(options);
  await eachRow(handle, size, options, (line) => {
    for (const entry of lines.entriesOf(line)) {
      onRow({ line: line.number, json: toJson(parseLossless(line.bytes.toString('utf8'))), entry });
    }
  });
}

/** Two logs in one file, or a merge out of order: only here is every row held in memory. */
async function foldSorted(
  handle: FileHandle,
  size: number,
  options: ReadOptions,
): Promise<ReturnType<LogFold['finish']>> {
  const entries: Entry[] = [];
  const lines = startLines(options);
  await eachRow(handle, size, options, (line) => entries.push(...lines.entriesOf(line)));
  const fold = startLogFold(options.target, (row) => reread(handle, row, options));
  for (const entry of sortEntries(entries)) fold.add(entry);
  return fold.finish();
}

function reread(handle: FileHandle, { offset, length, line }: Deferred, options: ReadOptions): ProviderFact {
  const bytes = Buffer.allocUnsafe(length);
  const read = readSync(handle.fd, bytes, 0, length, offset);
  const row = { bytes: bytes.subarray(0, read), number: line, offset, terminated: true };
  const item = entriesOf(row, options)?.[0]?.item;
  if (item?.kind !== 'fact') throw new TypeError('a deferred row is a fact');
  return item.fact;
}

/** Parses line after line, and counts those passed over. */
function startLines(options: ReadOptions): {
  entriesOf(line: Line): readonly Entry[];
  diagnostics(): readonly Diagnostic[];
} {
  let skipped = 0;
  return {
    entriesOf: (line) => {
      const entries = entriesOf(line, options);
      if (entries === null) skipped += 1;
      return entries ?? [];
    },
    diagnostics: () => {
      if (skipped === 0) return [];
      return [
        diagnostic('LOG_INVALID', `${skipped} broken lines of ${options.path} were passed over.`, {
          severity: 'warning',
        }),
      ];
    },
  };
}

/** Null for a broken line that is to be passed over. */
function entriesOf(line: Line, { path, mapForeign, skipInvalid }: ReadOptions): readonly Entry[] | null {
  try {
    return parseLine(line.bytes.toString('utf8'), mapForeign);
  } catch (error) {
    if (!line.terminated && !isWhole(line.bytes)) return [];
    if (skipInvalid) return null;
    throw failure(
      'LOG_INVALID',
      `Line ${line.number} of ${path} is broken: ${error instanceof SyntaxError ? 'it is not JSON' : reasonOf(error)}.`,
    );
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/**
 * The facts of a target that were written under a digest, in file order, each once. Scans the bytes for the digest, so
 * that no row has to be remembered for it; the first `size` bytes are what the caller has read.
 */
export function factsUnder(digest: string, size: number, options: ReadOptions): readonly ProviderFact[] {
  if (!DIGEST.test(digest)) return [];
  const facts: ProviderFact[] = [];
  const seen = new Set<string>();
  for (const line of linesWith(digest, options.path, size)) {
    for (const { key, target, item } of safeEntries(line, options)) {
      if (item.kind !== 'fact' || item.fact.digest !== digest || (target !== null && target !== options.target))
        continue;
      if (key !== null && seen.has(key)) continue;
      if (key !== null) seen.add(key);
      facts.push(item.fact);
    }
  }
  return facts;
}

function safeEntries(text: string, options: ReadOptions): readonly Entry[] {
  try {
    return parseLine(text, options.mapForeign);
  } catch {
    return [];
  }
}

function* linesWith(needle: string, path: string, size: number): Generator<string> {
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    if (!fstatSync(file).isFile()) return;
    let held = Buffer.alloc(0);
    for (let position = 0; position < size; ) {
      const block = Buffer.allocUnsafe(Math.min(SCAN_BYTES, size - position));
      const read = readSync(file, block, 0, block.length, position);
      if (read === 0) break;
      position += read;
      const bytes = Buffer.concat([held, block.subarray(0, read)]);
      const end = position >= size ? bytes.length : bytes.lastIndexOf(0x0a) + 1;
      yield* matching(bytes.subarray(0, end), needle);
      held = bytes.subarray(end);
    }
  } finally {
    closeSync(file);
  }
}

function* matching(bytes: Buffer, needle: string): Generator<string> {
  for (let at = bytes.indexOf(needle); at !== -1; ) {
    const start = bytes.lastIndexOf(0x0a, at) + 1;
    const newline = bytes.indexOf(0x0a, at);
    const end = newline === -1 ? bytes.length : newline;
    yield bytes.toString('utf8', start, end);
    at = bytes.indexOf(needle, end);
  }
}
