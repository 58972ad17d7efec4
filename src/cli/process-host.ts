import { fstatSync, writeSync } from 'node:fs';
import { homedir, hostname, userInfo } from 'node:os';
import { childProcesses } from './child-process.ts';
import type { Host, OutputStream, SignalName } from './host.ts';

const SIGNALS: readonly SignalName[] = ['SIGINT', 'SIGTERM'];

/** Waited before a full pipe is tried again. */
const RETRY_MS = 2;

export interface ProcessHost extends Host {
  /** Everything written has left the process. */
  flush(): Promise<void>;
  /** Why stdout could not be written, other than by a reader that went away; null where it could. */
  failure(): string | null;
}

/** A folder that was removed under the process has no path any more: no file is found in it then, which each says by itself. */
function currentFolder(): string {
  try {
    return process.cwd();
  } catch {
    return '/nonexistent';
  }
}

/** The real process as a Host. */
export function processHost(): ProcessHost {
  const stdout = openStream(1);
  const stderr = openStream(2);
  return {
    cwd: currentFolder(),
    env: process.env,
    home: homedir(),
    user: userName(),
    uid: process.getuid?.() ?? null,
    hostname: hostname(),
    get stdinIsTTY() {
      return isDevice(0) && process.stdin.isTTY === true;
    },
    openStdin: () => process.stdin,
    stdout,
    stderr,
    ask,
    runnerOf: (program) => childProcesses(program),
    onSignal,
    quit: (code) => process.exit(code),
    now: () => Date.now(),
    flush: async () => {
      await stdout.flush();
      await stderr.flush();
    },
    failure: () => stdout.failure(),
  };
}

interface ProcessStream extends OutputStream {
  flush(): Promise<void>;
  failure(): string | null;
}

/** Only a terminal needs Node's streams, which take milliseconds to load. */
function openStream(fd: 1 | 2): ProcessStream {
  return isDevice(fd) ? terminalStream(fd === 1 ? process.stdout : process.stderr) : fileStream(fd);
}

function isDevice(fd: number): boolean {
  try {
    return fstatSync(fd).isCharacterDevice();
  } catch {
    // Closed from the start.
    return false;
  }
}

function terminalStream(stream: NodeJS.WriteStream): ProcessStream {
  const state = writing();
  stream.on('error', state.fail);
  return {
    isTTY: stream.isTTY === true,
    columns: stream.isTTY === true ? stream.columns : null,
    write: (text) => {
      if (state.open && text !== '') stream.write(text);
    },
    flush: () =>
      new Promise((resolve) =>
        state.open && stream.writableLength > 0 ? stream.write('', () => resolve()) : resolve(),
      ),
    failure: () => state.failure,
  };
}

function fileStream(fd: number): ProcessStream {
  const state = writing();
  return {
    isTTY: false,
    columns: null,
    write: (text) => {
      try {
        if (state.open && text !== '') writeAll(fd, Buffer.from(text));
      } catch (error) {
        state.fail(error);
      }
    },
    flush: () => Promise.resolve(),
    failure: () => state.failure,
  };
}

/** A stream whose reader may leave (`| head`): what comes after is dropped, and nothing fails by it. */
function writing() {
  const state: { open: boolean; failure: string | null; fail(error: unknown): void } = {
    open: true,
    failure: null,
    fail: (error) => {
      state.open = false;
      const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
      if (code !== 'EPIPE' && code !== 'ECONNRESET' && code !== 'EBADF') state.failure = code;
    },
  };
  return state;
}

function writeAll(fd: number, bytes: Buffer): void {
  for (let written = 0; written < bytes.length; ) {
    try {
      written += writeSync(fd, bytes, written);
    } catch (error) {
      // A pipe that its other end made non-blocking, and that is full.
      if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
    }
  }
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // A container's numeric user without an entry in the user database.
    return process.env['USER'] ?? `uid-${process.getuid?.() ?? 'unknown'}`;
  }
}

async function ask(question: string, signal: AbortSignal): Promise<string | null> {
  const { createInterface } = await import('node:readline');
  process.stderr.write(question);
  return new Promise((resolve) => {
    // Not as a terminal of readline's: that would take Ctrl-C for itself.
    const lines = createInterface({ input: process.stdin, terminal: false });
    const close = (): void => lines.close();
    signal.addEventListener('abort', close, { once: true });
    lines.once('line', (answer) => {
      resolve(answer);
      close();
    });
    lines.once('close', () => {
      signal.removeEventListener('abort', close);
      process.stdin.pause();
      // Only without an answer is the line still open; a promise that is resolved stays as it is.
      resolve(null);
    });
  });
}

function onSignal(listener: (signal: SignalName) => void): () => void {
  const handlers = SIGNALS.map((name) => ({ name, handler: () => listener(name) }));
  for (const { name, handler } of handlers) process.on(name, handler);
  return () => {
    for (const { name, handler } of handlers) process.off(name, handler);
  };
}
