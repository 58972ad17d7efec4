import type { FileHandle } from 'node:fs/promises';
import { Line, markBytes } from './lines.ts';
import { failure } from './problems.ts';
import { refusalOf } from './tier-records.ts';

const READ_BYTES = 1 << 20;
const PEEK_BYTES = 1 << 16;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const NEWLINE = 0x0a;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_MAP = 0x7b;
const CLOSE_MAP = 0x7d;

/**
 * Whether a log is one JSON document over several lines (or one huge list or reply on a line) rather than a row a line.
 * A log whose first row is broken is told by its second.
 */
export async function isDocument(handle: FileHandle, size: number): Promise<boolean> {
  const { first, second, isAll } = await startOf(handle, size);
  if (!/^[[{]/.test(first)) return false;
  if (second === undefined) return !isAll && wrapsRows(first);
  return !isJson(first) && (first.length === 1 || !isJson(second));
}

/** Whether a log is one document, be it short and on one line: a row behind it would be none of its rows. */
export async function isOneDocument(handle: FileHandle, size: number): Promise<boolean> {
  if (await isDocument(handle, size)) return true;
  const { first, second = '', isAll } = await startOf(handle, size);
  return isAll && second === '' && isJson(first) && wrapsRows(first);
}

/** The first two lines, as far as they are within what is looked at; `isAll`: that is the whole log. */
async function startOf(handle: FileHandle, size: number) {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(PEEK_BYTES), 0, PEEK_BYTES, 0);
  const [first = '', second] = buffer
    .toString('utf8', 0, bytesRead)
    .trimStart()
    .split('\n', 2)
    .map((line) => line.trim());
  return { first, second, isAll: bytesRead === size };
}

/** Whether the start of a line is that of a list of rows, or of a reply with its records. */
function wrapsRows(start: string): boolean {
  const splitter = new RowSplitter(() => undefined);
  splitter.push(Buffer.from(start), 0);
  return splitter.hasList;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * Streams the rows of a document: a list's items, those of `records` or `result.records`, else whole top-level values.
 * A `number` is the line on which a row starts. Throws DiagnosticError (LOG_INVALID) where the document ends early, and
 * behind a reply that is a refusal.
 */
export async function eachDocumentRow(
  handle: FileHandle,
  size: number,
  path: string,
  onRow: (line: Line) => void,
): Promise<void> {
  const splitter = new RowSplitter(onRow);
  const block = Buffer.allocUnsafe(READ_BYTES);
  for (let position = 0; position < size; ) {
    const { bytesRead } = await handle.read(block, 0, Math.min(READ_BYTES, size - position), position);
    if (bytesRead === 0) break;
    const mark = position === 0 ? markBytes(block.subarray(0, bytesRead)) : 0;
    splitter.push(block.subarray(mark, bytesRead), position + mark);
    position += bytesRead;
  }
  if (!splitter.complete)
    throw failure('LOG_INVALID', `${path} is one JSON document, and it ends early.`, 'Fetch it once more.');
  if (splitter.refused !== null) throw failure('LOG_INVALID', `${path} is no log: ${splitter.refused}.`);
}

/** Finds where rows start and end by brackets and strings alone; whether a row is JSON shows when it is parsed. */
class RowSplitter {
  readonly #onRow: (line: Line) => void;
  #depth = 0;
  #inString = false;
  #escaped = false;
  #line = 1;
  /** Depth inside the list whose items are rows; null outside of it. */
  #itemDepth: number | null = null;
  /** The rows of this top-level value were its records: the value itself is none. */
  #spent = false;
  #hasList = false;
  /** Of the top-level map: whether a value comes next, and what it says about itself so far. */
  #isValue = false;
  #said: { action?: string; outcome?: string } = {};
  #refused: string | null = null;
  /** The keys that lead here, of the two outermost maps. */
  #keys: [string, string] = ['', ''];
  #text: number[] = [];
  #row: { offset: number; line: number; pieces: Buffer[] } | null = null;

  constructor(onRow: (line: Line) => void) {
    this.#onRow = onRow;
  }

  /** Why one of the replies in it is a refusal, for all that it has records. */
  get refused(): string | null {
    return this.#refused;
  }

  /** Whether what was pushed began a list of rows. */
  get hasList(): boolean {
    return this.#hasList;
  }

  get complete(): boolean {
    return this.#depth === 0 && !this.#inString && this.#row === null;
  }

  push(block: Buffer, position: number): void {
    let rowStart = 0;
    for (let index = 0; index < block.length; index += 1) {
      const byte = block[index] ?? 0;
      if (byte === NEWLINE) this.#line += 1;
      if (this.#inString) {
        this.#string(byte);
        continue;
      }
      if (this.#row === null && this.#startsRow(byte)) {
        this.#row = { offset: position + index, line: this.#line, pieces: [] };
        rowStart = index;
      }
      const end = this.#step(byte);
      if (end === 'none') continue;
      if (end === 'drop') this.#row = null;
      else this.#emit(block.subarray(rowStart, end === 'after' ? index + 1 : index));
    }
    this.#row?.pieces.push(Buffer.from(block.subarray(rowStart)));
  }

  #string(byte: number): void {
    if (this.#escaped) this.#escaped = false;
    else if (byte === BACKSLASH) this.#escaped = true;
    else if (byte === QUOTE) this.#inString = false;
    if (this.#inString && this.#depth <= 2 && this.#text.length < 16) this.#text.push(byte);
    if (!this.#inString && this.#depth === 1 && this.#isValue) this.#note(this.#keys[0]);
  }

  #note(key: string): void {
    if (key === 'action' || key === 'outcome') this.#said[key] = this.#textSoFar();
  }

  #textSoFar(): string {
    return Buffer.from(this.#text).toString('latin1');
  }

  #startsRow(byte: number): boolean {
    if (byte <= 0x20 || byte === COMMA || byte === CLOSE_LIST || byte === CLOSE_MAP) return false;
    if (this.#itemDepth !== null) return this.#depth === this.#itemDepth;
    return this.#depth === 0 && byte !== OPEN_LIST;
  }

  /** Takes one byte outside of strings; says whether the row under way ends there, before or after it. */
  #step(byte: number): 'none' | 'before' | 'after' | 'drop' {
    switch (byte) {
      case QUOTE:
        this.#inString = true;
        this.#text = [];
        return 'none';
      case COLON:
        if (this.#depth === 1 || this.#depth === 2) this.#keys[this.#depth - 1] = this.#textSoFar();
        if (this.#depth === 1) this.#isValue = true;
        return 'none';
      case COMMA:
        if (this.#depth === 1) this.#isValue = false;
        return this.#depth === this.#itemDepth ? 'before' : 'none';
      case OPEN_LIST:
      case OPEN_MAP:
        return this.#open(byte);
      case CLOSE_LIST:
      case CLOSE_MAP:
        return this.#close();
      default:
        return 'none';
    }
  }

  #open(byte: number): 'none' | 'drop' {
    const records = byte === OPEN_LIST && this.#itemDepth === null && this.#leadsToRecords();
    this.#depth += 1;
    if (this.#depth === 2) this.#keys[1] = '';
    if (!records) return 'none';
    this.#itemDepth = this.#depth;
    this.#hasList = true;
    this.#spent = true;
    return 'drop';
  }

  #leadsToRecords(): boolean {
    const [outer, inner] = this.#keys;
    if (this.#depth === 0) return true;
    return (
      (this.#depth === 1 && outer === 'records') || (this.#depth === 2 && outer === 'result' && inner === 'records')
    );
  }

  #close(): 'none' | 'before' | 'after' | 'drop' {
    this.#depth -= 1;
    if (this.#itemDepth !== null) {
      if (this.#depth === this.#itemDepth) return 'after';
      if (this.#depth > this.#itemDepth) return 'none';
      this.#itemDepth = null;
      if (this.#depth === 0) this.#spent = false;
      return 'before';
    }
    if (this.#depth > 0) return 'none';
    const { action, outcome } = this.#said;
    const spent = this.#spent;
    if (spent) this.#refused ??= refusalOf(action, outcome);
    this.#keys = ['', ''];
    this.#isValue = false;
    this.#said = {};
    this.#spent = false;
    return spent ? 'drop' : 'after';
  }

  #emit(last: Buffer): void {
    const row = this.#row;
    this.#row = null;
    if (row === null) return;
    const bytes = row.pieces.length === 0 ? last : Buffer.concat([...row.pieces, last]);
    this.#onRow(new Line(bytes, { number: row.line, offset: row.offset, terminated: true }));
  }
}
