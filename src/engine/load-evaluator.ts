import type { Prepared } from './prepare.ts';
import type { Evaluate } from './resolve.ts';

/** The evaluator of templates that wait for results; its parser is loaded only where one is needed. */
export async function loadEvaluator({ playbook }: Pick<Prepared, 'playbook'>): Promise<Evaluate> {
  const { evaluatorFor } = await import('../playbook/evaluate.ts');
  return evaluatorFor(playbook);
}
