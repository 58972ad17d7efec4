import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { shellCommand, shellQuote } from '../../src/views/shell.ts';
import { HOSTILE_NAMES, whyUnprintable } from './support/hostile.ts';

describe('shellQuote', () => {
  test.each([
    ['org.yaml', 'org.yaml'],
    ['a=b', 'a=b'],
    ['', "''"],
    ['=ls', "'=ls'"],
    ['~/x', "'~/x'"],
    ['my org.yaml', "'my org.yaml'"],
    ["it's", "'it'\\''s'"],
    ['$(id)', "'$(id)'"],
    ['a\nb', "$'a\\x0ab'"],
    ["a\u202e'b", "$'a\\u202e\\'b'"],
    ['##[x]', "$'\\x23\\x23[x]'"],
  ])('%j becomes %s', (word, expected) => {
    expect(shellQuote(word)).toBe(expected);
  });

  test('bash reads back exactly the words that were quoted', () => {
    const words = HOSTILE_NAMES.filter((name) => !name.includes('\ud800'));
    const command = shellCommand(['printf', '%s\\0', ...words]);
    expect(whyUnprintable(command)).toBeNull();
    const read = execFileSync('bash', ['-c', command], {
      encoding: 'utf8',
      env: { ...process.env, LC_ALL: 'C.UTF-8' },
    });
    expect(read.split('\0').slice(0, -1)).toEqual(words);
  });
});
