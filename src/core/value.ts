import type { Json } from './json.ts';

// A symbol, so that no text of a playbook can be taken for an unknown value.
const UNKNOWN: unique symbol = Symbol('unknown');

/** A place in another step's result: `steps.<address>.<path>`; the path is dotted, `[n]` for list items. */
export interface Reference {
  readonly address: string;
  readonly path: string;
}

/** The source of a template that only the evaluator can work out, with the loop variables it was written under. */
export interface DeferredTemplate {
  readonly text: string;
  readonly iter: Json;
  /** The addresses that its references lead to: `steps.a['b']` may be an instance or a key of a result. */
  readonly addresses?: readonly string[];
}

/**
 * A value known only after other steps. `parts` are literal text and references to be joined (one lone reference is the
 * value itself); where `parts` is null the expression decides on a result, and `template` has to be evaluated again.
 */
export interface Unknown {
  readonly [UNKNOWN]: true;
  readonly refs: readonly Reference[];
  readonly parts: readonly (string | Reference)[] | null;
  readonly template: DeferredTemplate | null;
}

/** JSON that may hold unknown values anywhere. */
export type Value = Json | Unknown | readonly Value[] | ValueObject;
export interface ValueObject {
  readonly [key: string]: Value;
}

export function unknownOf(parts: readonly (string | Reference)[]): Unknown {
  const refs = parts.filter((part): part is Reference => typeof part !== 'string');
  return { [UNKNOWN]: true, refs, parts, template: null };
}

export function deferred(template: DeferredTemplate, refs: readonly Reference[]): Unknown {
  return { [UNKNOWN]: true, refs, parts: null, template };
}

export function isUnknown(value: Value | undefined): value is Unknown {
  return typeof value === 'object' && value !== null && UNKNOWN in value;
}

function isObject(value: Value): value is ValueObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isUnknown(value);
}

/** Every reference inside a value, in order of appearance. */
export function referencesIn(value: Value): readonly Reference[] {
  if (isUnknown(value)) return value.refs;
  if (Array.isArray(value)) return value.flatMap((item: Value) => referencesIn(item));
  if (isObject(value)) return Object.values(value).flatMap((item) => referencesIn(item));
  return [];
}

/** Every unknown value inside a value, with the dotted path to where it stands. */
export function unknownsIn(value: Value, path = ''): readonly { readonly path: string; readonly unknown: Unknown }[] {
  if (isUnknown(value)) return [{ path, unknown: value }];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value as ValueObject).flatMap(([key, item]) =>
    unknownsIn(item, path === '' ? key : `${path}.${key}`),
  );
}

/** Templates inside a value that decide on a result which is not known yet, with what they wait for. */
export function undecidedIn(
  value: Value,
): readonly { readonly template: DeferredTemplate; readonly refs: readonly Reference[] }[] {
  if (isUnknown(value)) return value.template === null ? [] : [{ template: value.template, refs: value.refs }];
  if (Array.isArray(value)) return value.flatMap((item: Value) => undecidedIn(item));
  if (isObject(value)) return Object.values(value).flatMap((item) => undecidedIn(item));
  return [];
}

export function isKnown(value: Value): value is Json {
  return referencesIn(value).length === 0;
}

export function knownAfterApply(ref: Reference): string {
  return `(known after apply: ${ref.address}${ref.path === '' ? '' : `.${ref.path}`})`;
}

/** What a person or a script sees: an unknown value as the text `(known after apply: <address>.<path>)`. */
export function display(value: Value): Json {
  if (isUnknown(value)) {
    const parts = value.parts ?? value.refs;
    return parts.map((part) => (typeof part === 'string' ? part : knownAfterApply(part))).join('');
  }
  if (Array.isArray(value)) return value.map((item: Value) => display(item));
  if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, display(item)]));
  return value as Json;
}

export function displayObject(value: ValueObject): { readonly [key: string]: Json } {
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, display(item)]));
}

/** Looks one reference up: its value, or undefined while it is not known. */
export type ReferenceLookup = (ref: Reference) => Json | undefined;
/** Evaluates a template whose result depends on results; undefined while those are not known. */
export type TemplateEvaluator = (template: DeferredTemplate) => Json | undefined;

/** Replaces what is known by now; what is not stays unknown. */
export function resolveValue(value: Value, lookup: ReferenceLookup, evaluate: TemplateEvaluator): Value {
  if (isUnknown(value)) return resolveUnknown(value, lookup, evaluate);
  if (Array.isArray(value)) return value.map((item: Value) => resolveValue(item, lookup, evaluate));
  if (isObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, resolveValue(item, lookup, evaluate)]));
  }
  return value;
}

function resolveUnknown(value: Unknown, lookup: ReferenceLookup, evaluate: TemplateEvaluator): Value {
  // A result may be null, which is known: only undefined says "not yet".
  if (value.parts === null) return orElse(value.template === null ? undefined : evaluate(value.template), value);
  const [first] = value.parts;
  if (value.parts.length === 1 && typeof first === 'object') return orElse(lookup(first), value);
  const parts = value.parts.map((part) => (typeof part === 'string' ? part : resolvePart(part, lookup)));
  return parts.every((part) => typeof part === 'string') ? parts.join('') : unknownOf(parts);
}

function resolvePart(ref: Reference, lookup: ReferenceLookup): string | Reference {
  const found = lookup(ref);
  return found === undefined ? ref : scalarText(found);
}

function orElse(found: Json | undefined, value: Unknown): Value {
  return found === undefined ? value : found;
}

/** A scalar as it stands inside a string; lists and maps as JSON. */
export function scalarText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
