import { CommandResult, type CommandRunner } from '../command-runner.ts';

/** Commands that only read: a version, a list, a get. */
const READING_VERBS: ReadonlySet<string> = new Set(['list', 'get']);

/** A runner through which only reads pass; anything else is not started, whoever asks for it. */
export function readOnlyRunner(runner: CommandRunner): CommandRunner {
  return {
    run: async (command, timeoutSeconds) =>
      isRead(command)
        ? await runner.run(command, timeoutSeconds)
        : new CommandResult({ end: 'not_started', exitCode: null, stdout: '', stderr: '', elapsedMs: 0 }),
  };
}

function isRead(command: readonly string[]): boolean {
  return command.length === 1 ? command[0] === '--version' : READING_VERBS.has(command[2] ?? '');
}
