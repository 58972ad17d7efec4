import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ProviderFact } from '../../src/core/facts.ts';
import { foldFacts } from '../../src/core/fold.ts';
import { combineInspectableLogs, combineLogs } from '../../src/eventlog/combine-logs.ts';
import { combineModels } from '../../src/eventlog/combine-models.ts';
import type { InspectableLog } from '../../src/eventlog/inspectable-log.ts';
import { startMarkedFold } from '../../src/eventlog/marked-fold.ts';
import { startEhdbServer } from '../support/ehdb/server.ts';
import { MemoryLog } from '../support/in-memory/event-log.ts';
import { made, openServerLog } from './support/ehdb.ts';
import { context, DIGEST, factOf, factRow, intentRow } from './support/facts.ts';
import { facts, plain } from './support/histories.ts';
import { openLog, temporaryFolder } from './support/log.ts';

type Recorded = readonly [fact: ProviderFact, recordedAt: string | null];

function folded(rows: readonly Recorded[]) {
  const fold = startMarkedFold();
  for (const [fact, recordedAt] of rows) fold.add(fact, recordedAt);
  return fold;
}

test('logs without times fold as one log that has their rows one after the other', () => {
  fc.assert(
    fc.property(fc.array(fc.array(facts, { maxLength: 6 }), { minLength: 1, maxLength: 3 }), (logs) => {
      const together = plain(combineModels(logs.map((log) => folded(log.map((fact) => [fact, null])))).model);
      const inOne = plain(foldFacts(logs.flat()));
      // A word that is inherited from a name of another log counts as that log's last.
      const inherits = logs.flat().some(({ renamed_from }) => renamed_from !== undefined);
      expect({ ...together, ...(inherits ? { newestLast: inOne.newestLast } : {}) }).toEqual(inOne);
    }),
    { numRuns: 3000 },
  );
});

const EARLY = '2026-01-01T00:00:00Z';
const LATE = '2026-02-01T00:00:00+00:00';
const gone = factOf('a', { verb: 'delete', outcome: 'deleted' });
const owner = (stack: string) => factOf('a', { stack });

/** Whose `a` is, by logs that each say one thing about it. */
function stackOfA(...words: readonly Recorded[]): string | undefined {
  return combineModels(words.map((word) => folded([word]))).model.owned.get(factOf('a').urn)?.stack;
}

test.each<[string, readonly Recorded[], string | undefined]>([
  [
    'the newer of two with a time',
    [
      [owner('new'), LATE],
      [owner('old'), EARLY],
    ],
    'new',
  ],
  [
    'the newer, where it stands later too',
    [
      [owner('old'), EARLY],
      [owner('new'), LATE],
    ],
    'new',
  ],
  [
    'the later in the list, of two of one time',
    [
      [owner('x'), EARLY],
      [owner('y'), '2026-01-01T01:00:00+01:00'],
    ],
    'y',
  ],
  [
    'the later in the list, where the first has no time',
    [
      [owner('x'), null],
      [owner('y'), EARLY],
    ],
    'y',
  ],
  [
    'the later in the list, where the last has no time',
    [
      [owner('x'), LATE],
      [owner('y'), null],
    ],
    'y',
  ],
  [
    'the later in the list, where a time is none',
    [
      [owner('x'), LATE],
      [owner('y'), 'yesterday'],
    ],
    'y',
  ],
  [
    'the last, where the one between has no time',
    [
      [owner('x'), LATE],
      [owner('y'), null],
      [owner('z'), EARLY],
    ],
    'z',
  ],
  [
    'a newer deletion',
    [
      [gone, LATE],
      [owner('x'), EARLY],
    ],
    undefined,
  ],
  [
    'a newer creation',
    [
      [owner('x'), LATE],
      [gone, EARLY],
    ],
    'x',
  ],
])('%s wins', (_, words, stack) => {
  expect(stackOfA(...words)).toBe(stack);
});

test('words about protection stand in the order of their times, where all have one', () => {
  const word = (project: string, at: string | null) => folded([[factOf(project, { protect: true }), at]]);
  const order = (...logs: readonly ReturnType<typeof folded>[]) => [...combineModels(logs).model.protection.keys()];
  const [a, b] = [factOf('a').urn, factOf('b').urn];
  expect(order(word('a', LATE), word('b', EARLY))).toEqual([b, a]);
  expect(order(word('a', LATE), word('b', null))).toEqual([a, b]);
  expect(order(word('a', null), word('b', null), word('a', null))).toEqual([b, a]);
});

test('the newest word about protection wins, whoever owns the resource', () => {
  const word = (protect: boolean, at: string | null) => folded([[factOf('a', { protect }), at]]);
  const protectionOf = (...logs: readonly ReturnType<typeof folded>[]) =>
    combineModels(logs).model.protection.get(factOf('a').urn);
  expect(protectionOf(word(true, LATE), word(false, EARLY))).toBe(true);
  expect(protectionOf(word(true, null), word(false, EARLY))).toBe(false);
  expect(protectionOf(word(true, EARLY), folded([[gone, LATE]]))).toBe(true);
});

test('what was renamed in one log is as protected as another says of its older name', () => {
  const before = folded([[factOf('old', { protect: true }), null]]);
  const after = folded([
    [factOf('old', { verb: 'delete', outcome: 'absent', renamed_to: factOf('a').urn }), LATE],
    [factOf('a', { renamed_from: factOf('old').urn }), LATE],
  ]);
  const { owned, protection } = combineModels([before, after]).model;
  expect([...owned.keys()]).toEqual([factOf('a').urn]);
  expect(protection.get(factOf('a').urn)).toBe(true);
});

async function fileLog(name: string, at: Date): Promise<InspectableLog> {
  return openLog(join(await temporaryFolder(), name), { now: () => at });
}

test('open intents, facts under a digest, head, chain and rows are the writable log alone’s', async () => {
  const [writable, other] = [await fileLog('own', new Date(EARLY)), await fileLog('other', new Date(LATE))];
  await other.append(context(), [factRow('theirs', { digest: DIGEST }), intentRow('open')]);
  const [, mine] = await writable.append(context(), [intentRow('mine'), factRow('ours', { digest: DIGEST })]);
  const both = combineLogs(writable, [other]);
  const state = await both.read('cloud');
  expect([...state.model.owned.keys()]).toEqual([factOf('theirs').urn, factOf('ours').urn]);
  expect(state.openIntents.map(({ intent }) => intent.address)).toEqual(['ensure_mine']);
  expect(state.factsOf(DIGEST).map(({ urn }) => urn)).toEqual([factOf('ours').urn]);
  expect([state.head, await both.head()]).toEqual([`2:${mine?.hash}`, `2:${mine?.hash}`]);
  expect([both.url, both.writable]).toEqual([writable.url, true]);
  await both.verify();
  const locks = await both.lock(['prod'], 0);
  await both.append(context(), [factRow('more')]);
  await locks.release();
  expect((await writable.read('cloud')).model.owned.size).toBe(2);
  expect((await other.read('cloud')).model.owned.size).toBe(1);
});

test('a server’s log and a file’s fold together; the file has the last word', async () => {
  const { origin } = await startEhdbServer({ rows: [made(1, 'a'), made(2, 'b')] });
  const writable = await fileLog('own', new Date(EARLY));
  await writable.append(context(), [factRow('a', { verb: 'delete', outcome: 'deleted' })]);
  const both = combineLogs(writable, [openServerLog(origin).log]);
  expect([...(await both.read('cloud')).model.owned.keys()]).toEqual([factOf('b').urn]);
});

test('a refusal of one log is one of all', async () => {
  const { origin, faults } = await startEhdbServer();
  faults.push((_, response) => response.end('{"outcome":"disabled","records":[]}'));
  const both = combineLogs(await fileLog('own', new Date(EARLY)), [openServerLog(origin).log]);
  await expect(both.read('cloud')).rejects.toThrow('LOG_INVALID');
});

test('a store that keeps no times has the last word as the writable log', async () => {
  const writable = new MemoryLog();
  writable.remember(factOf('a', { stack: 'ours' }));
  const other = await fileLog('other', new Date(LATE));
  await other.append(context(), [factRow('a', { stack: 'theirs', resource_id: 'projects/1' })]);
  const { model } = await combineLogs(writable, [other]).read('cloud');
  expect(model.owned.get(factOf('a').urn)).toMatchObject({ stack: 'ours', resourceId: 'projects/1' });
});

test('several logs at a time, and their history, the writable one’s last', async () => {
  const [writable, other] = [await fileLog('own', new Date(EARLY)), await fileLog('other', new Date(LATE))];
  await other.append(context(), [factRow('late')]);
  await writable.append(context(), [factRow('early')]);
  const both = combineInspectableLogs(writable, [other]);
  const state = await both.readAt('cloud', new Date('2026-01-15T00:00:00Z'));
  expect([...state.model.owned.keys()]).toEqual([factOf('early').urn]);
  const urns: string[] = [];
  await both.history(({ entry: { item } }) => {
    if (item.kind === 'fact') urns.push(item.fact.urn);
  });
  expect(urns).toEqual([factOf('late').urn, factOf('early').urn]);
});

test('what was passed over in any of them is told; without others there is nothing to put together', async () => {
  const path = join(await temporaryFolder(), 'other');
  await writeFile(path, 'hello\n{}\n{}\n');
  const other = openLog(path, { skipInvalid: true });
  const writable = await fileLog('own', new Date(EARLY));
  expect((await combineLogs(writable, [other]).read('cloud')).diagnostics).toHaveLength(1);
  expect(combineLogs(writable, [])).toBe(writable);
  expect(combineInspectableLogs(writable, [])).toBe(writable);
});

test('since when the winner owns a resource counts from where its stack came to own it', () => {
  const sinceOf = (...words: readonly Recorded[]) =>
    combineModels(words.map((word) => folded([word]))).marks.get(factOf('a').urn)?.ownedSince;
  expect(sinceOf([owner('x'), EARLY], [owner('x'), LATE])).toBe(Date.parse(EARLY));
  expect(sinceOf([owner('x'), EARLY], [owner('y'), LATE])).toBe(Date.parse(LATE));
  expect(sinceOf([owner('x'), EARLY], [gone, LATE])).toBeNull();
  expect(sinceOf([owner('x'), EARLY], [factOf('a', { ...gone, forgotten: true, stack: 'y' }), LATE])).toBe(
    Date.parse(EARLY),
  );
});
