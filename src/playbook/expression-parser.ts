import { parse, tokenize } from '@huggingface/jinja';
import type { Json } from '../core/json.ts';
import { nearest } from '../core/nearest.ts';
import { type BinaryOperator, type Expression, type FilterArguments, TemplateError } from './expression.ts';
import { FILTER_NAMES } from './filter-names.ts';

const OPERATORS: ReadonlySet<string> = new Set([
  '==',
  '!=',
  '<',
  '<=',
  '>',
  '>=',
  '+',
  '-',
  '*',
  '/',
  '//',
  '%',
  '~',
  'and',
  'or',
  'in',
  'not in',
]);
const CONSTANTS: ReadonlyMap<string, Json> = new Map<string, Json>([
  ['true', true],
  ['True', true],
  ['false', false],
  ['False', false],
  ['none', null],
  ['None', null],
]);
/** Every bracket costs the library a dozen frames; 1 KiB of brackets would still fit, far deeper is a bug. */
const MAX_NESTING = 200;

/** A node of the library's tree: its classes are not exported, so it is read by its fields. */
interface JinjaNode {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** Parses one expression with the full grammar and turns it into ours. Throws TemplateError. */
export function parseExpression(text: string): Expression {
  const body = parseBody(text);
  const [node] = body;
  if (node === undefined || body.length !== 1) throw invalid(`\`${text.trim()}\` is not one expression`);
  return convert(node, 0);
}

function parseBody(text: string): readonly JinjaNode[] {
  try {
    return (parse(tokenize(`{{ ${text} }}`)) as unknown as { readonly body: readonly JinjaNode[] }).body;
  } catch (error) {
    // The library's own messages name its token types; a TypeError of its means that the text ended too early.
    const reason = error instanceof SyntaxError || error instanceof RangeError ? ` (${firstLine(error.message)})` : '';
    throw invalid(`\`${text.trim()}\` can't be read${reason}`);
  }
}

function firstLine(message: string): string {
  return message.split('\n', 1)[0] ?? '';
}

function invalid(what: string, hint: string | null = null): TemplateError {
  return new TemplateError('TEMPLATE_INVALID', `${what}.`, hint);
}

function convert(node: JinjaNode, depth: number): Expression {
  if (depth > MAX_NESTING) throw new TemplateError('TEMPLATE_LIMIT', 'An expression nests too deep.');
  const below = (field: string): Expression => convert(node[field] as JinjaNode, depth + 1);
  switch (node.type) {
    case 'Identifier':
      return identifier(String(node['value']));
    case 'StringLiteral':
      return { kind: 'literal', value: String(node['value']) };
    case 'IntegerLiteral':
    case 'FloatLiteral':
      return numberLiteral(node['value']);
    case 'ArrayLiteral':
    case 'TupleLiteral':
      return { kind: 'list', items: nodes(node['value']).map((item) => convert(item, depth + 1)) };
    case 'ObjectLiteral':
      return mapLiteral(node['value'] as ReadonlyMap<JinjaNode, JinjaNode>, depth);
    case 'MemberExpression':
      return { kind: 'member', object: below('object'), property: property(node, depth) };
    case 'UnaryExpression':
      return unary(node, below('argument'));
    case 'BinaryExpression':
      return { kind: 'binary', operator: operatorOf(node), left: below('left'), right: below('right') };
    case 'FilterExpression':
      return filter(node['filter'] as JinjaNode, below('operand'), depth);
    case 'TestExpression':
      return test(node, below('operand'));
    case 'Ternary':
      return {
        kind: 'conditional',
        condition: below('condition'),
        then: below('trueExpr'),
        otherwise: below('falseExpr'),
      };
    case 'SelectExpression':
      return { kind: 'conditional', condition: below('test'), then: below('lhs'), otherwise: null };
    default:
      throw refused(node.type);
  }
}

function refused(type: string): TemplateError {
  if (type === 'CallExpression')
    return invalid('Calls are not accepted in templates', 'use a filter: `value | filter`');
  if (type === 'SliceExpression') return invalid('Slices are not accepted in templates');
  return invalid(`${type} is not accepted in templates`);
}

function nodes(value: unknown): readonly JinjaNode[] {
  return Array.isArray(value) ? (value as readonly JinjaNode[]) : [];
}

function identifier(name: string): Expression {
  const constant = CONSTANTS.get(name);
  return constant === undefined ? { kind: 'name', name } : { kind: 'literal', value: constant };
}

function numberLiteral(value: unknown): Expression {
  if (typeof value !== 'number' || (Number.isInteger(value) && !Number.isSafeInteger(value))) {
    throw invalid("A number above 2^53 can't be kept exact", 'write it as a text in quotes');
  }
  return { kind: 'literal', value };
}

function mapLiteral(entries: ReadonlyMap<JinjaNode, JinjaNode>, depth: number): Expression {
  return {
    kind: 'map',
    entries: [...entries].map(([key, value]) => [convert(key, depth + 1), convert(value, depth + 1)] as const),
  };
}

function property(node: JinjaNode, depth: number): Expression {
  const inner = node['property'] as JinjaNode;
  if (node['computed'] === true || inner.type !== 'Identifier') return convert(inner, depth + 1);
  return { kind: 'literal', value: String(inner['value']) };
}

function tokenText(node: JinjaNode): string {
  return String((node['operator'] as { readonly value?: unknown } | undefined)?.value);
}

function unary(node: JinjaNode, operand: Expression): Expression {
  const operator = tokenText(node);
  if (operator === '+' || operator === '-' || operator === 'not') return { kind: 'unary', operator, operand };
  throw invalid(`The operator ${operator} is not accepted`);
}

function operatorOf(node: JinjaNode): BinaryOperator {
  const operator = tokenText(node);
  if (!OPERATORS.has(operator)) throw invalid(`The operator ${operator} is not accepted`);
  return operator as BinaryOperator;
}

function filter(node: JinjaNode, operand: Expression, depth: number): Expression {
  const called = node.type === 'CallExpression';
  const callee = called ? (node['callee'] as JinjaNode) : node;
  if (callee.type !== 'Identifier') throw invalid('A filter is a name');
  const name = String(callee['value']);
  if (!FILTER_NAMES.has(name)) {
    const near = nearest(name, FILTER_NAMES);
    throw invalid(
      `There is no filter "${name}"`,
      near === null ? `filters: ${[...FILTER_NAMES].join(', ')}` : `did you mean "${near}"?`,
    );
  }
  return { kind: 'filter', name, operand, args: called ? filterArguments(nodes(node['args']), depth) : NO_ARGUMENTS };
}

const NO_ARGUMENTS: FilterArguments = { positional: [], named: new Map() };

function filterArguments(args: readonly JinjaNode[], depth: number): FilterArguments {
  const positional: Expression[] = [];
  const named = new Map<string, Expression>();
  for (const argument of args) {
    if (argument.type !== 'KeywordArgumentExpression') positional.push(convert(argument, depth + 1));
    else named.set(String((argument['key'] as JinjaNode)['value']), convert(argument['value'] as JinjaNode, depth + 1));
  }
  return { positional, named };
}

function test(node: JinjaNode, operand: Expression): Expression {
  const name = String((node['test'] as JinjaNode)['value']);
  if (name !== 'defined' && name !== 'none')
    throw invalid(`There is no test "${name}"`, 'tests: is defined, is none, in');
  return { kind: 'test', test: name, negate: node['negate'] === true, operand };
}
