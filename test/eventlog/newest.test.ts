import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { HistoryRow } from '../../src/eventlog/history.ts';
import { newestRows } from '../../src/eventlog/newest.ts';
import { context, factOf, factRow } from './support/facts.ts';
import { openLog, temporaryFolder } from './support/log.ts';

const urnsOf = (rows: readonly HistoryRow[]) =>
  rows.map(({ entry: { item } }) => (item.kind === 'fact' ? item.fact.urn.split(':').at(-1) : item.kind));
const line = (project: string) => JSON.stringify({ provider_fact: factOf(project) });

async function logOf(text: string) {
  const path = join(await temporaryFolder(), 'eventlog.jsonl');
  await writeFile(path, text);
  return openLog(path);
}

test('the newest rows are read from the end: what stands before them is not looked at', async () => {
  const log = await logOf(`not JSON\nnor this\n${['a', 'b', 'c'].map(line).join('\n')}\n`);
  expect(urnsOf(await newestRows([log], 2))).toEqual(['b', 'c']);
  await expect(newestRows([log], 4)).rejects.toThrow(/LOG_INVALID: Line 1 /);
});

test.each([
  ['rows that one line wraps', `${line('a')}\n[${line('b')},${line('c')}]\n`],
  ['a document', `[\n${line('a')},\n${line('b')},\n${line('c')}\n]\n`],
  ['an unfinished last line', `${line('a')}\n${line('b')}\n${line('c')}\n{"provider_f`],
])('the newest of %s', async (_, text) => {
  const log = await logOf(text);
  expect(urnsOf(await newestRows([log], 2))).toEqual(['b', 'c']);
  expect(urnsOf(await newestRows([log], 9))).toEqual(['a', 'b', 'c']);
});

test('of several logs the last ones come last, and a missing one brings nothing', async () => {
  const own = await logOf('');
  await own.append(context(), [factRow('x')]);
  const missing = openLog(join(await temporaryFolder(), 'none'));
  const logs = [await logOf(`${line('a')}\n${line('b')}\n`), missing, own];
  expect(urnsOf(await newestRows(logs, 2))).toEqual(['b', 'x']);
  expect(urnsOf(await newestRows(logs, 1))).toEqual(['x']);
});
