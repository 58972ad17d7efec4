import type { EventLog, LogState } from './event-log.ts';
import type { HasHistory } from './history.ts';

/** A log that can be looked into row by row: for `log show`, `log owned --at` and `why`. */
export interface InspectableLog extends EventLog, HasHistory {
  /**
   * What was known at a time: rows with a later `recorded_at` are left out. A row without one goes with the row before
   * it, and a note among the diagnostics says how many of those there were.
   */
  readAt(target: string, at: Date): Promise<LogState>;
}
