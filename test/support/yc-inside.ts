import { Buffer } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { FakeYcHost } from '../../src/emulator/yc/host.ts';
import { runFakeYc } from '../../src/emulator/yc/run.ts';
import { type CommandEnd, CommandResult, type CommandRunner } from '../../src/providers/yandex/command-result.ts';
import { reducedEnvironment } from '../../src/providers/yandex/environment.ts';

export interface YcInsideOptions {
  readonly stateFile: string;
  /** The caller's environment; the command gets what the real runner passes of it. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/**
 * Runs the fake `yc` inside this process: for tests of commands and answers, since a process a command takes most of
 * their time. That it gives what the real runner gives is shown in test/providers/yandex/child-process.test.ts.
 */
export function createYcInside(options: YcInsideOptions): CommandRunner {
  return { run: (command, timeoutSeconds) => new InsideCommand(options, command).end(timeoutSeconds * 1000) };
}

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
      runFakeYc(this.#host(), this.#options.stateFile).then((code) => this.#ended('exited', code), reject);
    });
  }

  #host(): FakeYcHost {
    pid += 1;
    return {
      argv: this.#command,
      env: reducedEnvironment(this.#options.environment),
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

  #later(ms: number, run: () => void): void {
    this.#timers.push(setTimeout(run, ms));
  }

  #ended(end: CommandEnd, exitCode: number | null = null): void {
    for (const timer of this.#timers) clearTimeout(timer);
    const stdout = asRead(this.#output.stdout);
    const stderr = asRead(this.#output.stderr);
    this.#finish(new CommandResult({ end, exitCode, stdout, stderr, elapsedMs: Date.now() - this.#started }));
  }
}

/** Text that has been bytes. */
function asRead(text: string): string {
  return Buffer.from(text).toString('utf8');
}
