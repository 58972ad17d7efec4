import { canonicalJson, type Json } from '../core/json.ts';
import { scalarText } from '../core/value.ts';
import type { Budget } from './budget.ts';
import { type BinaryOperator, TemplateError } from './expression.ts';

function invalid(detail: string, hint: string | null = null): TemplateError {
  return new TemplateError('TEMPLATE_INVALID', detail, hint);
}

/** A value's type as messages name it. */
export function typeName(value: Json): string {
  if (value === null) return 'none';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a map';
  if (typeof value === 'string') return 'a text';
  return typeof value === 'number' ? 'a number' : 'a boolean';
}

/** As in Jinja: none, false, 0 and everything empty is false. */
export function truthy(value: Json): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0;
  return Boolean(value);
}

/** A value inside a text; none would silently make a wrong name. */
export function textOf(value: Json, budget: Budget): string {
  if (value === null) throw invalid("None can't stand inside a text.", 'use `| default(..., true)`');
  const text = scalarText(value);
  budget.output(text.length);
  return text;
}

export function equal(a: Json, b: Json, budget: Budget): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b;
  const [left, right] = [canonicalJson(a), canonicalJson(b)];
  budget.steps(left.length + right.length);
  return left === right;
}

/** Below, equal, above: -1, 0, 1. Only numbers with numbers and texts with texts have an order. */
export function compare(a: Json, b: Json): number {
  const comparable =
    (typeof a === 'number' && typeof b === 'number') || (typeof a === 'string' && typeof b === 'string');
  if (!comparable) throw invalid(`${typeName(a)} and ${typeName(b)} can't be ordered.`);
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

export function contains(item: Json, container: Json, budget: Budget): boolean {
  if (Array.isArray(container)) {
    budget.steps(container.length);
    return container.some((element: Json) => equal(element, item, budget));
  }
  if (typeof container === 'string' && typeof item === 'string') {
    budget.steps(1 + container.length / 64);
    return container.includes(item);
  }
  if (typeof container === 'object' && container !== null)
    return typeof item === 'string' && Object.hasOwn(container, item);
  throw invalid(`\`in\` looks into lists, maps and texts, not for ${typeName(item)} in ${typeName(container)}.`);
}

export function negate(value: Json): number {
  if (typeof value !== 'number') throw invalid(`\`-\` needs a number, not ${typeName(value)}.`);
  return -value;
}

/** Every operator but `and` and `or`, which may leave their right side alone. */
export function applyBinary(
  operator: Exclude<BinaryOperator, 'and' | 'or'>,
  left: Json,
  right: Json,
  budget: Budget,
): Json {
  switch (operator) {
    case '==':
      return equal(left, right, budget);
    case '!=':
      return !equal(left, right, budget);
    case '<':
      return compare(left, right) < 0;
    case '<=':
      return compare(left, right) <= 0;
    case '>':
      return compare(left, right) > 0;
    case '>=':
      return compare(left, right) >= 0;
    case 'in':
      return contains(left, right, budget);
    case 'not in':
      return !contains(left, right, budget);
    case '~':
      return textOf(left, budget) + textOf(right, budget);
    case '+':
      if (typeof left === 'string' && typeof right === 'string') return textOf(left, budget) + textOf(right, budget);
      return arithmetic('+', left, right);
    default:
      return arithmetic(operator, left, right);
  }
}

type Arithmetic = '+' | '-' | '*' | '/' | '//' | '%';

function arithmetic(operator: Arithmetic, left: Json, right: Json): number {
  if (typeof left !== 'number' || typeof right !== 'number') {
    const hint = operator === '+' ? 'join texts with `~`' : 'use `| int` or `| float`';
    throw invalid(`\`${operator}\` needs two numbers, not ${typeName(left)} and ${typeName(right)}.`, hint);
  }
  if (right === 0 && (operator === '/' || operator === '//' || operator === '%')) throw invalid('Division by zero.');
  return exact(compute(operator, left, right));
}

function compute(operator: Arithmetic, left: number, right: number): number {
  switch (operator) {
    case '+':
      return left + right;
    case '-':
      return left - right;
    case '*':
      return left * right;
    case '/':
      return left / right;
    case '//':
      return Math.floor(left / right);
    case '%':
      return left - right * Math.floor(left / right);
  }
}

/** Refuses what a double can't carry exactly. */
export function exact(value: number): number {
  const fits = Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
  if (!fits) throw invalid("A number above 2^53 can't be kept exact.", 'keep large numbers as texts');
  return Object.is(value, -0) ? 0 : value;
}
