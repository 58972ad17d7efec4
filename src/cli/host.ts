import type { Readable } from 'node:stream';
import type { CommandRunner, Program } from '../providers/command-runner.ts';

/** Where text goes; a write never throws. */
export interface OutputStream {
  readonly isTTY: boolean;
  /** Columns of a terminal; null where it is none. */
  readonly columns: number | null;
  write(text: string): void;
}

export type SignalName = 'SIGINT' | 'SIGTERM';

/** The process as the commands see it; tests give one of their own. */
export interface Host {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly user: string;
  /** Null where the system has none. */
  readonly uid: number | null;
  readonly hostname: string;
  readonly stdinIsTTY: boolean;
  /** What comes in, from its start. */
  openStdin(): Readable;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  /** Asks on stderr and reads one line of stdin; null when stdin ends or the question is aborted. */
  ask(question: string, signal: AbortSignal): Promise<string | null>;
  /** Runs another program. */
  runnerOf(program: Program): CommandRunner;
  /** Calls back on each SIGINT and SIGTERM until the returned function is called. */
  onSignal(listener: (signal: SignalName) => void): () => void;
  /** Ends the process at once; for a second interrupt that nothing answers to. */
  quit(code: number): void;
  now(): number;
}
