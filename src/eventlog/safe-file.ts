import { constants } from 'node:fs';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { failure, reason, systemCode } from './problems.ts';

// Non-blocking, so that a pipe in the log's place is refused instead of waited for.
const GUARDED = constants.O_NOFOLLOW | constants.O_NONBLOCK;
const NOT_A_FILE = new Set(['ELOOP', 'EMLINK', 'EISDIR', 'ENXIO', 'ENODEV']);

/** Opens a regular file for reading, never through a symlink; null where there is none. */
export async function openForReading(path: string): Promise<FileHandle | null> {
  return openGuarded(path, constants.O_RDONLY);
}

/** Opens a regular file for reading and appending; made with mode 0600 where it is missing. */
export async function openForAppending(
  path: string,
): Promise<{ readonly handle: FileHandle; readonly created: boolean }> {
  const flags = constants.O_RDWR | constants.O_APPEND;
  const existing = await openGuarded(path, flags);
  if (existing !== null) return { handle: existing, created: false };
  const made = await createGuarded(path, flags);
  return made === null ? openForAppending(path) : { handle: made, created: true };
}

/**
 * Makes a new file (0600) with these bytes, durable where `sync` says so; false where the name is taken. Leaves nothing
 * behind when it fails. Throws DiagnosticError (LOG_WRITE).
 */
export async function writeNewFile(path: string, bytes: Uint8Array, sync: boolean): Promise<boolean> {
  const handle = await createGuarded(path, constants.O_WRONLY);
  if (handle === null) return false;
  try {
    await handle.writeFile(bytes);
    if (sync) await handle.sync();
    return true;
  } catch (error) {
    await unlink(path).catch(() => undefined);
    throw failure('LOG_WRITE', `${path} can't be written: ${reason(error)}.`);
  } finally {
    await handle.close();
  }
}

/** Makes a folder's entries durable. */
export async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function createGuarded(path: string, flags: number): Promise<FileHandle | null> {
  try {
    return await open(path, flags | GUARDED | constants.O_CREAT | constants.O_EXCL, 0o600);
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return null;
    throw failure('LOG_WRITE', `${path} can't be made in ${dirname(path)}: ${reason(error)}.`);
  }
}

async function openGuarded(path: string, flags: number): Promise<FileHandle | null> {
  const handle = await open(path, flags | GUARDED).catch((error: unknown) => {
    const code = systemCode(error);
    if (code === 'ENOENT') return null;
    if (code !== null && NOT_A_FILE.has(code)) throw unsafe(path);
    throw failure(
      flags === constants.O_RDONLY ? 'LOG_INVALID' : 'LOG_WRITE',
      `${path} can't be opened: ${reason(error)}.`,
    );
  });
  if (handle === null) return null;
  const stats = await handle.stat();
  if (stats.isFile()) return handle;
  await handle.close();
  throw unsafe(path);
}

function unsafe(path: string): Error {
  return failure('UNSAFE_PATH', `${path} is a symbolic link or not a regular file; infra doesn't follow it.`);
}
