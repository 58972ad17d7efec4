import { diagnostic } from '../core/codes.ts';
import { type Diagnostic, DiagnosticError } from '../core/diagnostics.ts';
import { isJsonObject, type Json, type JsonObject } from '../core/json.ts';
import { didYouMean } from '../core/nearest.ts';
import type { Reference } from '../core/value.ts';
import { followKeys, followPath, pathKeys } from './paths.ts';
import type { PreparedStep } from './prepare.ts';

/** What other steps may take from a step: its result data, and whether that is all there will ever be. */
export interface StepResult {
  readonly data: JsonObject;
  /** False while a write, a read or a decision is still to come: what is not in `data` may appear then. */
  readonly complete: boolean;
}

export const NO_RESULT: StepResult = { data: {}, complete: false };

/** Looks a reference up; undefined while it is not known, an error where it will never be. */
export function lookupReference(
  results: (address: string) => StepResult | undefined,
  ref: Reference,
): Json | undefined {
  const result = results(ref.address);
  if (result === undefined) return undefined;
  const found = followPath(result.data, ref.path);
  if (found !== undefined || !result.complete) return found;
  throw new DiagnosticError([missing(result.data, ref)]);
}

/** `default` is no way out where the result is made by this very run: what decides on that is no plan. */
function missing(data: JsonObject, { address, path }: Reference): Diagnostic {
  const keys = pathKeys(path);
  const at = keys.findIndex((_, index) => followKeys(data, keys.slice(0, index + 1)) === undefined);
  const around = followKeys(data, keys.slice(0, at));
  const known = isJsonObject(around) ? Object.keys(around) : [];
  const listed = known.length === 0 ? '' : `it has ${known.join(', ')}; `;
  const hint = didYouMean(keys[at] ?? '', known) ?? `${listed}take what a result may lack from workload`;
  return diagnostic('TEMPLATE_UNDEFINED', `the result of step ${address} has no ${JSON.stringify(path)}.`, { hint });
}

/** What references into a step's result may name. */
export function resultData(item: PreparedStep, urn: string | null, resource: Json): JsonObject {
  return { provider: item.step.provider, action: item.step.action, backend: item.catalogue.backend, urn, resource };
}
