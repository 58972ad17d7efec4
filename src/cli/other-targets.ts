import { newestRows } from '../eventlog/newest.ts';
import type { OpenedLogs } from './compose-logs.ts';
import type { WorkflowCall } from './workflow-types.ts';

/** Enough to see what a log is about, and read in no time. */
const LOOKED_AT = 200;

/** Where nothing is owned on the target, and the log's newest rows are about others: which, and how they are asked for. */
export async function tellOtherTargets({ output }: WorkflowCall, logs: OpenedLogs, target: string): Promise<void> {
  const targets = new Set((await newestRows(logs.parts, LOOKED_AT)).flatMap(({ entry }) => entry.target ?? []));
  if (targets.size === 0 || targets.has(target)) return;
  const shown = [...targets].sort().map((other) => `${other} (${flagOf(other)})`);
  output.log.note(`The log says nothing about ${target}; its rows are about ${shown.join(', ')}.`);
}

function flagOf(target: string): string {
  if (target === 'cloud') return 'no flag';
  return target === 'emulator' ? '--emulator' : `--endpoint ${target}`;
}
