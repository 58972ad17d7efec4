import type { OwnershipModel } from '../core/fold.ts';
import type { OpenIntent } from '../eventlog/event-log.ts';
import type { OpenedProvider, ReadSession } from '../providers/lifecycle-provider.ts';
import type { Ownership } from './ownership.ts';
import type { EnginePorts } from './ports.ts';
import type { Prepared, PreparedStep } from './prepare.ts';
import type { OpenedReader } from './readers.ts';
import type { Evaluate } from './resolve.ts';
import type { PlannedStep } from './runtime.ts';
import type { Settlement } from './settle.ts';

/** What the log contributes to a plan. */
export interface LogView {
  readonly model: OwnershipModel;
  readonly openIntents: readonly OpenIntent[];
  /** By address: what a verb had to settle before it could tell its steps. Left out: nothing. */
  readonly settledBefore?: ReadonlyMap<string, Settlement>;
}

/** One phase of reading: shared by all steps, each request made at most once. */
export interface PlanContext {
  readonly ports: EnginePorts;
  readonly prepared: Prepared;
  readonly ownership: Ownership;
  readonly openIntents: ReadonlyMap<string, OpenIntent>;
  readonly settledBefore?: ReadonlyMap<string, Settlement>;
  readonly evaluate: Evaluate;
  open(item: PreparedStep): Promise<OpenedProvider>;
  sessionOf(opened: OpenedReader): ReadSession | null;
  planned(address: string): Promise<PlannedStep> | undefined;
}
