import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  block,
  columnWidth,
  count,
  displayWidth,
  escapeText,
  pad,
  paragraph,
  truncate,
  wrap,
} from '../../src/views/text.ts';
import { anyName } from './support/hostile.ts';

describe('escapeText', () => {
  test.each([
    ['plain text, "quotes" and \\', 'plain text, "quotes" and \\'],
    ['日本語 é 🚀', '日本語 é 🚀'],
    ['a\nb\r\tc', 'a\\nb\\r\\tc'],
    ['\u001b[31m', '\\x1b[31m'],
    ['\u0085\u009b', '\\x85\\x9b'],
    ['a\u202eb', 'a\\u202eb'],
    ['\u{e0041}', '\\u{e0041}'],
    ['\ud800', '\\ud800'],
    ['##[group]', '#\\#[group]'],
    ['a ##vso[x]', 'a #\\#vso[x]'],
    ['## heading', '## heading'],
    ['  ::error::x', '  \\::error::x'],
    ['::/0', '::/0'],
    ['fe80::1', 'fe80::1'],
  ])('%j becomes %j', (text, expected) => {
    expect(escapeText(text)).toBe(expected);
  });

  test('is idempotent', () => {
    fc.assert(
      fc.property(anyName, (text) => {
        expect(escapeText(escapeText(text))).toBe(escapeText(text));
      }),
    );
  });
});

describe('block', () => {
  test('ends every line and drops trailing blanks', () => {
    expect(block(['a  ', '', 'b'])).toBe('a\n\nb\n');
  });

  test('takes care of a runner command that was put together', () => {
    expect(block([['#', '#[group]'].join(''), `  ${'::'}warning::x`])).toBe('#\\#[group]\n  \\::warning::x\n');
  });
});

describe('width', () => {
  test.each([
    ['abc', 3],
    ['日本', 4],
    ['e\u0301', 1],
    ['é', 1],
    ['🚀', 2],
    ['→', 1],
  ])('%j takes %i columns', (text, width) => {
    expect(displayWidth(text)).toBe(width);
  });

  test('truncate keeps within the width, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 20 }), (text, width) => {
        expect(displayWidth(truncate(escapeText(text), width))).toBeLessThanOrEqual(width);
      }),
    );
  });

  test('truncate cuts before a wide character that does not fit', () => {
    expect(truncate('日本語', 4)).toBe('日…');
    expect(truncate('日本', 4)).toBe('日本');
  });

  test('pad fills by columns', () => {
    expect(pad('日', 4)).toBe('日  ');
    expect(pad('long', 2)).toBe('long');
  });

  test('columnWidth is bounded', () => {
    expect(columnWidth(['a', 'abc', 'x'.repeat(99)], 10)).toBe(10);
    expect(columnWidth([], 10)).toBe(0);
  });
});

describe('paragraph', () => {
  test('wraps at blanks, keeps lines, never cuts a word', () => {
    expect(wrap('one two three', 7)).toEqual(['one two', 'three']);
    expect(paragraph(`one ${'y'.repeat(40)} z`, '  ', 30)).toEqual(['  one', `  ${'y'.repeat(40)}`, '  z']);
    expect(paragraph('one\nerror[FAKE]: two', '  ', 60)).toEqual(['  one\\nerror[FAKE]: two']);
  });
});

test('count', () => {
  expect([count(1, 'step'), count(0, 'step'), count(2, 'policy', 'policies')]).toEqual([
    '1 step',
    '0 steps',
    '2 policies',
  ]);
});
