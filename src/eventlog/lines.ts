import type { FileHandle } from 'node:fs/promises';

const NEWLINE = 0x0a;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const READ_BYTES = 1 << 20;
const TAIL_BYTES = 1 << 16;
/** What one text is made of: small enough that it is made and dropped as cheaply as any other. */
const BLOCK_BYTES = 1 << 16;

/** Bytes that lines lie in. */
class Block {
  readonly bytes: Buffer;
  #latin1: string | null = null;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  get latin1(): string {
    this.#latin1 ??= this.bytes.toString('latin1');
    return this.#latin1;
  }
}

/** One line without `\n`; its bytes are valid only until the next line is asked for. */
export class Line {
  /** From 1; 0 where lines are read from the end. */
  readonly number: number;
  /** Where its first byte stands in the file. */
  readonly offset: number;
  /** False for a last line without `\n`. */
  readonly terminated: boolean;
  /** Where it stands in `within`. */
  readonly start: number;
  readonly end: number;
  readonly #block: Block;

  /** A line that all of `block` is, or the part of it that `start` and `end` say. */
  constructor(
    block: Block | Buffer,
    place: Pick<Line, 'number' | 'offset' | 'terminated'>,
    start = 0,
    end = Buffer.isBuffer(block) ? block.length : block.bytes.length,
  ) {
    this.#block = Buffer.isBuffer(block) ? new Block(block) : block;
    this.number = place.number;
    this.offset = place.offset;
    this.terminated = place.terminated;
    this.start = start;
    this.end = end;
  }

  get bytes(): Buffer {
    return this.#block.bytes.subarray(this.start, this.end);
  }

  get length(): number {
    return this.end - this.start;
  }

  /**
   * A text that holds the line from `start` to `end`, a character a byte: made once for many lines, which is much less
   * work than a text for each. What is cut out of it keeps all of it in memory.
   */
  get within(): string {
    return this.#block.latin1;
  }
}

/** Blank lines carry nothing and are passed over. */
export function isBlank(bytes: Buffer, start = 0, end = bytes.length): boolean {
  for (let at = start; at < end; at += 1) {
    const byte = bytes[at];
    if (byte !== 0x20 && byte !== 0x09 && byte !== 0x0d) return false;
  }
  return true;
}

/** How many bytes at a file's start are UTF-8's byte order mark: they are no part of its first line. */
export function markBytes(start: Buffer): number {
  return start.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK.length : 0;
}

/** A place between two lines of a file. */
export interface LinePlace {
  readonly offset: number;
  /** How many lines, blank ones too, stand before it. */
  readonly lines: number;
}

export const FILE_START: LinePlace = { offset: 0, lines: 0 };

/**
 * Calls back for every line that is not blank, from a place up to `limit` bytes; memory is bound by the longest line.
 * Returns the place behind the last line that is terminated.
 */
export async function eachLine(
  handle: FileHandle,
  limit: number,
  onLine: (line: Line) => void,
  from: LinePlace = FILE_START,
): Promise<LinePlace> {
  let buffer = Buffer.allocUnsafe(READ_BYTES);
  let held = 0;
  let position = from.offset;
  let number = from.lines;
  let block = new Block(buffer.subarray(0, 0));
  let first = 0;
  let behind = 0;
  const emit = (from: number, end: number, terminated: boolean): void => {
    number += 1;
    const at = position - held + from;
    const mark = at === 0 ? markBytes(buffer.subarray(from, end)) : 0;
    const start = from + mark;
    if (isBlank(buffer, start, end)) return;
    // The first line behind a block starts the next one.
    if (end > behind) {
      first = start;
      behind = Math.min(held, Math.max(end, start + BLOCK_BYTES));
      block = new Block(buffer.subarray(first, behind));
    }
    onLine(new Line(block, { number, offset: at + mark, terminated }, start - first, end - first));
  };
  for (;;) {
    if (held === buffer.length) buffer = Buffer.concat([buffer], buffer.length * 2);
    const { bytesRead } = await handle.read(buffer, held, Math.min(buffer.length - held, limit - position), position);
    if (bytesRead === 0) break;
    const scanFrom = held;
    held += bytesRead;
    position += bytesRead;
    behind = 0;
    const used = emitTerminated(buffer.subarray(0, held), scanFrom, emit);
    buffer.copy(buffer, 0, used, held);
    held -= used;
  }
  const end = { offset: position - held, lines: number };
  behind = 0;
  if (held > 0) emit(0, held, false);
  return end;
}

function emitTerminated(
  bytes: Buffer,
  scanFrom: number,
  emit: (start: number, end: number, terminated: boolean) => void,
): number {
  let start = 0;
  let at = bytes.indexOf(NEWLINE, scanFrom);
  while (at !== -1) {
    emit(start, at, true);
    start = at + 1;
    at = bytes.indexOf(NEWLINE, start);
  }
  return start;
}

/** The file's lines from its end backwards, blank ones left out; reads no more than is asked for. */
export async function* linesFromEnd(handle: FileHandle, size: number): AsyncGenerator<Line> {
  let pieces: Buffer[] = [];
  let position = size;
  let terminated = false;
  while (position > 0) {
    const length = Math.min(TAIL_BYTES, position);
    position -= length;
    const block = await readExactly(handle, position, length);
    let end = block.length;
    let at = block.lastIndexOf(NEWLINE);
    while (at !== -1) {
      const bytes = Buffer.concat([block.subarray(at + 1, end), ...pieces]);
      pieces = [];
      if (!isBlank(bytes)) yield new Line(bytes, { number: 0, offset: position + at + 1, terminated });
      terminated = true;
      end = at;
      at = at === 0 ? -1 : block.lastIndexOf(NEWLINE, at - 1);
    }
    pieces = [block.subarray(0, end), ...pieces];
  }
  const first = Buffer.concat(pieces);
  const offset = markBytes(first);
  const bytes = first.subarray(offset);
  if (!isBlank(bytes)) yield new Line(bytes, { number: 0, offset, terminated });
}

async function readExactly(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length);
  let read = 0;
  while (read < length) {
    const { bytesRead } = await handle.read(buffer, read, length - read, position + read);
    if (bytesRead === 0) break;
    read += bytesRead;
  }
  return buffer.subarray(0, read);
}
