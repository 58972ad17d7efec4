import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newestRows } from '../../src/eventlog/newest.ts';
import { context, factOf, factRow } from './support/facts.ts';
import { openLog, temporaryFolder } from './support/log.ts';

const row = (project: string) => JSON.stringify({ provider_fact: factOf(project) });

test.each([
  ['one row', row('a')],
  ['rows', `${row('a')}\n${row('b')}\n`],
  ['a list on one line', `[${row('a')}]\n`],
  ['a document', `{\n "records": [\n${row('a')},\n${row('b')}\n]}\n`],
])('a byte order mark before %s is passed over', async (_, text) => {
  const path = join(await temporaryFolder(), 'log');
  await writeFile(path, `\ufeff${text}`);
  const log = openLog(path);
  expect((await log.read('cloud')).model.owned.has(factOf('a').urn)).toBe(true);
  expect((await newestRows([log], 5))[0]?.entry.item).toMatchObject({ kind: 'fact' });
});

test('a log of ours that was given one keeps its chain and goes on', async () => {
  const path = join(await temporaryFolder(), 'log');
  const log = openLog(path);
  await log.append(context(), [factRow('a')]);
  await writeFile(path, `\ufeff${await readFile(path, 'utf8')}`);
  await log.append(context(), [factRow('b')]);
  await log.verify();
  expect((await log.read('cloud')).model.owned.size).toBe(2);
});
