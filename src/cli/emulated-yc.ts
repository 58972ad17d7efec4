import { existsSync } from 'node:fs';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { diagnostic } from '../core/codes.ts';
import { DiagnosticError } from '../core/diagnostics.ts';
import type { Playbook } from '../core/step.ts';
import { installFakeYc } from '../emulator/yc/install.ts';
import { ycSeedOf } from './emulator-seed.ts';
import { packageRoot } from './package-root.ts';
import type { Project } from './workflow-types.ts';

/** A fake `yc` on disk, for one run. */
export interface EmulatedYc {
  /** Absolute. */
  readonly path: string;
  close(): Promise<void>;
}

/** What it is installed for; without a playbook there is only what an earlier run kept. */
interface EmulatedFor extends Pick<Project, 'folder' | 'mayWrite'> {
  readonly playbook: Playbook | null;
}

/**
 * Puts the fake `yc` on disk with what the playbook speaks of. Where the run may change nothing, it works on a copy
 * elsewhere: a plan leaves no trace but its plan.
 */
export async function installEmulatedYc({ folder, playbook, mayWrite }: EmulatedFor): Promise<EmulatedYc> {
  const seed = playbook === null ? {} : ycSeedOf(playbook);
  const program = fakeYcProgram();
  if (mayWrite) {
    await folder.prepare();
    const path = await installFakeYc({ folder: folder.ycFolder, stateFile: folder.ycState, program, seed });
    return { path, close: () => Promise.resolve() };
  }
  await folder.check();
  const temporary = await mkdtemp(join(tmpdir(), 'infra-yc-'));
  const stateFile = join(temporary, 'yc.json');
  if (existsSync(folder.ycState)) await copyFile(folder.ycState, stateFile);
  const path = await installFakeYc({ folder: join(temporary, 'bin'), stateFile, program, seed });
  return { path, close: () => rm(temporary, { recursive: true, force: true }) };
}

/** The program that the executable runs: beside this code where that is built, else in the package's dist. */
export function fakeYcProgram(): string {
  const name = 'fake-yc.cjs';
  const beside = join(dirname(fileURLToPath(import.meta.url)), name);
  const program = existsSync(beside) ? beside : join(packageRoot(), 'dist', name);
  if (existsSync(program)) return program;
  const hint = 'Build it: npm run build.';
  throw new DiagnosticError([diagnostic('UNAVAILABLE', 'The fake yc is not part of this installation.', { hint })]);
}
