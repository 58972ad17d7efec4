import { Command, CommanderError } from 'commander';
import { diagnostic } from '../core/codes.ts';
import { DiagnosticError } from '../core/diagnostics.ts';
import type { CommandEntry, CommandModule, Invocation } from './command.ts';
import { COMMANDS } from './commands.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { reportFailure } from './failure.ts';
import { addExamples } from './flags.ts';
import type { Host } from './host.ts';
import { VERSION } from './version.ts';

const ABOUT =
  'Declarative cloud infrastructure without a state file: plan a playbook against the live cloud, apply exactly what was reviewed.';

/** Runs one command line, without the program's name in front, and says how the process ends. Never throws. */
export async function runCli(given: readonly string[], host: Host): Promise<ExitCode> {
  const argv = given[0] === 'help' ? [...given.slice(1), '--help'] : given;
  const entry = COMMANDS.find(({ name }) => name === argv.find((word) => !word.startsWith('-')));
  try {
    const module = entry === undefined ? null : await entry.load();
    const invocation = parse(argv, host, entry ?? null, module);
    return module === null || invocation === null ? EXIT.done : await module.run(host, invocation);
  } catch (error) {
    return reportFailure(host, argv, entry?.name ?? 'infra', error);
  }
}

/** Null where help or the version was asked for, and has been printed. Throws DiagnosticError (USAGE). */
function parse(
  argv: readonly string[],
  host: Host,
  entry: CommandEntry | null,
  module: CommandModule | null,
): Invocation | null {
  let invocation: Invocation | null = null;
  const program = rootCommand(host);
  for (const { name, summary } of COMMANDS) {
    const command = program.command(name).description(summary).helpOption('-h, --help', 'show this help');
    if (name !== entry?.name || module === null) continue;
    module.configure(command);
    command.action(() => {
      invocation = {
        operands: command.processedArgs.flat().filter((item): item is string => typeof item === 'string'),
        options: command.opts(),
        runOther: runCli,
      };
    });
  }
  try {
    program.parse([...argv], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode !== 0) throw usageError(error, entry);
  }
  return invocation;
}

function rootCommand(host: Host): Command {
  const program = new Command('infra')
    .description(ABOUT)
    .version(VERSION, '--version', 'print the version')
    .helpOption('-h, --help', 'show this help')
    .helpCommand(false)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => host.stdout.write(text),
      // Usage errors are reported like all others.
      writeErr: () => {},
      getOutHelpWidth: () => host.stdout.columns ?? 100,
      getOutHasColors: () => false,
    });
  return addExamples(program, [
    'infra plan org.yaml',
    'infra apply org.yaml --confirm <digest>',
    'infra plan org.yaml --emulator',
  ]);
}

/** Of the contract, and not in this version. */
const LATER_FLAGS: ReadonlySet<string> = new Set(['--preflight', '--record', '--replay']);
/** What means the same everywhere; a verb that has no use for one says that rather than not to know it. */
const COMMON_FLAGS: ReadonlySet<string> = new Set(
  (
    'set workload stack eventlog read-eventlog reconcile target exclude step offline untrusted emulator credential ' +
    'endpoint yc config parallelism timeout fail-fast lock-timeout out detailed-exitcode show-reads actor ' +
    'allow-endpoint allow-path allow-self-lockout take-over guard-org max-age no-rollback include-found skip-invalid ' +
    'plan-destroy grants'
  )
    .split(' ')
    .map((name) => `--${name}`),
);
const LATER_COMMANDS: ReadonlySet<string> = new Set(['graph', 'schema', 'completion', 'init', 'fleet']);

function notAvailable({ code, message }: CommanderError): DiagnosticError | null {
  const word = /'([^'=]+)/.exec(message)?.[1] ?? '';
  const known =
    (code === 'commander.unknownOption' && LATER_FLAGS.has(word)) ||
    (code === 'commander.unknownCommand' && LATER_COMMANDS.has(word));
  const shown = word.startsWith('-') ? word : `infra ${word}`;
  return known ? new DiagnosticError([diagnostic('NOT_AVAILABLE', `${shown} is not in this version.`)]) : null;
}

function withoutMeaning(
  { code, message }: CommanderError,
  entry: CommandEntry | null,
  help: string,
): DiagnosticError | null {
  const word = /'([^'=]+)/.exec(message)?.[1] ?? '';
  if (entry === null || code !== 'commander.unknownOption' || !COMMON_FLAGS.has(word)) return null;
  const detail = `${word} has no meaning for infra ${entry.name}.`;
  return new DiagnosticError([diagnostic('USAGE', detail, { hint: `see ${help}` })]);
}

/** Commander's message without its prefix, its suggestion as the hint. */
function usageError(error: CommanderError, entry: CommandEntry | null): DiagnosticError {
  const help = `infra ${entry === null ? '' : `${entry.name} `}--help`;
  if (error.code === 'commander.help')
    return new DiagnosticError([diagnostic('USAGE', `A command is missing. \`${help}\` lists them.`)]);
  const later = notAvailable(error) ?? withoutMeaning(error, entry, help);
  if (later !== null) return later;
  const [message = '', suggestion] = error.message.replace(/^error: /, '').split('\n');
  const meant = /\(Did you mean (?:one of )?(.+)\?\)/.exec(suggestion ?? '')?.[1];
  const hint = meant === undefined ? `see ${help}` : `did you mean ${meant}?`;
  return new DiagnosticError([
    diagnostic('USAGE', `${message.charAt(0).toUpperCase()}${message.slice(1).replace(/\.$/, '')}.`, { hint }),
  ]);
}
