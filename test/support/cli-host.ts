import { Readable } from 'node:stream';
import type { Host, OutputStream, SignalName } from '../../src/cli/host.ts';
import { runCli } from '../../src/cli/program.ts';

/** A process made of values: what a command writes is kept, and signals are sent by the test. */
export interface FakeHost extends Host {
  readonly written: { stdout: string; stderr: string };
  readonly questions: string[];
  readonly quits: number[];
  send(signal: SignalName): void;
}

export interface FakeHostOptions {
  readonly cwd?: string;
  readonly env?: Host['env'];
  readonly tty?: boolean;
  /** What is answered to questions, in order; then the input has ended. */
  readonly answers?: readonly string[];
  readonly now?: () => number;
  /** What stdin holds. */
  readonly input?: string;
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
    home: '/nowhere/home',
    user: 'tester',
    uid: null,
    hostname: 'test-host',
    stdinIsTTY: tty,
    openStdin: () => Readable.from([Buffer.from(options.input ?? '')]),
    stdout: stream('stdout'),
    stderr: stream('stderr'),
    ask: async (question) => {
      questions.push(question);
      return answers.shift() ?? null;
    },
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
