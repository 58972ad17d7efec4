/** Below this a text is read in one go. */
const MIN_LENGTH = 64 * 1024;
/** Entries of the workflow that are read together. */
const ITEMS_PER_SLICE = 50;
const HEADING = /^workflow:[ \t]*(?:#.*)?\r?$/;
const MARKER = /^(?:---|\.\.\.)/;

export interface Range {
  readonly start: number;
  readonly end: number;
}

/** A long playbook cut between entries of its workflow. */
export interface Slices {
  readonly head: Range;
  readonly items: readonly Range[];
  readonly tail: Range;
}

/**
 * Cuts a text at the entries of a top-level `workflow:` list in block style: the library needs three times the memory (and
 * the collector's time) for the whole of a long text. Null where that shape isn't plain to see; the caller then reads the
 * text whole, as it does when any slice is not valid by itself.
 */
export function cutWorkflow(text: string): Slices | null {
  if (text.length < MIN_LENGTH) return null;
  const section = findSection(text);
  if (section === null) return null;
  const { starts, end } = section;
  const items: Range[] = [];
  for (let index = 0; index < starts.length; index += ITEMS_PER_SLICE) {
    items.push({ start: starts[index] ?? end, end: starts[index + ITEMS_PER_SLICE] ?? end });
  }
  return { head: { start: 0, end: starts[0] ?? end }, items, tail: { start: end, end: text.length } };
}

interface Line {
  readonly start: number;
  readonly indent: number;
  readonly text: string;
}

function* linesOf(text: string, from: number): Generator<Line> {
  let start = from;
  while (start < text.length) {
    const newline = text.indexOf('\n', start);
    const end = newline === -1 ? text.length : newline;
    let indent = 0;
    while (start + indent < end && text.charCodeAt(start + indent) === 0x20) indent += 1;
    yield { start, indent, text: text.slice(start + indent, Math.min(end, start + indent + 80)) };
    start = end + 1;
  }
}

function isBlank(line: Line): boolean {
  return line.text === '' || line.text === '\r' || line.text.startsWith('#');
}

function isItem(line: Line): boolean {
  return line.text.startsWith('- ') || line.text === '-' || line.text === '-\r';
}

/** Starts of the workflow's entries and the end of its section. Document markers make the text no single playbook. */
function findSection(text: string): { starts: readonly number[]; end: number } | null {
  const starts: number[] = [];
  let indent = -1;
  let open = false;
  let end = text.length;
  for (const line of linesOf(text, 0)) {
    if (line.indent === 0 && MARKER.test(line.text) && starts.length > 0) return null;
    if (!open) {
      open = end === text.length && line.indent === 0 && HEADING.test(line.text);
    } else if (!isBlank(line)) {
      if (indent === -1 && !isItem(line)) return null;
      if (indent === -1) indent = line.indent;
      if (line.indent === indent && isItem(line)) starts.push(line.start);
      else if (line.indent <= indent) [open, end] = [false, line.start];
    }
  }
  return starts.length > ITEMS_PER_SLICE ? { starts, end } : null;
}
