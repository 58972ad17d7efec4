import { Buffer } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { FakeYcHost } from '../../src/emulator/yc/host.ts';
import { runFakeYc } from '../../src/emulator/yc/run.ts';
import {
  type CommandEnd,
  CommandResult,
  type CommandRunner,
  type Program,
} from '../../src/providers/command-runner.ts';

export interface YcInsideOptions extends Pick<Program, 'environment' | 'signal'> {
  readonly stateFile: string;
}

/**
 * Runs the fake `yc` inside this process: for tests of commands and answers, since a process a command takes most of
 * their time. That it gives what a process gives is shown in test/providers/yandex/child-process.test.ts.
 */
export function createYcInside(options: YcInsideOptions): CommandRunner {
  return {
    run: (command, timeoutSeconds) =>
      options.signal?.aborted === true
        ? Promise.resolve(UNTRIED)
        : new InsideCommand(options, command).end(timeoutSeconds * 1000),
  };
}

const UNTRIED = new CommandResult({ end: 'prevented', exitCode: null, stdout: '', stderr: '', elapsedMs: 0 });

/** Of no process, so that the log can tell commands at the same time apart. */
let pid = 2 ** 22;

class InsideCommand {
  readonly #options: YcInsideOptions;
  readonly #command: readonly string[];
  readonly #started = Date.now();
  readonly #output = { stdout: '', stderr: '' };
  readonly #timers: NodeJS.Timeout[] = [];
  #finish: (result: CommandResult) => void = () => undefined;

  constructor(options: YcInsideOptions, command: readonly string[]) {
    this.#options = options;
    this.#command = command;
  }

  end(timeoutMs: number): Promise<CommandResult> {
    return new Promise((resolve, reject) => {
      this.#finish = resolve;
      this.#later(timeoutMs, () => this.#ended('timeout'));
      this.#options.signal?.addEventListener('abort', this.#onAbort, { once: true });
      runFakeYc(this.#host(), this.#options.stateFile).then((code) => this.#ended('exited', code), reject);
    });
  }

  #host(): FakeYcHost {
    pid += 1;
    return {
      argv: this.#command,
      env: this.#options.environment,
      cwd: '/',
      pid,
      platform: 'linux/amd64',
      stdin: 'null',
      readFile: (path) => readFileSync(resolve('/', path), 'utf8'),
      write: async (stream, text) => {
        this.#output[stream] += text;
      },
      // What waits at the deadline would have been killed there.
      wait: (ms) => new Promise((done) => this.#later(ms, done)),
      hang: () => new Promise<never>(() => undefined),
      die: () => {
        this.#ended('signal');
        return new Promise<never>(() => undefined);
      },
    };
  }

  readonly #onAbort = () => this.#ended('aborted');

  #later(ms: number, run: () => void): void {
    this.#timers.push(setTimeout(run, ms));
  }

  #ended(end: CommandEnd, exitCode: number | null = null): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#options.signal?.removeEventListener('abort', this.#onAbort);
    const stdout = asRead(this.#output.stdout);
    const stderr = asRead(this.#output.stderr);
    this.#finish(new CommandResult({ end, exitCode, stdout, stderr, elapsedMs: Date.now() - this.#started }));
  }
}

/** Text that has been bytes. */
function asRead(text: string): string {
  return Buffer.from(text).toString('utf8');
}
