import { spawn } from 'node:child_process';
import { readFileSync, writeSync } from 'node:fs';
import { resolve } from 'node:path';
import { stdinKind } from './command-log.ts';
import type { FakeYcHost } from './host.ts';
import { runFakeYc } from './run.ts';

const LONGEST_HANG_MS = 600_000;
const LOOK_MS = 500;
const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', ia32: '386' };

/** The program: what the executable that `installFakeYc` writes runs. */
export async function main({ stateFile }: { readonly stateFile: string }): Promise<void> {
  const parent = process.ppid;
  const host: FakeYcHost = {
    argv: process.argv.slice(2),
    env: process.env,
    cwd: process.cwd(),
    pid: process.pid,
    platform: `${process.platform}/${ARCHITECTURES[process.arch] ?? process.arch}`,
    stdin: stdinKind(),
    readFile: (path) => readFileSync(resolve(path), 'utf8'),
    write: (stream, text) => {
      writeAll(stream === 'stdout' ? 1 : 2, Buffer.from(text));
      return Promise.resolve();
    },
    wait: (ms) => new Promise((done) => setTimeout(done, ms)),
    hang: (options) => hang(parent, options),
    die(signal) {
      process.kill(process.pid, signal);
      return never();
    },
  };
  process.exitCode = await runFakeYc(host, stateFile);
}

/** Past Node's streams, which take longer to set up than a command needs. */
function writeAll(descriptor: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(descriptor, bytes, at);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      // Who reads may go away, as with `| head`: the real program is killed by SIGPIPE then.
      if (code === 'EPIPE') process.exit(141);
      if (code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
}

/** Never answers, but leaves nothing behind: it ends with the process that started it. */
function hang(parent: number, { ignoreSigterm, grandchild }: Parameters<FakeYcHost['hang']>[0]): Promise<never> {
  if (ignoreSigterm) process.on('SIGTERM', () => undefined);
  if (grandchild) {
    const script = `process.on('SIGTERM', () => {}); setTimeout(() => {}, ${LONGEST_HANG_MS});
      setInterval(() => { if (process.ppid === 1) process.exit(); }, ${LOOK_MS});`;
    spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'inherit', 'inherit'] });
  }
  return never(parent);
}

function never(parent?: number): Promise<never> {
  return new Promise(() => {
    setTimeout(() => process.exit(70), LONGEST_HANG_MS);
    if (parent === undefined) return;
    setInterval(() => {
      if (process.ppid !== parent) process.exit(70);
    }, LOOK_MS);
  });
}
