import { constants } from 'node:fs';
import { lstat, open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { diagnostic } from '../core/codes.ts';
import { DiagnosticError } from '../core/diagnostics.ts';

const NEW = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

/** Before anything is looked for: what is there already would not be written over. Throws DiagnosticError (USAGE). */
export async function refuseExisting(cwd: string, file: string, flag: string): Promise<void> {
  const stats = await lstat(resolve(cwd, file)).catch(() => null);
  if (stats !== null) throw taken(file, flag);
}

/** Writes a file that was not there, never through a symlink. Throws DiagnosticError (USAGE) where it can't. */
export async function writeNew(cwd: string, file: string, flag: string, text: string): Promise<void> {
  try {
    const handle = await open(resolve(cwd, file), NEW, 0o600);
    try {
      await handle.writeFile(text);
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') throw taken(file, flag);
    const why = error instanceof Error ? error.message : String(error);
    throw new DiagnosticError([diagnostic('USAGE', `${flag} ${file} can't be written: ${why}.`)]);
  }
}

function taken(file: string, flag: string): DiagnosticError {
  const detail = `${flag} ${file}: there is something of that name, and a playbook is never written over another file.`;
  return new DiagnosticError([
    diagnostic('USAGE', detail, { hint: 'choose another name, or move that file away first' }),
  ]);
}
