import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { emptyState, type WorldState } from './state.ts';

/** The state kept in `path`, or undefined when there is none yet. */
export function loadState(path: string): WorldState | undefined {
  if (!existsSync(path)) return undefined;
  const parsed: unknown = JSON.parse(readFileSync(path, 'utf8'));
  if (!isState(parsed)) throw new Error(`${path} is not a state file of the Google emulator`);
  return { ...emptyState(), ...parsed };
}

/** Replaces the file in one step, so that a kill leaves the old state or the new one. */
export function saveState(path: string, state: WorldState): void {
  const temporary = `${path}.${process.pid}.tmp`;
  writeFileSync(temporary, JSON.stringify(state), { mode: 0o600 });
  renameSync(temporary, path);
}

function isState(value: unknown): value is WorldState {
  return typeof value === 'object' && value !== null && 'format' in value && value.format === 1;
}
