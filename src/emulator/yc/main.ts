import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { stdinKind } from './command-log.ts';
import { type FakeYcHost, runFakeYc } from './run.ts';

const LONGEST_HANG_MS = 600_000;
const LOOK_MS = 500;
const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', ia32: '386' };

/** The program: what the executable that `installFakeYc` writes runs. */
export async function main({ stateFile }: { readonly stateFile: string }): Promise<void> {
  const parent = process.ppid;
  // Who reads may go away, as with `| head`: the real program is killed by SIGPIPE then.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => process.exit(141));
  const host: FakeYcHost = {
    argv: process.argv.slice(2),
    env: process.env,
    cwd: process.cwd(),
    pid: process.pid,
    platform: `${process.platform}/${ARCHITECTURES[process.arch] ?? process.arch}`,
    stdin: stdinKind(),
    readFile: (path) => readFileSync(resolve(path), 'utf8'),
    write: (stream, text) =>
      text === '' ? Promise.resolve() : new Promise((done) => process[stream].write(text, () => done())),
    wait: (ms) => new Promise((done) => setTimeout(done, ms)),
    hang: (options) => hang(parent, options),
    die(signal) {
      process.kill(process.pid, signal);
      return never();
    },
  };
  process.exitCode = await runFakeYc(host, stateFile);
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
