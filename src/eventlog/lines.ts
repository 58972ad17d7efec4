import type { FileHandle } from 'node:fs/promises';

const NEWLINE = 0x0a;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const READ_BYTES = 1 << 20;
const TAIL_BYTES = 1 << 16;

/** A line's bytes without `\n`; they are valid only until the next line is asked for. */
export interface Line {
  readonly bytes: Buffer;
  /** From 1; 0 where lines are read from the end. */
  readonly number: number;
  /** Where its first byte stands in the file. */
  readonly offset: number;
  /** False for a last line without `\n`. */
  readonly terminated: boolean;
}

/** Blank lines carry nothing and are passed over. */
export function isBlank(bytes: Buffer): boolean {
  for (const byte of bytes) if (byte !== 0x20 && byte !== 0x09 && byte !== 0x0d) return false;
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
  const emit = (start: number, end: number, terminated: boolean): void => {
    number += 1;
    const offset = position - held + start;
    const mark = offset === 0 ? markBytes(buffer.subarray(start, end)) : 0;
    const bytes = buffer.subarray(start + mark, end);
    if (!isBlank(bytes)) onLine({ bytes, number, offset: offset + mark, terminated });
  };
  for (;;) {
    if (held === buffer.length) buffer = Buffer.concat([buffer], buffer.length * 2);
    const { bytesRead } = await handle.read(buffer, held, Math.min(buffer.length - held, limit - position), position);
    if (bytesRead === 0) break;
    const scanFrom = held;
    held += bytesRead;
    position += bytesRead;
    const used = emitTerminated(buffer, scanFrom, held, emit);
    buffer.copy(buffer, 0, used, held);
    held -= used;
  }
  const end = { offset: position - held, lines: number };
  if (held > 0) emit(0, held, false);
  return end;
}

function emitTerminated(
  buffer: Buffer,
  scanFrom: number,
  end: number,
  emit: (start: number, end: number, terminated: boolean) => void,
): number {
  let start = 0;
  let at = buffer.indexOf(NEWLINE, scanFrom);
  while (at !== -1 && at < end) {
    emit(start, at, true);
    start = at + 1;
    at = buffer.indexOf(NEWLINE, start);
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
      if (!isBlank(bytes)) yield { bytes, number: 0, offset: position + at + 1, terminated };
      terminated = true;
      end = at;
      at = at === 0 ? -1 : block.lastIndexOf(NEWLINE, at - 1);
    }
    pieces = [block.subarray(0, end), ...pieces];
  }
  const first = Buffer.concat(pieces);
  const offset = markBytes(first);
  const bytes = first.subarray(offset);
  if (!isBlank(bytes)) yield { bytes, number: 0, offset, terminated };
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
