import { type ChildProcess, spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { builtCli } from './safety/built-cli.ts';
import { temporaryFolder } from './temporary-folder.ts';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface SpawnOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
}

/** Runs the program to its end, wherever it runs. */
export type RunsInfra = (argv: readonly string[], options?: SpawnOptions) => Promise<Ended>;

let entry = '';

/** Builds the program once a test run; to be awaited before it is started. */
export async function ensureBuilt(): Promise<void> {
  if (entry === '') entry = await builtCli();
}

/** Nothing of the developer's own environment but what a program needs to run. */
export function environment(home: string, extra: SpawnOptions['env']): NodeJS.ProcessEnv {
  return {
    PATH: process.env['PATH'],
    HOME: home,
    XDG_CONFIG_HOME: join(home, '.config'),
    TMPDIR: tmpdir(),
    METADATA_SERVER_DETECTION: 'none',
    ...extra,
  };
}

export function startInfra(
  argv: readonly string[],
  options: SpawnOptions = {},
): { readonly child: ChildProcess; readonly ended: Promise<Ended> } {
  if (entry === '') throw new Error('the program is not built: await ensureBuilt first');
  const cwd = options.cwd ?? temporaryFolder();
  const child = spawn(process.execPath, [entry, ...argv], { cwd, env: environment(cwd, options.env), stdio: 'pipe' });
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.stderr += text;
  });
  child.stdin.end(options.input ?? '');
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal, ...output }));
  });
  return { child, ended };
}

/** Runs the built program as a user would, to its end. */
export async function infra(argv: readonly string[], options: SpawnOptions = {}): Promise<Ended> {
  await ensureBuilt();
  return await startInfra(argv, options).ended;
}
