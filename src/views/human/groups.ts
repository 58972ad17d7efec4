import { isUnsafe } from '../text.ts';
import type { StepText } from './step.ts';

/** Steps that one entry of the playbook made and to which the same happens. */
export interface StepGroup {
  readonly steps: readonly StepText[];
  /** Details that all of them share. */
  readonly common: ReadonlySet<string>;
}

/** Groups the instances of loops; the groups keep the order of their first steps. */
export function groupSteps(steps: readonly StepText[]): readonly StepGroup[] {
  const groups = new Map<string, StepText[]>();
  for (const item of steps) {
    const { step, sign, act } = item;
    const key = JSON.stringify([step.step, step.action, sign, act, step.held, step.source]);
    const before = groups.get(key);
    if (before === undefined) groups.set(key, [item]);
    else before.push(item);
  }
  return [...groups.values()].map((members) => ({
    steps: members,
    common: members.length === 1 ? new Set() : commonDetails(members),
  }));
}

function commonDetails(steps: readonly StepText[]): ReadonlySet<string> {
  const counts = new Map<string, number>();
  for (const detail of steps.flatMap((item) => item.details)) counts.set(detail, (counts.get(detail) ?? 0) + 1);
  return new Set([...counts].filter(([, number]) => number === steps.length).map(([detail]) => detail));
}

/** Instances of one loop beyond this many are counted, not listed, where they add something and nothing is wrong. */
const LISTED = 25;
const COLLAPSIBLE: ReadonlySet<string> = new Set(['create', 'none', 'read', 'unknown', 'skipped', 'blocked']);

/** The steps of a group to list; changes and deletions of what exists, and steps with a diagnostic of their own, are never left out. */
export function listedSteps(group: StepGroup, verbose: boolean): readonly StepText[] {
  if (verbose || group.steps.length <= LISTED) return group.steps;
  return group.steps.filter((item, index) => index < LISTED || !mayCollapse(item));
}

function mayCollapse({ step }: StepText): boolean {
  if (!COLLAPSIBLE.has(step.change)) return false;
  if (isUnsafe(step.address)) return false;
  return step.change === 'blocked' || step.diagnostics.length === 0;
}
