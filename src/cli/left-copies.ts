import { constants } from 'node:fs';
import { lstat, open, readdir, rmdir, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { livenessOf, parseHolder, thisProcess } from '../eventlog/lock-holder.ts';
import { CLAIM_FILE, COPY_FILE, COPY_PREFIX } from '../providers/private-copy.ts';
import type { Host } from './host.ts';

type Here = Pick<Host, 'hostname' | 'uid' | 'user'>;

/** Who makes a private copy: this process, as a lock says it. */
export function claimOf({ user, hostname }: Here): string {
  return JSON.stringify(thisProcess('a copy of user data', { user, host: hostname }));
}

/** Removes the private copies of user data that processes of the caller left when they were killed: only what is provably theirs. */
export async function removeLeftCopies(here: Here, folder = tmpdir()): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names) if (name.startsWith(COPY_PREFIX)) await removeLeft(join(folder, name), here);
}

async function removeLeft(folder: string, here: Here): Promise<void> {
  const info = await lstat(folder).catch(() => null);
  // A link is no folder here; what is somebody else's is left to them.
  if (info === null || !info.isDirectory() || here.uid === null || info.uid !== here.uid) return;
  const holder = parseHolder(await claimIn(folder));
  if (holder === null || livenessOf(holder, here.hostname) !== 'dead') return;
  for (const file of [COPY_FILE, CLAIM_FILE]) await unlink(join(folder, file)).catch(() => undefined);
  await rmdir(folder).catch(() => undefined);
}

const MAX_CLAIM = 4096;

async function claimIn(folder: string): Promise<string> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  const handle = await open(join(folder, CLAIM_FILE), O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(() => null);
  if (handle === null) return '';
  try {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(MAX_CLAIM), 0, MAX_CLAIM, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } catch {
    return '';
  } finally {
    await handle.close();
  }
}
