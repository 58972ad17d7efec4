import type { Observation } from '../core/resource.ts';
import type { PlanContext } from './plan-context.ts';
import type { PreparedStep } from './prepare.ts';
import type { PlannedStep } from './runtime.ts';

export interface WithoutOwn {
  readonly seen: Observation;
  /** Addresses of the deletions that this one is seen to depend on; where nothing tells, of those that it may. */
  readonly users: readonly string[];
}

/**
 * What stands in the way of a deletion and is itself deleted before it, by this plan, stands in no one's way: the one
 * deletion depends on the other. `earlier`: the steps that come before it.
 */
export function withoutOwnDeletions(
  { ownership: { byResourceId } }: PlanContext,
  { declaration }: PreparedStep,
  seen: Observation,
  earlier: ReadonlyMap<string, PlannedStep>,
): WithoutOwn {
  if (seen.kind !== 'present' || seen.blockers.length === 0) return { seen, users: [] };
  // What is named by an id here may stand in the log, and in the way, under its place and name.
  const namesOf = ({ shown }: PlannedStep) => [
    shown.urn,
    ...(byResourceId.get(shown.resource_id ?? '') ?? []).map(({ urn }) => urn),
  ];
  const isInTheWay = (planned: PlannedStep) =>
    seen.blockers.some(({ urn }) => urn !== null && namesOf(planned).includes(urn));
  const users = [...earlier].filter(([, planned]) => isInTheWay(planned));
  const going = new Set(users.filter(([, { shown }]) => isGoing(shown)).flatMap(([, planned]) => namesOf(planned)));
  const blockers = seen.blockers.filter(({ urn }) => urn === null || !going.has(urn));
  const isAllRead = seen.blockers.every(({ severity }) => severity === 'error');
  return {
    seen: { ...seen, blockers },
    users: [...users.map(([address]) => address), ...(isAllRead ? [] : (declaration.mayUse ?? []))],
  };
}

function isGoing({ change, held }: PlannedStep['shown']): boolean {
  return change === 'delete' && held === null;
}

/** The step with what only comes before it, and was seen to use its resource, as a dependency. */
export function using(item: PreparedStep, users: readonly string[]): PreparedStep {
  const found = item.after.filter((address) => users.includes(address));
  if (found.length === 0) return item;
  return {
    ...item,
    dependsOn: [...item.dependsOn, ...found].sort(),
    after: item.after.filter((address) => !found.includes(address)),
  };
}
