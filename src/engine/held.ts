import type { ActionSpec } from '../core/resource.ts';
import type { Reconcile, Step } from '../core/step.ts';
import type { VerbOptions } from './ports.ts';

/** Why a step is held whatever the cloud says; null: it is not. */
export function heldBy(step: Step, spec: ActionSpec, options: VerbOptions): string | null {
  if (step.dryRun === true) return 'dry_run';
  return reconcileOf(step, spec, options) === 'report' ? 'reconcile is report' : null;
}

/** The effective one; null for reads and deletes. */
export function reconcileOf(step: Step, spec: ActionSpec, options: VerbOptions): Reconcile | null {
  if (spec.kind !== 'ensure') return null;
  if (options.reconcile === 'report') return 'report';
  return step.reconcile ?? options.reconcile ?? 'report';
}
