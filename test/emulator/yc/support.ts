import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach } from 'vitest';
import { controlFakeYc, type FakeYcControl } from '../../../src/emulator/yc/control.ts';
import { installFakeYc } from '../../../src/emulator/yc/install.ts';
import type { FakeYcSeed } from '../../../src/emulator/yc/options.ts';
import { runFakeYc } from '../../../src/emulator/yc/run.ts';
import { bundleFakeYc } from './bundle.ts';

export const FOLDER = 'b1gexamplefolder0001';
export const OTHER_FOLDER = 'b1gexamplefolder0002';
export const FORBIDDEN_FOLDER = 'b1gforbidden00000001';
export const IMAGE = 'fd8example0000000000';

export const SEED: FakeYcSeed = {
  folders: [
    { id: FOLDER, name: 'sandbox' },
    { id: OTHER_FOLDER, name: 'other' },
    { id: FORBIDDEN_FOLDER, name: 'foreign', forbidden: true },
  ],
  images: [{ id: IMAGE, name: 'ubuntu-2404', family: 'ubuntu-2404-lts', minDiskGib: 8 }],
};

/** What every command of the adapter ends with. */
export const SUFFIX = [
  ...['--profile', 'default', '--folder-id', FOLDER, '--format', 'json', '--no-browser', '--retry', '0'],
];

export interface Ran {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number | undefined;
  readonly signal: string | undefined;
  /** The document on stdout. */
  readonly json: Tree;
}

/** JSON of unknown shape: every member is there for the asking, and a missing one is undefined. */
export interface Tree {
  readonly [key: string]: Tree;
}

export interface RunOptions {
  /** HOME is set unless it is undefined here. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
  readonly timeout?: number;
}

export interface FakeYc {
  /** The executable. */
  readonly path: string;
  readonly folder: string;
  readonly control: FakeYcControl;
  /** As a process of its own, with nothing added. */
  run(argv: readonly string[], options?: RunOptions): Promise<Ran>;
  /** As a process of its own: `vpc network list`, split at blanks, then more arguments, then {@link SUFFIX}. */
  yc(words: string, ...more: readonly string[]): Promise<Ran>;
  /** As {@link FakeYc.run}, but in this process: faster, and seen by the coverage. */
  here(argv: readonly string[], options?: Pick<RunOptions, 'env'>): Promise<Ran>;
  /** As {@link FakeYc.yc}, but in this process. */
  quick(words: string, ...more: readonly string[]): Promise<Ran>;
}

const folders: string[] = [];

afterEach(async () => {
  await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true, force: true })));
});

export async function fakeYc(seed: FakeYcSeed = SEED): Promise<FakeYc> {
  const folder = await mkdtemp(join(tmpdir(), 'fake-yc-test-'));
  folders.push(folder);
  const stateFile = join(folder, 'state.json');
  const path = await installFakeYc({ folder: join(folder, 'bin'), stateFile, program: await bundleFakeYc(), seed });
  const run = (argv: readonly string[], options: RunOptions = {}) => spawnYc(path, argv, options);
  return {
    path,
    folder,
    control: controlFakeYc(stateFile),
    run,
    yc: (words, ...more) => run([...words.split(' '), ...more, ...SUFFIX]),
    here: (argv, options = {}) => runHere(stateFile, argv, options),
    quick: (words, ...more) => runHere(stateFile, [...words.split(' '), ...more, ...SUFFIX], {}),
  };
}

async function spawnYc(path: string, argv: readonly string[], options: RunOptions): Promise<Ran> {
  const { stdout, stderr, exitCode, signal } = await execa(path, argv, {
    reject: false,
    stdin: 'ignore',
    stripFinalNewline: false,
    extendEnv: false,
    env: { HOME: '/nonexistent', ...options.env },
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    ...(options.timeout === undefined ? {} : { timeout: options.timeout }),
  });
  return ran({ stdout, stderr, exitCode, signal });
}

async function runHere(stateFile: string, argv: readonly string[], options: RunOptions): Promise<Ran> {
  const told = { stdout: '', stderr: '' };
  const refuse = () => Promise.reject(new Error('needs a process'));
  const exitCode = await runFakeYc(
    {
      argv,
      env: { HOME: '/nonexistent', ...options.env },
      cwd: '/',
      pid: process.pid,
      platform: 'linux/amd64',
      stdin: 'null',
      readFile: (path) => readFileSync(path, 'utf8'),
      wait: () => Promise.resolve(),
      hang: refuse,
      die: refuse,
      async write(stream, text) {
        told[stream] += text;
      },
    },
    stateFile,
  );
  return ran({ ...told, exitCode, signal: undefined });
}

function ran(result: Omit<Ran, 'json'>): Ran {
  return {
    ...result,
    get json(): Tree {
      return JSON.parse(result.stdout);
    },
  };
}

/** The id of what a command made or showed. */
export function idOf({ json, stderr, stdout }: Ran): string {
  if (stdout === '') throw new Error(stderr);
  return String(json['id']);
}

/** `--labels` and the rest of a name's common arguments. */
export function named(name: string, labels: Readonly<Record<string, string>> = {}): readonly string[] {
  const pairs = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
  return ['--name', name, ...(pairs.length === 0 ? [] : ['--labels', pairs.join(',')])];
}
