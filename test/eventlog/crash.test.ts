import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundleChild, kill, nextLine, startChild } from './support/child.ts';
import { context, factRow } from './support/facts.ts';
import { openLog, temporaryFolder } from './support/log.ts';

let programs = '';
let program = '';
beforeAll(async () => {
  programs = await mkdtemp(join(tmpdir(), 'infra-child-'));
  program = await bundleChild(programs);
});
afterAll(() => rm(programs, { recursive: true, force: true }));

async function sequencesIn(path: string): Promise<readonly number[]> {
  const lines = (await readFile(path, 'utf8')).trimEnd().split('\n');
  return lines.map((line) => (JSON.parse(line) as { global_sequence: number }).global_sequence);
}

test('three processes that append at once leave one intact chain', async () => {
  const path = join(await temporaryFolder(), 'eventlog.jsonl');
  const children = [1, 2, 3].map(() => startChild(program, ['append', path, '15']));
  await Promise.all(children.map((child) => child.ended));
  expect(await sequencesIn(path)).toEqual(Array.from({ length: 90 }, (_, index) => index + 1));
  await openLog(path).verify();
});

test.each([1, 2, 3, 5, 8])(
  'killed while appending, after %i confirmed appends: what was confirmed is there, and the log goes on',
  async (confirmed) => {
    const path = join(await temporaryFolder(), 'eventlog.jsonl');
    const child = startChild(program, ['append', path, '100000']);
    let last = '';
    for (let count = 0; count < confirmed; count += 1) last = await nextLine(child);
    await kill(child);
    const log = openLog(path);
    const [row] = await log.append(context(), [factRow('after')]);
    const sequences = await sequencesIn(path);
    expect(sequences).toContain(Number(last.split(' ')[1]));
    expect(sequences.at(-1)).toBe(row?.global_sequence);
    await log.verify();
    await log.read('cloud');
  },
);

test('a full disk: the append fails as LOG_WRITE and the log still ends with a whole row', async () => {
  const folder = await temporaryFolder();
  const path = join(folder, 'eventlog.jsonl');
  // 8 KiB a file: two appends of some 3.6 KB fit, the third is cut in the middle.
  const child = startChild(program, ['append-large', path, '3'], 'ulimit -f 8');
  expect(await nextLine(child)).toBe('1 2');
  expect(await nextLine(child)).toBe('3 4');
  expect(await nextLine(child)).toMatch(/^LOG_WRITE: .* can't be written: EFBIG/);
  await child.ended;
  const log = openLog(path);
  expect(await log.head()).toMatch(/^4:/);
  await log.verify();
  await log.append(context(), [factRow('after')]);
  expect(await sequencesIn(path)).toEqual([1, 2, 3, 4, 5]);
  expect((await readdir(folder)).sort()).toEqual(['eventlog.jsonl', 'locks']);
});
