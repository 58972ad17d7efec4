import { Composer, Lexer, LineCounter, Parser, type ParsedNode, type YAMLError } from 'yaml';
import { toTree } from './yaml-tree.ts';
import type { Findings, Place } from './findings.ts';
import type { Origin, TreeNode } from './tree.ts';

/** Deeper nesting than any playbook has; the library's recursion must not decide what is too deep. */
export const MAX_DEPTH = 64;
/** The parser's own stack: a mapping in a list takes two entries, and the document one. */
const MAX_STACK = 2 * MAX_DEPTH + 2;
const SHOWN_ERRORS = 20;

type CstToken = ReturnType<Parser['next']> extends Generator<infer T> ? T : never;

/** Reads one YAML document. Null when it can't be read or is empty; the findings say why. */
export function readYaml(text: string, file: string, findings: Findings): TreeNode | null {
  const lines = new LineCounter();
  const origin = originOf(file, lines);
  const tokens = readTokens(text, lines, origin, findings);
  if (tokens === null) return null;
  const root = compose(tokens, text.length, origin, findings);
  return root === null ? null : toTree(root, origin, findings);
}

function originOf(file: string, lines: LineCounter): Origin {
  return {
    file,
    position(offset) {
      const { line, col } = lines.linePos(offset);
      return { file, line: Math.max(line, 1), column: Math.max(col, 1) };
    },
  };
}

/** The concrete syntax, bounded in depth while it grows. */
function readTokens(text: string, lines: LineCounter, origin: Origin, findings: Findings): readonly CstToken[] | null {
  const parser = new Parser(lines.addNewLine);
  const tokens: CstToken[] = [];
  lines.addNewLine(0);
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) tokens.push(token);
    if (parser.stack.length > MAX_STACK) {
      const place: Place = { origin, offset: parser.offset };
      findings.add('YAML_LIMIT', `The text nests deeper than ${MAX_DEPTH} levels.`, place);
      return null;
    }
  }
  for (const token of parser.end()) tokens.push(token);
  return tokens;
}

function compose(tokens: readonly CstToken[], length: number, origin: Origin, findings: Findings): ParsedNode | null {
  const composer = new Composer({ uniqueKeys: false, version: '1.2', merge: false, prettyErrors: false, logLevel: 'silent' });
  const documents = [...composer.compose(tokens, true, length)];
  const [first, second] = documents;
  if (first === undefined) return null;
  const troubles = documents.flatMap((document) => [...document.errors, ...document.warnings]);
  for (const trouble of troubles.slice(0, SHOWN_ERRORS)) addTrouble(trouble, origin, findings);
  if (troubles.length > 0) return null;
  const problem = refuseStream(first, second, origin, findings);
  if (problem) return null;
  if (first.contents === null) findings.add('YAML_INVALID', 'The file has no content.', { origin, offset: 0 });
  return first.contents;
}

interface Parsed {
  readonly range: readonly number[];
  readonly directives: { readonly yaml: { readonly version: string; readonly explicit?: boolean | undefined } };
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

function addTrouble(trouble: YAMLError, origin: Origin, findings: Findings): void {
  const hint = trouble.code === 'TAB_AS_INDENT' ? 'indent with spaces' : null;
  findings.add('YAML_INVALID', sentence(trouble.message), { origin, offset: trouble.pos[0] }, { hint });
}

function sentence(message: string): string {
  const first = message.split('\n', 1)[0] ?? '';
  return /[.!?]$/.test(first) ? first : `${first}.`;
}
