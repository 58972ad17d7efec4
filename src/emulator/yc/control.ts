import { rmSync } from 'node:fs';
import { commandLogOf, readLog } from './command-log.ts';
import type { FakeYcFault, FakeYcKnobs, FakeYcLogLine } from './options.ts';
import type { FakeYcState } from './world/state.ts';
import { readState, transact } from './world/store.ts';

export type LoggedCommand = Extract<FakeYcLogLine, { event: 'start' }> & {
  /** Undefined for one that runs, or was killed. */
  readonly exitCode: number | undefined;
};

/** Drives a fake from a test: faults, knobs, changes behind everybody's back, and what has been called. */
export interface FakeYcControl {
  readonly stateFile: string;
  state(): FakeYcState;
  change(edit: (state: FakeYcState) => void): void;
  addFaults(...faults: readonly FakeYcFault[]): void;
  clearFaults(): void;
  setKnobs(knobs: FakeYcKnobs): void;
  /** In the order of their starts. */
  commands(): readonly LoggedCommand[];
  clearCommands(): void;
}

export function controlFakeYc(stateFile: string): FakeYcControl {
  const change = (edit: (state: FakeYcState) => void) => transact(stateFile, edit);
  return {
    stateFile,
    state: () => readState(stateFile),
    change,
    addFaults: (...faults) =>
      change((state) => {
        state.faults.push(...faults.map((fault) => ({ fault, seen: 0 })));
      }),
    clearFaults: () =>
      change((state) => {
        state.faults = [];
      }),
    setKnobs: (knobs) =>
      change((state) => {
        state.knobs = { ...state.knobs, ...knobs };
      }),
    commands: () => pairs(readLog(stateFile)),
    clearCommands: () => rmSync(commandLogOf(stateFile), { force: true }),
  };
}

function pairs(lines: readonly FakeYcLogLine[]): readonly LoggedCommand[] {
  return lines.flatMap((line, at) => {
    if (line.event === 'end') return [];
    const end = lines.slice(at + 1).find((later) => later.pid === line.pid);
    return [{ ...line, exitCode: end?.event === 'end' ? end.exitCode : undefined }];
  });
}
