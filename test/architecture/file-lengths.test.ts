import { expect, test } from 'vitest';
import { sourceFiles } from './source-files.ts';

const HARD = 400;
const USUAL = 300;

/** Tables, where a file is as long as there are entries. */
const TABLES: ReadonlySet<string> = new Set(['src/core/codes.ts']);

/** Files beyond the usual length today. A number may only shrink; a file that got short leaves the list. */
const LONG: Readonly<Record<string, number>> = {};

const FILES = sourceFiles().filter((file) => !TABLES.has(file.path));

test(`no file is longer than ${HARD} lines`, () => {
  expect(FILES.filter((file) => file.lines > HARD).map((file) => `${file.path}: ${file.lines}`)).toEqual([]);
});

test(`files beyond ${USUAL} lines are known, and don't grow`, () => {
  const grown = FILES.filter((file) => file.lines > (LONG[file.path] ?? USUAL));
  expect(grown.map((file) => `${file.path}: ${file.lines}`)).toEqual([]);
});

test('the list of long files holds no file that got short', () => {
  const long = new Set(FILES.filter((file) => file.lines > USUAL).map((file) => file.path));
  expect(Object.keys(LONG).filter((path) => !long.has(path))).toEqual([]);
});
