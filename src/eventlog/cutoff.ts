import { timeOf } from './marked-fold.ts';

/** Tells rows that were recorded by a time from later ones. */
export interface Cutoff {
  /** A row without a time goes with the last row before it that has one. */
  isWithin(recordedAt: string | null): boolean;
  /** How many rows within it had no time. */
  readonly untimed: number;
}

/** `until`: milliseconds since the epoch; undefined: everything is within. */
export function startCutoff(until: number | undefined): Cutoff {
  if (until === undefined) return { isWithin: () => true, untimed: 0 };
  let within = true;
  let untimed = 0;
  return {
    isWithin: (recordedAt) => {
      const at = timeOf(recordedAt);
      if (at !== null) within = at <= until;
      else if (within) untimed += 1;
      return within;
    },
    get untimed() {
      return untimed;
    },
  };
}
