import { appendFile, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sha256Hex } from '../../src/core/json.ts';
import { context, DIGEST, factOf, factRow, intentRow, outcomeRow } from './support/facts.ts';
import { openLog, temporaryFolder } from './support/log.ts';

async function freshLog() {
  const folder = await temporaryFolder();
  const path = join(folder, 'eventlog.jsonl');
  return { folder, path, log: openLog(path) };
}

async function linesOf(path: string): Promise<readonly string[]> {
  return (await readFile(path, 'utf8')).split('\n').slice(0, -1);
}

function rowsOf(lines: readonly string[]): readonly Record<string, unknown>[] {
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

test('a missing file is an empty log, and reading does not make it', async () => {
  const { folder, log } = await freshLog();
  const state = await log.read('cloud');
  expect(state.model.owned.size).toBe(0);
  expect(state.head).toBeNull();
  expect(state.factsOf(DIGEST)).toEqual([]);
  await log.verify();
  expect(await readdir(folder)).toEqual([]);
});

test('rows have the keys of the design in order, are chained and sealed over their own bytes', async () => {
  const { path, log } = await freshLog();
  const written = await log.append(context(), [factRow('a'), intentRow('b')]);
  const lines = await linesOf(path);
  const rows = rowsOf(lines);
  expect(Object.keys(rows[0] ?? {})).toEqual([
    'global_sequence',
    'type',
    'recorded_at',
    'execution_id',
    'actor',
    'infra',
    'target',
    'provider_fact',
    'prev',
    'hash',
  ]);
  expect(rows[0]?.['prev']).toBe('0'.repeat(64));
  expect(rows[1]?.['prev']).toBe(rows[0]?.['hash']);
  for (const [index, line] of lines.entries()) {
    const cut = line.lastIndexOf(',"hash":');
    expect(sha256Hex(`${line.slice(0, cut)}}`)).toBe(written[index]?.hash);
  }
  expect(written.map((row) => row.global_sequence)).toEqual([1, 2]);
  expect(await log.head()).toBe(`2:${written[1]?.hash}`);
  await log.verify();
});

test('a second log on the file goes on with sequence and chain', async () => {
  const { path, log } = await freshLog();
  await log.append(context(), [factRow('a')]);
  const [second] = await openLog(path).append(context(), [factRow('b')]);
  expect(second?.global_sequence).toBe(2);
  await log.verify();
});

test('appends of one process at the same time all end up in one intact chain', async () => {
  const { path, log } = await freshLog();
  const written = await Promise.all(
    Array.from({ length: 40 }, (_, index) => log.append(context(), [factRow(`p${index}`)])),
  );
  expect(written.flat().map((row) => row.global_sequence)).toEqual(Array.from({ length: 40 }, (_, index) => index + 1));
  expect(await linesOf(path)).toHaveLength(40);
  await log.verify();
});

test('files are 0600 and folders 0700', async () => {
  const folder = await temporaryFolder();
  const log = openLog(join(folder, 'deep', 'eventlog.jsonl'));
  await log.append(context(), [factRow('a')]);
  expect((await stat(join(folder, 'deep', 'eventlog.jsonl'))).mode & 0o777).toBe(0o600);
  expect((await stat(join(folder, 'deep'))).mode & 0o777).toBe(0o700);
  expect((await stat(join(folder, 'deep', 'locks'))).mode & 0o777).toBe(0o700);
});

test('facts, open intents and their operation names come back', async () => {
  const { log } = await freshLog();
  await log.append(context(), [
    factRow('a', { digest: DIGEST, resource_id: 'projects/1' }),
    intentRow('b'),
    intentRow('c'),
    intentRow('d'),
    outcomeRow(2, 'failed'),
    outcomeRow(3, 'pending', 'operations/cp.1'),
    outcomeRow(4, 'uncertain', 'enp00000000000000001'),
  ]);
  const state = await log.read('cloud');
  expect([...state.model.owned.keys()]).toEqual([factOf('a').urn]);
  expect(
    state.openIntents.map(({ sequence, operationName, namedOperation }) => [sequence, operationName, namedOperation]),
  ).toEqual([
    [3, 'operations/cp.1', null],
    [4, null, 'enp00000000000000001'],
  ]);
  expect(state.openIntents[0]?.intent).toEqual(intentRow('c'));
  expect(state.factsOf(DIGEST)).toEqual([factOf('a', { digest: DIGEST, resource_id: 'projects/1' })]);
});

test('what is done stays open until its fact is there, whatever cut them apart and whichever came first', async () => {
  const { log } = await freshLog();
  const open = async () => (await log.read('cloud')).openIntents.map(({ intent, recorded }) => [intent.urn, recorded]);
  const [a, b] = [factOf('a').urn, factOf('b').urn];
  await log.append(context(), [intentRow('a'), intentRow('b'), outcomeRow(1, 'done')]);
  expect(await open()).toEqual([
    [a, 'outcome'],
    [b, null],
  ]);
  await log.append(context(), [factRow('b')]);
  expect(await open()).toEqual([
    [a, 'outcome'],
    [b, 'fact'],
  ]);
  await log.append(context(), [factRow('a')]);
  expect(await open()).toEqual([[b, 'fact']]);
  await log.append(context(), [outcomeRow(2, 'done')]);
  expect(await open()).toEqual([]);
});

test('what another target recorded is kept apart', async () => {
  const { log } = await freshLog();
  await log.append(context({ target: 'emulator' }), [factRow('a', { digest: DIGEST }), intentRow('b')]);
  const cloud = await log.read('cloud');
  expect(cloud.model.owned.size).toBe(0);
  expect(cloud.openIntents).toEqual([]);
  expect(cloud.factsOf(DIGEST)).toEqual([]);
  const emulator = await log.read('emulator');
  expect(emulator.model.owned.size).toBe(1);
  expect(emulator.openIntents).toHaveLength(1);
});

test('an intent stands in the log as planned, whatever its fact says', async () => {
  const { path, log } = await freshLog();
  await log.append(context(), [intentRow('a', { provider_fact: factOf('a') })]);
  expect(rowsOf(await linesOf(path))[0]?.['provider_fact']).toMatchObject({ outcome: 'planned' });
});

test('an unfinished last line is set aside, noted, and the chain goes on', async () => {
  const { folder, path, log } = await freshLog();
  await log.append(context(), [factRow('a')]);
  await appendFile(path, '{"global_sequence":2,"type":"provid');
  expect((await log.read('cloud')).model.owned.size).toBe(1);
  await log.verify();
  const [row] = await log.append(context(), [factRow('b')]);
  expect(row?.global_sequence).toBe(3);
  expect(await readFile(join(folder, 'eventlog.jsonl.torn-2'), 'utf8')).toBe('{"global_sequence":2,"type":"provid');
  expect(rowsOf(await linesOf(path))[1]).toMatchObject({
    type: 'log.note',
    detail: { file: 'eventlog.jsonl.torn-2', bytes: 35 },
  });
  expect((await log.read('cloud')).model.owned.size).toBe(2);
  await log.verify();
});

test('an unterminated last line that is whole is a row like any other', async () => {
  const { path, log } = await freshLog();
  await writeFile(path, JSON.stringify({ provider_fact: factOf('a') }));
  expect((await log.read('cloud')).model.owned.size).toBe(1);
  const [row] = await log.append(context(), [factRow('b')]);
  expect(row).toMatchObject({ global_sequence: 1, prev: sha256Hex(JSON.stringify({ provider_fact: factOf('a') })) });
  expect(await linesOf(path)).toHaveLength(2);
  await log.verify();
});

test('a broken line in the middle is an error with its number, or is counted', async () => {
  const { path, log } = await freshLog();
  await log.append(context(), [factRow('a')]);
  await appendFile(path, '{"broken":\n');
  await appendFile(path, `${JSON.stringify(factOf('b'))}\n`);
  await expect(log.read('cloud')).rejects.toThrow(/LOG_INVALID: Line 2 .* it is not JSON/);
  const state = await openLog(path, { skipInvalid: true }).read('cloud');
  expect(state.model.owned.size).toBe(2);
  expect(state.diagnostics).toMatchObject([{ code: 'LOG_INVALID', severity: 'warning' }]);
});

test('nothing is written behind a last line that is no row', async () => {
  const { path, log } = await freshLog();
  await writeFile(path, 'hello\n');
  await expect(log.append(context(), [factRow('a')])).rejects.toThrow('LOG_INVALID');
  expect(await readFile(path, 'utf8')).toBe('hello\n');
});

test.each(['symlink', 'folder'])("a %s in the log's place is refused", async (kind) => {
  const { folder, log } = await freshLog();
  await writeFile(join(folder, 'elsewhere'), '');
  if (kind === 'symlink') await symlink(join(folder, 'elsewhere'), join(folder, 'eventlog.jsonl'));
  else await openLog(join(folder, 'eventlog.jsonl', 'x.jsonl')).append(context(), [factRow('a')]);
  await expect(log.append(context(), [factRow('a')])).rejects.toThrow('UNSAFE_PATH');
  await expect(log.read('cloud')).rejects.toThrow('UNSAFE_PATH');
  expect(await readFile(join(folder, 'elsewhere'), 'utf8')).toBe('');
});

test('every change to a row is found where it was made', async () => {
  const { path, log } = await freshLog();
  await log.append(context(), [factRow('a'), factRow('b'), factRow('c')]);
  const whole = await readFile(path, 'utf8');
  await writeFile(path, whole.replace('"project_id":"b"', '"project_id":"x"'));
  await expect(log.verify()).rejects.toThrow(/CHAIN_BROKEN: Line 2 \(row 2\)/);
  await writeFile(path, whole.split('\n').toSpliced(1, 1).join('\n'));
  await expect(log.verify()).rejects.toThrow(/CHAIN_BROKEN: Line 2 \(row 3\)/);
  await writeFile(path, whole.split('\n').toSpliced(1, 1, 'garbage').join('\n'));
  await expect(log.verify()).rejects.toThrow(/CHAIN_BROKEN: Line 2 of .* it is not JSON/);
  await writeFile(path, whole);
  await log.verify();
});
