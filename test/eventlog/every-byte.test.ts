import { writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { encodeRow, FIRST_PREV } from '../../src/eventlog/encode-row.ts';
import { walkChain } from '../../src/eventlog/verify.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const CONTEXT = { execution_id: 7, actor: { user: 'u', host: 'h' }, infra: '0.1.0', target: 'cloud' };

function threeRows(): readonly string[] {
  const lines: string[] = [];
  let prev = FIRST_PREV;
  for (let sequence = 1; sequence <= 3; sequence += 1) {
    const body = { type: 'log.note', note: 'n', detail: { a: sequence } } as const;
    const { line, row } = encodeRow(CONTEXT, body, { sequence, prev, recordedAt: '2026-01-01T00:00:00.000Z' });
    lines.push(line);
    prev = row.hash;
  }
  return lines;
}

test('whichever byte of a row is changed, the chain names that row', async () => {
  const rows = threeRows();
  const path = join(temporaryFolder(), 'log.jsonl');
  const missed: string[] = [];
  // The line feed alone is no part of what is sealed.
  for (const [index, row] of rows.entries()) {
    for (let at = 0; at < row.length - 1; at += 1) {
      for (const other of ['x', '0', '"']) {
        if (row[at] === other) continue;
        const changed = `${row.slice(0, at)}${other}${row.slice(at + 1)}`;
        writeFileSync(path, rows.with(index, changed).join(''));
        const handle = await open(path);
        const { firstBad } = await walkChain(handle, (await handle.stat()).size);
        await handle.close();
        if (firstBad?.line !== index + 1)
          missed.push(
            `row ${index + 1} of 3, byte ${at} (${row.slice(at - 8, at)}>${row[at]}<${other}): ${JSON.stringify(firstBad)}`,
          );
      }
    }
  }
  expect(missed).toEqual([]);
});
