import { DiagnosticError } from '../core/diagnostics.ts';
import type { Json } from '../core/json.ts';
import type { Step } from '../core/step.ts';
import {
  type DeferredTemplate,
  isKnown,
  type Reference,
  type ReferenceLookup,
  resolveValue,
  type Unknown,
  type Value,
  type ValueObject,
} from '../core/value.ts';
import { inputDiagnostic, type PreparedStep } from './prepare.ts';
import { lookupReference, type StepResult } from './results.ts';
import { waitsAt } from './said-at.ts';

export type Evaluate = (template: DeferredTemplate, lookup: ReferenceLookup) => Json | undefined;

export type Results = (address: string) => StepResult | undefined;

/** Replaces what is known by now of what a step says; throws DiagnosticError, with the place where the step says it. */
export function resolveOf(step: Step, value: Value, results: Results, evaluate: Evaluate): Value {
  const lookup = (ref: Reference) => lookupReference(results, ref);
  return resolveValue(
    value,
    (ref) =>
      placing(
        step,
        ({ refs }) => refs.some(({ address, path }) => address === ref.address && path === ref.path),
        () => lookup(ref),
      ),
    (template) =>
      placing(
        step,
        (unknown) => unknown.template?.text === template.text,
        () => evaluate(template, lookup),
      ),
  );
}

function placing<T>(step: Step, isMeant: (unknown: Unknown) => boolean, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof DiagnosticError)) throw error;
    const placed = { address: step.address, source: waitsAt(step, isMeant) };
    throw new DiagnosticError(error.diagnostics.map((found) => ({ ...found, ...placed })));
  }
}

/** Replaces what is known by now of a step's desired and checks it; throws DiagnosticError where it turns out wrong. */
export function resolveDesired(
  item: PreparedStep,
  desired: ValueObject,
  results: Results,
  evaluate: Evaluate,
): ValueObject {
  if (isKnown(desired)) return desired;
  const resolved = resolveOf(item.step, desired, results, evaluate) as ValueObject;
  const problems = item.catalogue.settle(item.declaration, resolved);
  if (problems.length > 0) throw new DiagnosticError(problems.map((problem) => inputDiagnostic(item.step, problem)));
  return resolved;
}
