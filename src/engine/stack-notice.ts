import { diagnostic } from '../core/codes.ts';
import type { Diagnostic } from '../core/diagnostics.ts';
import { type OwnershipModel, stacksOf } from '../core/fold.ts';

/** A stack that was asked for, owns nothing and is not spelt like those that do: silence would pass for "all is well". */
export function stackNotice(model: OwnershipModel, stack: string | null): readonly Diagnostic[] {
  const stacks = stacksOf(model);
  const wasKnown = [...model.tombstones.values()].some((fact) => fact.stack === stack);
  if (stack === null || stacks.length === 0 || wasKnown || stacks.includes(stack)) return [];
  const detail = `nothing in the log is owned by stack ${JSON.stringify(stack)}. These stacks own something: ${stacks.join(', ')}.`;
  return [diagnostic('UNKNOWN_STACK', detail)];
}
