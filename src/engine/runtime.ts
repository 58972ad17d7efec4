import type { DigestEntry } from '../core/digest.ts';
import type { ProviderFact } from '../core/facts.ts';
import type { PlanStep } from '../core/plan.ts';
import type { Observation, PlannedRequest } from '../core/resource.ts';
import type { ValueObject } from '../core/value.ts';
import type { LifecycleProvider, WriteOperation } from '../providers/lifecycle-provider.ts';
import type { PreparedStep } from './prepare.ts';
import type { StepResult } from './results.ts';
import type { Settlement } from './settle.ts';

/** A planned step with what applying it needs and a plan doesn't show. */
export interface PlannedStep {
  readonly item: PreparedStep;
  readonly shown: PlanStep;
  readonly entry: DigestEntry;
  readonly desired: ValueObject;
  readonly urn: string | null;
  readonly observation: Observation | null;
  /** Milliseconds since the epoch. */
  readonly observedAt: number;
  readonly provider: LifecycleProvider | null;
  readonly requests: readonly PlannedRequest[];
  readonly result: StepResult;
  readonly settlement: Settlement | null;
  /** What is recorded without a cloud write (`shown.record`); execution id and digest are filled in when written. */
  readonly facts: readonly ProviderFact[];
}

/** A write with everything known, one step before its intent. */
export interface ReadyWrite {
  readonly planned: PlannedStep;
  readonly operation: WriteOperation;
  readonly urn: string;
  readonly provider: LifecycleProvider;
  readonly startedAt: number;
}
