import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type AppliedStep,
  CHANGES,
  type Change,
  hasChanges,
  hasPendingWrite,
  isHeldChange,
  isPending,
  OUTCOMES,
  type Plan,
  type PlanStep,
  type RecordKind,
  summarize,
  summarizeOutcomes,
} from '../../src/core/plan.ts';

function step(change: Change, held: string | null = null, record: RecordKind | null = null): PlanStep {
  return {
    address: 'a',
    step: 'a',
    action: 'google.cloudresourcemanager.projects.ensure',
    provider: 'google',
    backend: 'rest',
    urn: null,
    stack: null,
    reconcile: null,
    change,
    present: false,
    record,
    depends_on: [],
    input: {},
    desired: null,
    actual: null,
    recorded: null,
    diff: {},
    unknown: [],
    would_call: [],
    converge: 'ensure_project',
    plan_digest: null,
    held,
    drift: null,
    preflight: null,
    source: { file: 'p.yaml', line: 1, column: 1 },
    diagnostics: [],
    resource_id: null,
    state: null,
    desc: null,
  };
}

const planOf = (...steps: readonly PlanStep[]): Plan => ({
  format_version: '1.0',
  command: 'plan',
  mode: 'live',
  target: 'cloud',
  digest: null,
  stack: null,
  stacks: [],
  playbook: { path: 'p.yaml', name: 'p', sha256: '' },
  summary: summarize(steps),
  steps,
  batches: [],
  diagnostics: [],
});

const WRITES: readonly Change[] = ['create', 'update', 'move', 'undelete', 'delete'];
const QUIET: readonly Change[] = ['none', 'read', 'skipped'];

test.each(CHANGES)('%s is a write, pending and a change as the design says', (change) => {
  expect(hasPendingWrite(step(change))).toBe(WRITES.includes(change));
  expect(isPending(step(change))).toBe(WRITES.includes(change) || change === 'adopt');
  expect(hasChanges(planOf(step(change)))).toBe(!QUIET.includes(change));
});

test.each(CHANGES)('%s, held: nothing is sent, and what is held counts as there to be done', (change) => {
  const held = step(change, 'reconcile is report', 'own');
  expect([hasPendingWrite(held), isPending(held)]).toEqual([false, false]);
  expect(isHeldChange(held)).toBe(!QUIET.includes(change));
  expect(isHeldChange(step(change))).toBe(false);
  expect(hasChanges(planOf(held))).toBe(!QUIET.includes(change));
});

test('a fact to be recorded is something to do, without being a write', () => {
  expect(hasPendingWrite(step('none', null, 'own'))).toBe(false);
  expect(isPending(step('none', null, 'own'))).toBe(true);
  expect(hasChanges(planOf(step('none'), step('none', null, 'protect')))).toBe(true);
  expect(hasChanges(planOf())).toBe(false);
});

test('a summary counts every step once', () => {
  const steps = fc.array(
    fc.tuple(fc.constantFrom(...CHANGES), fc.constantFrom(null, 'dry_run')).map(([change, held]) => step(change, held)),
  );
  fc.assert(
    fc.property(steps, (list) => {
      const counts = summarize(list);
      expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBe(list.length);
      expect(counts.held).toBe(list.filter((item) => item.held !== null).length);
    }),
  );
});

test('outcomes are counted, those that did not occur as 0', () => {
  const applied = OUTCOMES.slice(1).map(
    (outcome): AppliedStep => ({
      ...step('none'),
      outcome,
      resource: null,
      provider_fact: null,
      operation: null,
      duration_ms: 0,
    }),
  );
  const counts = summarizeOutcomes([...applied, ...applied]);
  expect(Object.keys(counts)).toEqual([...OUTCOMES]);
  expect(counts).toMatchObject({ changed: 0, noop: 2, skipped: 2 });
});
