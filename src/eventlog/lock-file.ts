import { constants } from 'node:fs';
import { link, open, unlink } from 'node:fs/promises';
import { LOST, type LockHolder, livenessOf, parseHolder, thisProcess } from './lock-holder.ts';
import { failure, reason, systemCode } from './problems.ts';
import { writeNewFile } from './safe-file.ts';

// A lock file is a few hundred bytes; more is none of ours.
const MAX_BYTES = 4096;

/** What stands in the way: null when the lock was taken. */
export type Blocker = { readonly holder: LockHolder } | null;

/**
 * Takes a lock file for `holder`, whole or not at all: it is written aside and linked into place. It need not survive a
 * crash of the system, which ends its holder too, so it is not synced.
 */
export async function takeLockFile(path: string, holder: LockHolder): Promise<Blocker> {
  const draft = `${path}.${holder.id}.new`;
  const current = await readLockFile(path);
  if (current !== null) return { holder: current };
  await writeNewFile(draft, Buffer.from(`${JSON.stringify(holder)}\n`), false);
  try {
    await link(draft, path);
    return null;
  } catch (error) {
    if (systemCode(error) !== 'EEXIST')
      throw failure('LOG_WRITE', `The lock ${path} can't be taken: ${reason(error)}.`);
  } finally {
    await unlink(draft);
  }
  const winner = await readLockFile(path);
  return winner === null ? takeLockFile(path, holder) : { holder: winner };
}

/** Gives a lock up; does nothing when it is not this holder's. */
export async function dropLockFile(path: string, id: string): Promise<void> {
  const current = await readLockFile(path);
  if (current?.id === id) await remove(path);
}

/** Who holds a lock; null when it is free. Throws UNSAFE_PATH for anything but a lock file of ours. */
export async function readLockFile(path: string): Promise<LockHolder | null> {
  const content = await readSmallFile(path);
  if (content === null) return null;
  const holder = content === '' ? LOST : parseHolder(content);
  if (holder === null) throw failure('UNSAFE_PATH', `${path} is not a lock of infra; look at it and remove it.`);
  return holder;
}

/**
 * Removes the lock of this dead holder. Of several processes that try, one succeeds: only the holder of a marker named
 * after the dead one may remove it, so a lock that was taken meanwhile is never hit. Returns whether it was this one.
 */
export async function breakLockFile(path: string, dead: LockHolder, host: string): Promise<boolean> {
  const marker = `${path}.${dead.id}.break`;
  const me = thisProcess('break', { user: dead.user, host });
  const blocker = await takeLockFile(marker, me);
  if (blocker !== null) {
    if (livenessOf(blocker.holder, host) === 'dead') await breakLockFile(marker, blocker.holder, host);
    return false;
  }
  try {
    const current = await readLockFile(path);
    if (current?.id !== dead.id) return false;
    await remove(path);
    return true;
  } finally {
    await dropLockFile(marker, me.id);
  }
}

async function remove(path: string): Promise<void> {
  await unlink(path).catch((error: unknown) => {
    if (systemCode(error) !== 'ENOENT')
      throw failure('LOG_WRITE', `The lock ${path} can't be removed: ${reason(error)}.`);
  });
}

async function readSmallFile(path: string): Promise<string | null> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    (error: unknown) => {
      if (systemCode(error) === 'ENOENT') return null;
      throw failure('UNSAFE_PATH', `The lock ${path} can't be read: ${reason(error)}.`);
    },
  );
  if (handle === null) return null;
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(MAX_BYTES), 0, MAX_BYTES, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await handle.close();
  }
}
