import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { newestRows } from '../../src/eventlog/newest.ts';
import { openStreamLog } from '../../src/eventlog/stdin.ts';
import { context, factOf, factRow } from './support/facts.ts';
import { openLog, temporaryFolder } from './support/log.ts';

const row = JSON.stringify({ provider_fact: factOf('a') });
const reply = `{"action":"ehdb.tier.query","outcome":"served","result":{"records":[${row}]}}`;

async function logsOf(bytes: string | Buffer) {
  const path = join(await temporaryFolder(), 'eventlog.jsonl');
  await writeFile(path, bytes);
  return { path, file: openLog(path), stream: openStreamLog({ input: Readable.from([Buffer.from(bytes)]) }) };
}

test.each<[string, string | Buffer]>([
  ['half a reply', reply.slice(0, 90)],
  ['half a row of the tier', '{"global_sequence":1,"execution_id":"5'],
  ['HTML', '<html><body>Sign in</body></html>'],
  ['gzip', Buffer.from(gzipSync(reply).filter((byte) => byte !== 0x0a))],
  ['half a list', `[${row},`],
  ['a word behind blank lines', '\n\nhello'],
])('%s without a line end is no log that says that nothing is owned', async (_, bytes) => {
  const { file, stream } = await logsOf(bytes);
  for (const log of [file, stream]) {
    await expect(log.read('cloud')).rejects.toThrow('LOG_INVALID');
    await expect(log.history(() => undefined)).rejects.toThrow('LOG_INVALID');
    await expect(newestRows([log], 3)).rejects.toThrow('LOG_INVALID');
    expect((await log.walk(null)).firstBad).toMatchObject({ why: 'it is no whole row' });
  }
  await stream.close();
});

test('an unfinished line behind a row is passed over, and that is told', async () => {
  const { file, stream } = await logsOf(`${row}\n{"provider_fa`);
  for (const log of [file, stream]) {
    const { model, diagnostics } = await log.read('cloud');
    expect(model.owned.size).toBe(1);
    expect(diagnostics).toMatchObject([{ code: 'LOG_TORN', severity: 'note' }]);
    expect(await log.walk(null)).toMatchObject({ rows: 1, unsealed: 1, torn: 13, firstBad: null });
  }
  await stream.close();
});

test('so is one behind a row of infra, which is not parsed, and behind a checkpoint', async () => {
  const folder = await temporaryFolder();
  const path = join(folder, 'eventlog.jsonl');
  const log = openLog(path, { cache: { folder: join(folder, 'cache'), version: '1', minBytes: 1 } });
  await log.append(context(), [factRow('a')]);
  await log.read('cloud');
  await writeFile(path, '{"global_seq', { flag: 'a' });
  for (const reader of [log, openLog(path)]) {
    expect((await reader.read('cloud')).diagnostics).toMatchObject([{ code: 'LOG_TORN' }]);
  }
});

test('a crash in the very first row leaves a log that can be read and written', async () => {
  const { path } = await logsOf('');
  await openLog(path).append(context(), [factRow('a')]);
  const { file } = await logsOf('{"global_sequence":1,"type":"provider.fa');
  expect((await file.read('cloud')).diagnostics).toMatchObject([{ code: 'LOG_TORN' }]);
  await file.append(context(), [factRow('a')]);
  expect((await file.read('cloud')).model.owned.size).toBe(1);
});

test('nothing at all, and blank lines, are an empty log', async () => {
  for (const bytes of ['', '\n', ' \n\n  ']) {
    const { file } = await logsOf(bytes);
    expect(await file.read('cloud')).toMatchObject({ diagnostics: [], head: null });
    expect(await newestRows([file], 3)).toEqual([]);
  }
});
