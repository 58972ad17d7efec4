import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { foldFacts } from '../../src/core/fold.ts';
import { context, DIGEST, factOf, factRow, intentRow, outcomeRow } from './support/facts.ts';
import { facts, plain } from './support/histories.ts';
import { openLog, temporaryFolder } from './support/log.ts';

const freshPath = async () => join(await temporaryFolder(), 'eventlog.jsonl');

test('what is read back is the fold of what was written, whichever way a row is read', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(facts, { maxLength: 30, minLength: 1 }), async (written) => {
      const log = openLog(await freshPath());
      await log.append(
        context(),
        written.map((fact) => ({ type: 'provider.fact', provider_fact: fact })),
      );
      const state = await log.read('cloud');
      expect(plain(state.model)).toEqual(plain(foldFacts(written)));
      expect(state.factsOf(DIGEST)).toEqual(written.filter((fact) => fact.digest === DIGEST));
      await log.verify();
    }),
    { numRuns: 60 },
  );
});

test('a log copied behind itself reads as the log', async () => {
  const path = await freshPath();
  const log = openLog(path);
  await log.append(context(), [
    factRow('a', { digest: DIGEST }),
    intentRow('b'),
    factRow('a', { verb: 'delete', outcome: 'deleted' }),
    outcomeRow(2, 'failed'),
  ]);
  const text = await readFile(path, 'utf8');
  await writeFile(path, text + text);
  const state = await log.read('cloud');
  expect(state.model.owned.size).toBe(0);
  expect(state.openIntents).toEqual([]);
  expect(state.factsOf(DIGEST)).toHaveLength(1);
  await expect(log.verify()).rejects.toThrow(/CHAIN_BROKEN: Line 5 \(row 1\)/);
});

test('rows in another order than they were written fold by their sequence', async () => {
  const path = await freshPath();
  const log = openLog(path);
  await log.append(context(), [
    factRow('a'),
    factRow('a', { verb: 'delete', outcome: 'absent' }),
    factRow('b'),
    intentRow('c'),
  ]);
  const lines = (await readFile(path, 'utf8')).trimEnd().split('\n');
  await writeFile(path, `${lines.toReversed().join('\n')}\n`);
  const state = await log.read('cloud');
  expect([...state.model.owned.keys()]).toEqual([factOf('b').urn]);
  expect(state.openIntents).toHaveLength(1);
});

test('a row without a sequence stays behind the row it followed', async () => {
  const path = await freshPath();
  const log = openLog(path);
  await log.append(context(), [factRow('a'), factRow('b')]);
  const [first = '', second = ''] = (await readFile(path, 'utf8')).trimEnd().split('\n');
  const gone = JSON.stringify(factOf('b', { verb: 'delete', outcome: 'deleted' }));
  await writeFile(path, `${[second, gone, first].join('\n')}\n`);
  expect([...(await log.read('cloud')).model.owned.keys()]).toEqual([factOf('a').urn]);
});

test('facts of others are mapped before they are folded, ours are not', async () => {
  const path = await freshPath();
  const log = openLog(path, { mapForeign: (fact) => ({ ...fact, urn: `mapped:${fact.urn}` }) });
  await writeFile(path, `${JSON.stringify(factOf('foreign'))}\n`);
  await log.append(context(), [factRow('ours')]);
  expect([...(await log.read('cloud')).model.owned.keys()].sort()).toEqual([
    factOf('ours').urn,
    `mapped:${factOf('foreign').urn}`,
  ]);
});

test('a fact that names no target counts for every target', async () => {
  const path = await freshPath();
  await writeFile(path, `${JSON.stringify(factOf('foreign'))}\n`);
  expect((await openLog(path).read('cloud')).model.owned.size).toBe(1);
  expect((await openLog(path).read('emulator')).model.owned.size).toBe(1);
});

test('a fact of others that names a target counts for that one alone', async () => {
  const path = await freshPath();
  const rows = [
    { target: 'cloud', provider_fact: factOf('there') },
    { target: 'http://127.0.0.1:8080', provider_fact: factOf('endpoint') },
    // Not a target: events of others have the key for things of their own.
    { target: 'step_2', provider_fact: factOf('anywhere') },
  ];
  await writeFile(path, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  const urnsAt = async (target: string) => [...(await openLog(path).read(target)).model.owned.keys()].sort();
  expect(await urnsAt('cloud')).toEqual([factOf('anywhere').urn, factOf('there').urn]);
  expect(await urnsAt('http://127.0.0.1:8080')).toEqual([factOf('anywhere').urn, factOf('endpoint').urn]);
  expect(await urnsAt('emulator')).toEqual([factOf('anywhere').urn]);
  expect((await openLog(path).read('cloud')).targets).toEqual(['cloud', 'http://127.0.0.1:8080']);
});

test('64-bit ids of others stay what they are when infra writes them again', async () => {
  const path = await freshPath();
  const log = openLog(path);
  await log.append(context(), [factRow('a', { execution_id: '9223372036854775807' })]);
  expect(await readFile(path, 'utf8')).toContain('"execution_id":9223372036854775807,');
  expect((await log.read('cloud')).model.owned.get(factOf('a').urn)?.lastExecutionId).toBe('9223372036854775807');
});

test('an execution id that is no integer is never written', async () => {
  const log = openLog(await freshPath());
  await expect(log.append(context(), [factRow('a', { execution_id: '1}' })])).rejects.toThrow();
  expect(await log.head()).toBeNull();
});

test.each<[string, (row: string) => string]>([
  ['a fact without a stack', (row) => row.replace('"stack":"prod",', '')],
  ['an intent with an unknown operation', (row) => row.replace('"operation":"create"', '"operation":"replace"')],
  ['an intent without its urn', (row) => row.replace(/"urn":"[^"]*","stack"/, '"stack"')],
  ['an outcome with an unknown status', (row) => row.replace('"status":"done"', '"status":"fine"')],
  ['an outcome that names no intent', (row) => row.replace('"intent_sequence":2', '"intent_sequence":"2"')],
])('%s is a broken row', async (_, change) => {
  const path = await freshPath();
  const log = openLog(path);
  await log.append(context(), [factRow('a'), intentRow('b'), outcomeRow(2, 'done')]);
  const lines = (await readFile(path, 'utf8')).split('\n');
  await writeFile(path, lines.map(change).join('\n'));
  await expect(log.read('cloud')).rejects.toThrow(/LOG_INVALID: Line \d/);
});

test('a fact that is only broken inside its desired is a broken row too', async () => {
  const path = await freshPath();
  const log = openLog(path);
  await log.append(context(), [factRow('a'), factRow('b'), factRow('a', { desired: 'older' })]);
  await writeFile(path, (await readFile(path, 'utf8')).replace('"project_id":"b"', '"project_id":"b'));
  await expect(log.read('cloud')).rejects.toThrow(/LOG_INVALID: Line 2 .*not JSON/);
  const state = await openLog(path, { skipInvalid: true }).read('cloud');
  expect([...state.model.owned.keys()]).toEqual([factOf('a').urn]);
  expect(state.diagnostics).toHaveLength(1);
});

test('the chain can be looked through for a head that was kept', async () => {
  const log = openLog(await freshPath());
  const [first, second] = await log.append(context(), [factRow('a'), factRow('b')]);
  expect(await log.walk(`1:${first?.hash}`)).toMatchObject({ rows: 2, unsealed: 0, firstBad: null, headFound: true });
  expect(await log.walk(`2:${first?.hash}`)).toMatchObject({ headFound: false });
  expect(await log.walk(`1:${second?.hash}`)).toMatchObject({ headFound: false });
});

test('the history has every row of every target, as it stands', async () => {
  const path = await freshPath();
  const log = openLog(path);
  const list = `[${JSON.stringify(factOf('x'))},${JSON.stringify(factOf('y'))}]`;
  await writeFile(path, `${list}\n${JSON.stringify(factOf('z'))}\n`);
  await log.append(context({ target: 'emulator' }), [factRow('a', { execution_id: '9223372036854775807' })]);
  const rows: unknown[] = [];
  await log.history(({ line, json, entry }) =>
    rows.push([line, entry.sequence, entry.target, entry.item.kind, Array.isArray(json)]),
  );
  expect(rows).toEqual([
    [1, null, null, 'fact', true],
    [1, null, null, 'fact', true],
    [2, null, null, 'fact', false],
    [3, 1, 'emulator', 'fact', false],
  ]);
  await openLog(`${path}.none`).history(() => expect.unreachable());
});

test('rows and digests larger than a block are read and found', async () => {
  const log = openLog(await freshPath());
  const filler = 'é'.repeat(400_000);
  await log.append(
    context(),
    Array.from({ length: 6 }, (_, index) => factRow(`p${index}`, { desired: { filler }, digest: DIGEST })),
  );
  const state = await log.read('cloud');
  expect(state.model.owned.size).toBe(6);
  expect(state.factsOf(DIGEST)).toHaveLength(6);
  expect(state.factsOf('not a digest')).toEqual([]);
});
