import { mkdir } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { startFold } from '../core/fold.ts';
import { type AppendRequest, appendRows } from './append.ts';
import type { CheckpointCache } from './checkpoint-file.ts';
import { foldCheckpointed } from './checkpointed-read.ts';
import { eachDocumentRow, isOneDocument } from './document.ts';
import type { Actor, HeldLocks, LogRow, LogState, RowBody, RowContext } from './event-log.ts';
import { factsUnder } from './facts-under.ts';
import { checkInfraFolder, prepareInfraFolder, refuseLink, refuseOthers } from './folder.ts';
import { eachHistoryRow, type HistoryRow, type WantsUrn } from './history.ts';
import type { InspectableLog } from './inspectable-log.ts';
import { lockAppend, lockStacks } from './lock.ts';
import { newestInFile } from './newest.ts';
import type { ForeignMap } from './parse-row.ts';
import { failure, reason } from './problems.ts';
import type { ReadOptions } from './read-log.ts';
import { refuseWriting } from './read-only.ts';
import { openForReading } from './safe-file.ts';
import { readHead } from './tail.ts';
import { type ChainReport, refuseBroken, walkChain } from './verify.ts';

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
  /** Where the fold of a long log is kept for the next read; without, every read starts anew. */
  readonly cache?: CheckpointCache | null;
}

/** The log as a file, with what only a file can tell. */
export interface JsonlLog extends InspectableLog {
  /** The folder whose `locks/` the log uses: for listLocks and removeLock. */
  readonly folder: string;
  /** Walks the whole chain; `head` (`<sequence>:<hash>`) is looked for on the way. */
  walk(head: string | null): Promise<ChainReport>;
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

  read(target: string): Promise<LogState> {
    return this.#fold(this.#readOptions(target));
  }

  readAt(target: string, at: Date): Promise<LogState> {
    return this.#fold({ ...this.#readOptions(target), until: at.getTime() });
  }

  async #fold(options: ReadOptions): Promise<LogState> {
    const handle = await this.#open();
    if (handle === null) return EMPTY;
    try {
      const stats = await handle.stat({ bigint: true });
      const size = Number(stats.size);
      const opened = { path: this.#path, handle, stats, target: options.target };
      const { model, marks, openIntents, targets, diagnostics } = await foldCheckpointed(
        opened,
        options,
        this.#options.cache ?? null,
      );
      return {
        model,
        marks,
        openIntents,
        targets,
        factsOf: (digest) => factsUnder(digest, size, options),
        head: await readHead(handle, size),
        diagnostics,
      };
    } finally {
      await handle.close();
    }
  }

  async verify(): Promise<void> {
    refuseBroken(await this.walk(null), this.#path);
  }

  async walk(head: string | null): Promise<ChainReport> {
    const handle = await this.#open();
    if (handle === null)
      return { rows: 0, unsealed: 0, torn: 0, firstBad: null, headFound: head === null ? null : false };
    try {
      return await walkChain(handle, (await handle.stat()).size, head);
    } finally {
      await handle.close();
    }
  }

  async history(onRow: (row: HistoryRow) => void, wants?: WantsUrn): Promise<void> {
    const handle = await this.#open();
    if (handle === null) return;
    try {
      await eachHistoryRow(handle, (await handle.stat()).size, this.#readOptions(''), onRow, wants);
    } finally {
      await handle.close();
    }
  }

  async newest(limit: number): Promise<readonly HistoryRow[]> {
    const handle = await this.#open();
    if (handle === null) return [];
    try {
      return await newestInFile(handle, (await handle.stat()).size, this.#readOptions(''), limit);
    } finally {
      await handle.close();
    }
  }

  async head(): Promise<string | null> {
    const handle = await this.#open();
    if (handle === null) return null;
    try {
      return await readHead(handle, (await handle.stat()).size);
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
    const { infraFolder } = this.#options;
    const handle = await openForReading(this.#path);
    if (handle === null) {
      if (infraFolder !== null) await refuseLink(infraFolder);
      return null;
    }
    try {
      refuseOthers(await handle.stat(), this.#path);
      if (infraFolder !== null) await checkInfraFolder(infraFolder);
      return handle;
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /** What is one document, such as a server's reply, can be read; it has no line to write behind. */
  async #refuseDocument(): Promise<void> {
    const handle = await this.#open();
    if (handle === null) return;
    try {
      const { size } = await handle.stat();
      if (!(await isOneDocument(handle, size))) return;
      // One that can't be read either is told as that.
      await eachDocumentRow(handle, size, this.#path, () => undefined);
      await refuseWriting(`${this.#path} is one JSON document, not a row a line: it`);
    } finally {
      await handle.close();
    }
  }

  async #prepare(): Promise<void> {
    const { infraFolder } = this.#options;
    const isFirst = !this.#prepared;
    if (infraFolder !== null && isFirst) await prepareInfraFolder(infraFolder);
    await mkdir(this.folder, { recursive: true, mode: 0o700 }).catch((error: unknown) => {
      throw failure('LOG_WRITE', `The folder ${this.folder} can't be made: ${reason(error)}.`);
    });
    if (isFirst) await this.#refuseDocument();
    this.#prepared = true;
  }

  #readOptions(target: string): ReadOptions {
    const { mapForeign = (fact) => fact, skipInvalid = false } = this.#options;
    return { path: this.#path, target, mapForeign, skipInvalid };
  }
}

const EMPTY: LogState = {
  model: startFold().model,
  marks: new Map(),
  openIntents: [],
  targets: [],
  factsOf: () => [],
  head: null,
  diagnostics: [],
};
