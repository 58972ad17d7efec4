import type { Prepared, PreparedStep } from '../prepare.ts';

/**
 * `infra adopt`: every selected ensure step as `reconcile: adopt`, whatever its own `reconcile` says; nothing else takes
 * part. What is held by `dry_run`, or by the caller's `--reconcile report`, stays held.
 */
export function intendAdopt(base: Prepared): Prepared {
  const taking = [...base.steps.values()].filter(({ spec }) => spec.kind === 'ensure');
  const steps = new Map(taking.map((item) => [item.step.address, adopted(item, base)]));
  const left = [...base.steps.values()].filter(({ spec }) => spec.kind !== 'ensure');
  return {
    ...base,
    steps,
    order: base.order.filter((address) => steps.has(address)),
    skipped: [...base.skipped, ...left.map(({ step }) => ({ step, reason: 'adopt takes ensure steps only' }))],
  };
}

function adopted(item: PreparedStep, base: Prepared): PreparedStep {
  const dependsOn = item.dependsOn.filter((address) => base.steps.get(address)?.spec.kind === 'ensure');
  const held = item.step.dryRun === true || base.options.reconcile === 'report' ? item.held : null;
  return { ...item, reconcile: 'adopt', held, dependsOn };
}
