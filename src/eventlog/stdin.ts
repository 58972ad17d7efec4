import { randomBytes } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { LogState } from './event-log.ts';
import { eachHistoryRow, type HistoryRow, type WantsUrn } from './history.ts';
import type { InspectableLog } from './inspectable-log.ts';
import { newestInFile } from './newest.ts';
import type { ForeignMap } from './parse-row.ts';
import { failure, reason } from './problems.ts';
import { foldFile, type ReadOptions } from './read-log.ts';
import { refuseWriting } from './read-only.ts';
import { readHead } from './tail.ts';
import { type ChainReport, refuseBroken, walkChain } from './verify.ts';

export interface StreamLogOptions {
  /** Read to its end once, when the log is first asked for. */
  readonly input: Readable;
  readonly mapForeign?: ForeignMap;
  readonly skipInvalid?: boolean;
  /** Where the bytes are kept while they are read, in a file without a name; the system's temporary folder by default. */
  readonly spoolFolder?: string;
}

/** The log that a stream brings. */
export interface StreamLog extends InspectableLog {
  walk(head: string | null): Promise<ChainReport>;
  /** Gives the kept bytes up. */
  close(): Promise<void>;
}

/** How diagnostics name it. */
const NAME = 'standard input';

/** A log from a stream (`--eventlog -`), of any shape that a file may have. It can only be read. */
export function openStreamLog(options: StreamLogOptions): StreamLog {
  return new Stream(options);
}

interface Spool {
  readonly handle: FileHandle;
  readonly size: number;
}

class Stream implements StreamLog {
  readonly url = '-';
  readonly writable = false;
  readonly #options: StreamLogOptions;
  #spool: Promise<Spool> | null = null;

  constructor(options: StreamLogOptions) {
    this.#options = options;
  }

  read(target: string): Promise<LogState> {
    return this.#fold(this.#readOptions(target));
  }

  readAt(target: string, at: Date): Promise<LogState> {
    return this.#fold({ ...this.#readOptions(target), until: at.getTime() });
  }

  async history(onRow: (row: HistoryRow) => void, wants?: WantsUrn): Promise<void> {
    const { handle, size } = await this.#kept();
    await eachHistoryRow(handle, size, this.#readOptions(''), onRow, wants);
  }

  async newest(limit: number): Promise<readonly HistoryRow[]> {
    const { handle, size } = await this.#kept();
    return newestInFile(handle, size, this.#readOptions(''), limit);
  }

  async verify(): Promise<void> {
    refuseBroken(await this.walk(null), NAME);
  }

  async walk(head: string | null): Promise<ChainReport> {
    const { handle, size } = await this.#kept();
    return walkChain(handle, size, head);
  }

  async head(): Promise<string | null> {
    const { handle, size } = await this.#kept();
    return readHead(handle, size);
  }

  lock(): Promise<never> {
    return refuseWriting('An event log on standard input');
  }

  append(): Promise<never> {
    return refuseWriting('An event log on standard input');
  }

  async close(): Promise<void> {
    const spool = this.#spool;
    this.#spool = null;
    await (await spool)?.handle.close();
  }

  async #fold(options: ReadOptions): Promise<LogState> {
    const { handle, size } = await this.#kept();
    const { model, marks, openIntents, targets, diagnostics } = await foldFile(handle, size, options);
    const head = await readHead(handle, size);
    return { model, marks, openIntents, targets, factsOf: () => [], head, diagnostics };
  }

  #kept(): Promise<Spool> {
    this.#spool ??= spool(this.#options.input, this.#options.spoolFolder ?? tmpdir());
    return this.#spool;
  }

  #readOptions(target: string): ReadOptions {
    const { mapForeign = (fact) => fact, skipInvalid = false } = this.#options;
    return { path: NAME, target, mapForeign, skipInvalid };
  }
}

/** Keeps a stream in a file that has no name from the start: it is gone with this process, whatever happens. */
async function spool(input: Readable, folder: string): Promise<Spool> {
  const path = join(folder, `infra-${randomBytes(16).toString('hex')}`);
  const handle = await open(path, 'wx+', 0o600).catch((error: unknown) => {
    throw failure('LOG_INVALID', `${NAME} can't be kept in ${folder}: ${reason(error)}.`);
  });
  try {
    await unlink(path);
    let size = 0;
    for await (const chunk of input) {
      const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk), 'utf8');
      await handle.writeFile(bytes);
      size += bytes.length;
    }
    return { handle, size };
  } catch (error) {
    await handle.close();
    throw failure('LOG_INVALID', `${NAME} could not be read to its end: ${reason(error)}.`);
  }
}
