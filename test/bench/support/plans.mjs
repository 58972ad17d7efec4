import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CLI, median, round, run } from './measure.mjs';
import { looped, writtenOut } from './playbooks.mjs';

const SIZES = [100, 1000, 10_000];
const ROUNDS = 5;
const TARGETS = { 'written out 10000': '2000 ms, 300 MB', 'looped 10000': '1000 ms' };

export async function plans(folder) {
  const figures = [];
  for (const [kind, make] of Object.entries({ 'written out': writtenOut, looped })) {
    let before = null;
    for (const size of SIZES) {
      const figure = await planOf(folder, kind, make, size);
      const growth =
        before === null
          ? undefined
          : `${round(figure.value / before.value / (size / before.size), 2)} x linear from ${before.size}`;
      before = { value: figure.value, size };
      figures.push({
        ...figure,
        note: [`${figure.memory} MB`, growth].filter((text) => text !== undefined).join(', '),
      });
    }
  }
  return figures;
}

async function planOf(folder, kind, make, size) {
  const file = join(folder, `${kind.replace(' ', '-')}-${size}.yaml`);
  writeFileSync(file, make(size));
  const runs = [];
  for (let index = 0; index < ROUNDS; index += 1)
    runs.push(await run([CLI, 'plan', file, '--offline', '--no-save', '--format', 'json', '-q'], { cwd: folder }));
  const value = round(median(runs.map(({ ms }) => ms)), 0);
  const target = TARGETS[`${kind} ${size}`];
  return {
    name: `offline plan, ${kind}, ${size} steps`,
    value,
    unit: 'ms',
    memory: Math.max(...runs.map(({ memory }) => memory ?? 0)),
    ...(target === undefined ? {} : { target }),
  };
}
