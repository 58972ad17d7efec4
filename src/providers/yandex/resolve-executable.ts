import { constants } from 'node:fs';
import { access, realpath, stat } from 'node:fs/promises';
import { delimiter, dirname, isAbsolute, join, resolve, sep } from 'node:path';
import { diagnostic } from '../../core/codes.ts';
import type { Diagnostic } from '../../core/diagnostics.ts';

export interface ExecutableRequest {
  /** `--yc` or INFRA_YC; null: whatever PATH leads to. */
  readonly given: string | null;
  readonly path: string | undefined;
  readonly cwd: string;
  /** Folders of others' making beside the current one: the playbook's. */
  readonly untrusted: readonly string[];
}

export type ResolvedExecutable =
  | { readonly kind: 'found'; readonly path: string }
  | { readonly kind: 'unusable'; readonly why: Diagnostic; readonly isStated?: boolean };

const NAME = 'yc';
const OTHERS_WRITE = 0o002;
const STICKY = 0o1000;

/**
 * Finds the `yc` that is run, once, as an absolute path without symlinks. One that a repository, the current folder or
 * anyone may have put there is refused, not passed over: it stands first where a shell would find it too.
 */
export async function resolveExecutable(request: ExecutableRequest): Promise<ResolvedExecutable> {
  const found = request.given === null ? await searchPath(request) : await givenPath(request, request.given);
  if (found === null) return missing(request);
  const real = await realpath(found).catch(() => null);
  if (real === null) return missing(request);
  const why = (await insideUntrusted(request, found, real)) ?? (await writableByOthers(real));
  return why === null ? { kind: 'found', path: real } : refused(found, why);
}

async function givenPath({ cwd }: ExecutableRequest, given: string): Promise<string | null> {
  const path = resolve(cwd, given);
  return (await isExecutable(path)) ? path : null;
}

async function searchPath({ path, cwd }: ExecutableRequest): Promise<string | null> {
  for (const folder of (path ?? '').split(delimiter)) {
    // An empty or relative entry means the current folder: what is found there is found, and refused.
    const candidate = isAbsolute(folder) ? join(folder, NAME) : resolve(cwd, folder, NAME);
    if (await isExecutable(candidate)) return candidate;
  }
  return null;
}

async function isExecutable(path: string): Promise<boolean> {
  const info = await stat(path).catch(() => null);
  if (info?.isFile() !== true) return false;
  return await access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

async function insideUntrusted(request: ExecutableRequest, found: string, real: string): Promise<string | null> {
  const folders = [request.cwd, ...request.untrusted];
  for (const folder of folders) {
    const own = await realpath(folder).catch(() => folder);
    const repository = await repositoryOf(own);
    for (const path of [found, real]) {
      if (isInside(path, own) || isInside(path, folder)) return `it lies in ${folder}`;
      if (repository !== null && isInside(path, repository)) return `it lies in the repository ${repository}`;
    }
  }
  return null;
}

/** The nearest folder upwards that git calls its own. */
async function repositoryOf(folder: string): Promise<string | null> {
  for (let current = folder; ; current = dirname(current)) {
    if ((await stat(join(current, '.git')).catch(() => null)) !== null) return current;
    if (current === dirname(current)) return null;
  }
}

/** Everything lies in the root folder, which is no stranger's. */
function isInside(path: string, folder: string): boolean {
  if (folder === dirname(folder)) return false;
  return path === folder || path.startsWith(`${folder}${sep}`);
}

/** Whether anyone could have put it there, or put something else in its place. */
async function writableByOthers(real: string): Promise<string | null> {
  if (((await stat(real)).mode & OTHERS_WRITE) !== 0) return 'anyone may write to it';
  for (let folder = dirname(real), isNearest = true; ; folder = dirname(folder), isNearest = false) {
    const { mode } = await stat(folder);
    // In a sticky folder nobody can replace what is not theirs, but anybody can add.
    if ((mode & OTHERS_WRITE) !== 0 && (isNearest || (mode & STICKY) === 0)) return `anyone may write to ${folder}`;
    if (folder === dirname(folder)) return null;
  }
}

function refused(found: string, why: string): ResolvedExecutable {
  const detail = `The yc at ${JSON.stringify(found)} is not run: ${why}.`;
  const hint = 'Install yc outside of it, or name another one with --yc PATH (INFRA_YC).';
  return { kind: 'unusable', why: diagnostic('UNSAFE_PATH', detail, { hint, retryable: false }) };
}

function missing({ given }: ExecutableRequest): ResolvedExecutable {
  const detail =
    given === null ? 'There is no yc in PATH.' : `There is no executable file at ${JSON.stringify(given)}.`;
  const hint = 'Install the Yandex Cloud CLI, or name it with --yc PATH (INFRA_YC).';
  return {
    kind: 'unusable',
    why: diagnostic('UNAVAILABLE', detail, { hint, retryable: false }),
    isStated: given !== null,
  };
}
