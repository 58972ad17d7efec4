import { linkSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { StateFileError } from './state-file-error.ts';

const PATIENCE_MS = 30_000;
const PAUSE_MS = 1;

/** Runs the function while no other process does so with the same path. A dead holder is no holder. */
export function withLock<T>(path: string, run: () => T): T {
  const mine = `${path}.${process.pid}`;
  writeMine(mine);
  try {
    acquire(path, mine);
    try {
      return run();
    } finally {
      remove(path);
    }
  } finally {
    remove(mine);
  }
}

/** Linked into place with its content, so that nobody ever reads a lock without a holder. */
function writeMine(mine: string): void {
  // What a former process of the same number left, or somebody put there, is never written through.
  remove(mine);
  try {
    writeFileSync(mine, String(process.pid), { mode: 0o600, flag: 'wx' });
  } catch (error) {
    throw StateFileError.from('unwritable', mine, error);
  }
}

function acquire(path: string, mine: string): void {
  const patience = Date.now() + PATIENCE_MS;
  while (!tryLink(mine, path)) {
    if (Date.now() > patience)
      throw new StateFileError('unwritable', path, `${path} has been held for ${PATIENCE_MS / 1000} s`);
    if (isStale(path)) breakStale(path, mine);
    else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
  }
}

/** Only who holds this second lock removes another's, and looks again first: so no living holder ever loses its own. */
function breakStale(path: string, mine: string): void {
  const breaking = `${path}.break`;
  if (!tryLink(mine, breaking)) {
    // Its holder died within microseconds of taking it.
    if (isStale(breaking)) remove(breaking);
    return;
  }
  try {
    if (isStale(path)) remove(path);
  } finally {
    remove(breaking);
  }
}

function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw StateFileError.from('unwritable', to, error);
  }
}

/** Held by a process that is gone; this one's number is that of a former process, for nothing is locked twice here. */
function isStale(path: string): boolean {
  let holder: string;
  try {
    holder = readFileSync(path, 'utf8');
  } catch {
    return false;
  }
  const pid = Number(holder);
  return !Number.isSafeInteger(pid) || pid <= 0 || pid === process.pid || !isAlive(pid);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

function remove(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw StateFileError.from('unwritable', path, error);
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
