import type { Command } from 'commander';
import type { ExitCode } from './exit-codes.ts';
import type { Host } from './host.ts';

/** What the command line held, still untyped: commander's operands and options by camel-cased name. */
export interface Invocation {
  readonly operands: readonly string[];
  readonly options: Options;
  /** Runs another command line. */
  runOther(argv: readonly string[], host: Host): Promise<ExitCode>;
}
export type Options = Readonly<Record<string, unknown>>;

/** One verb. */
export interface CommandModule {
  /** Adds operands, flags and examples. */
  configure(command: Command): void;
  /** Does it and says how the process ends. Expected trouble is thrown as DiagnosticError. */
  run(host: Host, invocation: Invocation): Promise<ExitCode>;
}

/** A verb before it is loaded. */
export interface CommandEntry {
  readonly name: string;
  readonly summary: string;
  load(): Promise<CommandModule>;
}
