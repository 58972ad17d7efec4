import { execFile } from 'node:child_process';
import { constants, type Stats } from 'node:fs';
import { access, lstat, mkdir, realpath, stat } from 'node:fs/promises';
import { delimiter, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { failure, reason, systemCode } from './problems.ts';
import { syncFolder, writeNewFile } from './safe-file.ts';

const GIT_TIMEOUT_MS = 10_000;

/**
 * Makes `.infra` at `path` where it is missing (0700, with a `.gitignore` of `*`). Throws DiagnosticError: UNSAFE_PATH
 * where it is no folder of the caller's own or is tracked by git, LOG_WRITE where it can't be made.
 */
export async function prepareInfraFolder(path: string): Promise<void> {
  await checkInfraFolder(path);
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
    if (await writeNewFile(join(path, '.gitignore'), Buffer.from('*\n'), true)) await syncFolder(path);
  } catch (error) {
    if (systemCode(error) === null) throw error;
    throw failure('LOG_WRITE', `The folder ${path} can't be made: ${reason(error)}.`);
  }
}

/** The checks alone, for readers: a folder that a repository brings along is not believed. */
export async function checkInfraFolder(path: string): Promise<void> {
  const stats = await refuseLink(path);
  if (stats === null) return;
  const uid = process.getuid?.() ?? stats.uid;
  if (stats.uid !== uid) throw failure('UNSAFE_PATH', `${path} belongs to another user (uid ${stats.uid}).`);
  if ((stats.mode & 0o002) !== 0) throw failure('UNSAFE_PATH', `${path} can be written by everyone: chmod 700 ${path}`);
  if (await isTracked(path)) {
    throw failure(
      'UNSAFE_PATH',
      `${path} is tracked by git: what it says about ownership would come from whoever can push. Remove it from the index with: git rm -r --cached ${path}`,
    );
  }
}

/** Throws DiagnosticError (UNSAFE_PATH) where something else than a folder has the name, were it a link to nowhere. */
export async function refuseLink(path: string): Promise<Stats | null> {
  const stats = await lstat(path).catch(() => null);
  if (stats !== null && !stats.isDirectory())
    throw failure('UNSAFE_PATH', `${path} is a symbolic link or no folder; infra doesn't follow it.`);
  return stats;
}

/** Throws DiagnosticError (UNSAFE_PATH) for a file that says what somebody else wants: not the caller's nor root's, or open to all. */
export function refuseOthers({ uid, mode }: Stats, path: string): void {
  const own = process.getuid?.() ?? uid;
  if (uid !== own && uid !== 0) throw failure('UNSAFE_PATH', `${path} belongs to another user (uid ${uid}).`);
  if ((mode & 0o002) !== 0) throw failure('UNSAFE_PATH', `${path} can be written by everyone: chmod 600 ${path}`);
}

async function isTracked(path: string): Promise<boolean> {
  const parent = dirname(resolve(path));
  const repository = await repositoryOf(parent);
  if (repository === null) return false;
  const git = await findGit(repository);
  if (git === null) return false;
  const listed = await runGit(git, parent, ['ls-files', '-z', '--', `:(literal)${relative(parent, resolve(path))}`]);
  return listed !== '';
}

async function repositoryOf(start: string): Promise<string | null> {
  for (let folder = start; ; folder = dirname(folder)) {
    if (await stat(join(folder, '.git')).catch(() => null)) return folder;
    if (folder === dirname(folder)) return null;
  }
}

/** The caller's git; never one that lies in the repository itself, whatever PATH says. */
async function findGit(repository: string): Promise<string | null> {
  const root = await realpath(repository);
  for (const folder of (process.env['PATH'] ?? '').split(delimiter).filter(isAbsolute)) {
    const found = await realpath(join(folder, 'git')).catch(() => null);
    if (found === null || found.startsWith(`${root}${sep}`)) continue;
    const runs = await access(found, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (runs) return found;
  }
  return null;
}

function runGit(git: string, cwd: string, args: readonly string[]): Promise<string> {
  // A repository's own configuration must not make git run anything, and another owner not make it silent.
  const argv = ['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null', '-c', 'safe.directory=*', ...args];
  const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], GIT_OPTIONAL_LOCKS: '0', LC_ALL: 'C' };
  return new Promise((done, refuse) => {
    execFile(git, argv, { cwd, env, timeout: GIT_TIMEOUT_MS }, (error, stdout) => {
      if (error !== null && error.killed === true && stdout === '')
        refuse(failure('UNSAFE_PATH', `git did not say whether ${cwd} is tracked: ${reason(error)}.`));
      else done(stdout);
    });
  });
}
