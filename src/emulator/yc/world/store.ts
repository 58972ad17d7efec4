import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { FakeFailure } from '../cli/failures.ts';
import { withLock } from './lock.ts';
import { emptyState, type FakeYcState } from './state.ts';

/** Changes the state in one step that no other process sees half of; a throw changes nothing. */
export function transact<T>(path: string, run: (state: FakeYcState) => T): T {
  return withLock(`${path}.lock`, () => {
    const state = readState(path);
    const before = JSON.stringify(state);
    const result = run(state);
    const after = JSON.stringify(state);
    if (after !== before) replace(path, after);
    return result;
  });
}

/** Makes the state if there is none, and changes it. */
export function createOrTransact(path: string, run: (state: FakeYcState) => void): void {
  withLock(`${path}.lock`, () => {
    const state = existsSync(path) ? readState(path) : emptyState();
    run(state);
    replace(path, JSON.stringify(state));
  });
}

/** Written by renaming, so it can be read at any time. */
export function readState(path: string): FakeYcState {
  let parsed: unknown;
  try {
    parsed = JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    throw new FakeFailure(`there is no state at ${path}`);
  }
  if (!isState(parsed)) throw new FakeFailure(`${path} is not a state file of the fake yc`);
  return { ...emptyState(), ...parsed };
}

function replace(path: string, text: string): void {
  const temporary = `${path}.${process.pid}.tmp`;
  writeFileSync(temporary, text, { mode: 0o600 });
  renameSync(temporary, path);
}

function isState(value: unknown): value is FakeYcState {
  return typeof value === 'object' && value !== null && 'format' in value && value.format === 1;
}
