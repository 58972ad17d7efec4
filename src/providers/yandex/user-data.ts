import { constants } from 'node:fs';
import { mkdtemp, open, realpath, rm, writeFile } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { type Code, diagnostic } from '../../core/codes.ts';
import type { Diagnostic } from '../../core/diagnostics.ts';
import { isJsonObject, sha256Hex } from '../../core/json.ts';
import type { Declaration, InputProblem } from '../../core/resource.ts';
import { CLAIM_FILE, COPY_FILE, COPY_PREFIX } from '../private-copy.ts';
import { oneDocument } from './one-document.ts';

/** Where files of user data may lie, and whose they are. */
export interface UserDataPlace {
  /** The folder of the playbook; null: there is none, so no file can be named. */
  readonly folder: string | null;
  /** `--allow-path`. */
  readonly allowed: readonly string[];
  /** The caller's user id; null where the system has none. */
  readonly uid: number | null;
  /** Where private copies are made. */
  readonly tempFolder: string;
  /** Who makes a copy, written beside it, so that what a killed process leaves can be told. Left out: nobody says. */
  readonly claim?: () => string;
  /** Removes what killed processes left. Left out: nothing does. */
  readonly sweep?: () => Promise<void>;
}

export type UserData =
  | { readonly kind: 'ok'; readonly content: Buffer }
  /** As a diagnostic, and as what is wrong with a step's input. */
  | { readonly kind: 'refused'; readonly why: Diagnostic; readonly problem: InputProblem };

type Refused = Extract<UserData, { kind: 'refused' }>;

const MAX_BYTES = 256 * 1024;
const GROUP_AND_OTHERS = 0o077;
const HEADER = '#cloud-config';
const FIELDS: ReadonlySet<string> = new Set([
  'ssh_pwauth',
  'disable_root',
  'users',
  'package_update',
  'package_upgrade',
  'packages',
  'write_files',
  'runcmd',
]);

function refused(code: Code, detail: string, hint: string | null, key = 'user_data_file'): Refused {
  const problem = { path: [key], code, detail, ...(hint === null ? {} : { hint }) };
  return { kind: 'refused', why: diagnostic(code, detail, { hint, retryable: false }), problem };
}

function unsafe(detail: string, hint: string | null = null): Refused {
  return refused('UNSAFE_FILE', detail, hint);
}

function invalid(detail: string, hint: string | null = null): Refused {
  return refused('INVALID_VALUE', detail, hint);
}

/** Reads a file of user data once, and refuses it where anything about it is not as it must be. Its content is never shown. */
export async function readUserData(file: string, sha256: string, place: UserDataPlace): Promise<UserData> {
  const path = await confined(file, place);
  if (typeof path !== 'string') return path;
  const content = await readOwn(path, file, place.uid);
  if ('kind' in content) return content;
  if (sha256Hex(content) !== sha256)
    return refused(
      'INVALID_VALUE',
      `${shown(file)} is not the file of user_data_sha256: its digest is another one.`,
      'Review it, then mend the digest.',
      'user_data_sha256',
    );
  return contentProblem(content, file) ?? { kind: 'ok', content };
}

/** The same, said of a step's inputs, before anything else is done; without a place the file is not looked at. */
export async function userDataProblems(
  { desired, options }: Pick<Declaration, 'desired' | 'options'>,
  place: UserDataPlace | null,
): Promise<readonly InputProblem[]> {
  const [file, sha256] = [options['user_data_file'], desired['user_data_sha256']];
  if (typeof file !== 'string' || typeof sha256 !== 'string') return [];
  if (place === null)
    return [refused('FILE_NOT_READ', `${shown(file)} is not opened for a stranger's playbook.`, null).problem];
  const data = tempFolderProblem(place) ?? (await readUserData(file, sha256, place));
  return data.kind === 'ok' ? [] : [data.problem];
}

function shown(file: string): string {
  return `The user data ${JSON.stringify(file)}`;
}

/** The path without symlinks, below a folder that is allowed. */
async function confined(file: string, { folder, allowed }: UserDataPlace): Promise<string | Refused> {
  if (file.split('/').includes('..')) return unsafe(`${shown(file)} has ".." in its path.`);
  if (folder === null && !isAbsolute(file)) return unsafe(`${shown(file)} has no folder of a playbook to lie in.`);
  const written = folder === null ? file : resolve(folder, file);
  for (const base of [...(folder === null ? [] : [folder]), ...allowed]) {
    const below = relative(base, written);
    if (below === '' || below.startsWith('..') || isAbsolute(below)) continue;
    const realBase = await realpath(base).catch(() => null);
    if (realBase === null) continue;
    const path = join(realBase, below);
    const real = await realpath(path).catch(() => null);
    if (real === null) return missing(file);
    return real === path ? path : unsafe(`${shown(file)} is reached through a symlink.`);
  }
  return unsafe(
    `${shown(file)} does not lie in the folder of the playbook.`,
    `If it is yours, pass --allow-path ${JSON.stringify(dirname(written))}.`,
  );
}

function missing(file: string): Refused {
  return refused('FILE_UNREADABLE', `${shown(file)} is not there or can't be read.`, null);
}

/** Opened once, without following a symlink and without waiting for a pipe; what is checked is what is read. */
async function readOwn(path: string, file: string, uid: number | null): Promise<Buffer | Refused> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  const handle = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(() => null);
  if (handle === null) return missing(file);
  try {
    const info = await handle.stat();
    if (!info.isFile()) return unsafe(`${shown(file)} is no regular file.`);
    if (uid !== null && info.uid !== uid) return unsafe(`${shown(file)} belongs to another user.`);
    if (uid !== null && (info.mode & GROUP_AND_OTHERS) !== 0)
      return unsafe(`${shown(file)} may be read or written by others.`, `chmod go= ${file}`);
    if (info.size > MAX_BYTES) return tooLarge(file);
    const buffer = Buffer.alloc(MAX_BYTES + 1);
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
    return bytesRead > MAX_BYTES ? tooLarge(file) : buffer.subarray(0, bytesRead);
  } catch {
    return missing(file);
  } finally {
    await handle.close();
  }
}

function tooLarge(file: string): Refused {
  return invalid(`${shown(file)} has more than ${MAX_BYTES / 1024} KiB.`);
}

/** What it must be: a JSON object with known fields, and nothing that `yc` would put its own environment into. */
function contentProblem(content: Buffer, file: string): Refused | null {
  const text = decode(content);
  if (text === null) return invalid(`${shown(file)} is no UTF-8 text.`);
  const body = text.startsWith(`${HEADER}\n`) ? text.slice(HEADER.length) : text;
  const value = oneDocument(body);
  if (!isJsonObject(value))
    return invalid(
      `${shown(file)} must be one JSON object without a key that stands twice, with or without a first line ${HEADER}.`,
    );
  const strange = Object.keys(value).filter((key) => !FIELDS.has(key));
  if (strange.length > 0)
    return invalid(
      `${shown(file)} has fields that are not accepted (${strange.length}).`,
      `Accepted: ${[...FIELDS].join(', ')}.`,
    );
  if (text.replaceAll('$$', '').includes('$'))
    return invalid(
      `${shown(file)} has a "$" that yc would replace by a variable of its own environment.`,
      'Write "$$" for each "$" that is meant.',
    );
  return null;
}

function decode(content: Buffer): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content);
  } catch {
    return null;
  }
}

/** What a flag takes apart, or might: how it reads quotes and brackets is nowhere said. */
const SEPARATORS = /[,=[\]{}"'`$\\\p{C}\p{Zl}\p{Zp}]/u;

/** Why no private copy could be handed on from the folder of temporary files; null: it can. */
export function tempFolderProblem({ tempFolder }: UserDataPlace): Refused | null {
  if (!SEPARATORS.test(tempFolder)) return null;
  return unsafe(
    'The folder of temporary files (TMPDIR), through which the user data goes, has a character in its path that yc takes apart.',
    'TMPDIR=/tmp',
  );
}

/** A copy that only the caller can read. */
export interface PrivateCopy {
  readonly path: string;
  /** False where it could not be removed. */
  remove(): Promise<boolean>;
}

/** Makes a private copy; null where none can be made. */
export async function privateCopy(content: Buffer, place: UserDataPlace): Promise<PrivateCopy | null> {
  const { tempFolder, claim, sweep } = place;
  await sweep?.();
  const folder = await mkdtemp(`${tempFolder}${sep}${COPY_PREFIX}`).catch(() => null);
  if (folder === null) return null;
  const remove = () =>
    rm(folder, { recursive: true, force: true }).then(
      () => true,
      () => false,
    );
  const path = join(folder, COPY_FILE);
  try {
    if (claim !== undefined) await writeFile(join(folder, CLAIM_FILE), claim(), { mode: 0o600, flag: 'wx' });
    await writeFile(path, content, { mode: 0o600, flag: 'wx' });
    return { path, remove };
  } catch {
    await remove();
    return null;
  }
}
