import { Readable } from 'node:stream';
import { childProcesses } from '../../src/cli/child-process.ts';
import type { Host, OutputStream, SignalName } from '../../src/cli/host.ts';
import { runCli } from '../../src/cli/program.ts';
import { type Ended, environment, type SpawnOptions } from './cli-process.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** A process made of values: what a command writes is kept, and signals are sent by the test. */
export interface FakeHost extends Host {
  readonly written: { stdout: string; stderr: string };
  readonly questions: string[];
  readonly quits: number[];
  send(signal: SignalName): void;
}

export interface FakeHostOptions {
  readonly cwd?: string;
  readonly home?: string;
  readonly uid?: number;
  readonly env?: Host['env'];
  readonly tty?: boolean;
  /** What is answered to questions, in order; then the input has ended. */
  readonly answers?: readonly string[];
  readonly now?: () => number;
  /** What stdin holds. */
  readonly input?: string;
  /** Left out: each command is a process of its own. */
  readonly runnerOf?: Host['runnerOf'];
}

export function fakeHost(options: FakeHostOptions = {}): FakeHost {
  const written = { stdout: '', stderr: '' };
  const questions: string[] = [];
  const quits: number[] = [];
  const answers = [...(options.answers ?? [])];
  const listeners = new Set<(signal: SignalName) => void>();
  const tty = options.tty ?? false;
  const stream = (name: 'stdout' | 'stderr'): OutputStream => ({
    isTTY: tty,
    columns: tty ? 100 : null,
    write: (text) => {
      written[name] += text;
    },
  });
  return {
    cwd: options.cwd ?? '/nowhere',
    env: options.env ?? {},
    home: options.home ?? '/nowhere/home',
    user: 'tester',
    uid: options.uid ?? null,
    hostname: 'test-host',
    stdinIsTTY: tty,
    openStdin: () => Readable.from([Buffer.from(options.input ?? '')]),
    stdout: stream('stdout'),
    stderr: stream('stderr'),
    ask: async (question) => {
      questions.push(question);
      return answers.shift() ?? null;
    },
    runnerOf: options.runnerOf ?? ((program) => childProcesses(program)),
    onSignal: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    quit: (code) => quits.push(code),
    now: options.now ?? (() => Date.now()),
    written,
    questions,
    quits,
    send: (signal) => {
      for (const listener of listeners) listener(signal);
    },
  };
}

/** Runs a command line inside this process. */
export async function runInfra(argv: readonly string[], options: FakeHostOptions = {}) {
  const host = fakeHost(options);
  const code = await runCli(argv, host);
  return { code, stdout: host.written.stdout, stderr: host.written.stderr, host };
}

/** Runs a command line as a process in its folder would, which is its home too, but inside this process. */
export async function infraInside(
  argv: readonly string[],
  options: SpawnOptions & Pick<FakeHostOptions, 'runnerOf'> = {},
): Promise<Ended> {
  const cwd = options.cwd ?? temporaryFolder();
  const { env, input = '', runnerOf = childProcesses } = options;
  const uid = process.getuid?.();
  const host = { cwd, home: cwd, env: environment(cwd, env), input, runnerOf, ...(uid === undefined ? {} : { uid }) };
  const { code, stdout, stderr } = await runInfra(argv, host);
  return { code, signal: null, stdout, stderr };
}
