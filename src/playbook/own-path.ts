import { isJsonObject, type Json } from '../core/json.ts';
import { didYouMean } from '../core/nearest.ts';
import { TemplateError } from './expression.ts';
import { typeName } from './operators.ts';

/** A key of a map or a position in a list. */
export type Segment = string | number;

/** Something that isn't there; an error where it is used, but for `default` and `is defined`. */
export class Missing {
  readonly what: string;
  readonly hint: string | null;
  constructor(what: string, hint: string | null = null) {
    this.what = what;
    this.hint = hint;
  }
}

/** Walks own keys and list positions only: nothing of JavaScript can be reached. */
export function follow(base: Json, path: readonly Segment[], start: string): Json | Missing {
  let current: Json = base;
  let where = start;
  for (const step of path) {
    const next = childOf(current, step);
    if (next === undefined) return new Missing(missingText(current, step, where), missingHint(current, step));
    where = typeof step === 'number' ? `${where}[${step}]` : `${where}.${step}`;
    current = next;
  }
  if (
    typeof current === 'string' &&
    current.includes('{{') &&
    (start === 'workload' || start === 'iter' || start === 'env')
  ) {
    throw new TemplateError(
      'TEMPLATE_INVALID',
      `${where} is itself a template, and templates there are not rendered.`,
      'write the expression where the value is used',
    );
  }
  return current;
}

function childOf(value: Json, step: Segment): Json | undefined {
  if (Array.isArray(value))
    return Number.isInteger(Number(step)) ? (value.at(Number(step)) as Json | undefined) : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  const key = String(step);
  return Object.hasOwn(value, key) ? (value as Readonly<Record<string, Json>>)[key] : undefined;
}

/** The nearest key of a map; else the advice of `present`. */
function missingHint(value: Json, step: Segment): string | null {
  return isJsonObject(value) && typeof step === 'string' ? didYouMean(step, Object.keys(value)) : null;
}

function missingText(value: Json, step: Segment, where: string): string {
  if (Array.isArray(value)) return `${where} has ${value.length} items and no [${JSON.stringify(step)}]`;
  if (typeof value !== 'object' || value === null)
    return `${where} is ${typeName(value)} and has no ${JSON.stringify(step)}`;
  return `${where} has no ${JSON.stringify(step)}`;
}
