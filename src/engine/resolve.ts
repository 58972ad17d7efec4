import { DiagnosticError } from '../core/diagnostics.ts';
import type { Json } from '../core/json.ts';
import {
  type DeferredTemplate,
  isKnown,
  type Reference,
  type ReferenceLookup,
  resolveValue,
  type ValueObject,
} from '../core/value.ts';
import { inputDiagnostic, type PreparedStep } from './prepare.ts';
import { lookupReference, type StepResult } from './results.ts';

export type Evaluate = (template: DeferredTemplate, lookup: ReferenceLookup) => Json | undefined;

/** Replaces what is known by now of a step's desired and checks it; throws DiagnosticError where it turns out wrong. */
export function resolveDesired(
  item: PreparedStep,
  desired: ValueObject,
  results: (address: string) => StepResult | undefined,
  evaluate: Evaluate,
): ValueObject {
  if (isKnown(desired)) return desired;
  const lookup = (ref: Reference) => lookupReference(results, ref);
  const resolved = resolveValue(desired, lookup, (template) => evaluate(template, lookup)) as ValueObject;
  const problems = item.catalogue.settle(item.declaration, resolved);
  if (problems.length > 0) throw new DiagnosticError(problems.map((problem) => inputDiagnostic(item.step, problem)));
  return resolved;
}
