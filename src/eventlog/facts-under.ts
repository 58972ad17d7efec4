import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import type { ProviderFact } from '../core/facts.ts';
import { type Entry, parseLine } from './parse-row.ts';
import type { ReadOptions } from './read-log.ts';

const DIGEST = /^[0-9a-f]{64}$/;
const SCAN_BYTES = 1 << 20;

/**
 * The facts of a target that were written under a digest, in file order, each once. Scans the bytes for the digest, so
 * that no row has to be remembered for it; the first `size` bytes are what the caller has read.
 */
export function factsUnder(digest: string, size: number, options: ReadOptions): readonly ProviderFact[] {
  if (!DIGEST.test(digest)) return [];
  const file = openSync(options.path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    return fstatSync(file).isFile() ? factsIn(file, digest, size, options) : [];
  } finally {
    closeSync(file);
  }
}

function factsIn(file: number, digest: string, size: number, options: ReadOptions): readonly ProviderFact[] {
  const facts: ProviderFact[] = [];
  const seen = new Set<string>();
  for (const line of linesWith(digest, file, size)) {
    for (const { key, target, item } of safeEntries(line, options)) {
      if (item.kind !== 'fact' || item.fact.digest !== digest || (target !== null && target !== options.target))
        continue;
      if (key !== null && seen.has(key)) continue;
      if (key !== null) seen.add(key);
      facts.push(item.fact);
    }
  }
  return facts;
}

function safeEntries(text: string, options: ReadOptions): readonly Entry[] {
  try {
    return parseLine(text, options.mapForeign);
  } catch {
    return [];
  }
}

function* linesWith(needle: string, file: number, size: number): Generator<string> {
  let held = Buffer.alloc(0);
  for (let position = 0; position < size; ) {
    const block = Buffer.allocUnsafe(Math.min(SCAN_BYTES, size - position));
    const read = readSync(file, block, 0, block.length, position);
    if (read === 0) break;
    position += read;
    const bytes = Buffer.concat([held, block.subarray(0, read)]);
    const end = position >= size ? bytes.length : bytes.lastIndexOf(0x0a) + 1;
    yield* matching(bytes.subarray(0, end), needle);
    held = bytes.subarray(end);
  }
}

function* matching(bytes: Buffer, needle: string): Generator<string> {
  for (let at = bytes.indexOf(needle); at !== -1; ) {
    const start = bytes.lastIndexOf(0x0a, at) + 1;
    const newline = bytes.indexOf(0x0a, at);
    const end = newline === -1 ? bytes.length : newline;
    yield bytes.toString('utf8', start, end);
    at = bytes.indexOf(needle, end);
  }
}
