import { readFileSync } from 'node:fs';
import { openJsonlLog } from '../../../src/eventlog/jsonl-file.ts';
import { generateLog, MILLION_FACTS } from './generate-log.ts';

// A program of its own: `generate PATH` writes the log, `fold PATH CACHE` reads it once; one JSON line on stdout.
const [, , verb, path = '', cache] = process.argv;
if (verb === 'generate') {
  process.stdout.write(`${JSON.stringify(await generateLog(path, MILLION_FACTS))}\n`);
} else {
  const start = performance.now();
  const log = openJsonlLog({
    path,
    infraFolder: null,
    actor: { user: 'bench', host: 'bench.example' },
    ...(cache === undefined ? {} : { cache: { folder: cache, version: 'bench' } }),
  });
  const { model } = await log.read('cloud');
  const ms = performance.now() - start;
  process.stdout.write(`${JSON.stringify({ ms, owned: model.owned.size, mb: peakMegabytes() })}\n`);
}

/** Of this program alone: a child's own maxRSS starts at what its parent had. */
function peakMegabytes(): number {
  const peak = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
  return Number(peak) / 1024;
}
