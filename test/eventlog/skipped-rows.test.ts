import { expect, it } from 'vitest';
import { skippedRows } from '../../src/eventlog/read-log.ts';

it.each([
  [1, '1 broken line of a.jsonl was passed over.'],
  [2, '2 broken lines of a.jsonl were passed over.'],
])('counts broken lines (%i)', (count, detail) => {
  expect(skippedRows(count, { path: 'a.jsonl' })).toMatchObject([{ detail, severity: 'warning' }]);
});
