import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sha256Hex } from '../../src/core/json.ts';
import { generateLog, MILLION_FACTS } from '../bench/support/generate-log.ts';
import { plain } from './support/histories.ts';
import { openLog, temporaryFolder } from './support/log.ts';

const shape = { ...MILLION_FACTS, facts: 12_000, owned: 500 };

test('the log that is measured with is one of ours, and the same for everybody', async () => {
  const folder = await temporaryFolder();
  const [path, again] = [join(folder, 'a'), join(folder, 'b')];
  const made = await generateLog(path, shape);
  await generateLog(again, shape);
  expect(sha256Hex(await readFile(path))).toBe(sha256Hex(await readFile(again)));
  expect((await stat(path)).size).toBe(made.bytes);
  expect(Math.round(made.bytes / shape.facts / 10)).toBe(shape.bytesPerRow / 10);
  const log = openLog(path);
  await log.verify();
  const { model } = await log.read('cloud');
  expect(model.owned.size).toBe(made.owned);
  expect(model.tombstones.size).toBeGreaterThan(0);
});

test('a log of several megabytes reads the same warm and cold', async () => {
  const folder = await temporaryFolder();
  const path = join(folder, 'log');
  await generateLog(path, shape);
  const cache = { folder: join(folder, 'cache'), version: '1' };
  const cold = await openLog(path, { cache }).read('cloud');
  const warm = await openLog(path, { cache }).read('cloud');
  expect(plain(warm.model)).toEqual(plain(cold.model));
  expect(warm.marks).toEqual(cold.marks);
  expect(await stat(join(folder, 'cache'))).toBeDefined();
});
