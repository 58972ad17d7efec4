import fc from 'fast-check';
import { parse } from 'lossless-json';
import { expect, test } from 'vitest';
import { type LosslessJson, parseLossless, toJson } from '../../src/eventlog/lossless.ts';

const SNOWFLAKE = '1152921504606846977';

/** A parser that reads character by character, as the measure of ours. */
function slowly(text: string): LosslessJson {
  const parseNumber = (digits: string) => {
    const value = Number(digits);
    return Number.isSafeInteger(value) || !/^-?\d+$/.test(digits) ? value : BigInt(digits);
  };
  return parse(text, null, { parseNumber, onDuplicateKey: ({ newValue }) => newValue }) as LosslessJson;
}

test('it is JSON.parse but for long integers', () => {
  fc.assert(fc.property(fc.json(), (text) => void expect(toJson(parseLossless(text))).toEqual(JSON.parse(text))));
  expect(toJson(parseLossless(`[9007199254740993,9007199254740992,${'9'.repeat(400)}]`))).toEqual([
    '9007199254740993',
    2 ** 53,
    '9'.repeat(400),
  ]);
  expect(parseLossless(`{"a":[-${SNOWFLAKE},1.5e300,"${SNOWFLAKE}"]}`)).toEqual({
    a: [-BigInt(SNOWFLAKE), 1.5e300, SNOWFLAKE],
  });
  expect(parseLossless(SNOWFLAKE)).toBe(BigInt(SNOWFLAKE));
});

test('what no double can carry stands as a text, digit by digit where it has some', () => {
  expect(toJson(parseLossless('[-9223372036854775808,18446744073709551616,1e400,-1e400]'))).toEqual([
    '-9223372036854775808',
    '18446744073709551616',
    'Infinity',
    '-Infinity',
  ]);
});

test('half of a character is replaced, in keys and values, and nothing else is', () => {
  const text = String.raw`{"\ud800":["a\udc00b","\ud83d\ude00","\\ud800"]}`;
  expect(parseLossless(text)).toEqual({ '\uFFFD': ['a\uFFFDb', '\u{1F600}', String.raw`\ud800`] });
});

const numbers = fc.constantFrom(
  SNOWFLAKE,
  `-${SNOWFLAKE}`,
  '9007199254740991',
  '-9007199254740992',
  '1234567890123456.5',
  '1.1234567890123456789',
  '1234567890123456789e3',
  '12345678901234567890123',
  '0',
);
const texts = fc
  .array(fc.constantFrom('a', '\\', '"', SNOWFLAKE, `:${SNOWFLAKE},`, 'integer ', '\u2028', 'é'), { maxLength: 5 })
  .map((parts) => JSON.stringify(parts.join('')));
const spaces = fc.constantFrom('', ' ', '\n', '\t ');
const { value: values } = fc.letrec<{ value: string; list: string; map: string }>((tie) => ({
  value: fc.oneof({ depthSize: 'small' }, numbers, texts, tie('list'), tie('map')),
  list: fc
    .tuple(spaces, fc.array(tie('value'), { maxLength: 4 }))
    .map(([space, items]) => `[${items.join(`${space},${space}`)}]`),
  map: fc
    .tuple(spaces, fc.array(fc.tuple(texts, tie('value')), { maxLength: 4 }))
    .map(([space, items]) => `{${items.map(([key, item]) => `${key}${space}:${space}${item}`).join(',')}}`),
}));

test('it says what a parser says that reads character by character', () => {
  fc.assert(
    fc.property(values, (text) => void expect(parseLossless(text)).toEqual(slowly(text))),
    { numRuns: 2000 },
  );
});

test.each([
  `[0${SNOWFLAKE}]`,
  `[--${SNOWFLAKE}]`,
  `[${SNOWFLAKE}x]`,
  `[${SNOWFLAKE}"x"]`,
  `[${SNOWFLAKE} 1]`,
  `[+${SNOWFLAKE}]`,
  `[${SNOWFLAKE}.]`,
  `[1,${SNOWFLAKE}`,
  `{${SNOWFLAKE}:1}`,
  `["${SNOWFLAKE},${SNOWFLAKE}]`,
])('%s is no JSON, as it was without long integers', (text) => {
  expect(() => JSON.parse(text)).toThrow(SyntaxError);
  expect(() => parseLossless(text)).toThrow(SyntaxError);
});

test('a key named __proto__ is a key', () => {
  const value = parseLossless(`{"__proto__":${SNOWFLAKE},"a":${SNOWFLAKE}}`);
  expect(Object.keys(value as object)).toEqual(['__proto__', 'a']);
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
});

test('a text that is made to be slow is not', () => {
  const unfinished = `[${SNOWFLAKE},"${'\\"'.repeat(200_000)}`;
  expect(() => parseLossless(unfinished)).toThrow(SyntaxError);
  const escapes = `[${SNOWFLAKE},"${'\\\\'.repeat(200_000)}"]`;
  expect(parseLossless(escapes)).toEqual([BigInt(SNOWFLAKE), '\\'.repeat(200_000)]);
});
