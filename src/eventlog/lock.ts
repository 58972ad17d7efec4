import { lstat, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { sha256Hex } from '../core/json.ts';
import type { Actor, HeldLocks } from './event-log.ts';
import { breakLockFile, dropLockFile, readLockFile, takeLockFile } from './lock-file.ts';
import { describeHolder, type Liveness, type LockHolder, livenessOf, thisProcess } from './lock-holder.ts';
import { failure, reason, systemCode } from './problems.ts';

const STACK_POLL_MS = 100;
const APPEND_POLL_MS = 5;
/** Appends take milliseconds; one that holds the lock for longer than this hangs. */
const APPEND_TIMEOUT_MS = 10_000;

/** A lock as `doctor` and `unlock` show it. */
export interface ListedLock {
  readonly holder: LockHolder;
  readonly liveness: Liveness;
}

/** `<folder>/locks`, where the locks of a log in `folder` are. */
export function locksFolder(folder: string): string {
  return join(folder, 'locks');
}

/**
 * Takes one lock a stack, in sorted order, waiting up to `timeoutMs` for all of them together. Throws DiagnosticError:
 * LOCK_STALE where a dead process holds one, LOCK_HELD where another one does; none is kept then.
 */
export async function lockStacks(
  folder: string,
  stacks: readonly string[],
  actor: Actor,
  timeoutMs: number,
): Promise<HeldLocks> {
  const deadline = performance.now() + timeoutMs;
  const taken: HeldLocks[] = [];
  const release = async (): Promise<void> => {
    for (const held of taken.splice(0).reverse()) await held.release();
  };
  try {
    for (const stack of [...new Set(stacks)].sort()) {
      const path = join(await makeLocksFolder(folder), `stack-${sha256Hex(stack).slice(0, 32)}.lock`);
      taken.push(await takeStackLock(path, thisProcess(`stack ${stack}`, actor), deadline));
    }
  } catch (error) {
    await release();
    throw error;
  }
  return { release };
}

/** Takes a log's append lock; one whose holder is provably dead is broken. Throws DiagnosticError (LOCK_HELD). */
export async function lockAppend(
  folder: string,
  logName: string,
  actor: Actor,
  timeoutMs = APPEND_TIMEOUT_MS,
): Promise<HeldLocks> {
  const path = join(await makeLocksFolder(folder), `append-${sha256Hex(logName).slice(0, 32)}.lock`);
  const me = thisProcess(`append ${logName}`, actor);
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const blocker = await takeLockFile(path, me);
    if (blocker === null) return heldLock(path, me.id);
    if (livenessOf(blocker.holder, actor.host) === 'dead') await breakLockFile(path, blocker.holder, actor.host);
    else if (performance.now() >= deadline) throw held(blocker.holder, actor.host);
    else await pause(APPEND_POLL_MS * (0.5 + Math.random()));
  }
}

/** Every lock in a log's folder. */
export async function listLocks(folder: string, host: string): Promise<readonly ListedLock[]> {
  const found = await lockFiles(folder);
  return found.map(({ holder }) => ({ holder, liveness: livenessOf(holder, host) }));
}

/**
 * Removes the lock with this id and says whose it was; null when there is none. A live holder's is refused (LOCK_HELD),
 * and so is one that can't be judged from here unless `force` is set.
 */
export async function removeLock(folder: string, id: string, host: string, force = false): Promise<LockHolder | null> {
  const found = (await lockFiles(folder)).find(({ holder }) => holder.id === id);
  if (found === undefined) return null;
  const liveness = livenessOf(found.holder, host);
  if (liveness === 'alive') throw held(found.holder, host);
  if (liveness === 'elsewhere' && !force) {
    throw failure(
      'LOCK_HELD',
      `${describeHolder(found.holder)}: from ${host} it can't be told whether that process is dead.`,
      `make sure on ${found.holder.host} that it has ended, then: infra unlock --force ${found.holder.id}`,
    );
  }
  return (await breakLockFile(found.path, found.holder, host)) ? found.holder : null;
}

async function takeStackLock(path: string, me: LockHolder, deadline: number): Promise<HeldLocks> {
  for (;;) {
    const blocker = await takeLockFile(path, me);
    if (blocker === null) return heldLock(path, me.id);
    if (livenessOf(blocker.holder, me.host) === 'dead') throw stale(blocker.holder);
    const left = deadline - performance.now();
    if (left <= 0) throw held(blocker.holder, me.host);
    await pause(Math.min(left, STACK_POLL_MS));
  }
}

function heldLock(path: string, id: string): HeldLocks {
  let released: Promise<void> | null = null;
  return {
    release: () => {
      released ??= dropLockFile(path, id);
      return released;
    },
  };
}

async function makeLocksFolder(folder: string): Promise<string> {
  const path = locksFolder(folder);
  await mkdir(path, { recursive: true, mode: 0o700 }).catch((error: unknown) => {
    throw failure('LOG_WRITE', `The folder ${path} can't be made: ${reason(error)}.`);
  });
  if ((await lstat(path)).isSymbolicLink()) {
    throw failure('UNSAFE_PATH', `${path} is a symbolic link; infra doesn't follow it.`);
  }
  return path;
}

async function lockFiles(folder: string): Promise<readonly { readonly path: string; readonly holder: LockHolder }[]> {
  const names = await readdir(locksFolder(folder)).catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT') return [];
    throw failure('UNSAFE_PATH', `The folder ${locksFolder(folder)} can't be read: ${reason(error)}.`);
  });
  const paths = names.filter((name) => name.endsWith('.lock')).map((name) => join(locksFolder(folder), name));
  const holders = await Promise.all(paths.map(async (path) => ({ path, holder: await readLockFile(path) })));
  return holders.flatMap(({ path, holder }) => (holder === null ? [] : [{ path, holder }]));
}

function held(holder: LockHolder, host: string): Error {
  const hint =
    livenessOf(holder, host) === 'alive'
      ? 'wait for that run to end, or give --lock-timeout'
      : `wait for that run to end; if it was cut off there, find that out on ${holder.host}, then: infra unlock --force ${holder.id}`;
  return failure('LOCK_HELD', `The lock of ${holder.locks} is held by ${describeHolder(holder)}.`, hint);
}

function stale(holder: LockHolder): Error {
  return failure(
    'LOCK_STALE',
    `The lock of ${holder.locks} is held by ${describeHolder(holder)}, and that process is dead. Remove it with: infra unlock ${holder.id}`,
    `infra unlock ${holder.id}`,
  );
}
