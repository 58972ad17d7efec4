import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
export const CLI = join(ROOT, 'bin/infra.js');

/** What users have: without it Node reads a bundle of certificates at every start. */
const { NODE_EXTRA_CA_CERTS: _ca, ...environment } = process.env;

/**
 * Runs a Node program to its end. Milliseconds are wall-clock, memory is the peak resident set in MB, looked up from the
 * outside while it runs (Linux; null elsewhere).
 */
export function run(args, { cwd, env = {}, expect = [0] } = {}) {
  return new Promise((done, fail) => {
    const start = performance.now();
    const child = spawn(process.execPath, args, {
      cwd,
      env: { ...environment, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const out = [];
    const err = [];
    let memory = null;
    const watch = setInterval(() => {
      memory = peakOf(child.pid) ?? memory;
    }, 5);
    child.stdout.on('data', (chunk) => out.push(chunk));
    child.stderr.on('data', (chunk) => err.push(chunk));
    child.on('error', fail);
    child.on('close', (code) => {
      clearInterval(watch);
      const ms = performance.now() - start;
      const stdout = Buffer.concat(out).toString('utf8');
      if (expect.includes(code)) done({ ms, memory, stdout, code });
      else
        fail(new Error(`${args.join(' ')} ended with ${code}: ${Buffer.concat(err).toString('utf8').slice(0, 2000)}`));
    });
  });
}

function peakOf(pid) {
  try {
    const match = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
    return match === null ? null : Math.round(Number(match[1]) / 1024);
  } catch {
    return null;
  }
}

export function median(values) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
}

export function round(value, digits = 2) {
  return Number(value.toFixed(digits));
}

/** Runs two programs in turn, so that whatever else the machine does meets both; the medians and their ratio. */
export async function compare(args, base, rounds, options) {
  const own = [];
  const other = [];
  for (let index = 0; index < rounds; index += 1) {
    other.push((await run(base, options)).ms);
    own.push((await run(args, options)).ms);
  }
  return { value: round(median(own), 1), ratio: round(median(own) / median(other)) };
}
