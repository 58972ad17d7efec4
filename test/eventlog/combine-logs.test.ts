import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ProviderFact } from '../../src/core/facts.ts';
import { foldFacts } from '../../src/core/fold.ts';
import { combineModels } from '../../src/eventlog/combine-models.ts';
import { startMarkedFold } from '../../src/eventlog/marked-fold.ts';
import { facts, plain } from './support/histories.ts';

type Recorded = readonly [fact: ProviderFact, recordedAt: string | null];

function folded(rows: readonly Recorded[]) {
  const fold = startMarkedFold();
  for (const [fact, recordedAt] of rows) fold.add(fact, recordedAt);
  return fold;
}

test('logs without times fold as one log that has their rows one after the other', () => {
  fc.assert(
    fc.property(fc.array(fc.array(facts, { maxLength: 6 }), { minLength: 1, maxLength: 3 }), (logs) => {
      const together = combineModels(logs.map((log) => folded(log.map((fact) => [fact, null]))));
      expect(plain(together.model)).toEqual(plain(foldFacts(logs.flat())));
    }),
    { numRuns: 3000 },
  );
});
