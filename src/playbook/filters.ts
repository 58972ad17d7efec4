import type { Json, JsonObject } from '../core/json.ts';
import { isJsonObject } from '../core/json.ts';
import type { Budget } from './budget.ts';
import { TemplateError } from './expression.ts';
import { LIST_FILTERS } from './list-filters.ts';
import { exact, textOf, typeName } from './operators.ts';

/** A filter's arguments by parameter name; what was not given is not there. */
export type Arguments = ReadonlyMap<string, Json>;

export interface Filter {
  /** Parameter names in positional order; `...` takes what is left. */
  readonly parameters: readonly string[];
  readonly apply: (value: Json, args: Arguments, budget: Budget) => Json;
}

function invalid(detail: string, hint: string | null = null): TemplateError {
  return new TemplateError('TEMPLATE_INVALID', detail, hint);
}

export function textArgument(value: Json | undefined, what: string): string {
  if (typeof value !== 'string')
    throw invalid(`${what} needs a text, not ${value === undefined ? 'nothing' : typeName(value)}.`);
  return value;
}

function integerArgument(value: Json | undefined, fallback: number, what: string): number {
  if (value === undefined) return fallback;
  if (typeof value !== 'number' || !Number.isInteger(value)) throw invalid(`${what} needs a whole number.`);
  return value;
}

/** `default` is not here: it alone takes what is undefined. */
const SCALAR_FILTERS: Readonly<Record<string, Filter>> = {
  int: {
    parameters: ['default'],
    apply: (value, args) => toInteger(value) ?? fallback(args, `${shown(value)} is no whole number.`),
  },
  float: {
    parameters: ['default'],
    apply: (value, args) => toFloat(value) ?? fallback(args, `${shown(value)} is no number.`),
  },
  string: { parameters: [], apply: (value, _args, budget) => textOf(value, budget) },
  bool: { parameters: [], apply: (value) => toBoolean(value) },
  length: { parameters: [], apply: (value, _args, budget) => lengthOf(value, budget) },
  lower: { parameters: [], apply: (value, _args, budget) => spent(textArgument(value, 'lower').toLowerCase(), budget) },
  upper: { parameters: [], apply: (value, _args, budget) => spent(textArgument(value, 'upper').toUpperCase(), budget) },
  trim: { parameters: ['chars'], apply: trim },
  replace: { parameters: ['old', 'new', 'count'], apply: replace },
  split: { parameters: ['sep', 'maxsplit'], apply: split },
  items: { parameters: [], apply: (value) => Object.entries(mapOf(value, 'items')).map(([key, item]) => [key, item]) },
  tojson: { parameters: ['indent'], apply: toJson },
  abs: { parameters: [], apply: (value) => Math.abs(numberOf(value, 'abs')) },
  round: { parameters: ['precision', 'method'], apply: round },
};

export const FILTERS: ReadonlyMap<string, Filter> = new Map(Object.entries({ ...SCALAR_FILTERS, ...LIST_FILTERS }));

function shown(value: Json): string {
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 40)) : typeName(value);
}

function fallback(args: Arguments, detail: string): Json {
  const given = args.get('default');
  if (given === undefined) throw invalid(detail, 'give a default, as in `| int(0)`');
  return given;
}

function spent(text: string, budget: Budget): string {
  budget.output(text.length);
  return text;
}

export function numberOf(value: Json, filter: string): number {
  if (typeof value !== 'number') throw invalid(`${filter} needs a number, not ${typeName(value)}.`);
  return value;
}

function mapOf(value: Json, filter: string): JsonObject {
  if (!isJsonObject(value)) throw invalid(`${filter} needs a map, not ${typeName(value)}.`);
  return value;
}

function toInteger(value: Json): number | null {
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (typeof value === 'number') return exact(Math.trunc(value));
  if (typeof value !== 'string' || !/^\s*[+-]?\d{1,400}\s*$/.test(value)) return null;
  return exact(Number(value));
}

function toFloat(value: Json): number | null {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string' || value.trim() === '') return null;
  return /^[+-]?(\d{1,400}(\.\d{0,400})?|\.\d{1,400})([eE][+-]?\d{1,3})?$/.test(value.trim())
    ? exact(Number(value))
    : null;
}

const TRUE = new Set(['true', '1', 'yes', 'on']);
const FALSE = new Set(['false', '0', 'no', 'off', '']);

function toBoolean(value: Json): boolean {
  if (typeof value === 'boolean') return value;
  const text = String(value).toLowerCase();
  if ((typeof value === 'string' || typeof value === 'number') && TRUE.has(text)) return true;
  if ((typeof value === 'string' || typeof value === 'number') && FALSE.has(text)) return false;
  throw invalid(`${shown(value)} is neither true nor false.`);
}

function lengthOf(value: Json, budget: Budget): number {
  if (typeof value === 'string') {
    budget.steps(1 + value.length / 16);
    let count = 0;
    for (const _ of value) count += 1;
    return count;
  }
  if (Array.isArray(value)) return value.length;
  return Object.keys(mapOf(value, 'length')).length;
}

function trim(value: Json, args: Arguments, budget: Budget): Json {
  const text = textArgument(value, 'trim');
  const chars = args.get('chars');
  budget.steps(1 + text.length / 16);
  if (chars === undefined || chars === null) return text.trim();
  const set = new Set(textArgument(chars, 'trim'));
  let [start, end] = [0, text.length];
  while (start < end && set.has(text.charAt(start))) start += 1;
  while (end > start && set.has(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

function replace(value: Json, args: Arguments, budget: Budget): Json {
  const text = textArgument(value, 'replace');
  const old = textArgument(args.get('old'), 'replace');
  const by = textArgument(args.get('new'), 'replace');
  if (old === '') throw invalid('replace needs a text to look for.');
  const pieces = splitAtMost(text, old, integerArgument(args.get('count'), Number.POSITIVE_INFINITY, 'replace'));
  budget.output(text.length + (pieces.length - 1) * by.length);
  return pieces.join(by);
}

function splitAtMost(text: string, separator: string, count: number): readonly string[] {
  const pieces = text.split(separator);
  if (pieces.length - 1 <= count || count < 0) return pieces;
  return [...pieces.slice(0, count), pieces.slice(count).join(separator)];
}

function split(value: Json, args: Arguments, budget: Budget): Json {
  const text = textArgument(value, 'split');
  budget.output(text.length);
  const separator = args.get('sep') ?? null;
  const pieces =
    separator === null
      ? text
          .trim()
          .split(/\s+/)
          .filter((piece) => piece !== '')
      : splitText(text, separator, args);
  budget.steps(pieces.length);
  return pieces;
}

function splitText(text: string, separator: Json, args: Arguments): readonly string[] {
  if (separator === '') throw invalid('split needs a separator that is not empty.');
  return splitAtMost(text, textArgument(separator, 'split'), integerArgument(args.get('maxsplit'), -1, 'split'));
}

function toJson(value: Json, args: Arguments, budget: Budget): Json {
  const indent = integerArgument(args.get('indent') ?? undefined, 0, 'tojson');
  if (indent < 0 || indent > 10) throw invalid('tojson indents by at most 10.');
  return spent(JSON.stringify(value, null, indent), budget);
}

function round(value: Json, args: Arguments): Json {
  const precision = integerArgument(args.get('precision'), 0, 'round');
  if (precision < 0 || precision > 15) throw invalid('round takes a precision from 0 to 15.');
  const scale = 10 ** precision;
  const scaled = numberOf(value, 'round') * scale;
  const method = args.get('method') ?? 'common';
  if (method === 'common') return exact(roundHalfEven(scaled) / scale);
  if (method === 'ceil') return exact(Math.ceil(scaled) / scale);
  if (method === 'floor') return exact(Math.floor(scaled) / scale);
  throw invalid('round takes common, ceil or floor.');
}

/** As Python rounds, and so Jinja. */
function roundHalfEven(value: number): number {
  const floor = Math.floor(value);
  const rest = value - floor;
  if (rest !== 0.5) return Math.round(value);
  return floor % 2 === 0 ? floor : floor + 1;
}
