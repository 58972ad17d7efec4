import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type LosslessJson, parseLossless } from '../../src/eventlog/lossless.ts';
import {
  extractFactsFromEventlog,
  extractFactsFromTierRecords,
  foldTierRecords,
} from '../../src/eventlog/tier-records.ts';
import { context, factOf, factRow } from './support/facts.ts';
import { openLog, temporaryFolder } from './support/log.ts';

/** Beyond 2^53: JSON.parse would make 1152921504606846980 of it. */
const SNOWFLAKE = '1152921504606846977';

const factText = (project: string): string =>
  JSON.stringify(factOf(project)).replace('"execution_id":7', `"execution_id":${SNOWFLAKE}`);
const wrapped = (project: string): string => `{"provider_fact":${factText(project)}}`;
const callDone = (project: string): string =>
  `{"execution_id":"${SNOWFLAKE}","event_type":"call.done","context":{"result":{"context":{"data":${wrapped(project)}}}}}`;
const tierRow = (sequence: number, project: string, transaction = `t${sequence}`): string =>
  JSON.stringify({
    global_sequence: sequence,
    execution_id: SNOWFLAKE,
    transaction_id: transaction,
    payload: callDone(project),
  });

const reply = (records: readonly string[]): string =>
  `{"action":"ehdb.tier.query","outcome":"served","result":{"action":"eventlog-scan","keys":{"records":1},"records":[${records.join(',')}]}}`;
const pretty = (text: string): string => JSON.stringify(JSON.parse(text), null, 2);

async function readText(text: string) {
  const path = join(await temporaryFolder(), 'log');
  await writeFile(path, text);
  return openLog(path).read('cloud');
}

test.each<[string, string]>([
  ['bare facts, a line each', `${factText('a')}\n${factText('b')}\n`],
  ['wrapped facts, a line each', `${wrapped('a')}\n\n${wrapped('b')}\n`],
  ['decoded event bodies', `${callDone('a')}\n{"result":{"data":${wrapped('b')}}}\n`],
  ['tier rows', `${tierRow(1, 'a')}\n${tierRow(2, 'b')}\n`],
  ['a list on one line', `[${factText('a')},${wrapped('b')}]`],
  ['a list, an item a line', `[\n${tierRow(1, 'a')},\n${tierRow(2, 'b')}\n]\n`],
  ['a list, written out', pretty(`[${tierRow(1, 'a')},${tierRow(2, 'b')}]`)],
  ['records on one line', `{"records":[${tierRow(1, 'a')},${tierRow(2, 'b')}]}`],
  [
    'records, written out',
    pretty(`{"other":[1,{"records":[]}],"records":[${tierRow(1, 'a')},${tierRow(2, 'b')}],"more":[{}]}`),
  ],
  ['a reply on one line', reply([tierRow(1, 'a'), tierRow(2, 'b')])],
  ['a reply, written out', pretty(reply([tierRow(1, 'a'), tierRow(2, 'b')]))],
])('%s are read, with their 64-bit ids', async (_, text) => {
  const { model } = await readText(text);
  expect(
    [...model.owned.values()].map(({ urn, lastExecutionId, lastDesired }) => [urn, lastExecutionId, lastDesired]),
  ).toEqual([
    [factOf('a').urn, SNOWFLAKE, { project_id: 'a' }],
    [factOf('b').urn, SNOWFLAKE, { project_id: 'b' }],
  ]);
});

test.each([
  '{"records":null}',
  '{"records":{}}',
  '{"result":{"records":"none"}}',
  '{"result":{"records":null}}',
  '{"outcome":"served","result":{"records":null}}',
  '{\n "records": null\n}\n',
])('what has records that are no list is no empty log: %s', async (text) => {
  await expect(readText(text)).rejects.toThrow(/LOG_INVALID: Line 1 .*its records are no list/);
});

test('an answer without records is no empty log, unless it says that there is nothing', async () => {
  for (const text of ['{"outcome":"served"}', '{"outcome":"served","result":{}}'])
    await expect(readText(text)).rejects.toThrow(/LOG_INVALID: Line 1 .*the reply has no records/);
  expect((await readText('{"outcome":"absent"}')).model.owned.size).toBe(0);
  expect((await readText(`{"outcome":"served","data":${wrapped('a')}}`)).model.owned.size).toBe(1);
});

test.each([
  ['records', '{"records":[', ']}'],
  ['result', '{"outcome":"served","result":{"records":[', ']}}'],
])('a reply on one line with its rows under %s is streamed, however long', async (_, start, end) => {
  const items = Array.from({ length: 3000 }, (_item, index) => tierRow(index + 1, `p${index}`));
  const { model } = await readText(`${start}${items.join(',')}${end}\n`);
  expect(model.owned.size).toBe(3000);
  await expect(readText(`${start}${items.join(',')}`)).rejects.toThrow(/is one JSON document, and it ends early/);
});

test.each([
  ['no records', '{"records": []}'],
  ['an empty list', '[]\n'],
  ['a list, written out', '[\n]\n'],
  ['a list on one line', `[${tierRow(1, 'a')}]`],
  ['a long list', `[${Array.from({ length: 3000 }, (_, index) => tierRow(index + 1, 'a')).join(',')}]\n`],
  ['a reply on one line', reply([tierRow(1, 'a')])],
  ['a reply, written out', pretty(reply([tierRow(1, 'a')]))],
])('%s is one document: nothing is locked or written behind it', async (_name, text) => {
  const path = join(await temporaryFolder(), 'log');
  await writeFile(path, text);
  const log = openLog(path);
  await expect(log.lock(['prod'], 0)).rejects.toThrow('LOG_READ_ONLY');
  await expect(log.append(context(), [factRow('a')])).rejects.toThrow('LOG_READ_ONLY');
  expect(await readFile(path, 'utf8')).toBe(text);
});

test.each([
  ['tier rows', `${tierRow(1, 'a')}\n${tierRow(2, 'b')}\n`],
  ['replies, one a line', `${reply([tierRow(1, 'a')])}\n${reply([tierRow(2, 'b')])}\n`],
  ['a row alone', factText('a')],
  ['nothing', ''],
])('%s can be written behind', async (_name, text) => {
  const path = join(await temporaryFolder(), 'log');
  await writeFile(path, text);
  await openLog(path).append(context(), [factRow('c')]);
  expect((await openLog(path).read('cloud')).model.owned.has(factOf('c').urn)).toBe(true);
});

test('one long row on a line stays a row', async () => {
  const long = factText('a').replace('"project_id":"a"', `"project_id":"a","labels":{"a":"${'x'.repeat(1 << 17)}"}`);
  const { model } = await readText(`${long}\n${factText('b')}\n`);
  expect(model.owned.size).toBe(2);
});

test('a list longer than a block is streamed', async () => {
  const items = Array.from({ length: 3000 }, (_, index) => tierRow(index + 1, `p${index}`));
  const { model } = await readText(`[${items.join(',')}]`);
  expect(model.owned.size).toBe(3000);
});

test('a row that arrives twice counts once, two shards with one sequence are two', async () => {
  const gone = tierRow(3, 'a')
    .replace('\\"outcome\\":\\"changed\\"', '\\"outcome\\":\\"deleted\\"')
    .replace('\\"verb\\":\\"ensure\\"', '\\"verb\\":\\"delete\\"');
  const first = tierRow(1, 'a');
  const { model } = await readText(`${[first, first, tierRow(1, 'b', 'other'), gone, first].join('\n')}\n`);
  expect([...model.owned.keys()]).toEqual([factOf('b').urn]);
});

test.each(['disabled', 'unavailable', 'guard_refused', 'invalid', 'rejected', 'error'])(
  'a reply that is a refusal (%s) is an error',
  async (outcome) => {
    await expect(readText(`{"action":"ehdb.tier.query","outcome":"${outcome}"}`)).rejects.toThrow(
      /LOG_INVALID.*the server refused/,
    );
  },
);

test.each(['disabled', 'something_new'])(
  'a refusal (%s) that has records is one all the same, on one line or written out, whatever is passed over',
  async (outcome) => {
    const answers = [
      { action: 'ehdb.tier.query', outcome, records: [] },
      { action: 'ehdb.tier.query', outcome, result: { records: [] } },
      { action: 'ehdb.tier.query', result: { records: [] }, outcome },
      { result: { records: [] }, outcome: 'disabled' },
      { action: 'ehdb.tier.query', records: [] },
    ];
    for (const answer of answers) {
      for (const text of [JSON.stringify(answer), JSON.stringify(answer, null, 2)]) {
        const path = join(await temporaryFolder(), 'log');
        await writeFile(path, text);
        for (const skipInvalid of [false, true]) {
          await expect(openLog(path, { skipInvalid }).read('cloud')).rejects.toThrow(/LOG_INVALID.*the server refused/);
        }
      }
    }
  },
);

test('an outcome that is a row\u2019s own refuses nothing', async () => {
  const event = '{"type":"call.error","outcome":"error","execution_id":"1"}';
  expect((await readText(`${event}\n${wrapped('a')}\n`)).model.owned.size).toBe(1);
});

test('an answer that nothing is there is an empty log', async () => {
  expect((await readText('{"action":"ehdb.tier.query","outcome":"absent"}')).model.owned.size).toBe(0);
});

test('a document that ends early is an error', async () => {
  await expect(readText(`[\n${tierRow(1, 'a')},\n`)).rejects.toThrow(/LOG_INVALID.*ends early/);
});

test('a broken item of a document is an error with its line', async () => {
  await expect(readText(`[\n${tierRow(1, 'a')},\n{"b" 1}\n]`)).rejects.toThrow(/LOG_INVALID: Line 3 /);
});

test('a fact is strict: a missing field, another type or an unknown word is none', () => {
  const fact: Record<string, unknown> = { ...factOf('a') };
  const broken = [
    ...['urn', 'provider', 'service', 'resource_type', 'stack', 'verb', 'outcome', 'execution_id'].map((key) => ({
      ...fact,
      [key]: undefined,
    })),
    { ...fact, verb: 'destroy' },
    { ...fact, outcome: 'done' },
    { ...fact, execution_id: '7' },
    { ...fact, execution_id: 7.5 },
    { ...fact, execution_id: 2n ** 63n },
    { ...fact, execution_id: -(2n ** 63n) - 1n },
  ];
  expect(extractFactsFromTierRecords(broken as unknown as readonly LosslessJson[])).toEqual([]);
  expect(
    extractFactsFromTierRecords([
      { ...fact, desired: undefined, protect: 'yes', origin: 'thin air' } as unknown as LosslessJson,
    ]),
  ).toEqual([{ ...factOf('a'), desired: null }]);
});

test('a fact is found down to depth 12, at this level before below, and a loose one does not hide a strict one', () => {
  const nest = (depth: number): LosslessJson =>
    depth === 0 ? parseLossless(wrapped('deep')) : { in: nest(depth - 1) };
  expect(extractFactsFromEventlog([nest(12)])).toHaveLength(1);
  expect(extractFactsFromEventlog([nest(13)])).toHaveLength(0);
  const here = {
    aside: { provider_fact: factOf('below') as unknown as LosslessJson },
    provider_fact: factOf('here') as unknown as LosslessJson,
  };
  expect(extractFactsFromEventlog([here])).toMatchObject([{ urn: factOf('here').urn }]);
  expect(extractFactsFromEventlog([{ ...here, provider_fact: { urn: 'x' } }])).toMatchObject([
    { urn: factOf('below').urn },
  ]);
});

test('an id that a double carries exactly still prints as it was written', () => {
  const text = factText('a').replace(SNOWFLAKE, '1152921504606846976');
  expect(extractFactsFromTierRecords([parseLossless(text)])).toMatchObject([{ execution_id: '1152921504606846976' }]);
});

test('tier rows fold to what is owned', () => {
  const model = foldTierRecords([tierRow(1, 'a'), tierRow(2, 'b')].map(parseLossless));
  expect([...model.owned.keys()]).toEqual([factOf('a').urn, factOf('b').urn]);
});
