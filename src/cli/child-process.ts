import { Buffer } from 'node:buffer';
import { kill } from 'node:process';
import type { Readable } from 'node:stream';
import { type CommandEnd, CommandResult, type CommandRunner, type Program } from '../providers/command-runner.ts';

export interface ChildProcessOptions {
  /** Milliseconds between SIGTERM and SIGKILL. */
  readonly graceMs?: number;
  /** Bytes of stdout, and of stderr, that are read. */
  readonly maxBytes?: number;
}

type Execa = typeof import('execa').execa;

const GRACE_MS = 5_000;
const MAX_BYTES = 64 * 1024 * 1024;
/** How long output may still come after the command has ended: something that it started holds its pipes open. */
const DRAIN_MS = 1_000;

type Options = Program & ChildProcessOptions;

/** Runs each command as a child process: no shell, no stdin, a process group of its own with a deadline, bounded output. */
export function childProcesses(program: Program, options: ChildProcessOptions = {}): CommandRunner {
  return { run: (command, timeoutSeconds) => runCommand({ ...program, ...options }, command, timeoutSeconds * 1000) };
}

async function runCommand(options: Options, command: readonly string[], timeoutMs: number): Promise<CommandResult> {
  const { execa } = await import('execa');
  if (options.signal?.aborted === true) return unstarted('prevented');
  const child = start(execa, options, command);
  if (child?.pid === undefined) {
    await child?.catch(() => null);
    return unstarted('not_started');
  }
  void child.catch(() => null);
  return await new Watch(child, child.pid, options, timeoutMs).result;
}

/** Null where it can't even be tried: arguments that the system does not take. */
function start(execa: Execa, { executable, environment }: Options, command: readonly string[]) {
  try {
    return execa(executable, [...command], {
      shell: false,
      preferLocal: false,
      extendEnv: false,
      env: environment,
      cwd: '/',
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
      buffer: false,
      reject: false,
      detached: true,
      cleanup: false,
      // Not said, NODE_DEBUG would have it print every command and what comes back.
      verbose: 'none',
    });
  } catch {
    return null;
  }
}

function unstarted(end: 'not_started' | 'prevented'): CommandResult {
  return new CommandResult({ end, exitCode: null, stdout: '', stderr: '', elapsedMs: 0 });
}

interface Child {
  readonly stdout: Readable;
  readonly stderr: Readable;
  once(event: 'exit', listener: (code: number | null, signal: NodeJS.Signals | null) => void): unknown;
  once(event: 'close', listener: () => void): unknown;
}

/** Follows one child to its end, and sees to it that there is one. */
class Watch {
  readonly result: Promise<CommandResult>;
  readonly #pid: number;
  readonly #options: Options;
  readonly #child: Child;
  readonly #started = Date.now();
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #out: Collector;
  readonly #err: Collector;
  #stopped: CommandEnd | null = null;
  #exit: { readonly code: number | null } | null = null;
  #finish: (result: CommandResult) => void = () => undefined;

  constructor(child: Child, pid: number, options: Options, timeoutMs: number) {
    this.#child = child;
    this.#pid = pid;
    this.#options = options;
    this.result = new Promise((resolve) => {
      this.#finish = resolve;
    });
    const limit = options.maxBytes ?? MAX_BYTES;
    this.#out = new Collector(child.stdout, limit, () => this.#stop('overflow'));
    this.#err = new Collector(child.stderr, limit, () => this.#stop('overflow'));
    this.#later(timeoutMs, () => this.#stop('timeout'));
    options.signal?.addEventListener('abort', this.#onAbort, { once: true });
    child.once('exit', (code) => this.#exited(code));
    child.once('close', () => this.#end());
    // It may have been aborted while the child was being started.
    if (options.signal?.aborted === true) this.#onAbort();
  }

  readonly #onAbort = () => this.#stop('aborted');

  #later(ms: number, run: () => void): void {
    this.#timers.push(setTimeout(run, ms));
  }

  /** Asks the whole group to end, then makes it. */
  #stop(why: CommandEnd): void {
    if (this.#stopped !== null || this.#exit !== null) return;
    this.#stopped = why;
    this.#kill('SIGTERM');
    this.#later(this.#options.graceMs ?? GRACE_MS, () => {
      this.#kill('SIGKILL');
      this.#later(DRAIN_MS, () => this.#end());
    });
  }

  #exited(code: number | null): void {
    this.#exit = { code };
    if (this.#stopped !== null) this.#kill('SIGKILL');
    this.#later(DRAIN_MS, () => this.#end());
  }

  #kill(signal: NodeJS.Signals): void {
    try {
      kill(-this.#pid, signal);
    } catch {
      // Nothing of the group is left.
    }
  }

  #end(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#options.signal?.removeEventListener('abort', this.#onAbort);
    this.#child.stdout.destroy();
    this.#child.stderr.destroy();
    const exitCode = this.#stopped === null ? (this.#exit?.code ?? null) : null;
    this.#finish(
      new CommandResult({
        end: this.#stopped ?? (exitCode === null ? 'signal' : 'exited'),
        exitCode,
        stdout: this.#out.text(),
        stderr: this.#err.text(),
        elapsedMs: Date.now() - this.#started,
      }),
    );
  }
}

/** Keeps what a stream gives, up to a limit. */
class Collector {
  readonly #chunks: Buffer[] = [];
  #size = 0;

  constructor(stream: Readable, limit: number, onOverflow: () => void) {
    stream.on('error', () => undefined);
    stream.on('data', (chunk: Buffer) => {
      this.#size += chunk.length;
      if (this.#size <= limit) this.#chunks.push(chunk);
      else onOverflow();
    });
  }

  text(): string {
    return Buffer.concat(this.#chunks).toString('utf8');
  }
}
