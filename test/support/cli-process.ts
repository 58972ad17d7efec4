import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmdirSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
export const BIN = join(ROOT, 'bin/infra.js');

const ENTRY = join(ROOT, 'dist/entry.cjs');
const LOCK = join(ROOT, 'node_modules/.infra-build.lock');
const BUILD_MS = 60_000;

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

/** A fresh folder outside of any repository. */
export function temporaryFolder(): string {
  return realpathSync(mkdtempSync(join(tmpdir(), 'infra-test-')));
}

/** Builds dist/ where it is missing or older than the sources; one test process at a time. */
export async function ensureBuilt(): Promise<void> {
  const deadline = Date.now() + BUILD_MS;
  while (!isFresh()) {
    if (takeLock()) {
      try {
        if (!isFresh()) build();
      } finally {
        rmdirSync(LOCK);
      }
    } else if (Date.now() > deadline) {
      throw new Error(`${LOCK} is held; remove it if no build is running`);
    } else {
      await pause(100);
    }
  }
}

function isFresh(): boolean {
  if (!existsSync(ENTRY)) return false;
  const built = statSync(ENTRY).mtimeMs;
  return newest(join(ROOT, 'src')) <= built;
}

function newest(folder: string): number {
  return Math.max(
    0,
    ...readdirSync(folder, { withFileTypes: true }).map((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? newest(path) : statSync(path).mtimeMs;
    }),
  );
}

function takeLock(): boolean {
  try {
    mkdirSync(LOCK);
    return true;
  } catch {
    return false;
  }
}

function build(): void {
  const result = spawnSync(process.execPath, [join(ROOT, 'scripts/build.mjs')], { encoding: 'utf8' });
  if (result.status !== 0) throw new Error(`the build failed:\n${result.stderr}`);
}

/** Nothing of the developer's own environment but what a program needs to run. */
function environment(home: string, extra: SpawnOptions['env']): NodeJS.ProcessEnv {
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
  const cwd = options.cwd ?? temporaryFolder();
  const child = spawn(process.execPath, [BIN, ...argv], { cwd, env: environment(cwd, options.env), stdio: 'pipe' });
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
export function infra(argv: readonly string[], options: SpawnOptions = {}): Promise<Ended> {
  return startInfra(argv, options).ended;
}
