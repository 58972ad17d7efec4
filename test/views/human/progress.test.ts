import { expect, test } from 'vitest';
import { diagnostic } from '../../../src/core/codes.ts';
import type { EngineEvent } from '../../../src/core/events.ts';
import { progressLine } from '../../../src/views/human/progress.ts';
import { duration } from '../../../src/views/human/words.ts';
import { appliedStep, planStep, reportOf } from '../support/plans.ts';

const address = 'projects[acme-dns-prod]';
const action = 'google.cloudresourcemanager.projects.ensure';
const step = (outcome: Parameters<typeof appliedStep>[0], fields = {}): EngineEvent => ({
  type: 'step_outcome',
  step: appliedStep(outcome, { address, duration_ms: 3120, ...fields }),
});

const TOLD: readonly (readonly [EngineEvent, string])[] = [
  [{ type: 'plan_start', playbook: 'org.yaml', steps: 41 }, 'planning org.yaml: 41 steps'],
  [{ type: 'lock_acquired', stacks: ['prod'] }, 'locked stack prod'],
  [{ type: 'lock_acquired', stacks: ['a', 'b'] }, 'locked stacks a, b'],
  [{ type: 'step_start', address, action, change: 'create', urn: null }, `${address}: creating…`],
  [{ type: 'step_start', address, action, change: 'update', urn: null }, `${address}: changing…`],
  [{ type: 'step_start', address, action, change: 'none', urn: null }, `${address}: checking…`],
  ...([
    ['cloudresourcemanager.projects.iam.ensure_binding', 'create', 'adding'],
    ['cloudresourcemanager.projects.iam.ensure_binding', 'delete', 'removing'],
    ['cloudbilling.projects.ensure_billing_link', 'create', 'linking'],
    ['serviceusage.services.enable', 'create', 'enabling'],
  ].map(([own, change = '', verb]) => [
    { type: 'step_start', address, action: `google.${own}`, change, urn: null },
    `${address}: ${verb}…`,
  ]) satisfies (readonly [EngineEvent, string])[]),
  [
    { type: 'step_progress', address, message: 'waiting for the grant to arrive' },
    `${address}: waiting for the grant to arrive`,
  ],
  [
    { type: 'operation', address, operation: 'operations/cp.1', attempt: 1 },
    `${address}: operation operations/cp.1 is running`,
  ],
  [
    { type: 'operation', address, operation: 'operations/cp.1', attempt: 4 },
    `${address}: operation operations/cp.1 is still running (asked 4 times)`,
  ],
  [step('changed'), `${address}: created in 3.1 s`],
  [step('changed', { action: 'google.serviceusage.services.enable' }), `${address}: enabled in 3.1 s`],
  [step('deleted', { change: 'delete', duration_ms: 0 }), `${address}: deleted`],
  [step('failed'), `${address}: failed after 3.1 s`],
  [step('pending'), `${address}: still running after 3.1 s`],
];

test.each(TOLD)('%j', (event, line) => {
  expect(progressLine(event, { verbose: false })).toBe(`${line}\n`);
});

test.each(['noop', 'read', 'held', 'skipped'] as const)('%s is told only when verbose', (outcome) => {
  expect(progressLine(step(outcome), { verbose: false })).toBeNull();
  expect(progressLine(step(outcome), { verbose: true })).toContain(address);
});

test.each<EngineEvent>([
  { type: 'step_planned', step: planStep() },
  {
    type: 'plan_summary',
    summary: {
      create: 0,
      update: 0,
      move: 0,
      undelete: 0,
      delete: 0,
      adopt: 0,
      none: 0,
      read: 0,
      held: 0,
      blocked: 0,
      unknown: 0,
      skipped: 0,
    },
    digest: null,
  },
  { type: 'diagnostic', diagnostic: diagnostic('BUG', 'x') },
  { type: 'summary', summary: reportOf([]).summary, execution_id: 1 },
])('$type is left to the report', (event) => {
  expect(progressLine(event, { verbose: true })).toBeNull();
});

test.each([
  [0, '0 ms'],
  [999, '999 ms'],
  [1000, '1.0 s'],
  [59_949, '59.9 s'],
  [59_960, '1 min 0 s'],
  [3_725_000, '62 min 5 s'],
])('%i ms is %s', (ms, text) => {
  expect(duration(ms)).toBe(text);
});
