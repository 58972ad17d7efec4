import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { ProviderFact } from '../../src/core/facts.ts';
import type { LogState } from '../../src/eventlog/event-log.ts';
import { historyOf } from '../../src/eventlog/history.ts';
import { parseLossless } from '../../src/eventlog/lossless.ts';
import { googleCatalogue } from '../../src/providers/google/catalogue.ts';
import { startEhdbServer, type TierRow } from '../support/ehdb/server.ts';
import { openServerLog } from './support/ehdb.ts';
import { openLog } from './support/log.ts';

const FOLDER = fileURLToPath(new URL('../../fixtures/eventlogs/', import.meta.url));
const SITUATIONS = (await readdir(FOLDER, { withFileTypes: true })).filter((item) => item.isDirectory());
const BROKEN = 'broken-in-the-middle';

/** As the command line composes it. */
function toOurs(fact: ProviderFact): ProviderFact {
  return { ...fact, ...googleCatalogue.fromForeign(fact.resource_type, fact.urn, fact.desired) };
}

function seen({ model }: LogState) {
  return Object.fromEntries(
    [...model.owned].map(([urn, { stack, lastExecutionId, lastDesired }]) => [
      urn,
      { stack, last_execution_id: lastExecutionId, last_desired: lastDesired },
    ]),
  );
}

const textOf = (situation: string, file: string) => readFile(`${FOLDER}${situation}/${file}`, 'utf8');

async function expected(situation: string): Promise<unknown> {
  return JSON.parse(await textOf(situation, 'owned.json'));
}

function readFixture(situation: string, file: string): Promise<LogState> {
  const skipInvalid = situation === BROKEN;
  return openLog(`${FOLDER}${situation}/${file}`, { mapForeign: toOurs, skipInvalid }).read('cloud');
}

async function rowsOf(situation: string): Promise<readonly TierRow[]> {
  const { records, result } = JSON.parse(await textOf(situation, 'reply.json')) as {
    records?: readonly TierRow[];
    result?: { records: readonly TierRow[] };
  };
  return records ?? result?.records ?? [];
}

test('there is a fixture for each situation', () => {
  expect(SITUATIONS.map(({ name }) => name).sort()).toEqual([
    'ancestor-iam-urns',
    BROKEN,
    'facts-at-several-depths',
    'ids-beyond-a-double',
    'noetl-facts-out',
    'renamed',
    'rows-twice',
    'torn-last-line',
    'two-stacks',
  ]);
});

test.each(SITUATIONS.map(({ name }) => name))('%s: file and reply fold to the same ownership', async (situation) => {
  const owned = await expected(situation);
  expect(seen(await readFixture(situation, 'log.jsonl'))).toEqual(owned);
  expect(seen(await readFixture(situation, 'reply.json'))).toEqual(owned);
});

test.each(SITUATIONS.map(({ name }) => name))(
  '%s: a server folds to it, in pages of two as well',
  async (situation) => {
    const rows = await rowsOf(situation);
    for (const maxLimit of [1000, 2]) {
      // Rows that share a number would fill a page of two.
      if (maxLimit === 2 && situation === 'rows-twice') continue;
      const { origin } = await startEhdbServer({ rows, maxLimit });
      const { log } = openServerLog(origin, { mapForeign: toOurs, skipInvalid: situation === BROKEN });
      expect(seen(await log.read('cloud'))).toEqual(await expected(situation));
    }
  },
);

test('a line broken in the middle is an error in either shape', async () => {
  for (const [file, where] of [
    ['log.jsonl', 'Line 2 of '],
    ['reply.json', 'Line '],
  ] as const) {
    await expect(openLog(`${FOLDER}${BROKEN}/${file}`).read('cloud')).rejects.toThrow(`LOG_INVALID: ${where}`);
  }
});

test('ids beyond a double are in the fixture, not rounded away by whoever wrote it', async () => {
  const text = await textOf('ids-beyond-a-double', 'log.jsonl');
  expect(text.split('\n').slice(0, -1).map(parseLossless)).toMatchObject([
    { provider_fact: { execution_id: 9007199254740991 } },
    { provider_fact: { execution_id: 9007199254740993n } },
    { provider_fact: { execution_id: 1152921504606846977n } },
    { provider_fact: { execution_id: 9223372036854775807n } },
  ]);
});

test('what was renamed keeps its protection and its history', async () => {
  const log = openLog(`${FOLDER}renamed/log.jsonl`, { mapForeign: toOurs });
  const { model } = await log.read('cloud');
  const [urn = ''] = model.owned.keys();
  expect(model.protection.get(urn)).toBe(true);
  expect(await historyOf([log], [urn])).toHaveLength(3);
});

test("a stack that forgets what is another's takes nothing away", async () => {
  const { model } = await readFixture('two-stacks', 'log.jsonl');
  expect(model.owned.get('google:cloudresourcemanager:project:st-a')?.stack).toBe('prod');
});
