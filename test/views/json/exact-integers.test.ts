import { expect, test } from 'vitest';
import { jsonLine, renderJson } from '../../../src/views/json/render.ts';

const LONG = '9223372036854775807';

test.each([
  ['of a fact', { urn: 'u', execution_id: LONG }, `{"urn":"u","execution_id":${LONG}}`],
  ['of what is owned', { urn: 'u', last_execution_id: `-${LONG}` }, `{"urn":"u","last_execution_id":-${LONG}}`],
  ['of a row', { execution_id: BigInt(LONG), n: [2n ** 64n] }, `{"execution_id":${LONG},"n":[18446744073709551616]}`],
])('an id beyond 2^53 %s comes out digit by digit', (_, value, text) => {
  expect(jsonLine(value)).toBe(`${text}\n`);
  expect(renderJson(value).replaceAll(/\s/g, '')).toBe(text);
});

test.each([
  { urn: 'u', execution_id: '123' },
  { urn: 'u', execution_id: '9007199254740991' },
  { urn: 'u', other: LONG },
  { urn: 'u', execution_id: `0${LONG}` },
  { execution_id: LONG, transaction_id: 't', payload: `{"execution_id":"${LONG}"}` },
])('a text stays a text: %j', (value) => {
  expect(jsonLine(value)).toBe(`${JSON.stringify(value)}\n`);
});
