import { escapeText, isUnsafe } from './text.ts';

// No leading `=` or `~`: shells expand those.
const PLAIN = /^[A-Za-z0-9_@%+:,./-][A-Za-z0-9_@%+=:,./-]*$/;

/**
 * One word for a POSIX shell. What may not be printed as it is (control and bidi characters, a CI runner's `##[`) is
 * spelt in `$'...'`, which bash, zsh and ksh read, so that the printed command is both harmless and exact.
 */
export function shellQuote(word: string): string {
  if (PLAIN.test(word)) return word;
  if (isUnsafe(word) || escapeText(word) !== word) return `$'${[...word].map(ansiC).join('')}'`;
  return `'${word.replaceAll("'", "'\\''")}'`;
}

/** A command line that can be pasted: every word quoted where it has to be. */
export function shellCommand(words: readonly string[]): string {
  return words.map(shellQuote).join(' ');
}

function ansiC(character: string): string {
  if (character === "'" || character === '\\') return `\\${character}`;
  if (character !== '#' && !isUnsafe(character)) return character;
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x80) return `\\x${code.toString(16).padStart(2, '0')}`;
  return code < 0x10000 ? `\\u${code.toString(16).padStart(4, '0')}` : `\\U${code.toString(16).padStart(8, '0')}`;
}
