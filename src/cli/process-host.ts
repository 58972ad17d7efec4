import { homedir, hostname, userInfo } from 'node:os';
import type { Host, OutputStream, SignalName } from './host.ts';

const SIGNALS: readonly SignalName[] = ['SIGINT', 'SIGTERM'];

/** The real process as a Host. */
export function processHost(): Host & { flush(): Promise<void>; failure(): string | null } {
  const stdout = guard(process.stdout);
  const stderr = guard(process.stderr);
  return {
    cwd: process.cwd(),
    env: process.env,
    home: homedir(),
    user: userName(),
    hostname: hostname(),
    stdinIsTTY: process.stdin.isTTY === true,
    stdout,
    stderr,
    ask,
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

interface GuardedStream extends OutputStream {
  flush(): Promise<void>;
  /** Why writing failed, other than by a reader that went away. */
  failure(): string | null;
}

/** A stream whose reader may leave (`| head`): what comes after is dropped, and nothing fails by it. */
function guard(stream: NodeJS.WriteStream): GuardedStream {
  let closed = false;
  let failure: string | null = null;
  stream.on('error', (error: NodeJS.ErrnoException) => {
    closed = true;
    if (error.code !== 'EPIPE' && error.code !== 'ECONNRESET') failure = error.code ?? error.message;
  });
  return {
    isTTY: stream.isTTY === true,
    columns: stream.isTTY === true ? stream.columns : null,
    write: (text) => {
      if (!closed && text !== '') stream.write(text);
    },
    flush: () =>
      new Promise((resolve) => {
        if (closed || stream.writableLength === 0) resolve();
        else stream.write('', () => resolve());
      }),
    failure: () => failure,
  };
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
  return new Promise((resolve) => {
    const lines = createInterface({
      input: process.stdin,
      output: process.stderr,
      terminal: process.stderr.isTTY === true,
    });
    const finish = (answer: string | null): void => {
      resolve(answer);
      lines.close();
    };
    lines.once('close', () => resolve(null));
    // readline in terminal mode takes Ctrl-C for itself; hand it on as the signal it stands for.
    lines.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
    signal.addEventListener('abort', () => finish(null), { once: true });
    lines.question(question, finish);
  });
}

function onSignal(listener: (signal: SignalName) => void): () => void {
  const handlers = SIGNALS.map((name) => ({ name, handler: () => listener(name) }));
  for (const { name, handler } of handlers) process.on(name, handler);
  return () => {
    for (const { name, handler } of handlers) process.off(name, handler);
  };
}
