import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalJson, isJsonObject, jsonEquals, sha256Hex } from '../../src/core/json.ts';

test('the examples of RFC 8785', () => {
  const numbers: unknown = JSON.parse('[333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001, -0]');
  expect(
    canonicalJson({ numbers, string: '€$\u000F\u000aA\'\u0042\u0022\u005c\\"/', literals: [null, true, false] }),
  ).toBe(
    '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27,0],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
  );
  const keys = {
    '\u20ac': 'Euro Sign',
    '\r': 'Carriage Return',
    '\ufb33': 'Hebrew Letter Dalet With Dagesh',
    '1': 'One',
    '\ud83d\ude00': 'Emoji: Grinning Face',
    '\u0080': 'Control',
    '\u00f6': 'Latin Small Letter O With Diaeresis',
  };
  expect(canonicalJson(keys)).toBe(
    '{"\\r":"Carriage Return","1":"One","\u0080":"Control","\u00f6":"Latin Small Letter O With Diaeresis",' +
      '"\u20ac":"Euro Sign","\ud83d\ude00":"Emoji: Grinning Face","\ufb33":"Hebrew Letter Dalet With Dagesh"}',
  );
});

test('it is JSON of the same value, and depends on nothing but the value', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const plain = JSON.parse(JSON.stringify(value)) as unknown;
      const text = canonicalJson(plain);
      expect(JSON.parse(text)).toEqual(plain);
      expect(canonicalJson(JSON.parse(text))).toBe(text);
      expect(canonicalJson(reversed(plain))).toBe(text);
    }),
  );
});

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, item]) => [key, reversed(item)]),
  );
}

test('missing members are left out, holes in lists are null', () => {
  expect(canonicalJson({ b: undefined, a: [undefined, 1] })).toBe('{"a":[null,1]}');
});

test.each([Number.NaN, Number.POSITIVE_INFINITY, 1n, Symbol('x'), () => 1])('%s is no JSON', (value) => {
  expect(() => canonicalJson([value])).toThrow(TypeError);
});

test('equality looks at values, not at the order of keys', () => {
  expect(jsonEquals({ a: 1, b: [1, 2] }, { b: [1, 2], a: 1 })).toBe(true);
  expect(jsonEquals([1, 2], [2, 1])).toBe(false);
  expect(jsonEquals(undefined, null)).toBe(true);
  expect(jsonEquals(1, '1')).toBe(false);
});

test('SHA-256 of a text is that of its UTF-8 bytes', () => {
  expect(sha256Hex('')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
  expect(sha256Hex('ü')).toBe(sha256Hex(Buffer.from('ü', 'utf8')));
});
