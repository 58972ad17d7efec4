import type { FileHandle } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { DiagnosticError } from '../core/diagnostics.ts';
import { type EncodedRow, encodeRow } from './encode-row.ts';
import type { LogRow, NoteBody, RowBody, RowContext } from './event-log.ts';
import { failure, reason } from './problems.ts';
import { openForAppending, syncFolder, writeNewFile } from './safe-file.ts';
import { readTail, type Tail } from './tail.ts';

/** Rows that one caller wants written. */
export interface AppendRequest {
  readonly context: RowContext;
  readonly rows: readonly RowBody[];
}

/**
 * Writes the rows of all requests behind the log's last row in one call, durable when it returns; all of them or none.
 * The caller holds the append lock. Throws DiagnosticError: LOG_WRITE, LOG_INVALID, UNSAFE_PATH.
 */
export async function appendRows(
  path: string,
  requests: readonly AppendRequest[],
  now: () => Date,
): Promise<readonly (readonly LogRow[])[]> {
  const { handle, created } = await openForAppending(path);
  try {
    if (created) await syncFolder(dirname(path));
    const { size } = await handle.stat();
    const tail = await readTail(handle, size, path);
    const note = await setTornAside(handle, path, tail);
    const batches = encodeAll(note === null ? requests : [noteRequest(requests, note), ...requests], tail, now);
    await writeWhole(
      handle,
      tail.torn?.offset ?? size,
      (tail.unterminated ? '\n' : '') +
        batches
          .flat()
          .map(({ line }) => line)
          .join(''),
    );
    return batches.slice(note === null ? 0 : 1).map((batch) => batch.map(({ row }) => row));
  } catch (error) {
    throw error instanceof DiagnosticError
      ? error
      : failure('LOG_WRITE', `${path} can't be written: ${reason(error)}.`);
  } finally {
    await handle.close();
  }
}

function encodeAll(
  requests: readonly AppendRequest[],
  tail: Tail,
  now: () => Date,
): readonly (readonly EncodedRow[])[] {
  const recordedAt = now().toISOString();
  let { sequence, prev } = tail;
  return requests.map(({ context, rows }) =>
    rows.map((body) => {
      sequence += 1;
      const encoded = encodeRow(context, body, { sequence, prev, recordedAt });
      prev = encoded.row.hash;
      return encoded;
    }),
  );
}

function noteRequest(requests: readonly AppendRequest[], note: NoteBody): AppendRequest {
  const first = requests[0];
  if (first === undefined) throw new TypeError('an append has a request');
  return { context: first.context, rows: [note] };
}

/** Moves an unfinished last line to a file of its own and cuts it off; its bytes are durable there first. */
async function setTornAside(handle: FileHandle, path: string, tail: Tail): Promise<NoteBody | null> {
  if (tail.torn === null) return null;
  const { bytes, offset } = tail.torn;
  const aside = await writeAside(`${path}.torn-${tail.sequence + 1}`, bytes);
  await syncFolder(dirname(path));
  await handle.truncate(offset);
  await handle.sync();
  return {
    type: 'log.note',
    note: 'an unfinished last line was set aside',
    detail: { file: basename(aside), bytes: bytes.length },
  };
}

async function writeAside(name: string, bytes: Buffer): Promise<string> {
  for (let attempt = 0; ; attempt += 1) {
    const path = attempt === 0 ? name : `${name}.${attempt}`;
    if (await writeNewFile(path, bytes, true)) return path;
  }
}

/** One write; what a full disk took only in part is cut off again, so that the log ends with a whole row. */
async function writeWhole(handle: FileHandle, size: number, text: string): Promise<void> {
  const bytes = Buffer.from(text, 'utf8');
  try {
    let written = 0;
    while (written < bytes.length) written += (await handle.write(bytes, written, bytes.length - written)).bytesWritten;
    await handle.sync();
  } catch (error) {
    await cutBack(handle, size);
    throw error;
  }
}

/** Best effort: where even this fails, the next append sets the unfinished line aside. */
async function cutBack(handle: FileHandle, size: number): Promise<void> {
  try {
    await handle.truncate(size);
    await handle.sync();
  } catch {
    return;
  }
}
