import { linkSync, readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import { FakeFailure } from '../cli/failures.ts';

const PATIENCE_MS = 30_000;
const PAUSE_MS = 2;

/** Runs the function while no other process does so with the same path. A dead holder is no holder. */
export function withLock<T>(path: string, run: () => T): T {
  const mine = `${path}.${process.pid}`;
  // Linked into place with its content, so that nobody ever reads a lock without a holder.
  writeFileSync(mine, String(process.pid), { mode: 0o600 });
  try {
    acquire(path, mine);
    try {
      return run();
    } finally {
      unlinkSync(path);
    }
  } finally {
    unlinkSync(mine);
  }
}

function acquire(path: string, mine: string): void {
  const patience = Date.now() + PATIENCE_MS;
  while (!tryLink(mine, path)) {
    if (Date.now() > patience) throw new FakeFailure(`${path} has been held for ${PATIENCE_MS / 1000} s`);
    breakStale(path);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
  }
}

function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

function breakStale(path: string): void {
  const holder = readHolder(path);
  if (holder === undefined || isAlive(holder)) return;
  const aside = `${path}.stale.${process.pid}`;
  try {
    renameSync(path, aside);
  } catch {
    return;
  }
  // Another process may have broken and taken it in between: then it gets it back.
  if (readHolder(aside) !== holder) tryLink(aside, path);
  unlinkSync(aside);
}

function readHolder(path: string): number | undefined {
  try {
    return Number(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
