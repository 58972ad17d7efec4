import type { Json } from '../core/json.ts';
import { isUnknown, type Reference, type Unknown, unknownOf, type Value, type ValueObject } from '../core/value.ts';
import type { Budget } from './budget.ts';
import { type Expression, type FilterArguments, TemplateError } from './expression.ts';
import { type Arguments, FILTERS, type Filter } from './filters.ts';
import { attributeOf, listOf } from './list-filters.ts';
import { applyBinary, exact, negate, textOf, truthy, typeName } from './operators.ts';
import { follow, Missing, type Segment } from './own-path.ts';

/** Thrown where an expression has to decide on a result that is not known yet. */
export class NeedsResult extends Error {}

export type Operand = Value | Missing;

/** What names mean. Both throw TemplateError for what can't be meant at all. */
export interface Names {
  /** Whether a path that starts with this name leads into a step's result. */
  isResult(name: string): boolean;
  /** The result at a path: unknown while the step has not run. */
  result(name: string, path: readonly Segment[]): Operand;
  variable(name: string): Operand;
}

/** Evaluates one expression; what it gives may be unknown as a whole, or hold unknown values in lists and maps. */
export function evaluate(expression: Expression, names: Names, budget: Budget): Operand {
  budget.steps(1);
  switch (expression.kind) {
    case 'literal':
      return expression.value;
    case 'name':
      return names.isResult(expression.name) ? names.result(expression.name, []) : names.variable(expression.name);
    case 'member':
      return member(expression, names, budget);
    case 'list':
      return literal(expression.items.map((item) => present(evaluate(item, names, budget))));
    case 'map':
      return mapLiteral(expression.entries, names, budget);
    case 'unary':
      return unary(expression, names, budget);
    case 'binary':
      return binary(expression, names, budget);
    case 'filter':
      return filter(expression, names, budget);
    case 'test':
      return test(expression, names, budget);
    case 'conditional':
      return conditional(expression, names, budget);
  }
}

export type Of<K extends Expression['kind']> = Extract<Expression, { readonly kind: K }>;

/** A value that is there; unknown or not. */
export function present(operand: Operand): Value {
  if (operand instanceof Missing)
    throw new TemplateError(
      'TEMPLATE_UNDEFINED',
      `${operand.what}.`,
      operand.hint ?? 'use `| default(...)` where absence is meant',
    );
  return operand;
}

/** A value that can be decided on. */
function known(operand: Operand): Json {
  const value = present(operand);
  if (isUnknown(value) || HOLDERS.has(value as object)) throw new NeedsResult();
  return value as Json;
}

/** Lists and maps written in an expression that hold unknown values; everything else is known all through. */
const HOLDERS = new WeakSet<object>();

function literal<T extends readonly Value[] | ValueObject>(value: T): T {
  const items: readonly Value[] = Object.values(value);
  if (items.some((item) => isUnknown(item) || HOLDERS.has(item as object))) HOLDERS.add(value);
  return value;
}

function mapLiteral(entries: Of<'map'>['entries'], names: Names, budget: Budget): Value {
  const pairs = entries.map(([key, value]) => {
    const name = known(evaluate(key, names, budget));
    if (typeof name !== 'string' || name === '__proto__')
      throw new TemplateError('TEMPLATE_INVALID', 'A key of a map is a text (and not `__proto__`).');
    return [name, present(evaluate(value, names, budget))] as const;
  });
  return literal(Object.fromEntries(pairs));
}

/** The chain `root.a[b]`: its root and the evaluated segments. */
export function chain(
  expression: Of<'member'>,
  names: Names,
  budget: Budget,
): { root: Expression; path: readonly Segment[] } {
  const path: Segment[] = [];
  let current: Expression = expression;
  while (current.kind === 'member') {
    budget.steps(1);
    path.unshift(segment(known(evaluate(current.property, names, budget))));
    current = current.object;
  }
  return { root: current, path };
}

function segment(value: Json): Segment {
  if (typeof value === 'string' || typeof value === 'number') return value;
  throw new TemplateError('TEMPLATE_INVALID', `A key in brackets is a text or a number, not ${typeName(value)}.`);
}

function member(expression: Of<'member'>, names: Names, budget: Budget): Operand {
  const { root, path } = chain(expression, names, budget);
  if (root.kind === 'name' && names.isResult(root.name)) return names.result(root.name, path);
  const base = evaluate(root, names, budget);
  const start = root.kind === 'name' ? root.name : 'the value';
  return base instanceof Missing ? base : follow(known(base), path, start);
}

function unary(expression: Of<'unary'>, names: Names, budget: Budget): Json {
  const value = known(evaluate(expression.operand, names, budget));
  if (expression.operator === 'not') return !truthy(value);
  return expression.operator === '-' ? exact(negate(value)) : exact(-negate(value));
}

function binary(expression: Of<'binary'>, names: Names, budget: Budget): Operand {
  const { operator } = expression;
  const left = evaluate(expression.left, names, budget);
  if (operator === 'and' || operator === 'or') {
    const decided = truthy(known(left)) === (operator === 'or');
    return decided ? left : evaluate(expression.right, names, budget);
  }
  const right = evaluate(expression.right, names, budget);
  if (operator === '~') return concatenate([present(left), present(right)], budget);
  return applyBinary(operator, known(left), known(right), budget);
}

/** Joins values to a text. Unknown ones stay as parts: they are passed on inside the text, not decided on. */
export function concatenate(values: readonly Value[], budget: Budget): string | Unknown {
  const parts: (string | Reference)[] = [];
  for (const value of values) {
    if (!isUnknown(value)) addPart(parts, textOf(known(value), budget));
    else if (value.parts === null) throw new NeedsResult();
    else for (const part of value.parts) addPart(parts, part);
  }
  const [first, ...more] = parts;
  if (more.length === 0 && typeof first !== 'object') return first ?? '';
  // A lone reference would be the value itself and keep its type; here it is a text.
  return unknownOf(more.length === 0 ? [...parts, ''] : parts);
}

function addPart(parts: (string | Reference)[], part: string | Reference): void {
  const last = parts.at(-1);
  if (typeof part === 'string' && typeof last === 'string') parts[parts.length - 1] = last + part;
  else parts.push(part);
}

function filter(expression: Of<'filter'>, names: Names, budget: Budget): Operand {
  const operand = evaluate(expression.operand, names, budget);
  if (expression.name === 'default') return defaulted(operand, expression.args, names, budget);
  const value = known(operand);
  if (expression.name === 'map') return mapped(value, argumentsOf(expression.args, null, names, budget), budget);
  const found = filterNamed(expression.name);
  return found.apply(value, argumentsOf(expression.args, found.parameters, names, budget), budget);
}

function filterNamed(name: string): Filter {
  const found = FILTERS.get(name);
  if (found === undefined)
    throw new TemplateError('TEMPLATE_INVALID', `There is no filter "${name}" that can be used here.`);
  return found;
}

function defaulted(operand: Operand, args: FilterArguments, names: Names, budget: Budget): Operand {
  const fallback = args.positional[0] ?? args.named.get('default_value');
  const emptyToo = args.positional[1] ?? args.named.get('boolean');
  const replacesEmpty = emptyToo !== undefined && truthy(known(evaluate(emptyToo, names, budget)));
  const absent = operand instanceof Missing || (replacesEmpty && !truthy(known(operand)));
  if (!absent) return operand instanceof Missing ? operand : known(operand);
  return fallback === undefined ? '' : evaluate(fallback, names, budget);
}

/** Arguments by parameter name; `map` (null) keeps positional ones under their index. */
function argumentsOf(
  args: FilterArguments,
  parameters: readonly string[] | null,
  names: Names,
  budget: Budget,
): Arguments {
  const values = new Map<string, Json>();
  for (const [index, expression] of args.positional.entries()) {
    const name = parameters === null ? String(index) : parameters[index];
    if (name === undefined)
      throw new TemplateError(
        'TEMPLATE_INVALID',
        `The filter takes ${parameters?.length ?? 0} arguments, not ${args.positional.length}.`,
      );
    values.set(name, known(evaluate(expression, names, budget)));
  }
  for (const [name, expression] of args.named) {
    if (parameters !== null && !parameters.includes(name))
      throw new TemplateError('TEMPLATE_INVALID', `The filter has no argument "${name}".`);
    values.set(name, known(evaluate(expression, names, budget)));
  }
  return values;
}

function mapped(value: Json, args: Arguments, budget: Budget): Json {
  const list = listOf(value, 'map');
  budget.steps(list.length);
  const attribute = args.get('attribute');
  if (attribute !== undefined) return list.map((item) => mappedAttribute(item, attribute, args.get('default')));
  const name = args.get('0');
  if (typeof name !== 'string')
    throw new TemplateError('TEMPLATE_INVALID', 'map takes attribute= or the name of a filter.');
  const found = filterNamed(name);
  const passed = new Map([...args].flatMap(([key, item]) => passedOn(key, item, found)));
  return list.map((item) => {
    budget.steps(1);
    return found.apply(item, passed, budget);
  });
}

function passedOn(key: string, item: Json, found: Filter): [string, Json][] {
  if (!/^\d+$/.test(key)) return [[key, item]];
  const name = found.parameters[Number(key) - 1];
  return key === '0' || name === undefined ? [] : [[name, item]];
}

function mappedAttribute(item: Json, attribute: Json, fallback: Json | undefined): Json {
  const found = attributeOf(item, attribute) ?? fallback;
  if (found === undefined)
    throw new TemplateError('TEMPLATE_UNDEFINED', `An item has no attribute ${JSON.stringify(attribute)}.`);
  return found;
}

function test(expression: Of<'test'>, names: Names, budget: Budget): boolean {
  const operand = evaluate(expression.operand, names, budget);
  if (isUnknownOperand(operand)) throw new NeedsResult();
  const holds = expression.test === 'defined' ? !(operand instanceof Missing) : present(operand) === null;
  return holds !== expression.negate;
}

function isUnknownOperand(operand: Operand): boolean {
  return !(operand instanceof Missing) && isUnknown(operand);
}

function conditional(expression: Of<'conditional'>, names: Names, budget: Budget): Operand {
  if (truthy(known(evaluate(expression.condition, names, budget)))) return evaluate(expression.then, names, budget);
  if (expression.otherwise !== null) return evaluate(expression.otherwise, names, budget);
  return new Missing('the condition does not hold and there is no else');
}
