import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { median, ROOT, round, run } from './measure.mjs';

const COLD_ROUNDS = 3;
const WARM_ROUNDS = 5;

/** A log of a million facts: read cold, read on from the checkpoint, and beside it the file itself. */
export async function fold(folder) {
  const program = await bundleReader(folder);
  const log = join(folder, 'eventlog.jsonl');
  const cache = join(folder, 'cache');
  const { bytes, owned } = JSON.parse((await run([program, 'generate', log])).stdout);
  const cold = await rounds(COLD_ROUNDS, [program, 'fold', log]);
  await run([program, 'fold', log, cache]);
  const warm = await rounds(WARM_ROUNDS, [program, 'fold', log, cache]);
  const reading = median(await timesOf(COLD_ROUNDS, () => readThrough(log)));
  const against = 'reading the file';
  const size = `${round(bytes / 1e6, 0)} MB, ${owned} owned`;
  return [
    {
      name: 'folding 1,000,000 facts, cold',
      value: round(cold.ms, 0),
      unit: 'ms',
      against,
      ratio: round(cold.ms / reading),
      target: '2500 ms, 150 MB',
      note: `${size}, peak ${round(cold.mb, 0)} MB`,
    },
    {
      name: 'the same from a checkpoint',
      value: round(warm.ms, 0),
      unit: 'ms',
      against,
      ratio: round(warm.ms / reading),
      target: '200 ms',
      note: `peak ${round(warm.mb, 0)} MB`,
    },
  ];
}

async function bundleReader(folder) {
  const build = await rolldown({ cwd: ROOT, input: { reader: 'test/bench/support/fold-log.ts' }, platform: 'node' });
  await build.write({ dir: folder, format: 'esm', entryFileNames: '[name].mjs', chunkFileNames: '[name].mjs' });
  await build.close();
  return join(folder, 'reader.mjs');
}

async function rounds(count, args) {
  const results = [];
  for (let index = 0; index < count; index += 1) results.push(JSON.parse((await run(args)).stdout));
  return { ms: median(results.map(({ ms }) => ms)), mb: Math.max(...results.map(({ mb }) => mb)) };
}

async function timesOf(count, work) {
  const times = [];
  for (let index = 0; index < count; index += 1) {
    const start = performance.now();
    await work();
    times.push(performance.now() - start);
  }
  return times;
}

function readThrough(path) {
  return new Promise((done, fail) => {
    createReadStream(path, { highWaterMark: 1 << 20 })
      .on('data', () => undefined)
      .on('end', done)
      .on('error', fail);
  });
}
