import { expect, it } from 'vitest';
import { oneDocument } from '../../../src/providers/yandex/one-document.ts';

it.each([
  '{"a":1,"b":{"a":1},"c":[{"a":1},{"a":2}]}',
  '{"a":"b: \\"c\\", {","b: \\"c\\", {":1}',
  '[]',
  'null',
  '{"":{"":1}}',
])('takes %s', (text) => {
  expect(oneDocument(text)).toEqual(JSON.parse(text));
});

it.each(['{"a":1,"a":1}', '[{"x":{"id":"1","b":[],"id":"2"}}]', '{"a":1,"\\u0061":2}', '{} {}', '', '\uFEFF{}'])(
  'refuses %s',
  (text) => {
    expect(oneDocument(text)).toBeUndefined();
  },
);
