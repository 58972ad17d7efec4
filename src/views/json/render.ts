// What JSON allows raw but a terminal or a text tool may act on: DEL and C1 controls, bidi and invisible characters,
// line separators, lone surrogates. JSON.stringify already escapes the C0 controls.
const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
// A CI runner's commands; only inside strings can JSON text have a `#`.
const RUNNER = /##(?=\w*\[)/g;

function escapeUnits(text: string): string {
  return Array.from(
    { length: text.length },
    (_, index) => `\\u${text.charCodeAt(index).toString(16).padStart(4, '0')}`,
  ).join('');
}

function harmless(json: string): string {
  return json
    .replace(UNSAFE, (character) => (character === '\n' ? character : escapeUnits(character)))
    .replace(RUNNER, '#\\u0023');
}

/** A document as it is printed: indented, ending in a newline, the same data for every parser, harmless on a terminal. */
export function renderJson(document: object): string {
  return `${harmless(JSON.stringify(document, null, 2))}\n`;
}

/** One value on one line. */
export function jsonLine(value: object): string {
  return `${harmless(JSON.stringify(value))}\n`;
}
