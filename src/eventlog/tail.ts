import type { FileHandle } from 'node:fs/promises';
import { isDocument } from './document.ts';
import { FIRST_PREV, linkOf } from './encode-row.ts';
import { type Line, linesFromEnd } from './lines.ts';
import { isLosslessObject, parseLossless } from './lossless.ts';
import { sequenceOf } from './parse-row.ts';
import { failure } from './problems.ts';

/** The end of a log, as an append needs it. */
export interface Tail {
  /** Of the last row that has one; 0 in a log without. */
  readonly sequence: number;
  /** What the next row names as `prev`. */
  readonly prev: string;
  /** Whether there is a row at all. */
  readonly empty: boolean;
  /** Whether the last row lacks its `\n`. */
  readonly unterminated: boolean;
  /** An unfinished last line: where it starts, its bytes. */
  readonly torn: { readonly offset: number; readonly bytes: Buffer } | null;
}

/**
 * Reads a log's end. A last line that is ended but no JSON is a link like any other; where `strictPath` names the file,
 * it throws DiagnosticError (LOG_INVALID) instead, so that nothing is written behind it.
 */
export async function readTail(handle: FileHandle, size: number, strictPath: string | null): Promise<Tail> {
  let torn: Tail['torn'] = null;
  let last: { readonly prev: string; readonly unterminated: boolean } | null = null;
  for await (const line of linesFromEnd(handle, size)) {
    const value = parseOrNull(line.bytes);
    if (value === null && !line.terminated) {
      torn = { offset: line.offset, bytes: line.bytes };
      continue;
    }
    if (value === null && last === null && strictPath !== null) {
      throw failure('LOG_INVALID', `The last line of ${strictPath} is not a row: nothing is written behind it.`);
    }
    last ??= { prev: linkOf(line.bytes), unterminated: !line.terminated };
    const sequence = value === null ? null : value.sequence;
    if (sequence !== null) return { sequence, ...last, empty: false, torn };
  }
  return {
    sequence: 0,
    prev: last?.prev ?? FIRST_PREV,
    unterminated: last?.unterminated ?? false,
    empty: last === null,
    torn,
  };
}

/** `<sequence>:<hash>` of a log's last row; null for a log without rows, and for a document, which has no chain. */
export async function readHead(handle: FileHandle, size: number): Promise<string | null> {
  if (await isDocument(handle, size)) return null;
  const { empty, sequence, prev } = await readTail(handle, size, null);
  return empty ? null : `${sequence}:${prev}`;
}

/** Whether an unterminated last line is whole: a row like any other. */
export function isWhole(bytes: Buffer): boolean {
  return parseOrNull(bytes) !== null;
}

const OURS = '{"global_sequence":1,"type":"';

/** Whether a piece of a line is the start of infra's own first row, cut off while it was written. */
export function startsOurs({ bytes, terminated }: Line): boolean {
  const start = bytes.toString('latin1', 0, OURS.length);
  return !terminated && (start === OURS || OURS.startsWith(start));
}

function parseOrNull(bytes: Buffer): { readonly sequence: number | null } | null {
  try {
    const value = parseLossless(bytes.toString('utf8'));
    if (isLosslessObject(value)) return { sequence: sequenceOf(value) };
    return Array.isArray(value) ? { sequence: null } : null;
  } catch {
    return null;
  }
}
