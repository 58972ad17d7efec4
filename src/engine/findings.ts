import type { Diagnostic } from '../core/diagnostics.ts';
import { isJsonObject } from '../core/json.ts';
import type { Observation } from '../core/resource.ts';
import type { ValueObject } from '../core/value.ts';
import type { OpenedProvider } from '../providers/lifecycle-provider.ts';
import type { Decision } from './classify.ts';
import type { Ownership } from './ownership.ts';
import type { PlanContext } from './plan-context.ts';
import type { PreparedStep } from './prepare.ts';
import { NO_RESULT, resultData, type StepResult } from './results.ts';
import type { Settlement } from './settle.ts';

/** What was found out about a step before it is put together as a planned one. */
export interface Findings {
  readonly desired: ValueObject;
  readonly urn: string | null;
  readonly decision: Decision;
  readonly held: string | null;
  readonly observation: Observation | null;
  readonly opened: OpenedProvider;
  readonly observedAt: number;
  readonly result: StepResult;
  readonly settlement: Settlement | null;
  readonly ownership: Ownership;
  /** Addresses of the earlier steps whose resources were seen to be in its way. Left out: none. */
  readonly needs?: readonly string[];
}

export function unread(
  context: PlanContext,
  item: PreparedStep,
  desired: ValueObject,
  opened: OpenedProvider,
  decision: Decision,
): Findings {
  const held = decision.change === 'blocked' ? null : item.held;
  return {
    desired,
    urn: urnOf(item, desired),
    decision,
    held,
    observation: null,
    opened,
    observedAt: context.ports.clock.now(),
    result: NO_RESULT,
    settlement: context.settledBefore?.get(item.step.address) ?? null,
    ownership: context.ownership,
  };
}

export function blockedBy(item: PreparedStep, why: Diagnostic): Decision {
  return {
    change: 'blocked',
    present: 'unknown',
    diff: {},
    diagnostics: [{ ...why, address: item.step.address, source: why.source ?? item.step.source }],
  };
}

export function urnOf(item: PreparedStep, desired: ValueObject): string | null {
  return item.declaration.urn ?? item.catalogue.urnOf(item.declaration, desired);
}

/** Of something that will change only the names are known now. */
export function resultOf(item: PreparedStep, urn: string | null, decision: Decision, seen: Observation): StepResult {
  if (seen.kind !== 'present' || decision.change === 'blocked' || decision.change === 'delete') return NO_RESULT;
  if (decision.change === 'none' || decision.change === 'adopt')
    return { data: resultData(item, urn, seen.resource), complete: true };
  const stable = isJsonObject(seen.resource)
    ? Object.fromEntries(
        Object.entries(seen.resource).filter(([key]) => key === 'name' || key === 'id' || key === 'projectId'),
      )
    : {};
  return { data: resultData(item, urn, stable), complete: false };
}
