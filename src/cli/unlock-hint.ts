import { dirname, sep } from 'node:path';
import { type Diagnostic, DiagnosticError } from '../core/diagnostics.ts';
import { shellCommand } from '../views/shell.ts';
import type { WorkflowFlags } from './workflow-flags.ts';

type LogFlags = Pick<WorkflowFlags, 'emulator' | 'eventlog' | 'config'>;

const BARE = /infra unlock (--force )?([0-9a-f]+)$/;
const LOCK_CODES: ReadonlySet<string> = new Set(['LOCK_STALE', 'LOCK_HELD']);

/** A log knows its lock by id only; from the command line it takes the flags, too, that lead to that log. */
export function withUnlockFlags(error: unknown, flags: LogFlags, configFile: string | null, cwd: string): unknown {
  if (!(error instanceof DiagnosticError)) return error;
  if (error.diagnostics.every(({ code }) => !LOCK_CODES.has(code))) return error;
  const words = lockedLog(flags, configFile, cwd);
  return words.length === 0 ? error : new DiagnosticError(error.diagnostics.map((item) => complete(item, words)));
}

function complete(item: Diagnostic, words: readonly string[]): Diagnostic {
  if (!LOCK_CODES.has(item.code)) return item;
  const whole = (text: string) =>
    text.replace(BARE, (_, force: string | undefined, id: string) =>
      shellCommand(['infra', 'unlock', ...(force === undefined ? [] : ['--force']), id, ...words]),
    );
  return { ...item, detail: whole(item.detail), hint: item.hint === null ? null : whole(item.hint) };
}

function lockedLog(
  { emulator, eventlog, config }: LogFlags,
  configFile: string | null,
  cwd: string,
): readonly string[] {
  const file = config ?? (isFoundFrom(configFile, cwd) ? null : configFile);
  return [
    ...(emulator ? ['--emulator'] : []),
    ...(eventlog === null ? [] : ['--eventlog', eventlog]),
    ...(file === null ? [] : ['--config', file]),
  ];
}

/** Whether infra.yaml is the one that is found from the current folder. */
export function isFoundFrom(file: string | null, cwd: string): boolean {
  return file === null || `${cwd}${sep}`.startsWith(dirname(file) + sep);
}
