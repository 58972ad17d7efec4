import type { FakeYcFaultAction } from '../options.ts';
import type { ArmedFault, FakeYcState } from '../world/state.ts';

type Beside = Extract<FakeYcFaultAction, { kind: 'delay' | 'echo' | 'hide' | 'patch' }>;
export type MainAction = Exclude<FakeYcFaultAction, Beside>;

export interface DueFaults {
  /** At most one beside the others: the first in the order of addition. */
  readonly main: MainAction | undefined;
  readonly beside: readonly Beside[];
}

/** Counts the command for every fault that matches it, and tells what is due. */
export function dueFaults(state: FakeYcState, words: string, argv: readonly string[]): DueFaults {
  const due = state.faults
    .filter((armed) => matches(armed, words, argv) && isDue(armed))
    .map(({ fault }) => fault.action);
  return { main: due.find(isMain), beside: due.filter(isBeside) };
}

function matches({ fault }: ArmedFault, words: string, argv: readonly string[]): boolean {
  const byWords = fault.match === undefined || words === fault.match || words.startsWith(`${fault.match} `);
  return byWords && (fault.argv === undefined || new RegExp(fault.argv).test(argv.join(' ')));
}

function isDue(armed: ArmedFault): boolean {
  armed.seen += 1;
  const first = armed.fault.nth ?? 1;
  const times = armed.fault.times ?? (armed.fault.nth === undefined ? Number.POSITIVE_INFINITY : 1);
  return armed.seen >= first && armed.seen < first + times;
}

function isBeside(action: FakeYcFaultAction): action is Beside {
  return action.kind === 'delay' || action.kind === 'echo' || action.kind === 'hide' || action.kind === 'patch';
}

function isMain(action: FakeYcFaultAction): action is MainAction {
  return !isBeside(action);
}
