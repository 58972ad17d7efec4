import type { Diagnostic } from '../core/diagnostics.ts';
import type { ProviderFact } from '../core/facts.ts';
import type { Json } from '../core/json.ts';
import type { Outcome } from '../core/plan.ts';
import { NO_RESULT, type StepResult } from './results.ts';

/** How a step ended. */
export interface StepState {
  readonly outcome: Outcome;
  readonly result: StepResult;
  readonly resource: Json;
  readonly fact: ProviderFact | null;
  readonly operation: string | null;
  readonly durationMs: number;
  readonly diagnostics: readonly Diagnostic[];
}

export function stateOf(outcome: Outcome, rest: Partial<StepState> = {}): StepState {
  return {
    outcome,
    result: NO_RESULT,
    resource: null,
    fact: null,
    operation: null,
    durationMs: 0,
    diagnostics: [],
    ...rest,
  };
}
