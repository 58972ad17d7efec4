import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withEmulator } from './emulated.mjs';
import { CLI, median, round, run } from './measure.mjs';
import { organisation, organisationSeed } from './playbooks.mjs';

const LATENCY_MS = 50;
const PARALLELISM = 10;
const ROUNDS = 3;
const FOLDERS = Array.from({ length: 10 }, (_, index) => `unit-${index}`);
const PROJECTS_EACH = 50;
const SERVICES = ['dns', 'run', 'logging', 'monitoring', 'pubsub'].map((name) => `${name}.googleapis.com`);

/** A plan of 500 projects with five services each that has nothing to do, at 50 ms a call. */
export async function livePlan(folder) {
  return await withEmulator(
    folder,
    organisationSeed(FOLDERS, PROJECTS_EACH, SERVICES),
    LATENCY_MS,
    async ({ origin, requests, env }) => {
      const file = join(folder, 'organisation.yaml');
      writeFileSync(file, organisation(origin, FOLDERS, PROJECTS_EACH, SERVICES));
      const times = [];
      let count = 0;
      for (let index = 0; index < ROUNDS; index += 1) {
        await requests();
        times.push(
          (
            await run([CLI, 'plan', file, '--no-save', '-q', '--parallelism', String(PARALLELISM)], {
              cwd: folder,
              env,
            })
          ).ms,
        );
        count = (await requests()).total;
      }
      const ideal = (count * LATENCY_MS) / PARALLELISM;
      const value = round(median(times), 0);
      return [
        {
          name: 'live plan of 500 projects x 5 services',
          value,
          unit: 'ms',
          against: `ideal (${ideal} ms)`,
          ratio: round(value / ideal),
          target: '1.2 x',
          note: `${count} requests`,
        },
      ];
    },
  );
}
