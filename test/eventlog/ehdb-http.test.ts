import { expect, test } from 'vitest';
import { historyOf } from '../../src/eventlog/history.ts';
import { reply, sendJson, startEhdbServer, tierRow } from '../support/ehdb/server.ts';
import { callDone, made, openServerLog, refusalOf, SNOWFLAKE } from './support/ehdb.ts';
import { context, factOf, factRow } from './support/facts.ts';

const PATH = '/api/ehdb/tiers/eventlog';

async function ownedOf(url: string): Promise<readonly string[]> {
  const { model } = await openServerLog(url).log.read('cloud');
  return [...model.owned.values()].map(({ lastDesired }) => (lastDesired as { project_id: string }).project_id);
}

test.each(['result', 'top'] as const)('rows under %s fold with their 64-bit ids', async (shape) => {
  const { origin } = await startEhdbServer({ rows: [made(1, 'a'), made(2, 'b')], shape });
  const { model, openIntents, head, factsOf } = await openServerLog(origin).log.read('cloud');
  expect([...model.owned.values()].map(({ urn, lastExecutionId }) => [urn, lastExecutionId])).toEqual([
    [factOf('a').urn, SNOWFLAKE],
    [factOf('b').urn, SNOWFLAKE],
  ]);
  expect([openIntents, head, factsOf('d'.repeat(64))]).toEqual([[], null, []]);
});

test('the next page is asked from before the last row, until one brings nothing new', async () => {
  const rows = Array.from({ length: 2500 }, (_, index) => made(index + 1));
  const { origin, requests } = await startEhdbServer({ rows });
  expect((await openServerLog(origin).log.read('cloud')).model.owned.size).toBe(2500);
  expect(requests.map(({ query }) => [query.get('after'), query.get('limit')])).toEqual([
    ['0', '1000'],
    ['999', '1000'],
    ['1998', '1000'],
    ['2499', '1000'],
  ]);
});

test("two shards with one sequence number at a page's edge both count, each once", async () => {
  const rows = [made(1), made(2), made(3, 'left', 'a'), made(3, 'right', 'b'), made(4)];
  const { origin } = await startEhdbServer({ rows, maxLimit: 3 });
  expect(await ownedOf(origin)).toEqual(['p1', 'p2', 'left', 'right', 'p4']);
});

test('a row that arrives twice counts once', async () => {
  const gone = tierRow(2, callDone(factOf('p1', { verb: 'delete', outcome: 'deleted' })));
  const { origin } = await startEhdbServer({ rows: [made(1), made(1), gone, gone, made(3)] });
  const { log } = openServerLog(origin);
  expect(await ownedOf(origin)).toEqual(['p3']);
  const lines: number[] = [];
  await log.history(({ entry }) => lines.push(entry.sequence ?? 0));
  expect(lines).toEqual([1, 2, 3]);
});

test('rows that lack an id are told by what they say', async () => {
  const { origin, faults } = await startEhdbServer();
  const bare = ({ global_sequence, payload }: ReturnType<typeof made>) => JSON.stringify({ global_sequence, payload });
  const body = reply([bare(made(1, 'a')), bare(made(1, 'b'))]);
  faults.push(
    (_, response) => sendJson(response, 200, body),
    (_, response) => sendJson(response, 200, body),
  );
  expect(await ownedOf(origin)).toEqual(['a', 'b']);
});

test('a page wholly of one sequence number is an error', async () => {
  const rows = Array.from({ length: 1001 }, (_, index) => made(7, `p${index}`, `t${index}`));
  const { origin } = await startEhdbServer({ rows });
  expect(await refusalOf(openServerLog(origin).log.read('cloud'))).toMatchObject({
    code: 'LOG_INVALID',
    detail: expect.stringContaining('a whole page of sequence number 7'),
  });
});

test.each([2, 3])(
  'where pages of %i are all it gives, rows that share a number are not lost silently',
  async (maxLimit) => {
    const rows = [made(1), made(3, 'a', 'a'), made(3, 'b', 'b'), made(3, 'c', 'c'), made(4)];
    const { origin } = await startEhdbServer({ rows, maxLimit });
    expect((await refusalOf(openServerLog(origin).log.read('cloud'))).detail).toContain('of sequence number 3');
  },
);

test('where they fill its pages at the very end of the log, neither are those that no page shows', async () => {
  const rows = [made(1), made(3, 'a', 'a'), made(3, 'b', 'b'), made(3, 'c', 'c')];
  const { origin } = await startEhdbServer({ rows, maxLimit: 2 });
  expect((await refusalOf(openServerLog(origin).log.read('cloud'))).detail).toContain('of sequence number 3');
});

test('rows that share the last number are the end where nothing comes after them', async () => {
  const { origin } = await startEhdbServer({ rows: [made(1), made(3, 'a', 'a'), made(3, 'b', 'b')], maxLimit: 3 });
  expect(await ownedOf(origin)).toEqual(['p1', 'a', 'b']);
});

test('a server that gives its only page whatever is asked for is read', async () => {
  const { origin, faults } = await startEhdbServer();
  const page = reply([made(1), made(2), made(3)].map((row) => JSON.stringify(row)));
  for (let asked = 0; asked < 2; asked += 1) faults.push((_, response) => sendJson(response, 200, page));
  expect(await ownedOf(origin)).toEqual(['p1', 'p2', 'p3']);
});

test('one that gives a full page again, or earlier rows, is found out instead of believed', async () => {
  const full = reply(Array.from({ length: 1000 }, (_, index) => JSON.stringify(made(index + 1))));
  const late = reply([JSON.stringify(made(5))]);
  const early = reply([JSON.stringify(made(2))]);
  for (const [first, second, detail] of [
    [full, full, 'served the page before again'],
    [late, early, 'was asked for rows after 4 and served row 2'],
  ] as const) {
    const { origin, faults } = await startEhdbServer();
    faults.push(
      (_, response) => sendJson(response, 200, first),
      (_, response) => sendJson(response, 200, second),
    );
    expect((await refusalOf(openServerLog(origin).log.read('cloud'))).detail).toContain(detail);
  }
});

test('a row without a sequence number is an error', async () => {
  const { origin, faults } = await startEhdbServer();
  faults.push((_, response) => sendJson(response, 200, reply([JSON.stringify({ payload: '{}' })])));
  expect((await refusalOf(openServerLog(origin).log.read('cloud'))).detail).toContain('without a global_sequence');
});

test.each([
  ['', PATH, ''],
  ['/', PATH, ''],
  [PATH, PATH, ''],
  [`${PATH}/`, PATH, ''],
  ['/noetl', `/noetl${PATH}`, ''],
  ['?execution=5&tenant=t%20x&namespace=n', PATH, 'execution=5&tenant=t+x&namespace=n&'],
])('%s asks for the tier', async (suffix, path, query) => {
  const { origin, requests } = await startEhdbServer();
  const { log } = openServerLog(`${origin}${suffix}`);
  await log.read('cloud');
  expect(requests[0]?.path).toBe(path);
  expect(String(requests[0]?.query)).toBe(`${query}after=0&limit=1000`);
});

test('a read of one execution has its rows only', async () => {
  const other = { ...made(2, 'b'), execution_id: '6' };
  const { origin } = await startEhdbServer({ rows: [made(1, 'a'), other, made(3, 'c')] });
  expect(await ownedOf(`${origin}?execution=6`)).toEqual(['b']);
});

test('it can only be read, and nothing is sent for finding that out', async () => {
  const { origin, requests } = await startEhdbServer();
  const { log } = openServerLog(origin);
  expect(log.writable).toBe(false);
  expect(log.url).toBe(`${origin}${PATH}`);
  await expect(log.append(context(), [factRow('a')])).rejects.toThrow('LOG_READ_ONLY');
  await expect(log.lock(['prod'], 0)).rejects.toThrow('LOG_READ_ONLY');
  await expect(log.verify()).rejects.toThrow('NOT_AVAILABLE');
  expect(await log.head()).toBeNull();
  expect(requests).toEqual([]);
});

test('a broken payload is an error with its row, or is counted', async () => {
  const { origin } = await startEhdbServer({ rows: [made(1, 'a'), tierRow(2, '{"half":'), made(3, 'c')] });
  expect(await refusalOf(openServerLog(origin).log.read('cloud'))).toMatchObject({
    code: 'LOG_INVALID',
    detail: `Row 2 of ${origin}${PATH} is broken: it is not JSON.`,
  });
  const state = await openServerLog(origin, { skipInvalid: true }).log.read('cloud');
  expect(state.model.owned.size).toBe(2);
  expect(state.diagnostics).toMatchObject([{ code: 'LOG_INVALID', severity: 'warning' }]);
});

test('facts are mapped to ours', async () => {
  const { origin } = await startEhdbServer({ rows: [made(1, 'a')] });
  const { log } = openServerLog(origin, { mapForeign: (fact) => ({ ...fact, urn: `mapped:${fact.urn}` }) });
  expect([...(await log.read('cloud')).model.owned.keys()]).toEqual([`mapped:${factOf('a').urn}`]);
});

test("what is shown of a server's rows has no secret in it", async () => {
  const secret = tierRow(1, '{"event_type":"call.done","authorization":"Bearer CANARY","deep":[{"api_key":"CANARY"}]}');
  const { origin } = await startEhdbServer({ rows: [secret] });
  const shown: unknown[] = [];
  await openServerLog(origin).log.history(({ json }) => shown.push(json));
  expect(JSON.stringify(shown)).toContain('call.done');
  expect(JSON.stringify(shown)).not.toContain('CANARY');
});

test('the history has every row, and one resource is followed through its names', async () => {
  const renamed = factOf('b', { renamed_from: factOf('a').urn });
  const note = tierRow(2, '{"event_type":"call.started"}');
  const { origin } = await startEhdbServer({
    rows: [made(1, 'a'), note, tierRow(3, callDone(renamed)), made(4, 'c')],
  });
  const { log } = openServerLog(origin);
  const rows: unknown[] = [];
  await log.history(({ line, json, entry }) => rows.push([line, entry.item.kind, Object.keys(json as object).length]));
  expect(rows).toEqual([
    [1, 'fact', 5],
    [2, 'nothing', 5],
    [3, 'fact', 5],
    [4, 'fact', 5],
  ]);
  expect((await historyOf([log], [factOf('b').urn])).map(({ line }) => line)).toEqual([1, 3]);
});

test('at a time: rows without one are told in a note', async () => {
  const timed = JSON.stringify({ ...made(2, 'b'), recorded_at: '2026-03-01T00:00:00Z' });
  const { origin, faults } = await startEhdbServer();
  const body = reply([JSON.stringify(made(1, 'a')), timed, JSON.stringify(made(3, 'c'))]);
  faults.push((_, response) => sendJson(response, 200, body));
  const state = await openServerLog(origin).log.readAt('cloud', new Date('2026-02-01T00:00:00Z'));
  expect([...state.model.owned.keys()]).toEqual([factOf('a').urn]);
  expect(state.diagnostics).toMatchObject([{ severity: 'note', detail: expect.stringContaining('1 rows of ') }]);
});
