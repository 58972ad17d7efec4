import type { Code } from '../../core/codes.ts';
import { nearest } from '../../core/nearest.ts';
import type { InputProblem } from '../../core/resource.ts';
import { isKnown, isUnknown, type Value, type ValueObject } from '../../core/value.ts';

/** What a rule says is wrong with a value; null: nothing. */
export type Rule = (value: string) => string | null;
type Path = readonly (string | number)[];
export type Reading = { readonly value: Value } | { readonly problems: readonly InputProblem[] };

/** One input of an action; a value that another step decides passes unread unless it has to be known. */
export interface InputField {
  readonly key: string;
  readonly required: boolean;
  readonly read: (value: Value, path: Path) => Reading;
}

export interface FieldOptions {
  readonly required?: boolean;
  /** It decides which resource is meant, so no result of a step can. */
  readonly isStatic?: boolean;
}

export function problem(path: Path, detail: string, code: Code = 'INVALID_VALUE', hint?: string): InputProblem {
  return { path, code, detail, ...(hint === undefined ? {} : { hint }) };
}

function field(key: string, options: FieldOptions, readKnown: InputField['read']): InputField {
  return {
    key,
    required: options.required ?? false,
    read: (value, path) => {
      if (!isUnknown(value)) return readKnown(value, path);
      return options.isStatic === true ? { problems: [notStatic(key, path)] } : { value };
    },
  };
}

function notStatic(key: string, path: Path): InputProblem {
  const detail = `"${key}" decides which resource is meant, so it can't depend on the result of a step.`;
  return problem(path, detail, 'STATIC_REQUIRED', 'Take it from a literal, workload or env.');
}

export interface TextOptions extends FieldOptions {
  readonly rule?: Rule;
  readonly normalize?: (text: string) => string;
}

/** Text; numbers and booleans become their text. */
export function textField(key: string, options: TextOptions = {}): InputField {
  return field(key, options, (value, path) => {
    const text = scalarText(value);
    if (text === null) return { problems: [problem(path, `"${key}" must be text.`)] };
    const wrong = options.rule?.(text) ?? null;
    return wrong === null ? { value: options.normalize?.(text) ?? text } : { problems: [problem(path, wrong)] };
  });
}

export interface NumberOptions extends FieldOptions {
  readonly min: number;
  readonly max: number;
  /** What it must be a multiple of; 1 when absent. */
  readonly step?: number;
}

export function numberField(key: string, options: NumberOptions): InputField {
  const { min, max, step = 1 } = options;
  return field(key, options, (value, path) => {
    const number = numberOf(value);
    if (number !== null && number >= min && number <= max && isMultiple(number, step)) return { value: number };
    const kind = step === 1 ? 'a whole number' : `a multiple of ${step}`;
    return { problems: [problem(path, `"${key}" must be ${kind} from ${min} to ${max}.`)] };
  });
}

/** Whether a quotient is whole, but for what floating point adds to it. */
function isMultiple(number: number, step: number): boolean {
  const quotient = number / step;
  return Math.abs(quotient - Math.round(quotient)) < 1e-9 * Math.max(1, quotient);
}

export function booleanField(key: string, options: FieldOptions = {}): InputField {
  return field(key, options, (value, path) => {
    const text = scalarText(value);
    if (text === 'true' || text === 'false') return { value: text === 'true' };
    return { problems: [problem(path, `"${key}" must be true or false.`)] };
  });
}

export function choiceField(key: string, choices: readonly string[], options: FieldOptions = {}): InputField {
  const rule: Rule = (value) => (choices.includes(value) ? null : `"${key}" must be one of ${choices.join(', ')}.`);
  return textField(key, { ...options, rule });
}

/** A list whose items `readItem` takes apart; a list with an unknown part is read once that is known. */
export function listField(
  key: string,
  options: FieldOptions & { readonly min: number; readonly max: number },
  readItem: InputField['read'],
  checkAll: (items: readonly Value[], path: Path) => readonly InputProblem[] = () => [],
): InputField {
  return field(key, options, (value, path) => {
    if (!isList(value) || value.length < options.min || value.length > options.max)
      return { problems: [problem(path, `"${key}" must be a list of ${options.min} to ${options.max} entries.`)] };
    const readings = value.map((item, index) => readItem(item, [...path, index]));
    const problems = readings.flatMap((reading) => ('problems' in reading ? reading.problems : []));
    if (problems.length > 0) return { problems };
    const items = readings.flatMap((reading) => ('value' in reading ? [reading.value] : []));
    const whole = isKnown(value) ? checkAll(items, path) : [];
    return whole.length > 0 ? { problems: whole } : { value: items };
  });
}

export function isList(value: Value | undefined): value is readonly Value[] {
  return Array.isArray(value);
}

export function isMap(value: Value | undefined): value is ValueObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isUnknown(value);
}

function scalarText(value: Value): string | null {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : null;
}

function numberOf(value: Value): number | null {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && /^\d{1,10}(\.\d{1,4})?$/.test(value) ? Number(value) : null;
}

/** The text at a key; the empty string where there is none or it is not known. */
export function textAt(values: ValueObject, key: string): string {
  const value = values[key];
  return typeof value === 'string' ? value : '';
}

/** The number at a key; null where there is none or it is not known. */
export function numberAt(values: ValueObject, key: string): number | null {
  const value = values[key];
  return typeof value === 'number' ? value : null;
}

export interface InputReading {
  /** By key; what is missing or broken is left out. */
  readonly values: ValueObject;
  readonly problems: readonly InputProblem[];
}

/** What the keys of a map are called. */
type Noun = 'input' | 'setting' | 'key';

/** Reads a map by its fields: unknown keys, what is missing, what is wrong. */
export function readFields(
  fields: readonly InputField[],
  input: ValueObject,
  path: Path = [],
  noun: Noun = 'input',
): InputReading {
  const problems: InputProblem[] = [...unknownKeys(fields, input, path, noun)];
  const values: Record<string, Value> = {};
  for (const { key, required, read } of fields) {
    const given = input[key];
    if (given === undefined || given === null || given === '') {
      if (required) problems.push(problem(path, `The ${noun} "${key}" is missing.`, 'MISSING_KEY'));
      continue;
    }
    const reading = read(given, [...path, key]);
    if ('value' in reading) values[key] = reading.value;
    else problems.push(...reading.problems);
  }
  return { values, problems };
}

function unknownKeys(
  fields: readonly InputField[],
  input: ValueObject,
  path: Path,
  noun: Noun,
): readonly InputProblem[] {
  const known = fields.map(({ key }) => key);
  return Object.keys(input)
    .filter((key) => !known.includes(key))
    .map((key) => {
      const close = nearest(key, known);
      const hint = close === null ? `Known ${noun}s: ${known.join(', ') || 'none'}.` : `Did you mean "${close}"?`;
      return problem([...path, key], `There is no ${noun} "${key}" here.`, 'UNKNOWN_KEY', hint);
    });
}
