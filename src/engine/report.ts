import type { Diagnostic } from '../core/diagnostics.ts';
import { type AppliedStep, type ApplyReport, type Plan, type PlanStep, summarizeOutcomes } from '../core/plan.ts';
import type { StepState } from './step-state.ts';

/** A planned step with how it ended; a plan's note on a step that then succeeded ("not visible") is no longer news. */
export function applied(shown: PlanStep, state: StepState): AppliedStep {
  const { outcome, resource, fact, operation, durationMs } = state;
  return {
    ...shown,
    outcome,
    resource,
    provider_fact: fact,
    operation,
    duration_ms: durationMs,
    diagnostics: [...shown.diagnostics, ...state.diagnostics],
  };
}

export function buildReport(
  plan: Plan,
  states: ReadonlyMap<string, StepState>,
  executionId: number,
  head: string | null,
  more: readonly Diagnostic[],
): ApplyReport {
  const steps = plan.steps.map((shown) => {
    const state = states.get(shown.address);
    return state === undefined
      ? { ...shown, outcome: 'skipped' as const, resource: null, provider_fact: null, operation: null, duration_ms: 0 }
      : applied(shown, state);
  });
  return {
    ...plan,
    command: plan.command === 'plan' ? 'apply' : plan.command,
    diagnostics: [...plan.diagnostics, ...more],
    steps,
    summary: summarizeOutcomes(steps),
    execution_id: executionId,
    head,
  };
}
