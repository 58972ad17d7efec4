import { readdir } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { openStreamLog, type StreamLogOptions } from '../../src/eventlog/stdin.ts';
import { reply } from '../support/ehdb/server.ts';
import { made, refusalOf } from './support/ehdb.ts';
import { context, factOf, factRow } from './support/facts.ts';
import { openLog, temporaryFolder } from './support/log.ts';

function streamLog(chunks: readonly (string | Buffer)[], options: Partial<StreamLogOptions> = {}) {
  const log = openStreamLog({ input: Readable.from(chunks), ...options });
  onTestFinished(() => log.close());
  return log;
}

const wrapped = (project: string) => `${JSON.stringify({ provider_fact: factOf(project) })}\n`;

test.each<[string, string]>([
  ['facts, a line each', `${wrapped('a')}${wrapped('b')}`],
  ['a list', JSON.stringify([factOf('a'), factOf('b')])],
  [
    'a reply, written out',
    JSON.stringify(JSON.parse(reply([made(1, 'a'), made(2, 'b')].map((row) => JSON.stringify(row)))), null, 2),
  ],
])('%s come through it as through a file', async (_, text) => {
  const bytes = Buffer.from(text);
  const log = streamLog([bytes.subarray(0, 33), bytes.subarray(33)]);
  expect([...(await log.read('cloud')).model.owned.keys()]).toEqual([factOf('a').urn, factOf('b').urn]);
});

test('it is read once, and answers as often as it is asked', async () => {
  const log = streamLog([wrapped('a')]);
  const [first, second] = await Promise.all([log.read('cloud'), log.read('emulator')]);
  expect([first.model.owned.size, second.model.owned.size]).toEqual([1, 1]);
  expect((await log.readAt('cloud', new Date())).diagnostics).toMatchObject([{ severity: 'note' }]);
  const rows: number[] = [];
  await log.history(({ line }) => rows.push(line));
  expect(rows).toEqual([1]);
});

test('a log of ours that comes through it keeps head and chain', async () => {
  const folder = await temporaryFolder();
  const file = openLog(`${folder}/log`);
  await file.append(context(), [factRow('a'), factRow('b')]);
  const { createReadStream } = await import('node:fs');
  const log = openStreamLog({ input: createReadStream(`${folder}/log`), spoolFolder: folder });
  onTestFinished(() => log.close());
  expect(await log.head()).toBe(await file.head());
  await log.verify();
  expect(await log.walk(await file.head())).toMatchObject({ rows: 2, unsealed: 0, firstBad: null, headFound: true });
  expect(await readdir(folder)).toEqual(['locks', 'log']);
});

test('a broken line is an error with its number, a broken chain one with its row', async () => {
  await expect(streamLog([wrapped('a'), 'hello\n', wrapped('b')]).read('cloud')).rejects.toThrow(
    'LOG_INVALID: Line 2 of standard input',
  );
  const skipping = streamLog([wrapped('a'), 'hello\n', wrapped('b')], { skipInvalid: true });
  expect((await skipping.read('cloud')).model.owned.size).toBe(2);
  const path = `${await temporaryFolder()}/log`;
  await openLog(path).append(context(), [factRow('a')]);
  const { readFile } = await import('node:fs/promises');
  const forged = (await readFile(path, 'utf8')).replace('"stack":"prod"', '"stack":"fake"');
  await expect(streamLog([forged]).verify()).rejects.toThrow('CHAIN_BROKEN: Line 1 (row 1) of standard input');
});

test('an empty stream is an empty log', async () => {
  const log = streamLog([]);
  expect((await log.read('cloud')).model.owned.size).toBe(0);
  expect(await log.head()).toBeNull();
});

test('a stream that breaks off is an error, not a shorter log', async () => {
  const input = Readable.from(
    (async function* () {
      yield wrapped('a');
      throw new Error('the pipe broke');
    })(),
  );
  const log = openStreamLog({ input });
  expect(await refusalOf(log.read('cloud'))).toMatchObject({
    code: 'LOG_INVALID',
    detail: 'standard input could not be read to its end: the pipe broke.',
  });
});

test('nowhere to keep it is an error', async () => {
  const log = openStreamLog({ input: Readable.from(['x']), spoolFolder: '/nowhere/at/all' });
  expect((await refusalOf(log.read('cloud'))).code).toBe('LOG_INVALID');
});

test('it can only be read, and no input is waited for to find that out', async () => {
  const log = openStreamLog({ input: new Readable({ read: () => undefined }) });
  expect([log.url, log.writable]).toEqual(['-', false]);
  await expect(log.append(context(), [factRow('a')])).rejects.toThrow('LOG_READ_ONLY');
  await expect(log.lock(['prod'], 0)).rejects.toThrow('LOG_READ_ONLY');
  await log.close();
});
