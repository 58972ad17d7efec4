import type { Diagnostic } from '../core/diagnostics.ts';
import type { Observation } from '../core/resource.ts';
import { displayObject } from '../core/value.ts';
import type { Ownership } from './ownership.ts';
import type { PreparedStep } from './prepare.ts';
import type { PlannedStep } from './runtime.ts';

export interface WithoutOwn {
  readonly seen: Observation;
  /** Addresses of the steps that this one is seen to wait for; where nothing tells, of those that it may have to. */
  readonly needs: readonly string[];
}

/**
 * What stands in the way of a deletion and is itself deleted before it, by this plan, stands in no one's way, nor does
 * what has a name and gives it up before: the one step depends on the other. `earlier`: the steps that come before it.
 */
export function withoutOwnObstacles(
  { byResourceId }: Pick<Ownership, 'byResourceId'>,
  item: PreparedStep,
  seen: Observation,
  earlier: ReadonlyMap<string, PlannedStep>,
): WithoutOwn {
  const obstacles = obstaclesOf(seen);
  if (obstacles.length === 0) return { seen, needs: [] };
  // What is named by an id here may stand in the log, and in the way, under its place and name.
  const namesOf = ({ shown }: PlannedStep) => [
    shown.urn,
    ...(byResourceId.get(shown.resource_id ?? '') ?? []).map(({ urn }) => urn),
  ];
  const isInTheWay = (planned: PlannedStep) =>
    obstacles.some(({ urn }) => urn !== null && namesOf(planned).includes(urn));
  const inTheWay = [...earlier].filter(([, planned]) => isInTheWay(planned));
  const going = new Set(
    inTheWay.filter(([, planned]) => givesWay(item, planned)).flatMap(([, planned]) => namesOf(planned)),
  );
  const isAllRead = obstacles.every(({ severity }) => severity === 'error');
  return {
    seen: without(seen, going),
    needs: [...inTheWay.map(([address]) => address), ...(isAllRead ? [] : (item.declaration.mayUse ?? []))],
  };
}

function obstaclesOf(seen: Observation): readonly Diagnostic[] {
  if (seen.kind === 'present') return seen.blockers;
  return seen.kind === 'unreadable' && seen.takenBy !== undefined ? [{ ...seen.why, urn: seen.takenBy }] : [];
}

function without(seen: Observation, going: ReadonlySet<string | null>): Observation {
  if (seen.kind === 'present')
    return { ...seen, blockers: seen.blockers.filter(({ urn }) => urn === null || !going.has(urn)) };
  const isGivenUp = seen.kind === 'unreadable' && typeof seen.takenBy === 'string' && going.has(seen.takenBy);
  return isGivenUp ? { kind: 'absent' } : seen;
}

/** By going itself, or by taking another name than the one that is waited for. */
function givesWay(item: PreparedStep, planned: PlannedStep): boolean {
  const { change, held } = planned.shown;
  if (held !== null) return false;
  if (change === 'delete') return true;
  if (item.spec.kind !== 'ensure' || change !== 'update') return false;
  return soleNameOf(planned.item, planned.desired) !== soleNameOf(item, item.declaration.desired);
}

/** What only one resource can be called, as a step declares it. */
export function soleNameOf(
  { catalogue, declaration, spec }: PreparedStep,
  desired: PreparedStep['declaration']['desired'],
): string | null {
  const { urn } = declaration;
  const lastDesired = displayObject(desired);
  return urn === null ? null : (catalogue.soleName?.({ resourceType: spec.resourceType, urn, lastDesired }) ?? null);
}

/** The step with what only comes before it, and was seen to be in its way, as a dependency. */
export function needing(item: PreparedStep, needs: readonly string[]): PreparedStep {
  const found = item.after.filter((address) => needs.includes(address));
  if (found.length === 0) return item;
  return {
    ...item,
    dependsOn: [...item.dependsOn, ...found].sort(),
    after: item.after.filter((address) => !found.includes(address)),
  };
}
