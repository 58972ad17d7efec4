import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { CODES } from '../../src/core/codes.ts';

const TABLE = 'src/core/codes.ts';

/** All words in capitals of the TypeScript files below a folder. */
function wordsIn(folder: string): ReadonlySet<string> {
  const root = fileURLToPath(new URL('../../', import.meta.url));
  const files = readdirSync(`${root}${folder}`, { recursive: true, encoding: 'utf8' })
    .map((path) => `${folder}/${path}`)
    .filter((path) => path.endsWith('.ts') && path !== TABLE);
  return new Set(files.flatMap((path) => readFileSync(`${root}${path}`, 'utf8').match(/\b[A-Z][A-Z_]+\b/g) ?? []));
}

test.each(['src', 'test'])('every code of the table is used in %s', (folder) => {
  const words = wordsIn(folder);
  expect(Object.keys(CODES).filter((code) => !words.has(code))).toEqual([]);
});
