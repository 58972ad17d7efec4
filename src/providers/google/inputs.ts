import type { Code } from '../../core/codes.ts';
import { isJsonObject, type JsonObject, jsonEquals } from '../../core/json.ts';
import { nearest } from '../../core/nearest.ts';
import { isKnown, isUnknown, type Value, type ValueObject } from '../../core/value.ts';
import type { FormatProblem, FormatRule } from './validation.ts';

/** What is wrong with an input; a format problem is an error or a warning by where the calls would go. */
export interface LinkProblem {
  /** Path inside `input`. */
  readonly path: readonly string[];
  readonly code: Code;
  readonly detail: string;
  readonly hint?: string;
  readonly isFormat: boolean;
}

type Reading = { readonly value: Value; readonly problems: readonly LinkProblem[] };

/** One input of an action: its canonical key, its other spellings, how it is read. */
export interface InputField {
  readonly key: string;
  readonly aliases: readonly string[];
  readonly required: boolean;
  readonly read: (value: Value, path: readonly string[]) => Reading;
}

export interface TextOptions {
  readonly aliases?: readonly string[];
  readonly required?: boolean;
  /** It forms the URN, so it has to be known before anything runs. */
  readonly isStatic?: boolean;
  readonly normalize?: (text: string) => string;
  readonly format?: FormatRule;
}

/** An input that is text; numbers and booleans become their text. */
export function textField(key: string, options: TextOptions = {}): InputField {
  const { normalize = (text) => text, format } = options;
  return {
    key,
    aliases: options.aliases ?? [],
    required: options.required ?? false,
    read: (value, path) => {
      if (isUnknown(value)) return options.isStatic === true ? failed(path, notStatic(key)) : { value, problems: [] };
      const text = scalar(value);
      if (text === null) return failed(path, invalid(`"${key}" must be text.`));
      const normal = normalize(text);
      const problem = format?.(normal) ?? null;
      return { value: normal, problems: problem === null ? [] : [formatProblem(path, problem)] };
    },
  };
}

/** An input that is yes or no. */
export function booleanField(key: string): InputField {
  return {
    key,
    aliases: [],
    required: false,
    read: (value, path) => {
      const text = isUnknown(value) ? null : scalar(value);
      if (text === 'true' || text === 'false') return { value: text === 'true', problems: [] };
      return failed(path, isUnknown(value) ? notStatic(key) : invalid(`"${key}" must be true or false.`));
    },
  };
}

/** An input that is a map, whose members `read` takes apart. */
export function mapField(
  key: string,
  read: (value: ValueObject, path: readonly string[]) => Reading,
  isStatic = true,
): InputField {
  return {
    key,
    aliases: [],
    required: false,
    read: (value, path) => {
      if (isUnknown(value)) return isStatic ? failed(path, notStatic(key)) : { value, problems: [] };
      return isMap(value) ? read(value, path) : failed(path, invalid(`"${key}" must be a map.`));
    },
  };
}

export function isMap(value: Value | undefined): value is ValueObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isUnknown(value);
}

/** A scalar's text; null for lists, maps, null and unknown values. */
export function scalar(value: Value): string | null {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : null;
}

/** The text at a key; the empty string where there is none or it is not known. */
export function textAt(values: ValueObject, key: string): string {
  const value = values[key];
  return typeof value === 'string' ? value : '';
}

/** The members of a map that are there at all. */
export function present(values: Readonly<Record<string, Value | undefined>>): ValueObject {
  const there: Record<string, Value> = {};
  for (const key in values) {
    const value = values[key];
    if (value !== undefined) there[key] = value;
  }
  return there;
}

export function invalid(detail: string, hint?: string): FormatProblem & { readonly code: Code } {
  return hint === undefined ? { code: 'INVALID_VALUE', detail } : { code: 'INVALID_VALUE', detail, hint };
}

export function notStatic(key: string): FormatProblem & { readonly code: Code } {
  return {
    code: 'STATIC_REQUIRED',
    detail: `"${key}" takes part in naming the resource, so it can't depend on the result of a step.`,
    hint: 'Take it from a literal, workload or env.',
  };
}

export function problemAt(path: readonly string[], problem: FormatProblem & { readonly code: Code }): LinkProblem {
  return { path, isFormat: false, ...problem };
}

export function formatProblem(path: readonly string[], problem: FormatProblem): LinkProblem {
  return { path, isFormat: true, code: 'INVALID_VALUE', ...problem };
}

function failed(path: readonly string[], problem: FormatProblem & { readonly code: Code }): Reading {
  return { value: null, problems: [problemAt(path, problem)] };
}

export interface InputReading {
  /** By canonical key; what is missing or broken is left out. */
  readonly values: ValueObject;
  readonly problems: readonly LinkProblem[];
}

/** Reads an action's input: every spelling, unknown keys, what is missing. */
export function readInput(fields: readonly InputField[], input: ValueObject): InputReading {
  const problems = unknownKeys(fields, input);
  const values: Record<string, Value> = {};
  for (const field of fields) {
    const reading = readField(field, input);
    if (reading.problems.length > 0) problems.push(...reading.problems);
    if (reading.value !== undefined) values[field.key] = reading.value;
  }
  return { values, problems };
}

function readField(
  field: InputField,
  input: ValueObject,
): { readonly value?: Value; readonly problems: readonly LinkProblem[] } {
  const written = field.aliases.filter((key) => isGiven(input[key]));
  if (isGiven(input[field.key])) written.unshift(field.key);
  const [only, ...more] = written;
  if (only !== undefined && more.length === 0) return usable(field.read(input[only] ?? null, [only]));
  const readings = written.map((key) => ({ key, ...field.read(input[key] ?? null, [key]) }));
  const [first] = readings;
  if (first === undefined) return { problems: field.required ? [missing(field)] : [] };
  const other = readings.find((reading) => !sameValue(reading.value, first.value));
  if (other !== undefined) return { problems: [conflict(first.key, other.key)] };
  return usable(first);
}

function usable({ value, problems }: Reading): { readonly value?: Value; readonly problems: readonly LinkProblem[] } {
  return problems.some((problem) => !problem.isFormat) ? { problems } : { value, problems };
}

function isGiven(value: Value | undefined): boolean {
  return value !== undefined && value !== null && value !== '';
}

function sameValue(a: Value, b: Value): boolean {
  return isKnown(a) && isKnown(b) ? jsonEquals(a, b) : jsonEquals(referenceText(a), referenceText(b));
}

function referenceText(value: Value): Value {
  return isUnknown(value) ? JSON.stringify(value.parts ?? value.template) : value;
}

function missing(field: InputField): LinkProblem {
  const hint = field.aliases.length === 0 ? {} : { hint: `It may also be written ${field.aliases.join(', ')}.` };
  return { path: [], code: 'MISSING_KEY', detail: `The input "${field.key}" is missing.`, isFormat: false, ...hint };
}

function conflict(first: string, other: string): LinkProblem {
  return problemAt([other], {
    code: 'INPUT_CONFLICT',
    detail: `"${first}" and "${other}" are two spellings of one input and differ.`,
    hint: 'Keep one of them.',
  });
}

function unknownKeys(fields: readonly InputField[], input: ValueObject): LinkProblem[] {
  const unknown = Object.keys(input).filter(
    (key) => !fields.some((field) => field.key === key || field.aliases.includes(key)),
  );
  if (unknown.length === 0) return [];
  const known = fields.flatMap((field) => [field.key, ...field.aliases]);
  return unknown.map((key) => {
    const close = nearest(key, known);
    const hint = close === null ? `Known inputs: ${known.join(', ')}.` : `Did you mean "${close}"?`;
    return problemAt([key], { code: 'UNKNOWN_KEY', detail: `The action has no input "${key}".`, hint });
  });
}

/** Takes a map of text apart by fields of its own, as `readInput` does. */
export function readMembers(fields: readonly InputField[], value: ValueObject, path: readonly string[]): Reading {
  const { values, problems } = readInput(fields, value);
  return { value: values, problems: problems.map((problem) => ({ ...problem, path: [...path, ...problem.path] })) };
}

/** A JSON object, or an empty one for anything else. */
export function objectOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}
