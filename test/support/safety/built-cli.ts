import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const PREFIX = 'infra-safety-build-';
const BUILD_MS = 60_000;

/** The built program, once a test run and apart from dist/, which anybody may rebuild meanwhile. Gives the path of its entry. */
export async function builtCli(): Promise<string> {
  // All workers of a run have the same parent.
  const folder = join(tmpdir(), `${PREFIX}${process.ppid}`);
  const entry = join(folder, 'dist/entry.cjs');
  const deadline = Date.now() + BUILD_MS;
  while (!existsSync(entry)) {
    if (Date.now() > deadline) throw new Error(`no build in ${folder}`);
    if (!takeLock(folder)) await pause(50);
    else {
      try {
        if (!existsSync(entry)) build(join(folder, 'dist'));
      } finally {
        rmdirSync(join(folder, 'lock'));
      }
    }
  }
  return entry;
}

function build(folder: string): void {
  removeOldBuilds();
  const result = spawnSync(process.execPath, [join(ROOT, 'scripts/build.mjs'), '--out', folder], { encoding: 'utf8' });
  // What the package has beside its program.
  for (const name of ['package.json', 'fixtures']) symlinkSync(join(ROOT, name), join(dirname(folder), name));
  if (result.status !== 0) throw new Error(`the build failed:\n${result.stderr}`);
}

function takeLock(folder: string): boolean {
  try {
    mkdirSync(folder, { recursive: true });
    mkdirSync(join(folder, 'lock'));
    return true;
  } catch {
    return false;
  }
}

/** What earlier runs left. */
function removeOldBuilds(): void {
  for (const name of readdirSync(tmpdir()).filter((entry) => entry.startsWith(PREFIX))) {
    const pid = Number(name.slice(PREFIX.length));
    if (!isAlive(pid)) rmSync(join(tmpdir(), name), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}
