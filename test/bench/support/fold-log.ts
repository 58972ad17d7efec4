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
  process.stdout.write(
    `${JSON.stringify({ ms, owned: model.owned.size, mb: process.resourceUsage().maxRSS / 1024 })}\n`,
  );
}
