import { canonicalJson, isJsonObject, type Json } from '../core/json.ts';
import type { Budget } from './budget.ts';
import { TemplateError } from './expression.ts';
import type { Arguments, Filter } from './filters.ts';
import { compare, contains, equal, textOf, truthy, typeName } from './operators.ts';

function invalid(detail: string, hint: string | null = null): TemplateError {
  return new TemplateError('TEMPLATE_INVALID', detail, hint);
}

/** Filters over lists. `map` with a filter's name is resolved by the evaluator, which knows all of them. */
export const LIST_FILTERS: Readonly<Record<string, Filter>> = {
  join: { parameters: ['d', 'attribute'], apply: join },
  first: { parameters: [], apply: (value) => element(listOf(value, 'first'), 0, 'first') },
  last: { parameters: [], apply: (value) => element(listOf(value, 'last'), -1, 'last') },
  sort: { parameters: ['reverse', 'case_sensitive', 'attribute'], apply: sort },
  unique: { parameters: ['case_sensitive', 'attribute'], apply: unique },
  min: {
    parameters: ['case_sensitive', 'attribute'],
    apply: (value, args, budget) => extreme(value, args, budget, 'min', -1),
  },
  max: {
    parameters: ['case_sensitive', 'attribute'],
    apply: (value, args, budget) => extreme(value, args, budget, 'max', 1),
  },
  select: { parameters: ['test', 'argument'], apply: (value, args, budget) => choose(value, args, budget, true) },
  reject: { parameters: ['test', 'argument'], apply: (value, args, budget) => choose(value, args, budget, false) },
  selectattr: {
    parameters: ['attribute', 'test', 'argument'],
    apply: (value, args, budget) => choose(value, args, budget, true),
  },
  rejectattr: {
    parameters: ['attribute', 'test', 'argument'],
    apply: (value, args, budget) => choose(value, args, budget, false),
  },
};

export function listOf(value: Json, filter: string): readonly Json[] {
  if (!Array.isArray(value)) throw invalid(`${filter} needs a list, not ${typeName(value)}.`);
  return value as readonly Json[];
}

function element(list: readonly Json[], index: number, filter: string): Json {
  const found = list.at(index);
  if (found === undefined) throw new TemplateError('TEMPLATE_UNDEFINED', `${filter} of an empty list.`);
  return found;
}

/** `a.b` or an index; undefined when it isn't there. Own keys only. */
export function attributeOf(value: Json, path: Json): Json | undefined {
  if (typeof path === 'number') return Array.isArray(value) ? (value.at(path) as Json | undefined) : undefined;
  if (typeof path !== 'string') throw invalid('An attribute is a name.');
  let current: Json | undefined = value;
  for (const name of path.split('.')) {
    if (current === undefined || !isJsonObject(current) || !Object.hasOwn(current, name)) return undefined;
    current = current[name];
  }
  return current;
}

function keyOf(item: Json, args: Arguments): Json {
  const attribute = args.get('attribute');
  const value = attribute === undefined || attribute === null ? item : attributeOf(item, attribute);
  if (value === undefined)
    throw new TemplateError('TEMPLATE_UNDEFINED', `An item has no attribute "${String(attribute)}".`);
  return typeof value === 'string' && args.get('case_sensitive') !== true ? value.toLowerCase() : value;
}

function sorted(list: readonly Json[], args: Arguments, budget: Budget): readonly Json[] {
  budget.steps(list.length * (1 + Math.ceil(Math.log2(list.length + 1))));
  const keyed = list.map((item) => ({ item, key: keyOf(item, args) }));
  return keyed.sort((a, b) => compare(a.key, b.key)).map(({ item }) => item);
}

function sort(value: Json, args: Arguments, budget: Budget): Json {
  const list = sorted(listOf(value, 'sort'), args, budget);
  return args.get('reverse') === true ? [...list].reverse() : list;
}

function unique(value: Json, args: Arguments, budget: Budget): Json {
  const seen = new Set<string>();
  return listOf(value, 'unique').filter((item) => {
    const key = canonicalJson(keyOf(item, args));
    budget.steps(1 + key.length / 16);
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

function extreme(value: Json, args: Arguments, budget: Budget, filter: string, sign: number): Json {
  const list = listOf(value, filter);
  budget.steps(list.length);
  const first = element(list, 0, filter);
  return list.reduce((best, item) => (compare(keyOf(item, args), keyOf(best, args)) * sign > 0 ? item : best), first);
}

function join(value: Json, args: Arguments, budget: Budget): Json {
  const separator = args.get('d') ?? '';
  if (typeof separator !== 'string') throw invalid('join needs a text as its separator.');
  const attribute = args.get('attribute');
  const list = listOf(value, 'join');
  budget.steps(list.length);
  budget.output(separator.length * list.length);
  const items = attribute === undefined ? list : list.map((item) => attributeOf(item, attribute) ?? null);
  return items.map((item) => textOf(item, budget)).join(separator);
}

type ItemTest = (item: Json | undefined, argument: Json, budget: Budget) => boolean;

const EQUAL: ItemTest = (item, argument, budget) => equal(item ?? null, argument, budget);
const UNEQUAL: ItemTest = (item, argument, budget) => !equal(item ?? null, argument, budget);
const BELOW: ItemTest = (item, argument) => compare(item ?? null, argument) < 0;
const AT_MOST: ItemTest = (item, argument) => compare(item ?? null, argument) <= 0;
const ABOVE: ItemTest = (item, argument) => compare(item ?? null, argument) > 0;
const AT_LEAST: ItemTest = (item, argument) => compare(item ?? null, argument) >= 0;

/** The tests that select and its kin take: the operators under Jinja's names, and `in`, `defined`, `none`. */
const ITEM_TESTS: ReadonlyMap<string, ItemTest> = new Map<string, ItemTest>([
  ['defined', (item) => item !== undefined],
  ['none', (item) => item === null],
  ['in', (item, argument, budget) => contains(item ?? null, argument, budget)],
  ['==', EQUAL],
  ['eq', EQUAL],
  ['equalto', EQUAL],
  ['!=', UNEQUAL],
  ['ne', UNEQUAL],
  ['<', BELOW],
  ['lt', BELOW],
  ['lessthan', BELOW],
  ['<=', AT_MOST],
  ['le', AT_MOST],
  ['>', ABOVE],
  ['gt', ABOVE],
  ['greaterthan', ABOVE],
  ['>=', AT_LEAST],
  ['ge', AT_LEAST],
]);
const WITHOUT_ARGUMENT = new Set(['defined', 'none']);

function choose(value: Json, args: Arguments, budget: Budget, keep: boolean): Json {
  const list = listOf(value, 'select');
  const attribute = args.get('attribute');
  const matches = itemTest(args.get('test'), args.get('argument'), budget);
  budget.steps(list.length);
  return list.filter((item) => matches(attribute === undefined ? item : attributeOf(item, attribute)) === keep);
}

function itemTest(
  name: Json | undefined,
  argument: Json | undefined,
  budget: Budget,
): (item: Json | undefined) => boolean {
  if (name === undefined) return (item) => item !== undefined && truthy(item);
  const test = typeof name === 'string' ? ITEM_TESTS.get(name) : undefined;
  if (test === undefined)
    throw invalid(`There is no test ${JSON.stringify(name)}.`, `tests: ${[...ITEM_TESTS.keys()].join(', ')}`);
  if (argument === undefined && !WITHOUT_ARGUMENT.has(String(name)))
    throw invalid(`The test ${String(name)} needs a value to compare with.`);
  return (item) => test(item, argument ?? null, budget);
}
