import type { PlanVerb } from '../core/plan.ts';
import type { PlanResult, VerbOptions } from './ports.ts';

/** Where a stored plan's playbook came from. */
export interface PlanSource {
  /** As given on the command line, and in full. */
  readonly path: string;
  readonly fullPath: string;
  /** Null where a token stands in it: then the playbook has to be given again. */
  readonly text: string | null;
  readonly sets: readonly string[];
  /** What the file given with --workload held. */
  readonly workload: string | null;
}

/** A plan as it is kept until it is confirmed. A convenience: apply always plans again, so a tampered file proves nothing. */
export interface StoredPlan extends PlanResult {
  readonly verb: PlanVerb;
  readonly options: VerbOptions;
  readonly source: PlanSource;
  /** RFC 3339. */
  readonly savedAt: string;
}
