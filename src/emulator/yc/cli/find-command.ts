import type { Command } from '../resources/command.ts';
import { CommandFailure } from './failures.ts';
import { GLOBAL_FLAGS } from './globals.ts';

export interface FoundCommand {
  /** The words that were recognised, up to a command or as far as they went. */
  readonly words: string;
  /** Undefined for a group, or for `yc` alone. */
  readonly command: Command | undefined;
  /** The arguments without the words of the command. */
  readonly rest: readonly string[];
  /** The first word that names neither a group nor a command; it may be an operand. */
  readonly stray: string | undefined;
}

/** Follows the words from group to group; flags of all commands may stand before and between them. */
export function findCommand(argv: readonly string[], commands: readonly Command[]): FoundCommand {
  const rest: string[] = [];
  let words = '';
  let at = 0;
  for (; at < argv.length; at += 1) {
    const argument = argv[at] ?? '';
    if (argument.startsWith('-')) {
      rest.push(argument);
      if (takesNext(argument) && at + 1 < argv.length) {
        at += 1;
        rest.push(argv[at] ?? '');
      }
      continue;
    }
    const next = words === '' ? argument : `${words} ${argument}`;
    if (!commands.some((command) => command.words === next || command.words.startsWith(`${next} `))) break;
    words = next;
  }
  const command = commands.find((each) => each.words === words);
  return { words, command, rest: [...rest, ...argv.slice(at)], stray: argv[at] };
}

function takesNext(argument: string): boolean {
  const type = GLOBAL_FLAGS[argument.slice(2)];
  return type !== undefined && type !== 'bool';
}

/** As recorded for a stray word behind `create`. */
export function unknownCommand(word: string, words: string, usage: string): CommandFailure {
  const path = ['yc', words].filter(Boolean).join(' ');
  return new CommandFailure(
    [
      `unknown command "${word}" for "${path}"`,
      '',
      `Usage: ${path} ${usage}`,
      `For detailed information on this command and its flags, run: ${path} --help`,
    ].join('\n'),
  );
}
