import { createHash, randomBytes } from 'node:crypto';
import type { BigIntStats, Stats } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, realpath, rename, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256Hex } from '../core/json.ts';
import { type Binding, CHECKPOINT_FORMAT, decodeBinding, decodeCheckpoint, encodeCheckpoint } from './checkpoint.ts';
import type { Resumable } from './read-log.ts';
import { openForReading } from './safe-file.ts';

/** Where folds are kept for the next read. */
export interface CheckpointCache {
  /** A folder of the user's own, outside of any repository; it need not exist. */
  readonly folder: string;
  /** infra's version: a fold of another one is not used. */
  readonly version: string;
  /** How many bytes a read must have folded for it to be worth keeping; 8 MiB by default. */
  readonly minBytes?: number;
  /** Up to how many bytes a prefix is hashed whole though each of its rows is sealed; 64 MiB by default. */
  readonly wholeBytes?: number;
  /** Whose files are believed; the process's own by default. */
  readonly uid?: number;
}

/** A log that is open, and how it was when it was opened. */
export interface OpenedLog {
  readonly path: string;
  readonly handle: FileHandle;
  readonly stats: BigIntStats;
  readonly target: string;
}

const TAIL_BYTES = 1 << 16;
const MAX_BYTES = 512 << 20;
const WHOLE_BYTES = 64 << 20;
const CHUNK_BYTES = 1 << 20;
const HASH_LINE = 64 + 1;
const NEWLINE = 0x0a;

/** The kept fold of a prefix of this log; null where there is none, or any doubt about it. */
export async function loadCheckpoint(cache: CheckpointCache, log: OpenedLog): Promise<Resumable | null> {
  try {
    if (!(await isPrivateFolder(cache))) return null;
    const lines = await readOwnLines(await checkpointPath(cache, log), cache);
    if (lines === null) return null;
    const kept = decodeBinding(lines[0] ?? '');
    const { offset } = kept.place;
    if (BigInt(offset) > log.stats.size) return null;
    const current = await bindingOf(cache, log, offset);
    if (BOUND.some((key) => kept[key] !== current[key])) return null;
    const grown = BigInt(offset) < log.stats.size;
    const fits = grown ? await isSamePrefix(kept, log) : kept.changed === current.changed;
    return fits ? decodeCheckpoint(lines) : null;
  } catch {
    // A cache that can't be read is no cache.
    return null;
  }
}

/** What grew can have been rewritten before its end; where the end stands for all rows before it, the chain finds that. */
async function isSamePrefix({ whole, place }: ReturnType<typeof decodeBinding>, log: OpenedLog): Promise<boolean> {
  return whole === null || whole === (await hashOfPrefix(log.handle, place.offset));
}

const BOUND = [
  'format',
  'version',
  'target',
  'log',
  'device',
  'inode',
  'tail',
] as const satisfies readonly (keyof Binding)[];

/** Keeps a fold, replacing an older one in one go. That it can't be kept is nobody's trouble: it returns false. */
export async function saveCheckpoint(cache: CheckpointCache, log: OpenedLog, fold: Resumable): Promise<boolean> {
  try {
    await mkdir(cache.folder, { recursive: true, mode: 0o700 });
    if (!(await isPrivateFolder(cache))) return false;
    const path = await checkpointPath(cache, log);
    const draft = `${path}.${randomBytes(8).toString('hex')}.new`;
    try {
      await writeDraft(draft, encodeCheckpoint(await wholeBindingOf(cache, log, fold), fold));
      await rename(draft, path);
    } catch (error) {
      await unlink(draft).catch(() => undefined);
      throw error;
    }
    return true;
  } catch {
    return false;
  }
}

/** One file for each log and target. */
async function checkpointPath(cache: CheckpointCache, log: OpenedLog): Promise<string> {
  return join(cache.folder, `log-${sha256Hex(`${await realpath(log.path)}\0${log.target}`).slice(0, 32)}.fold`);
}

async function wholeBindingOf(cache: CheckpointCache, log: OpenedLog, { place, folded }: Resumable): Promise<Binding> {
  const isLong = place.offset > (cache.wholeBytes ?? WHOLE_BYTES);
  const whole = folded.sealed && isLong ? null : await hashOfPrefix(log.handle, place.offset);
  return { ...(await bindingOf(cache, log, place.offset)), whole };
}

async function bindingOf(cache: CheckpointCache, log: OpenedLog, prefix: number): Promise<Omit<Binding, 'whole'>> {
  const { dev, ino, ctimeNs } = log.stats;
  return {
    format: CHECKPOINT_FORMAT,
    version: cache.version,
    target: log.target,
    log: await realpath(log.path),
    device: String(dev),
    inode: String(ino),
    changed: String(ctimeNs),
    tail: await hashOfTail(log.handle, prefix),
  };
}

async function hashOfTail(handle: FileHandle, end: number): Promise<string> {
  const length = Math.min(TAIL_BYTES, end);
  const bytes = Buffer.alloc(length);
  const { bytesRead } = await handle.read(bytes, 0, length, end - length);
  return sha256Hex(bytes.subarray(0, bytesRead));
}

async function hashOfPrefix(handle: FileHandle, end: number): Promise<string> {
  const hash = createHash('sha256');
  const bytes = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, end));
  for (let offset = 0; offset < end; ) {
    const { bytesRead } = await handle.read(bytes, 0, Math.min(bytes.length, end - offset), offset);
    if (bytesRead === 0) break;
    hash.update(bytes.subarray(0, bytesRead));
    offset += bytesRead;
  }
  return hash.digest('hex');
}

async function writeDraft(path: string, lines: Iterable<string>): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    const hash = createHash('sha256');
    for (const line of lines) {
      const bytes = Buffer.from(`${line}\n`, 'utf8');
      hash.update(bytes);
      await file.writeFile(bytes);
    }
    await file.writeFile(`${hash.digest('hex')}\n`);
  } finally {
    await file.close();
  }
}

/** The lines of a checkpoint that is the user's own and whole; null for anything else. */
async function readOwnLines(path: string, cache: CheckpointCache): Promise<readonly string[] | null> {
  const file = await openForReading(path);
  if (file === null) return null;
  try {
    const stats = await file.stat();
    if (!isOwn(stats, cache) || stats.nlink !== 1 || stats.size > MAX_BYTES) return null;
    const bytes = await file.readFile();
    const end = bytes.length - HASH_LINE;
    if (end <= 0 || bytes.toString('latin1', end, bytes.length - 1) !== sha256Hex(bytes.subarray(0, end))) return null;
    return [...linesOf(bytes.subarray(0, end))];
  } finally {
    await file.close();
  }
}

function* linesOf(bytes: Buffer): Generator<string> {
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(NEWLINE, start);
    yield bytes.toString('utf8', start, end === -1 ? bytes.length : end);
    start = end === -1 ? bytes.length : end + 1;
  }
}

async function isPrivateFolder(cache: CheckpointCache): Promise<boolean> {
  const stats = await lstat(cache.folder).catch(() => null);
  return stats?.isDirectory() === true && isOwn(stats, cache);
}

/** Nobody else's, and nobody else can write or read it. */
function isOwn(stats: Stats, cache: CheckpointCache): boolean {
  const uid = cache.uid ?? process.getuid?.();
  return uid === undefined || (stats.uid === uid && (stats.mode & 0o077) === 0);
}
