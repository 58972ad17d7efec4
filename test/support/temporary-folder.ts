import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { closeAfterwards } from './opened.ts';

/** A fresh folder outside of any repository; gone after the test file. */
export function temporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'infra-test-')));
  closeAfterwards({ close: () => rmSync(folder, { recursive: true, force: true }) });
  return folder;
}
