import { Document, isScalar, Scalar, visit } from 'yaml';
import { isUnknown, type Reference, type Unknown, type Value, type ValueObject } from '../core/value.ts';

/** A step as it is to be written; unknown values become references to the steps that they wait for. */
export interface StepText {
  /** Lines of the comment over it. */
  readonly comment: readonly string[];
  readonly step: string;
  readonly desc?: string;
  readonly dependsOn?: readonly string[];
  /** The keys of its tool beside `kind`, in this order. */
  readonly tool: ValueObject;
}

export interface SectionText {
  /** Lines of the comment over its first step. */
  readonly comment: readonly string[];
  readonly steps: readonly StepText[];
}

export interface PlaybookText {
  /** Lines of the comment on top. */
  readonly comment: readonly string[];
  readonly name: string;
  readonly defaults: ValueObject;
  readonly sections: readonly SectionText[];
}

// Control and format characters (bidi controls, zero-width ones), lone surrogates, line and paragraph separators.
const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;
const UNSAFE_ALL = new RegExp(UNSAFE.source, 'gu');
// What a CI runner takes for a command; a `#` that is written out is none.
const RUNNER = /##(?=\w*\[)/g;
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * Writes a playbook that loads back to exactly what it was written from. Every text is literal: what looks like a template
 * is spelt so that it is none. Nothing in it acts on the terminal that it is printed on.
 */
export function writePlaybook({ comment, name, defaults, sections }: PlaybookText): string {
  const head = { apiVersion: 'noetl.io/v2', kind: 'Playbook', metadata: { name }, defaults };
  const parts = [...commentLines(comment, ''), ...yamlLines(head, ''), 'workflow:'];
  for (const [index, section] of sections.entries()) {
    if (index > 0) parts.push('');
    parts.push(...commentLines(section.comment, '  '));
    for (const step of section.steps)
      parts.push(...commentLines(step.comment, '  '), ...yamlLines([entry(step)], '  '));
  }
  return `${parts.join('\n')}\n`;
}

function entry({ step, desc, dependsOn, tool }: StepText): ValueObject {
  return {
    step,
    ...(desc === undefined ? {} : { desc }),
    ...(dependsOn === undefined ? {} : { depends_on: dependsOn }),
    tool: { kind: 'provider', ...tool },
  };
}

function commentLines(lines: readonly string[], indent: string): readonly string[] {
  return lines.map((line) => {
    const shown = line.replace(UNSAFE_ALL, escapeCharacter).replace(RUNNER, '#\\x23');
    return `${indent}# ${shown}`.trimEnd();
  });
}

/** Block style, one line a text, so that lines can be indented as they are. */
function yamlLines(value: ValueObject | readonly ValueObject[], indent: string): readonly string[] {
  const document = new Document(written(value as Value), {
    version: '1.2',
    compat: 'yaml-1.1',
    aliasDuplicateObjects: false,
  });
  visit(document, {
    Scalar: (_key, node) => {
      if (isScalar(node) && typeof node.value === 'string' && isDelicate(node.value)) node.type = Scalar.QUOTE_DOUBLE;
    },
  });
  const text = document.toString({
    lineWidth: 0,
    blockQuote: false,
    indent: 2,
    doubleQuotedMinMultiLineLength: Number.POSITIVE_INFINITY,
  });
  // Only inside double quotes does any of this stand: there its escape is the same text.
  const harmless = text.replace(UNSAFE_ALL, (character) =>
    character === '\n' ? character : escapeCharacter(character),
  );
  return harmless
    .replace(RUNNER, '#\\x23')
    .trimEnd()
    .split('\n')
    .map((line) => (line === '' ? line : `${indent}${line}`));
}

function isDelicate(text: string): boolean {
  return UNSAFE.test(text) || text.includes('##');
}

/** As YAML and JSON alike spell a character inside double quotes. */
function escapeCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return code > 0xffff ? `\\U${code.toString(16).padStart(8, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`;
}

/** The value with every text made literal and every unknown one made a reference. */
function written(value: Value): unknown {
  if (typeof value === 'string') return literal(value);
  if (isUnknown(value)) return template(value);
  if (Array.isArray(value)) return value.map((item: Value) => written(item));
  if (typeof value !== 'object' || value === null) return value;
  return new Map(Object.entries(value as ValueObject).map(([key, item]) => [key, written(item)]));
}

/** No brace is left that could open a template. */
function literal(text: string): string {
  return text.replace(/\{(?=[{%#])/g, "{{ '{' }}");
}

function template(value: Unknown): string {
  if (value.parts === null) throw new TypeError('a template that decides on a result has no text of its own');
  return value.parts.map((part) => (typeof part === 'string' ? literal(part) : reference(part))).join('');
}

function reference({ address, path }: Reference): string {
  const step = NAME.test(address) ? `.${address}` : `['${address.replace(/[\\']/g, '\\$&')}']`;
  return `{{ steps${step}.${path} }}`;
}
