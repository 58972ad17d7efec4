// npm run bench: measures the built CLI against what the machine can do, and writes results.json beside this file.
// Name suites to run only those: npm run bench -- start-up plans
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bindings } from './support/bindings.mjs';
import { fold } from './support/fold.mjs';
import { livePlan } from './support/live-plan.mjs';
import { plans } from './support/plans.mjs';
import { startUp } from './support/start-up.mjs';

const SUITES = { 'start-up': startUp, plans, 'live-plan': livePlan, bindings, fold };

const here = fileURLToPath(new URL('.', import.meta.url));
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !(name in SUITES));
if (unknown.length > 0) {
  console.error(`no such suite: ${unknown.join(', ')}; there are ${Object.keys(SUITES).join(', ')}`);
  process.exit(3);
}

const folder = mkdtempSync(join(tmpdir(), 'infra-bench-'));
const figures = [];
try {
  for (const [name, suite] of Object.entries(SUITES)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    console.error(`${name} ...`);
    for (const figure of await suite(folder)) {
      figures.push({ suite: name, ...figure });
      console.log(lineOf(name, figure));
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
const machine = { node: process.version, cores: cpus().length, arch: process.arch };
writeFileSync(join(here, 'results.json'), `${JSON.stringify({ machine, figures }, null, 2)}\n`);

function lineOf(suite, { name, value, unit, against, ratio, target, note }) {
  const compared = ratio === undefined ? '' : `, ${ratio} x ${against}`;
  const aim = target === undefined ? '' : ` (target ${target})`;
  return `${suite}: ${name}: ${value} ${unit}${compared}${aim}${note === undefined ? '' : `; ${note}`}`;
}
