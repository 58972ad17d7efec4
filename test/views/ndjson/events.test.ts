import { expect, test } from 'vitest';
import { diagnostic } from '../../../src/core/codes.ts';
import type { StreamEvent } from '../../../src/core/events.ts';
import type { ProviderFact } from '../../../src/core/facts.ts';
import { ndjsonLine } from '../../../src/views/ndjson/events.ts';
import { appliedStep, planOf, planStep, reportOf } from '../support/plans.ts';
import { driftEntry, orphanEntry } from '../support/reports.ts';

const TIME = '2026-01-02T03:04:05.678Z';
const FACT: ProviderFact = {
  urn: 'u',
  provider: 'google',
  service: 's',
  resource_type: 'project',
  verb: 'ensure',
  stack: 'prod',
  desired: {},
  execution_id: 7,
  outcome: 'changed',
};

const EVENTS: readonly (readonly [StreamEvent, readonly string[]])[] = [
  [{ type: 'version', infra: '0.1.0', format_version: '1.0' }, ['infra', 'format_version']],
  [{ type: 'plan_start', playbook: 'org.yaml', steps: 2 }, ['playbook', 'steps']],
  [{ type: 'step_planned', step: planStep() }, ['step']],
  [{ type: 'plan_summary', summary: planOf([]).summary, digest: null }, ['summary', 'digest']],
  [{ type: 'lock_acquired', stacks: ['prod'] }, ['stacks']],
  [
    { type: 'step_start', address: 'a', action: 'x.y.z', change: 'create', urn: 'u' },
    ['address', 'action', 'change', 'urn'],
  ],
  [{ type: 'step_progress', address: 'a', message: 'm' }, ['address', 'message']],
  [{ type: 'operation', address: 'a', operation: 'operations/1', attempt: 1 }, ['address', 'operation', 'attempt']],
  [{ type: 'step_outcome', step: appliedStep('changed') }, ['step']],
  [{ type: 'fact', provider_fact: FACT }, ['provider_fact']],
  [{ type: 'diagnostic', diagnostic: diagnostic('BUG', 'x') }, ['diagnostic']],
  [
    {
      type: 'diagnostic',
      diagnostic: diagnostic('DIGEST_STALE', 'x'),
      differences: [{ address: 'a', field: 'parent', then: '1', now: '2' }],
    },
    ['diagnostic', 'differences'],
  ],
  [{ type: 'drift_result', resource: driftEntry() }, ['resource']],
  [{ type: 'orphan_result', orphan: orphanEntry() }, ['orphan']],
  [{ type: 'summary', summary: { in_sync: 3 } }, ['summary']],
  [{ type: 'summary', summary: reportOf([]).summary, execution_id: 7 }, ['summary', 'execution_id']],
];

test.each(EVENTS)('$type is one line that starts with type, @timestamp and @level', (event, keys) => {
  const line = ndjsonLine(event, TIME);
  expect(line.indexOf('\n')).toBe(line.length - 1);
  const parsed = JSON.parse(line);
  expect(Object.keys(parsed)).toEqual(['type', '@timestamp', '@level', ...keys]);
  expect(parsed).toMatchObject({ type: event.type, '@timestamp': TIME });
});

test('the whole of a step_outcome is there, as in the JSON of apply', () => {
  const step = appliedStep('changed', { provider_fact: FACT, duration_ms: 12 });
  expect(JSON.parse(ndjsonLine({ type: 'step_outcome', step }, TIME)).step).toEqual(step);
});

test.each<readonly [StreamEvent, string]>([
  [{ type: 'diagnostic', diagnostic: diagnostic('BUG', 'x') }, 'error'],
  [{ type: 'diagnostic', diagnostic: diagnostic('OTHER_STACK', 'x') }, 'warn'],
  [{ type: 'diagnostic', diagnostic: diagnostic('LOG_TORN', 'x') }, 'info'],
  [{ type: 'step_outcome', step: appliedStep('failed') }, 'error'],
  [{ type: 'step_outcome', step: appliedStep('uncertain') }, 'error'],
  [{ type: 'step_outcome', step: appliedStep('pending') }, 'warn'],
  [{ type: 'step_outcome', step: appliedStep('changed') }, 'info'],
  [{ type: 'plan_start', playbook: 'p', steps: 0 }, 'info'],
])('level of %j', (event, level) => {
  expect(JSON.parse(ndjsonLine(event, TIME))['@level']).toBe(level);
});
