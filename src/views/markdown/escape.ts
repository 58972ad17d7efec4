import { escapeText } from '../text.ts';

/** What Markdown, GitHub's among it, takes for more than text: emphasis, code, links, HTML, tables, issues, entities, formulas. */
const MARKUP = /[\\`*_[\]<>#|~&$]/g;
/** A name, an issue or a commit of someone's: GitHub makes links (and messages to people) of those. */
const MENTION = /@(?=[A-Za-z0-9_-])/g;
const AUTOLINK = /\b(https?|ftp|mailto|www)(?=[:.])/gi;
/** Shows as nothing, and ends a word. */
const BREAK = '&#8203;';

/** Any text as text: it has no markup, mentions nobody and links nowhere. On one line. */
export function plain(text: string): string {
  return escapeText(text)
    .replace(MARKUP, (character) => `&#${character.charCodeAt(0)};`)
    .replace(MENTION, `&#64;${BREAK}`)
    .replace(AUTOLINK, `$1${BREAK}`);
}

/** Any text in the type of code. */
export function code(text: string): string {
  return text === '' ? '' : `<code>${plain(text)}</code>`;
}

/** A table; every cell is Markdown already. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)];
}

/** Lines, each Markdown already, as one text. */
export function document(lines: readonly string[]): string {
  return `${lines
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()}\n`;
}
