// Control and format characters (bidi controls, zero-width ones, tags), lone surrogates, line and paragraph separators.
const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;
const UNSAFE_ALL = new RegExp(UNSAFE.source, 'gu');
// CI runners take `##[command]` and `##vso[...]` anywhere in a line for an order to them.
const RUNNER_INLINE = /##(?=\w*\[)/g;
// ... and `::command::` where a line begins with it.
const RUNNER_LEADING = /^(\s*)::(?=[A-Za-z][^:]*::)/;

const NAMED: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Whether a text holds a character that must not reach a terminal as it is. */
export function isUnsafe(text: string): boolean {
  return UNSAFE.test(text);
}

function escapeCharacter(character: string): string {
  const named = NAMED[character];
  if (named !== undefined) return named;
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x100) return `\\x${code.toString(16).padStart(2, '0')}`;
  return code < 0x10000 ? `\\u${code.toString(16).padStart(4, '0')}` : `\\u{${code.toString(16)}}`;
}

function escapeRunnerCommands(line: string): string {
  return line.replace(RUNNER_INLINE, '#\\#').replace(RUNNER_LEADING, '$1\\::');
}

/**
 * Makes any text printable on one line: control, bidi and invisible characters become visible escapes, and what a CI
 * runner would take for a command no longer is one. Whatever comes from a playbook, a cloud or a log goes through here.
 */
export function escapeText(text: string): string {
  const visible = UNSAFE.test(text) ? text.replace(UNSAFE_ALL, escapeCharacter) : text;
  return escapeRunnerCommands(visible);
}

/** Lines, each already escaped, as one block of text; a line can't become a runner's command by how it was put together. */
export function block(lines: readonly string[]): string {
  return lines.map((line) => `${escapeRunnerCommands(line.trimEnd())}\n`).join('');
}

const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1f64f}\u{1f680}-\u{1f6ff}\u{1f900}-\u{1f9ff}\u{20000}-\u{3fffd}]/u;
const ZERO_WIDTH = /[\p{Mn}\p{Me}]/u;
const ASCII = /^[\x20-\x7e]*$/;

function characterWidth(character: string): number {
  if (character.charCodeAt(0) < 0x300) return 1;
  if (ZERO_WIDTH.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}

/** Columns that an escaped text takes on a terminal: 2 for wide characters, 0 for combining marks. */
export function displayWidth(text: string): number {
  if (ASCII.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += characterWidth(character);
  return width;
}

/** The text, cut with `…` so that it takes at most `width` columns. */
export function truncate(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  let kept = '';
  let used = 0;
  for (const character of text) {
    used += characterWidth(character);
    if (used > width - 1) break;
    kept += character;
  }
  return `${kept}…`;
}

/** The text, filled with blanks to at least `width` columns. */
export function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - displayWidth(text)));
}

/** Columns of the widest of the texts, at most `limit`: one very long one is not lined up with. */
export function columnWidth(texts: readonly string[], limit: number): number {
  return texts.reduce((widest, text) => Math.max(widest, Math.min(limit, displayWidth(text))), 0);
}

/** Breaks at blanks so that lines take at most `width` columns; a longer word gets a line of its own. */
export function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const joined = line === '' ? word : `${line} ${word}`;
    if (line !== '' && displayWidth(joined) > width) {
      lines.push(line);
      line = word;
    } else {
      line = joined;
    }
  }
  return [...lines, line];
}

/** Wraps a text that is already escaped, each line indented. */
export function hanging(text: string, indent: string, width: number): readonly string[] {
  return wrap(text, Math.max(20, width - indent.length)).map((line) => `${indent}${line}`);
}

/** Escapes and wraps a text, each line indented; a line break in it could pass for a line of ours, so it is escaped as well. */
export function paragraph(text: string, indent: string, width: number): readonly string[] {
  return hanging(escapeText(text), indent, width);
}

/** `1 step`, `2 steps`; an irregular plural is given. */
export function count(number: number, singular: string, plural = `${singular}s`): string {
  return `${number} ${number === 1 ? singular : plural}`;
}
