import { TemplateError } from './expression.ts';

/** Longest expression, in UTF-16 units; the library's tokenizer is quadratic in white space. */
export const MAX_EXPRESSION = 1024;

/** A text cut at its `{{ }}`. */
export interface TemplateText {
  readonly parts: readonly (string | { readonly expression: string })[];
  /** One expression and nothing else: its value keeps its type. */
  readonly whole: boolean;
}

/** Whether a text holds anything that a template engine would look at. */
export function isTemplate(text: string): boolean {
  return text.includes('{{') || text.includes('{%') || text.includes('{#');
}

/** Cuts a text at its expressions, in one pass. Statements and comments are refused. Throws TemplateError. */
export function splitTemplate(text: string): TemplateText {
  const parts: (string | { expression: string })[] = [];
  let position = 0;
  let trimNext = false;
  while (position < text.length) {
    const start = findOpening(text, position);
    const end = start === -1 ? text.length : start;
    let literal = text.slice(position, end);
    if (trimNext) literal = literal.trimStart();
    if (start === -1) {
      if (literal !== '') parts.push(literal);
      break;
    }
    const close = findClosing(text, start + 2);
    const { expression, trimBefore, trimAfter } = dashes(text.slice(start + 2, close));
    if (trimBefore) literal = literal.trimEnd();
    if (literal !== '') parts.push(literal);
    parts.push({ expression: checked(expression) });
    trimNext = trimAfter;
    position = close + 2;
  }
  // A block scalar ends with a line break that nobody means.
  if (parts.length === 2 && parts[1] === '\n') parts.pop();
  return { parts, whole: parts.length === 1 && typeof parts[0] === 'object' };
}

function findOpening(source: string, from: number): number {
  for (let index = source.indexOf('{', from); index !== -1; index = source.indexOf('{', index + 1)) {
    const next = source[index + 1];
    if (next === '{') return index;
    if (next === '%')
      throw new TemplateError(
        'TEMPLATE_INVALID',
        'Statements `{% %}` are not accepted, only expressions `{{ }}`.',
        "write {{ '{%' }} where the text is meant",
      );
    if (next === '#')
      throw new TemplateError(
        'TEMPLATE_INVALID',
        'Comments `{# #}` are not accepted in templates.',
        "write {{ '{#' }} where the text is meant",
      );
  }
  return -1;
}

/** The `}}` that ends an expression: not inside a string and not inside a map literal. */
function findClosing(source: string, from: number): number {
  let depth = 0;
  let quote: string | null = null;
  const limit = Math.min(source.length, from + MAX_EXPRESSION + 2);
  for (let index = from; index < limit; index += 1) {
    const char = source[index];
    if (quote !== null) {
      if (char === '\\') index += 1;
      else if (char === quote) quote = null;
    } else if (char === '"' || char === "'") quote = char;
    else if (char === '{') depth += 1;
    else if (char === '}' && depth > 0) depth -= 1;
    else if (char === '}' && source[index + 1] === '}') return index;
  }
  if (limit < source.length)
    throw new TemplateError(
      'TEMPLATE_LIMIT',
      `An expression is longer than ${MAX_EXPRESSION} characters or not closed by \`}}\`.`,
    );
  throw new TemplateError('TEMPLATE_INVALID', 'An expression is not closed by `}}`.');
}

function dashes(raw: string): { expression: string; trimBefore: boolean; trimAfter: boolean } {
  const trimBefore = raw.startsWith('-');
  const trimAfter = raw.endsWith('-');
  return { expression: raw.slice(trimBefore ? 1 : 0, trimAfter ? -1 : undefined), trimBefore, trimAfter };
}

function checked(expression: string): string {
  if (expression.length > MAX_EXPRESSION)
    throw new TemplateError('TEMPLATE_LIMIT', `An expression is longer than ${MAX_EXPRESSION} characters.`);
  if (expression.trim() === '') throw new TemplateError('TEMPLATE_INVALID', 'An expression is empty.');
  return expression;
}
