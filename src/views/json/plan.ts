import type { Plan, PlannedBatch, PlanStep } from '../../core/plan.ts';
import { diagnosticDocument } from './diagnostic.ts';

/** A step with the contract's keys in its order, then those that were added to it later. */
export function stepDocument(step: PlanStep): object {
  return {
    address: step.address,
    step: step.step,
    action: step.action,
    provider: step.provider,
    backend: step.backend,
    urn: step.urn,
    stack: step.stack,
    reconcile: step.reconcile,
    change: step.change,
    present: step.present,
    record: step.record,
    depends_on: step.depends_on,
    input: step.input,
    desired: step.desired,
    actual: step.actual,
    recorded: step.recorded,
    diff: step.diff,
    unknown: step.unknown,
    would_call: step.would_call,
    converge: step.converge,
    plan_digest: step.plan_digest,
    held: step.held,
    drift: step.drift,
    preflight: step.preflight,
    source: { file: step.source.file, line: step.source.line, column: step.source.column },
    diagnostics: step.diagnostics.map(diagnosticDocument),
    resource_id: step.resource_id,
    state: step.state,
    desc: step.desc,
  };
}

/** What plans and reports of an apply have in common, up to `playbook`. */
export function planHead(plan: Omit<Plan, 'steps' | 'summary'>): object {
  return {
    format_version: plan.format_version,
    command: plan.command,
    mode: plan.mode,
    target: plan.target,
    digest: plan.digest,
    stack: plan.stack,
    stacks: plan.stacks,
    playbook: { path: plan.playbook.path, name: plan.playbook.name, sha256: plan.playbook.sha256 },
  };
}

export function batchDocument(batch: PlannedBatch): object {
  return { request: batch.request, addresses: batch.addresses };
}

export function planSummary({ summary }: Pick<Plan, 'summary'>): object {
  const {
    create,
    update,
    move,
    undelete,
    delete: remove,
    adopt,
    none,
    read,
    held,
    blocked,
    unknown,
    skipped,
  } = summary;
  return { create, update, move, undelete, delete: remove, adopt, none, read, held, blocked, unknown, skipped };
}

/** The JSON of plan, and of adopt and destroy without `--confirm`. */
export function planDocument(plan: Plan): object {
  return {
    ...planHead(plan),
    summary: planSummary(plan),
    steps: plan.steps.map(stepDocument),
    diagnostics: plan.diagnostics.map(diagnosticDocument),
    batches: plan.batches.map(batchDocument),
  };
}
