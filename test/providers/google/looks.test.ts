import { expect, test } from 'vitest';
import { DEFAULT_POLL } from '../../../src/core/step.ts';
import { LOOKS_MS, looksWithin } from '../../../src/providers/google/looks.ts';

test.each([
  [{}, LOOKS_MS],
  [{ maxWaitSecs: 2 }, [0, 1_000]],
  [{ maxWaitSecs: 0 }, [0]],
  [{ maxAttempts: 3 }, [0, 1_000, 3_000]],
  [{ maxAttempts: 2, maxWaitSecs: 30 }, [0, 1_000]],
])('a step bounded by %j looks no longer than that', (bound, looks) => {
  expect(looksWithin(LOOKS_MS, { ...DEFAULT_POLL, ...bound })).toEqual(looks);
});
