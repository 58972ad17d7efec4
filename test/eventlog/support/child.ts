import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { onTestFinished } from 'vitest';

/** A child that runs the store's own code. */
export interface Child {
  readonly process: ChildProcess;
  /** Its lines of stdout, as they come. */
  readonly lines: AsyncIterator<string>;
  /** Ends with its exit. */
  readonly ended: Promise<unknown>;
}

/** Bundles the child's program into `folder`; Node 20 runs no TypeScript. */
export async function bundleChild(folder: string): Promise<string> {
  const file = join(folder, 'child.mjs');
  const bundle = await rolldown({
    input: fileURLToPath(new URL('child-main.ts', import.meta.url)),
    platform: 'node',
    logLevel: 'silent',
  });
  await bundle.write({ file, format: 'esm' });
  await bundle.close();
  return file;
}

/** Starts the program; `shell` is put before it, for limits that only a shell sets. */
export function startChild(program: string, args: readonly string[], shell: string | null = null): Child {
  const command = [process.execPath, program, ...args];
  const [file = '', ...rest] = shell === null ? command : ['bash', '-c', `${shell}; exec "$@"`, 'bash', ...command];
  const child = spawn(file, rest, { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  return { process: child, lines: createInterface({ input: child.stdout })[Symbol.asyncIterator](), ended };
}

/** The next line that the child says; an empty text when it ended. */
export async function nextLine(child: Child): Promise<string> {
  const next = await child.lines.next();
  return next.done === true ? '' : next.value;
}

export async function kill(child: Child): Promise<void> {
  child.process.kill('SIGKILL');
  await child.ended;
}
