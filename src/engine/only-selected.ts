import type { Prepared, PreparedStep } from './prepare.ts';
import { isNamed } from './targets.ts';

/** Whether nothing but this step was asked for, whatever its selection brings along. */
export function isOnlySelected({ steps, options: { targets } }: Prepared, item: PreparedStep): boolean {
  const isTarget = ({ step, declaration }: PreparedStep) =>
    targets.some((name) => isNamed(step, declaration.urn, name));
  if (steps.size === 1) return true;
  return isTarget(item) && [...steps.values()].every((other) => other === item || !isTarget(other));
}
