import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withEmulator } from './emulated.mjs';
import { CLI, round, run } from './measure.mjs';
import { grants, organisationSeed } from './playbooks.mjs';

const GRANTS = 100;

/** An apply of 100 grants on one policy: the calls of its writing phase, beside the re-plan's. */
export async function bindings(folder) {
  return await withEmulator(folder, organisationSeed([], 0, []), 0, async ({ origin, requests, env }) => {
    const file = join(folder, 'grants.yaml');
    writeFileSync(file, grants(origin, GRANTS));
    const planned = JSON.parse((await run([CLI, 'plan', file, '--format', 'json', '-q'], { cwd: folder, env })).stdout);
    const plan = await requests();
    const { ms } = await run([CLI, 'apply', file, '--confirm', planned.digest, '-q'], { cwd: folder, env });
    const apply = await requests();
    const note = `plan ${plan.reads} read; apply ${apply.reads - plan.reads} read and ${apply.writes} write beside its re-plan`;
    return [
      {
        name: `apply of ${GRANTS} grants on one policy`,
        value: round(ms, 0),
        unit: 'ms',
        target: 'one read, one write',
        note,
      },
    ];
  });
}
