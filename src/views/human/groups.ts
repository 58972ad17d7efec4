import type { Diagnostic } from '../../core/diagnostics.ts';
import { isUnsafe } from '../text.ts';
import { diagnosticKey } from './diagnostics.ts';
import type { StepText } from './step.ts';

/** Steps that one entry of the playbook made and to which the same happens. */
export interface StepGroup {
  readonly steps: readonly StepText[];
  /** Details that all of them share. */
  readonly common: ReadonlySet<string>;
  /** Keys of the diagnostics that all of them share. */
  readonly commonDiagnostics: ReadonlySet<string>;
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
    common: shared(members, (item) => item.details),
    commonDiagnostics: shared(members, (item) => item.step.diagnostics.map(diagnosticKey)),
  }));
}

/** What stands with each of several steps; of a lone step everything is its own. */
function shared(steps: readonly StepText[], textsOf: (item: StepText) => readonly string[]): ReadonlySet<string> {
  if (steps.length === 1) return new Set();
  const counts = new Map<string, number>();
  for (const text of steps.flatMap((item) => [...new Set(textsOf(item))]))
    counts.set(text, (counts.get(text) ?? 0) + 1);
  return new Set([...counts].filter(([, number]) => number === steps.length).map(([text]) => text));
}

/** The diagnostics that are a step's own within its group. */
export function ownDiagnostics(group: StepGroup, { step }: StepText): readonly Diagnostic[] {
  return step.diagnostics.filter((item) => !group.commonDiagnostics.has(diagnosticKey(item)));
}

/** Instances of one loop beyond this many are counted, not listed, where they add something and nothing is wrong. */
const LISTED = 25;
const COLLAPSIBLE: ReadonlySet<string> = new Set(['create', 'none', 'read', 'unknown', 'skipped', 'blocked']);

/** The steps of a group to list; changes and deletions of what exists, and steps with a diagnostic of their own, are never left out. */
export function listedSteps(group: StepGroup, verbose: boolean): readonly StepText[] {
  if (verbose || group.steps.length <= LISTED) return group.steps;
  return group.steps.filter((item, index) => index < LISTED || !mayCollapse(group, item));
}

function mayCollapse(group: StepGroup, item: StepText): boolean {
  const { step } = item;
  if (!COLLAPSIBLE.has(step.change) || isUnsafe(step.address)) return false;
  return step.change === 'blocked' || ownDiagnostics(group, item).length === 0;
}
