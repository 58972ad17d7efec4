import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the installed package, wherever in it this code has been built to. */
export function packageRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  // dist/ has no package.json of its own; bin/ has, but no code.
  while (!existsSync(join(folder, 'package.json')) && folder !== dirname(folder)) folder = dirname(folder);
  return folder;
}
