import type { LogState } from '../eventlog/event-log.ts';
import { type Authority, authorityOf } from './authority.ts';
import type { Place } from './place.ts';
import type { Project, WorkflowCall } from './workflow-types.ts';

export interface TargetRequest {
  /** What flags and playbooks say; the real cloud where they say nothing. */
  readonly said: string;
  /** Whether the cloud is looked at: the emulator is not started because rows name it. */
  readonly looks: boolean;
  read(target: string): Promise<LogState>;
}

interface TargetState {
  readonly target: string;
  readonly state: LogState;
}

/**
 * The target of a verb that takes none from a playbook, and what the log knows of it: the one of `--endpoint` and
 * `--emulator`, else the one that all rows of the log name, else the real cloud, with a note about the others.
 */
export async function readOfTarget(call: WorkflowCall, { said, looks, read }: TargetRequest): Promise<TargetState> {
  const state = await read(said);
  const { emulator, endpoint } = call.flags;
  const isSaid = emulator || endpoint !== null;
  const [only = said, ...more] = state.targets;
  if (isSaid || more.length > 0 || (looks && only === 'emulator')) {
    if (!isSaid || !state.targets.includes(said)) tellOtherTargets(call, state, said);
    return { target: said, state };
  }
  return { target: only, state: only === said ? state : await read(only) };
}

/** Whose authority a verb that looks at the cloud has, at the playbook's target or at the one of the log's rows. */
export async function authorityAt(
  call: WorkflowCall,
  place: Place,
  project: Project | null,
  read: (target: string) => Promise<LogState>,
): Promise<{ readonly authority: Authority; readonly state: LogState }> {
  if (project === null) {
    const { target: said } = authorityOf(call.flags, place, []);
    const { target, state } = await readOfTarget(call, { said, looks: true, read });
    return { authority: authorityOf(call.flags, place, [], target), state };
  }
  const authority = authorityOf(call.flags, place, [project]);
  const state = await read(authority.target);
  if (!state.targets.includes(authority.target)) tellOtherTargets(call, state, authority.target);
  return { authority, state };
}

/** Where the log's rows are about other targets: about which, and how they are asked for. */
function tellOtherTargets({ output }: WorkflowCall, { targets }: LogState, target: string): void {
  const others = targets.filter((other) => other !== target);
  if (others.length === 0) return;
  const shown = others.map((other) => `${other} (${flagOf(other)})`).join(', ');
  output.log.note(
    targets.includes(target)
      ? `This is about ${target} alone; the log's rows are also about ${shown}.`
      : `The log says nothing about ${target}; its rows are about ${shown}.`,
  );
}

function flagOf(target: string): string {
  if (target === 'cloud') return 'no flag';
  return target === 'emulator' ? '--emulator' : `--endpoint ${target}`;
}
