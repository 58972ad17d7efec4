import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { closeAfterwards } from '../../support/opened.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const MAIN = fileURLToPath(new URL('../../../src/emulator/yc/main.ts', import.meta.url));

let bundled: Promise<string> | undefined;

/** The program as the build makes it, once a test file. */
export function bundleFakeYc(): Promise<string> {
  bundled ??= bundle();
  return bundled;
}

async function bundle(): Promise<string> {
  const file = join(temporaryFolder(), 'fake-yc.cjs');
  closeAfterwards({
    close: () => {
      bundled = undefined;
    },
  });
  const build = await rolldown({ input: MAIN, platform: 'node', transform: { target: 'node20' } });
  await build.write({ file, format: 'cjs', minify: true });
  await build.close();
  return file;
}
