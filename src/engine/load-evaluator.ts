import type { Step } from '../core/step.ts';
import { isKnown } from '../core/value.ts';
import type { Prepared } from './prepare.ts';
import type { Evaluate } from './resolve.ts';

/** The evaluator of templates that wait for results; it and its parser are loaded only where a step has one. */
export async function loadEvaluator({ playbook }: Pick<Prepared, 'playbook'>): Promise<Evaluate> {
  if (!playbook.steps.some(waitsForResult)) return nothingToEvaluate;
  const { evaluatorFor } = await import('../playbook/evaluate.ts');
  return evaluatorFor(playbook);
}

function waitsForResult({ input, confirm, knownDesired }: Step): boolean {
  return !isKnown(input) || !isKnown(confirm) || !isKnown(knownDesired);
}

function nothingToEvaluate(): never {
  throw new TypeError('no step of this playbook waits for a result');
}
