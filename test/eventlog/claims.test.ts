import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ProviderFact } from '../../src/core/facts.ts';
import { detectStackConflicts, stackConflicts } from '../../src/core/orphans.ts';
import { combineModels } from '../../src/eventlog/combine-models.ts';
import { startMarkedFold } from '../../src/eventlog/marked-fold.ts';
import { context, factOf } from './support/facts.ts';
import { facts } from './support/histories.ts';
import { openLog, temporaryFolder } from './support/log.ts';

const conflictsOf = (marks: Parameters<typeof stackConflicts>[0] | undefined) => stackConflicts(marks ?? new Map());

test('reading a log, warm or cold, finds the conflicts of stacks that its facts make', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(facts, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 3 }),
      async (runs) => {
        const folder = await temporaryFolder();
        const cache = { folder: join(folder, 'cache'), version: '1', minBytes: 1 };
        const log = openLog(join(folder, 'eventlog.jsonl'), { cache });
        for (const run of runs) {
          await log.append(
            context(),
            run.map((fact) => ({ type: 'provider.fact', provider_fact: fact })),
          );
          await log.read('cloud');
        }
        expect(conflictsOf((await log.read('cloud')).marks)).toEqual(detectStackConflicts(runs.flat()));
      },
    ),
    { numRuns: 60 },
  );
});

const claim = (stack: string) => factOf('a', { stack });
const forget = (stack: string) => factOf('a', { stack, verb: 'delete', outcome: 'absent', forgotten: true });
const gone = factOf('a', { verb: 'delete', outcome: 'deleted' });

test.each<[string, readonly (readonly ProviderFact[])[], readonly string[]]>([
  ['claims of two logs are in conflict', [[claim('x')], [claim('y')]], ['x', 'y']],
  ['a claim that the later log ended is in none', [[claim('x')], [forget('x'), claim('y')]], []],
  ['nor is one of what was deleted', [[claim('x')], [gone, claim('y')]], []],
  ['one stack in both is in none', [[claim('x')], [claim('x')]], []],
  ['a conflict inside one of them stays', [[claim('x'), claim('y')], [claim('y')]], ['x', 'y']],
])('of several logs, %s', (_, logs, stacks) => {
  const folded = logs.map((log) => {
    const fold = startMarkedFold();
    for (const fact of log) fold.add(fact, null);
    return fold;
  });
  const { marks } = combineModels(folded);
  expect(conflictsOf(marks)).toEqual(stacks.length === 0 ? [] : [{ urn: factOf('a').urn, stacks }]);
});
