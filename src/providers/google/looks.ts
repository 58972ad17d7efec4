import type { PollSpec } from '../../core/step.ts';

/** Milliseconds to wait before each look at something that lags behind. */
export const LOOKS_MS: readonly number[] = [0, 1_000, 3_000, 8_000, 21_000];

/** Those of the looks that the step's own bound leaves room for: attempts or seconds, whichever trips first. */
export function looksWithin(delays: readonly number[], { maxAttempts, maxWaitSecs }: PollSpec): readonly number[] {
  let waited = 0;
  return delays.slice(0, maxAttempts).filter((delay) => {
    waited += delay;
    return waited <= maxWaitSecs * 1000;
  });
}
