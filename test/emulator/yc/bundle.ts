import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const MAIN = fileURLToPath(new URL('../../../src/emulator/yc/main.ts', import.meta.url));

let bundled: Promise<string> | undefined;

/** The program as the build makes it, once a test process; it goes with the process. */
export function bundleFakeYc(): Promise<string> {
  bundled ??= bundle();
  return bundled;
}

async function bundle(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'fake-yc-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'fake-yc.cjs');
  const build = await rolldown({ input: MAIN, platform: 'node', transform: { target: 'node20' } });
  await build.write({ file, format: 'cjs', minify: true });
  await build.close();
  return file;
}
