import { type AppliedStep, type ApplyReport, OUTCOMES } from '../../core/plan.ts';
import { diagnosticDocument } from './diagnostic.ts';
import { batchDocument, planHead, stepDocument } from './plan.ts';

export function appliedStepDocument(step: AppliedStep): object {
  return {
    ...stepDocument(step),
    outcome: step.outcome,
    resource: step.resource,
    provider_fact: step.provider_fact,
    operation: step.operation,
    duration_ms: step.duration_ms,
  };
}

/** The JSON of apply, and of adopt and destroy with `--confirm`: the plan's, each step with its outcome. */
export function applyDocument(report: ApplyReport): object {
  return {
    ...planHead(report),
    summary: Object.fromEntries(OUTCOMES.map((outcome) => [outcome, report.summary[outcome]])),
    steps: report.steps.map(appliedStepDocument),
    diagnostics: report.diagnostics.map(diagnosticDocument),
    batches: report.batches.map(batchDocument),
    execution_id: report.execution_id,
    head: report.head,
  };
}
