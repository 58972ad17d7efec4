import { mkdir } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { startFold } from '../core/fold.ts';
import { type AppendRequest, appendRows } from './append.ts';
import type { Actor, EventLog, HeldLocks, LogRow, LogState, RowBody, RowContext } from './event-log.ts';
import { checkInfraFolder, prepareInfraFolder } from './folder.ts';
import { lockAppend, lockStacks } from './lock.ts';
import type { ForeignMap } from './parse-row.ts';
import { failure, reason } from './problems.ts';
import { eachHistoryRow, factsUnder, foldFile, type HistoryRow, type ReadOptions } from './read-log.ts';
import { openForReading } from './safe-file.ts';
import { headOf, readTail } from './tail.ts';
import { type ChainReport, walkChain } from './verify.ts';

export interface JsonlLogOptions {
  /** The log file; it need not exist. */
  readonly path: string;
  /** The `.infra` that holds the log: checked before it is believed, made when it is written. Null: the caller's own folder. */
  readonly infraFolder: string | null;
  /** Who locks are held for. */
  readonly actor: Actor;
  /** Maps a fact that someone else wrote to ours; as it is by default. */
  readonly mapForeign?: ForeignMap;
  /** `--skip-invalid`: broken lines are counted instead of refused. */
  readonly skipInvalid?: boolean;
  /** The clock of `recorded_at`. */
  readonly now?: () => Date;
}

/** The log as a file, with what only a file can tell. */
export interface JsonlLog extends EventLog {
  /** The folder whose `locks/` the log uses: for listLocks and removeLock. */
  readonly folder: string;
  /** Walks the whole chain; `head` (`<sequence>:<hash>`) is looked for on the way. */
  walk(head: string | null): Promise<ChainReport>;
  /** Streams every row, of every target, in file order: for `log show` and `why`. Throws as read does. */
  history(onRow: (row: HistoryRow) => void): Promise<void>;
}

/** A log in a JSONL file. Opening touches nothing; reading never writes. */
export function openJsonlLog(options: JsonlLogOptions): JsonlLog {
  return new JsonlFile(options);
}

interface Waiting extends AppendRequest {
  done(rows: readonly LogRow[]): void;
  refuse(error: unknown): void;
}

class JsonlFile implements JsonlLog {
  readonly url: string;
  readonly writable = true;
  readonly folder: string;
  readonly #options: JsonlLogOptions;
  readonly #path: string;
  #waiting: Waiting[] = [];
  #writing = false;
  #prepared = false;

  constructor(options: JsonlLogOptions) {
    this.#options = options;
    this.#path = resolve(options.path);
    this.url = options.path;
    this.folder = dirname(this.#path);
  }

  async read(target: string): Promise<LogState> {
    const handle = await this.#open();
    if (handle === null) return EMPTY;
    try {
      const { size } = await handle.stat();
      const options = this.#readOptions(target);
      const { model, openIntents, diagnostics } = await foldFile(handle, size, options);
      return {
        model,
        openIntents,
        factsOf: (digest) => factsUnder(digest, size, options),
        head: headOf(await readTail(handle, size, null)),
        diagnostics,
      };
    } finally {
      await handle.close();
    }
  }

  async verify(): Promise<void> {
    const { firstBad } = await this.walk(null);
    if (firstBad === null) return;
    const row = firstBad.sequence === null ? '' : ` (row ${firstBad.sequence})`;
    throw failure('CHAIN_BROKEN', `Line ${firstBad.line}${row} of ${this.#path} does not fit: ${firstBad.why}.`);
  }

  async walk(head: string | null): Promise<ChainReport> {
    const handle = await this.#open();
    if (handle === null) return { rows: 0, firstBad: null, headFound: head === null ? null : false };
    try {
      return await walkChain(handle, (await handle.stat()).size, head);
    } finally {
      await handle.close();
    }
  }

  async history(onRow: (row: HistoryRow) => void): Promise<void> {
    const handle = await this.#open();
    if (handle === null) return;
    try {
      await eachHistoryRow(handle, (await handle.stat()).size, this.#readOptions(''), onRow);
    } finally {
      await handle.close();
    }
  }

  async head(): Promise<string | null> {
    const handle = await this.#open();
    if (handle === null) return null;
    try {
      return headOf(await readTail(handle, (await handle.stat()).size, null));
    } finally {
      await handle.close();
    }
  }

  async lock(stacks: readonly string[], timeoutMs: number): Promise<HeldLocks> {
    await this.#prepare();
    return lockStacks(this.folder, stacks, this.#options.actor, timeoutMs);
  }

  append(context: RowContext, rows: readonly RowBody[]): Promise<readonly LogRow[]> {
    if (rows.length === 0) return Promise.resolve([]);
    return new Promise((done, refuse) => {
      this.#waiting.push({ context, rows, done, refuse });
      void this.#drain();
    });
  }

  /** Writes what waits, together: appends of one process share a write and an fsync instead of the lock. */
  async #drain(): Promise<void> {
    if (this.#writing) return;
    this.#writing = true;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      try {
        const written = await this.#write(batch);
        batch.forEach((waiting, index) => {
          waiting.done(written[index] ?? []);
        });
      } catch (error) {
        for (const waiting of batch) waiting.refuse(error);
      }
    }
    this.#writing = false;
  }

  async #write(batch: readonly AppendRequest[]): Promise<readonly (readonly LogRow[])[]> {
    await this.#prepare();
    const lock = await lockAppend(this.folder, basename(this.#path), this.#options.actor);
    try {
      return await appendRows(this.#path, batch, this.#options.now ?? (() => new Date()));
    } finally {
      await lock.release();
    }
  }

  async #open() {
    const handle = await openForReading(this.#path);
    if (handle !== null && this.#options.infraFolder !== null) {
      await checkInfraFolder(this.#options.infraFolder).catch(async (error: unknown) => {
        await handle.close();
        throw error;
      });
    }
    return handle;
  }

  async #prepare(): Promise<void> {
    const { infraFolder } = this.#options;
    if (infraFolder !== null && !this.#prepared) await prepareInfraFolder(infraFolder);
    this.#prepared = true;
    await mkdir(this.folder, { recursive: true, mode: 0o700 }).catch((error: unknown) => {
      throw failure('LOG_WRITE', `The folder ${this.folder} can't be made: ${reason(error)}.`);
    });
  }

  #readOptions(target: string): ReadOptions {
    const { mapForeign = (fact) => fact, skipInvalid = false } = this.#options;
    return { path: this.#path, target, mapForeign, skipInvalid };
  }
}

const EMPTY: LogState = { model: startFold().model, openIntents: [], factsOf: () => [], head: null, diagnostics: [] };
