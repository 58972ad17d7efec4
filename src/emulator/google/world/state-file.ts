import { randomUUID } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { emptyState, type WorldState } from './state.ts';
import { isState } from './state-check.ts';
import { StateFileError } from './state-file-error.ts';
import { withLock } from './state-lock.ts';

/** What the file holds: a state, none yet, or what was read or written last. */
export type Kept =
  | { readonly kind: 'state'; readonly state: WorldState }
  | { readonly kind: 'none' }
  | { readonly kind: 'same' };

const BEGINNING = /^\{"revision":"[0-9a-f-]{36}",/;

/** A state that several processes share through a file. */
export class StateFile {
  readonly path: string;
  /** How the content that this process knows begins; every write begins otherwise. */
  private known: string | undefined;

  constructor(path: string) {
    this.path = path;
  }

  /** Runs the function while no other process changes the file. */
  locked<T>(run: () => T): T {
    return withLock(`${this.path}.lock`, run);
  }

  read(): Kept {
    const file = openNoFollow(this.path);
    if (file === undefined) return { kind: 'none' };
    try {
      if (!fstatSync(file).isFile())
        throw new StateFileError('unreadable', this.path, `${this.path} is not a state file: it is no regular file`);
      if (this.known !== undefined && beginningOf(file, this.known.length) === this.known) return { kind: 'same' };
      const text = readFileSync(file, 'utf8');
      const state = parseState(this.path, text);
      this.known = BEGINNING.exec(text)?.[0];
      return { kind: 'state', state };
    } finally {
      closeSync(file);
    }
  }

  /** Replaces the file in one step, so that a kill leaves the old state or the new one. Under the lock only. */
  write(state: WorldState): void {
    const temporary = `${this.path}.${process.pid}.tmp`;
    try {
      rmSync(temporary, { force: true });
      const beginning = `{"revision":"${randomUUID()}",`;
      writeFileSync(temporary, beginning + JSON.stringify(state).slice(1), { mode: 0o600, flag: 'wx' });
      renameSync(temporary, this.path);
      this.known = beginning;
    } catch (error) {
      this.forget();
      throw StateFileError.from('unwritable', this.path, error);
    }
  }

  /** What this process knows is no longer what the file holds. */
  forget(): void {
    this.known = undefined;
  }
}

function beginningOf(file: number, length: number): string {
  const bytes = Buffer.alloc(length);
  return bytes.toString('latin1', 0, readSync(file, bytes, 0, length, 0));
}

function openNoFollow(path: string): number | undefined {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT') return undefined;
    if (code === 'ELOOP')
      throw new StateFileError('link', path, `${path} is a symbolic link, which the emulator doesn't follow`);
    throw StateFileError.from('unreadable', path, error);
  }
}

function parseState(path: string, text: string): WorldState {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw new StateFileError('unreadable', path, `${path} is not a state file of the Google emulator: it is no JSON`);
  }
  if (!isState(parsed))
    throw new StateFileError('unreadable', path, `${path} is not a state file of the Google emulator`);
  const { revision: _, ...state } = parsed;
  return { ...emptyState(), ...state };
}
