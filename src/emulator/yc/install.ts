import { chmod, mkdir, rename, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { FakeYcSeed } from './options.ts';
import { applySeed } from './world/seed.ts';
import { createOrTransact } from './world/store.ts';

export interface FakeYcInstallation {
  /** Where the executable goes; made with 0700 if it is not there. */
  readonly folder: string;
  /** Kept if it is there, and made otherwise. */
  readonly stateFile: string;
  /** The bundled program, `dist/fake-yc.cjs`. */
  readonly program: string;
  readonly seed?: FakeYcSeed;
}

/** Puts an executable `yc` on disk that works on the state file, and answers its absolute path. */
export async function installFakeYc({ folder, stateFile, program, seed }: FakeYcInstallation): Promise<string> {
  const path = join(resolve(folder), 'yc');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  createOrTransact(resolve(stateFile), (state) => applySeed(state, seed ?? {}));
  // Renamed into place, because a program that runs can't be written to.
  const temporary = `${path}.${process.pid}.tmp`;
  await writeFile(temporary, script(resolve(program), resolve(stateFile)), { mode: 0o700 });
  await chmod(temporary, 0o700);
  await rename(temporary, path);
  return path;
}

/** Whether a file without an ending is CommonJS or a module depends on the folder that it is in: this is both. */
function script(program: string, stateFile: string): string {
  return `#!${process.execPath}
const program = ${JSON.stringify(program)};
const start = ({ main }) => main({ stateFile: process.env.INFRA_FAKE_YC_STATE || ${JSON.stringify(stateFile)} });
if (typeof require === 'function') start(require(program));
else import(program).then((loaded) => start(loaded.default ?? loaded));
`;
}
