import { diagnostic } from '../core/codes.ts';
import { DiagnosticError } from '../core/diagnostics.ts';
import { isJsonObject, type Json, type JsonObject } from '../core/json.ts';
import type { Reference } from '../core/value.ts';
import type { PreparedStep } from './prepare.ts';

/** What other steps may take from a step: its result data, and whether that is all there will ever be. */
export interface StepResult {
  readonly data: JsonObject;
  /** False while a write, a read or a decision is still to come: what is not in `data` may appear then. */
  readonly complete: boolean;
}

export const NO_RESULT: StepResult = { data: {}, complete: false };

/** Follows a dotted path with `[n]` for list items; undefined where it leads nowhere. */
export function followPath(data: Json, path: string): Json | undefined {
  let current: Json | undefined = data;
  for (const key of pathKeys(path)) {
    if (Array.isArray(current)) current = (current as readonly Json[])[Number(key)];
    else if (isJsonObject(current) && Object.hasOwn(current, key)) current = current[key];
    else return undefined;
  }
  return current;
}

function pathKeys(path: string): readonly string[] {
  return [...path.matchAll(/\[(?:'([^']*)'|"([^"]*)"|(\d+))\]|([^.[\]]+)/g)].map(
    (match) => match[1] ?? match[2] ?? match[3] ?? match[4] ?? '',
  );
}

/** Looks a reference up; undefined while it is not known, an error where it will never be. */
export function lookupReference(
  results: (address: string) => StepResult | undefined,
  ref: Reference,
): Json | undefined {
  const result = results(ref.address);
  if (result === undefined) return undefined;
  const found = followPath(result.data, ref.path);
  if (found !== undefined || !result.complete) return found;
  const detail = `the result of step ${ref.address} has no ${JSON.stringify(ref.path)}. Use "| default(...)" where absence is meant.`;
  throw new DiagnosticError([diagnostic('TEMPLATE_UNDEFINED', detail, { address: ref.address })]);
}

/** What references into a step's result may name. */
export function resultData(item: PreparedStep, urn: string | null, resource: Json): JsonObject {
  return { provider: item.step.provider, action: item.step.action, backend: item.catalogue.backend, urn, resource };
}
