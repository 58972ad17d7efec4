import { Composer, Lexer, type ParsedNode, Parser, type YAMLError } from 'yaml';
import { Findings } from './findings.ts';
import { LineMap } from './line-map.ts';
import type { MapNode, Origin, TreeNode } from './tree.ts';
import { cutWorkflow, type Range, type Slices } from './yaml-slices.ts';
import { TreeBuilder } from './yaml-tree.ts';

/** Deeper nesting than any playbook has; the library's recursion must not decide what is too deep. */
export const MAX_DEPTH = 64;
/** The parser's own stack: the document and at most two entries a level. */
const MAX_STACK = 2 * MAX_DEPTH + 2;
const SHOWN_ERRORS = 20;
/** Tokens that are held at once, some 200 bytes each: about 10 MB of ordinary YAML, far more where it can be cut in slices. */
const MAX_LEXEMES = 5_000_000;
/** From here on a text whose slices are not valid is not read again as a whole. */
const TOO_LONG_FOR_WHOLE = 8 * 1024 * 1024;

const TOO_DEEP = `The text nests deeper than ${MAX_DEPTH} levels.`;
const TOO_MANY = `The text has more than ${MAX_LEXEMES} tokens in one piece. Write the workflow in block style, one step an entry.`;

type CstToken = ReturnType<Parser['next']> extends Generator<infer T> ? T : never;

/** Reads one YAML document. Null when it can't be read or is empty; the findings say why. */
export function readYaml(text: string, file: string, findings: Findings): TreeNode | null {
  const origin = new LineMap(file, text);
  const slices = cutWorkflow(text);
  const own = new Findings();
  const sliced = slices === null ? null : readSlices(text, slices, origin, own);
  if (sliced !== null) return sliced;
  if (own.failed && text.length > TOO_LONG_FOR_WHOLE) {
    for (const item of own.list()) findings.push(item);
    return null;
  }
  const root = readPart(text, 0, origin, findings);
  return root === null ? null : new TreeBuilder(origin, findings).build(root, 0);
}

/** Reads a text slice by slice; null when any part is not valid on its own, for the whole to be judged. */
function readSlices(text: string, slices: Slices, origin: Origin, findings: Findings): TreeNode | null {
  const builder = new TreeBuilder(origin, findings);
  const read = ({ start, end }: Range): TreeNode | null => {
    const root = readPart(text.slice(start, end), start, origin, findings);
    return root === null ? null : builder.build(root, start);
  };
  const head = read(slices.head);
  if (head?.kind !== 'map') return null;
  const items: TreeNode[] = [];
  for (const range of slices.items) {
    const part = read(range);
    if (part?.kind !== 'list') return null;
    for (const item of part.items) items.push(item);
  }
  const tail = text.slice(slices.tail.start).trim() === '' ? undefined : read(slices.tail);
  if (tail === null || (tail !== undefined && tail.kind !== 'map')) return null;
  return joined(head, items, tail);
}

function joined(head: MapNode, items: readonly TreeNode[], tail: MapNode | undefined): MapNode | null {
  const workflow = head.entries.get('workflow');
  const twice = [...(tail?.entries.keys() ?? [])].some((key) => head.entries.has(key));
  if (workflow === undefined || workflow.value.kind !== 'scalar' || twice) return null;
  const list: TreeNode = { ...workflow.value, kind: 'list', items };
  return {
    ...head,
    entries: new Map([...head.entries, ['workflow', { ...workflow, value: list }], ...(tail?.entries ?? [])]),
  };
}

function readPart(text: string, base: number, origin: Origin, findings: Findings): ParsedNode | null {
  const tokens = readTokens(text, base, origin, findings);
  return tokens === null ? null : compose(tokens, text.length, base, origin, findings);
}

/** The concrete syntax, bounded in depth while it grows. */
function readTokens(text: string, base: number, origin: Origin, findings: Findings): readonly CstToken[] | null {
  const parser = new Parser();
  const tokens: CstToken[] = [];
  let lexemes = 0;
  for (const lexeme of new Lexer().lex(text)) {
    lexemes += 1;
    for (const token of parser.next(lexeme)) tokens.push(token);
    const limit = parser.stack.length > MAX_STACK ? TOO_DEEP : lexemes > MAX_LEXEMES ? TOO_MANY : null;
    if (limit === null) continue;
    findings.add('YAML_LIMIT', limit, { origin, offset: base + parser.offset });
    return null;
  }
  for (const token of parser.end()) tokens.push(token);
  return tokens;
}

function compose(
  tokens: readonly CstToken[],
  length: number,
  base: number,
  origin: Origin,
  findings: Findings,
): ParsedNode | null {
  const composer = new Composer({
    uniqueKeys: false,
    version: '1.2',
    merge: false,
    prettyErrors: false,
    logLevel: 'silent',
  });
  const documents = [...composer.compose(tokens, true, length)];
  const [first, second] = documents;
  if (first === undefined) return null;
  const troubles = documents.flatMap((document) => [...document.errors, ...document.warnings]);
  const places = onePerPlace(troubles);
  for (const trouble of places.slice(0, SHOWN_ERRORS)) addTrouble(trouble, base, origin, findings);
  if (troubles.length > 0 || refuseStream(first, second, origin, findings)) return null;
  if (first.contents === null) findings.add('YAML_INVALID', 'The file has no content.', { origin, offset: 0 });
  return first.contents;
}

interface Parsed {
  readonly range: readonly number[];
  readonly directives: { readonly yaml: { readonly version: string } };
}

function refuseStream(first: Parsed, second: Parsed | undefined, origin: Origin, findings: Findings): boolean {
  if (first.directives.yaml.version !== '1.2') {
    const detail = `%YAML ${first.directives.yaml.version} is not supported: under YAML 1.2, \`no\` is a text and 0123 is no octal number.`;
    findings.add('YAML_INVALID', detail, { origin, offset: 0 });
    return true;
  }
  if (second === undefined) return false;
  const detail = 'A second document starts here; a playbook is one document. Remove the `---` or split the file.';
  findings.add('YAML_INVALID', detail, { origin, offset: second.range[0] ?? 0 });
  return true;
}

/** What follows from the first trouble at a place says nothing new. */
function onePerPlace(troubles: readonly YAMLError[]): readonly YAMLError[] {
  const seen = new Set<number>();
  return troubles.filter(({ pos: [start] }) => !seen.has(start) && seen.add(start));
}

function addTrouble(trouble: YAMLError, base: number, origin: Origin, findings: Findings): void {
  const hint = trouble.code === 'TAB_AS_INDENT' ? 'indent with spaces' : null;
  findings.add('YAML_INVALID', sentence(trouble.message), { origin, offset: base + trouble.pos[0] }, { hint });
}

function sentence(message: string): string {
  const first = message.split('\n', 1)[0] ?? '';
  return /[.!?]$/.test(first) ? first : `${first}.`;
}
