import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type HasHistory, historyOf } from '../../src/eventlog/history.ts';
import { startMarkedFold } from '../../src/eventlog/marked-fold.ts';
import { context, factOf, factRow, intentRow, outcomeRow } from './support/facts.ts';
import { facts } from './support/histories.ts';
import { openLog, temporaryFolder } from './support/log.ts';

/** A log whose rows are an hour apart, from midnight on. */
async function hourlyLog() {
  const path = join(await temporaryFolder(), 'log');
  let hour = 0;
  const log = openLog(path, { now: () => new Date(Date.UTC(2026, 0, 1, hour++)) });
  return { path, log };
}

const at = (hour: number) => new Date(Date.UTC(2026, 0, 1, hour));

test('ownership at a time is what was recorded by then', async () => {
  const { log } = await hourlyLog();
  await log.append(context(), [factRow('a'), intentRow('b')]);
  await log.append(context(), [factRow('a', { stack: 'test', protect: true }), outcomeRow(2, 'failed')]);
  await log.append(context(), [factRow('a', { verb: 'delete', outcome: 'deleted' }), factRow('c')]);
  const seen = [];
  for (const hour of [-1, 0, 1, 2]) {
    const { model, openIntents, diagnostics } = await log.readAt('cloud', at(hour));
    const stacks = [...model.owned.values()].map(({ urn, stack }) => `${urn.split(':').at(-1)} ${stack}`);
    seen.push([stacks, model.tombstones.size, openIntents.length, diagnostics.length]);
  }
  expect(seen).toEqual([
    [[], 0, 0, 0],
    [['a prod'], 0, 1, 0],
    [['a test'], 0, 0, 0],
    [['c prod'], 1, 0, 0],
  ]);
});

test('at a time, a row without one goes with the row before it', async () => {
  const { path, log } = await hourlyLog();
  const bare = (project: string) => writeFile(path, `${JSON.stringify(factOf(project))}\n`, { flag: 'a' });
  await bare('first');
  await log.append(context(), [factRow('a')]);
  await bare('second');
  await log.append(context(), [factRow('b')]);
  await bare('third');
  const { model, diagnostics } = await log.readAt('cloud', at(0));
  expect([...model.owned.keys()].sort()).toEqual(['a', 'first', 'second'].map((project) => factOf(project).urn));
  expect(diagnostics).toMatchObject([{ severity: 'note', detail: expect.stringContaining('2 rows of ') }]);
  expect((await log.readAt('cloud', at(1))).diagnostics).toMatchObject([{ detail: expect.stringContaining('3 rows') }]);
});

test('at a time, rows out of order count by their time all the same', async () => {
  const { path, log } = await hourlyLog();
  await log.append(context(), [factRow('a')]);
  await log.append(context(), [factRow('b')]);
  const lines = (await readFile(path, 'utf8')).trimEnd().split('\n');
  await writeFile(path, `${lines.toReversed().join('\n')}\n`);
  expect([...(await log.readAt('cloud', at(0))).model.owned.keys()]).toEqual([factOf('a').urn]);
});

const sequences = async (log: HasHistory, project: string) =>
  (await historyOf([log], [factOf(project).urn])).map(({ entry }) => entry.sequence);

test('the history of a resource has its facts, its intents and their outcomes, whatever the target', async () => {
  const { log } = await hourlyLog();
  await log.append(context(), [intentRow('a'), intentRow('b'), outcomeRow(2, 'done'), outcomeRow(1, 'done')]);
  await log.append(context({ target: 'emulator' }), [factRow('a'), factRow('b')]);
  expect(await sequences(log, 'a')).toEqual([1, 4, 5]);
  expect(await sequences(log, 'nobody')).toEqual([]);
  const [first] = await historyOf([log], [factOf('a').urn]);
  expect(first?.json).toMatchObject({ global_sequence: 1, type: 'provider.intent' });
});

test('a resource is followed through all its names, from any of them', async () => {
  const { log } = await hourlyLog();
  const renamed = (from: string, to: string) => [
    factRow(from, { verb: 'delete', outcome: 'absent', renamed_to: factOf(to).urn }),
    factRow(to, { renamed_from: factOf(from).urn }),
  ];
  await log.append(context(), [factRow('a'), factRow('x'), ...renamed('a', 'b'), factRow('b'), ...renamed('b', 'c')]);
  for (const name of ['a', 'b', 'c']) expect(await sequences(log, name)).toEqual([1, 3, 4, 5, 6, 7]);
  expect(await sequences(log, 'x')).toEqual([2]);
});

test('a planned renaming is none', async () => {
  const { log } = await hourlyLog();
  await log.append(context(), [factRow('a'), factRow('b', { renamed_from: factOf('a').urn, outcome: 'planned' })]);
  expect(await sequences(log, 'a')).toEqual([1]);
});

test('the history is in the order of the log, each row once', async () => {
  const { path, log } = await hourlyLog();
  await log.append(context(), [factRow('a'), factRow('b'), factRow('a', { outcome: 'noop' })]);
  const lines = (await readFile(path, 'utf8')).trimEnd().split('\n');
  await writeFile(path, `${[...lines.toReversed(), ...lines].join('\n')}\n`);
  expect(await sequences(log, 'a')).toEqual([1, 3]);
});

test('rows of others that carry the resource under a URN of ours are in its history', async () => {
  const path = join(await temporaryFolder(), 'log');
  await writeFile(path, `${JSON.stringify(factOf('a', { urn: 'their:a' }))}\n`);
  const log = openLog(path, { mapForeign: (fact) => ({ ...fact, urn: fact.urn.replace('their:a', factOf('a').urn) }) });
  await log.append(context(), [factRow('a')]);
  expect((await historyOf([log], [factOf('a').urn])).map(({ line }) => line)).toEqual([1, 2]);
});

test('since when a stack owns a resource is told, whichever way a row is read', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(facts, { minLength: 1, maxLength: 12 }), async (written) => {
      const { log } = await hourlyLog();
      const slow = startMarkedFold();
      for (const fact of written) {
        const [row] = await log.append(context(), [{ type: 'provider.fact', provider_fact: fact }]);
        slow.add(fact, row?.recorded_at ?? null);
      }
      expect(new Map((await log.read('cloud')).marks)).toEqual(slow.marks);
    }),
    { numRuns: 25 },
  );
});

test('ownership begins anew with another stack, and after an end', async () => {
  const { log } = await hourlyLog();
  const since = async () => (await log.read('cloud')).marks?.get(factOf('a').urn)?.ownedSince ?? null;
  const seen = [];
  for (const fields of [
    {},
    { outcome: 'noop' as const },
    { stack: 'test' },
    { stack: 'test', credential: 'admin' },
    { verb: 'delete' as const, outcome: 'absent' as const, forgotten: true },
    { verb: 'delete' as const, outcome: 'deleted' as const },
    {},
  ]) {
    await log.append(context(), [factRow('a', fields)]);
    seen.push(await since());
  }
  const hours = seen.map((time) => (time === null ? null : new Date(time).getUTCHours()));
  expect(hours).toEqual([0, 0, 2, 2, 2, null, 6]);
});

test('over several logs a resource is followed by name, and their sequence numbers are not mixed up', async () => {
  const [{ log: other }, { log: own, path }] = [await hourlyLog(), await hourlyLog()];
  await other.append(context(), [intentRow('old'), factRow('old')]);
  await own.append(context(), [intentRow('else')]);
  await own.append(context(), [outcomeRow(1, 'done'), factRow('new', { renamed_from: factOf('old').urn })]);
  await other.append(context(), [outcomeRow(1, 'done')]);
  await writeFile(path, `${JSON.stringify(factOf('new', { outcome: 'noop' }))}\n`, { flag: 'a' });
  const rows = await historyOf([other, own], [factOf('new').urn]);
  expect(rows.map(({ entry: { item, recordedAt } }) => [item.kind, recordedAt?.slice(11, 13) ?? null])).toEqual([
    ['intent', '00'],
    ['fact', '00'],
    ['outcome', '01'],
    ['fact', '01'],
    ['fact', null],
  ]);
});
