import {
  appendFile,
  chmod,
  copyFile,
  mkdir,
  readdir,
  readFile,
  rename,
  stat,
  symlink,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sha256Hex } from '../../src/core/json.ts';
import type { CheckpointCache } from '../../src/eventlog/checkpoint-file.ts';
import type { LogState, RowBody } from '../../src/eventlog/event-log.ts';
import type { JsonlLog } from '../../src/eventlog/jsonl-file.ts';
import { context, DIGEST, factOf, factRow, intentRow, outcomeRow } from './support/facts.ts';
import { facts, plain } from './support/histories.ts';
import { openLog, temporaryFolder } from './support/log.ts';

interface Case {
  readonly folder: string;
  readonly path: string;
  readonly cache: CheckpointCache;
  readonly log: JsonlLog;
  /** What a reader without the cache sees. */
  cold(): Promise<LogState>;
}

async function freshCase(more: Partial<CheckpointCache> = {}): Promise<Case> {
  const folder = await temporaryFolder();
  const path = join(folder, 'eventlog.jsonl');
  const cache = { folder: join(folder, 'cache', 'infra'), version: '1', minBytes: 1, ...more };
  return { folder, path, cache, log: openLog(path, { cache }), cold: () => openLog(path).read('cloud') };
}

/** A log that was read once, and a checkpoint of it that lies: its use shows as the stack `evil`. */
async function keptCase(): Promise<Case & { readonly kept: string }> {
  const made = await freshCase();
  await made.log.append(context(), [factRow('a'), factRow('b')]);
  await made.log.read('cloud');
  const [name = ''] = await readdir(made.cache.folder);
  const kept = join(made.cache.folder, name);
  const lines = (await readFile(kept, 'utf8')).replaceAll('"prod"', '"evil"').split('\n').slice(0, -2);
  const body = `${lines.join('\n')}\n`;
  await writeFile(kept, `${body}${sha256Hex(body)}\n`);
  return { ...made, kept };
}

/** Changes a row in the prefix in place; who believes the checkpoint doesn't see it. */
async function forgePrefix({ path }: Case): Promise<void> {
  const { atime, mtime } = await stat(path);
  const text = await readFile(path, 'utf8');
  await writeFile(path, text.replace('"stack":"prod"', '"stack":"fake"'));
  await utimes(path, atime, mtime);
}

const stacksOf = ({ model }: LogState) => [...model.owned.values()].map(({ stack }) => stack);
const seenBy = (state: LogState) => ({
  ...plain(state.model),
  marks: new Map(state.marks),
  open: state.openIntents,
  targets: state.targets,
  head: state.head,
});

const rows: fc.Arbitrary<RowBody> = fc.oneof(
  { weight: 4, arbitrary: facts.map((fact) => ({ type: 'provider.fact' as const, provider_fact: fact })) },
  { weight: 1, arbitrary: fc.constantFrom('a', 'b').map((project) => intentRow(project)) },
  {
    weight: 1,
    arbitrary: fc
      .record({ sequence: fc.integer({ min: 1, max: 12 }), status: fc.constantFrom('done', 'pending', 'uncertain') })
      .map(({ sequence, status }) => outcomeRow(sequence, status as 'done', 'operations/1')),
  },
);

test('a read that goes on from a checkpoint sees what one from the start sees', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(rows, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 5 }),
      async (runs) => {
        const { log, cold } = await freshCase();
        for (const run of runs) {
          await log.append(context(), run);
          const warm = await log.read('cloud');
          const fresh = await cold();
          expect(seenBy(warm)).toEqual(seenBy(fresh));
          expect(warm.factsOf(DIGEST)).toEqual(fresh.factsOf(DIGEST));
          expect(seenBy(await log.read('cloud'))).toEqual(seenBy(fresh));
        }
      },
    ),
    { numRuns: 40 },
  );
});

test('it is used while it fits: of a long sealed log what it covers is not read again', async () => {
  const made = await freshCase({ wholeBytes: 0 });
  await made.log.append(context(), [factRow('a'), factRow('b')]);
  // Only a log that has grown can have been rewritten unseen, and only before the bytes that are hashed.
  const filler = { desired: { filler: 'x'.repeat(70_000) } };
  await made.log.append(context(), [factRow('c', filler)]);
  await made.log.read('cloud');
  await forgePrefix(made);
  await made.log.append(context(), [factRow('d')]);
  const warm = await made.log.read('cloud');
  expect(stacksOf(warm)).toEqual(['prod', 'prod', 'prod', 'prod']);
  expect(stacksOf(await made.cold())).toContain('fake');
  // What it can't see, the check before every apply does.
  await expect(made.log.verify()).rejects.toThrow('CHAIN_BROKEN');
});

test.each([
  ['a log with a row that nobody sealed', { wholeBytes: 0 }, `${JSON.stringify({ provider_fact: factOf('x') })}\n`],
  ['a sealed log that is soon read', {}, ''],
] as const)('a prefix of %s that was rewritten in place is seen', async (_, cache, foreign) => {
  const made = await freshCase(cache);
  await made.log.append(context(), [factRow('a'), factRow('b')]);
  await appendFile(made.path, foreign);
  await made.log.append(context(), [factRow('c', { desired: { filler: 'x'.repeat(70_000) } })]);
  await made.log.read('cloud');
  await forgePrefix(made);
  await made.log.append(context(), [factRow('d')]);
  const warm = await made.log.read('cloud');
  expect(stacksOf(warm)).toContain('fake');
  expect(seenBy(warm)).toEqual(seenBy(await made.cold()));
});

test('each target has a checkpoint of its own', async () => {
  const { log, cache } = await freshCase();
  await log.append(context(), [factRow('a')]);
  await log.append(context({ target: 'emulator' }), [factRow('b')]);
  for (let read = 0; read < 2; read += 1) {
    expect([...(await log.read('cloud')).model.owned.keys()]).toEqual([factOf('a').urn]);
    expect([...(await log.read('emulator')).model.owned.keys()]).toEqual([factOf('b').urn]);
  }
  expect(await readdir(cache.folder)).toHaveLength(2);
});

test('the folder is 0700 and the file 0600, and nothing else is left', async () => {
  const { cache, kept } = await keptCase();
  expect((await stat(cache.folder)).mode & 0o777).toBe(0o700);
  expect((await stat(kept)).mode & 0o777).toBe(0o600);
  expect(await readdir(cache.folder)).toHaveLength(1);
});

test.each<[string, (made: Case & { readonly kept: string }) => Promise<unknown>]>([
  [
    'was changed in one byte',
    async ({ kept }) => writeFile(kept, (await readFile(kept, 'utf8')).replace('"evil"', '"mean"')),
  ],
  ['was cut short', async ({ kept }) => truncate(kept, (await stat(kept)).size - 70)],
  ['is empty', ({ kept }) => truncate(kept, 0)],
  ['can be read by others', ({ kept }) => chmod(kept, 0o644)],
  ['lies in a folder that others can write', ({ cache }) => chmod(cache.folder, 0o777)],
  [
    'is a symbolic link',
    async ({ kept, folder }) => {
      await rename(kept, join(folder, 'elsewhere'));
      await symlink(join(folder, 'elsewhere'), kept);
    },
  ],
  [
    'lies behind a symbolic link',
    async ({ cache, folder }) => {
      await rename(cache.folder, join(folder, 'elsewhere'));
      await symlink(join(folder, 'elsewhere'), cache.folder);
    },
  ],
])('a checkpoint that %s is not believed', async (_, spoil) => {
  const made = await keptCase();
  await spoil(made);
  expect(stacksOf(await made.log.read('cloud'))).toEqual(['prod', 'prod']);
});

test('what is trusted is the own cache alone: one that lies there is believed', async () => {
  const { log } = await keptCase();
  expect(stacksOf(await log.read('cloud'))).toEqual(['evil', 'evil']);
});

test("another user's checkpoint, and another version's, are not believed", async () => {
  const made = await keptCase();
  for (const change of [{ uid: 4711 }, { version: '2' }]) {
    const cache = { ...made.cache, ...change };
    expect(seenBy(await openLog(made.path, { cache }).read('cloud'))).toEqual(seenBy(await made.cold()));
  }
});

test.each<[string, (made: Case) => Promise<unknown>]>([
  ['cut short', async ({ path }) => truncate(path, (await readFile(path, 'utf8')).indexOf('\n') + 1)],
  ['emptied', ({ path }) => truncate(path, 0)],
  ['changed in place without a trace in its times', forgePrefix],
  [
    'replaced by a copy that says otherwise',
    async ({ path }) => {
      await copyFile(path, `${path}.copy`);
      await writeFile(path, (await readFile(path, 'utf8')).replaceAll('"stack":"prod"', '"stack":"test"'));
      await rename(`${path}.copy`, path);
    },
  ],
  [
    'replaced by another, longer one',
    async ({ path, folder }) => {
      await openLog(join(folder, 'other')).append(context(), [factRow('x'), factRow('y'), factRow('z')]);
      await rename(join(folder, 'other'), path);
    },
  ],
  [
    'changed near its end and grown',
    async ({ path, log }) => {
      const text = await readFile(path, 'utf8');
      await writeFile(path, text.replaceAll('"stack":"prod"', '"stack":"test"'));
      await log.append(context(), [factRow('c')]);
    },
  ],
])('a log that was %s is read from its start', async (_, change) => {
  const made = await keptCase();
  await change(made);
  expect(seenBy(await made.log.read('cloud'))).toEqual(seenBy(await made.cold()));
});

test('a broken line behind a checkpoint is named by its number in the whole file', async () => {
  const { log, path } = await keptCase();
  await writeFile(path, 'hello\n', { flag: 'a' });
  await expect(log.read('cloud')).rejects.toThrow(/LOG_INVALID: Line 3 /);
});

test('rows that come behind a checkpoint out of order are put in order', async () => {
  const made = await keptCase();
  const lines = (await readFile(made.path, 'utf8')).split('\n');
  await made.log.append(context(), [factRow('a', { verb: 'delete', outcome: 'deleted' })]);
  await writeFile(made.path, `${lines[0]}\n`, { flag: 'a' });
  expect([...(await made.log.read('cloud')).model.owned.keys()]).toEqual([factOf('b').urn]);
  expect(seenBy(await made.log.read('cloud'))).toEqual(seenBy(await made.cold()));
});

test('an unterminated last row is folded and not covered', async () => {
  const { log, path, cache } = await freshCase();
  await writeFile(path, JSON.stringify({ provider_fact: factOf('a') }));
  expect((await log.read('cloud')).model.owned.size).toBe(1);
  await expect(readdir(cache.folder)).rejects.toThrow('ENOENT');
});

test.each([
  ['is short', { minBytes: 1 << 20 }, {}],
  ['is read with broken lines passed over', { minBytes: 1 }, { skipInvalid: true }],
])('nothing is kept of a log that %s', async (_, change, options) => {
  const { log, path, cache } = await freshCase();
  await log.append(context(), [factRow('a')]);
  await openLog(path, { cache: { ...cache, ...change }, ...options }).read('cloud');
  await expect(readdir(cache.folder)).rejects.toThrow('ENOENT');
});

test('a cache that cannot be written is nobody’s trouble', async () => {
  const { log, folder } = await freshCase();
  await writeFile(join(folder, 'cache'), 'a file in its place');
  await log.append(context(), [factRow('a')]);
  expect((await log.read('cloud')).model.owned.size).toBe(1);
  expect(await readFile(join(folder, 'cache'), 'utf8')).toBe('a file in its place');
});

test('a folder of the same name as the checkpoint does no harm', async () => {
  const { log, cache, kept } = await keptCase();
  await rename(kept, `${kept}.old`);
  await mkdir(kept);
  expect((await log.read('cloud')).model.owned.size).toBe(2);
  expect((await readdir(cache.folder)).filter((name) => name.endsWith('.new'))).toEqual([]);
});
