import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CLI } from './measure.mjs';

/** Runs the emulator in a process of its own for as long as `body` needs it. */
export async function withEmulator(folder, seed, latencyMs, body) {
  const file = join(folder, 'seed.json');
  writeFileSync(file, JSON.stringify(seed));
  const child = spawn(process.execPath, [CLI, 'emulator', 'google', '--seed', file, '--latency', String(latencyMs)], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  try {
    const origin = await firstLine(child);
    return await body({
      origin,
      requests: () => requestsOf(origin),
      env: { INFRA_BENCH_TOKEN: 'bench', INFRA_ALLOW_ENDPOINT: origin },
    });
  } finally {
    child.kill('SIGTERM');
  }
}

function firstLine(child) {
  return new Promise((done, fail) => {
    let text = '';
    child.stdout.on('data', (chunk) => {
      text += chunk;
      if (text.includes('\n')) done(text.slice(0, text.indexOf('\n')));
    });
    child.on('error', fail);
    child.on('close', () => fail(new Error('the emulator ended before it said where it listens')));
  });
}

/** How many calls came since the last time this was asked, by method. */
async function requestsOf(origin) {
  const answer = await (await fetch(`${origin}/_emulator/requests`)).json();
  const requests = Array.isArray(answer) ? answer : answer.requests;
  await fetch(`${origin}/_emulator/requests`, { method: 'DELETE' });
  const writes = requests.filter(({ method, path }) => method !== 'GET' && !path.endsWith(':getIamPolicy'));
  return { total: requests.length, writes: writes.length, reads: requests.length - writes.length };
}
