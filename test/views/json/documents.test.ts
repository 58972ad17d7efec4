import { describe, expect, test } from 'vitest';
import { diagnostic } from '../../../src/core/codes.ts';
import { applyDocument } from '../../../src/views/json/apply.ts';
import { failureDocument } from '../../../src/views/json/diagnostic.ts';
import { planDocument } from '../../../src/views/json/plan.ts';
import { jsonLine, renderJson } from '../../../src/views/json/render.ts';
import { appliedStep, mixedPlan, planOf, planStep, reportOf } from '../support/plans.ts';

// The contract's keys, in its order; keys only ever get added, at the end.
const HEAD = ['format_version', 'command', 'mode', 'target', 'digest', 'stack', 'stacks', 'playbook'];
const STEP = [
  'address',
  'step',
  'action',
  'provider',
  'backend',
  'urn',
  'stack',
  'reconcile',
  'change',
  'present',
  'record',
  'depends_on',
  'input',
  'desired',
  'actual',
  'recorded',
  'diff',
  'unknown',
  'would_call',
  'converge',
  'plan_digest',
  'held',
  'drift',
  'preflight',
  'source',
  'diagnostics',
  'resource_id',
  'state',
  'desc',
];
const SUMMARY = [
  'create',
  'update',
  'move',
  'undelete',
  'delete',
  'adopt',
  'none',
  'read',
  'held',
  'blocked',
  'unknown',
  'skipped',
];
const OUTCOMES = [
  'changed',
  'noop',
  'deleted',
  'absent',
  'adopted',
  'read',
  'held',
  'blocked',
  'failed',
  'uncertain',
  'pending',
  'refused',
  'rolled_back',
  'skipped',
];
const DIAGNOSTIC = [
  'code',
  'severity',
  'summary',
  'detail',
  'address',
  'urn',
  'source',
  'hint',
  'operation',
  'retryable',
];

const trouble = diagnostic('BLOCKED', 'why', { source: { file: 'a', line: 1, column: 2 } });
const batches = [{ request: 'add 2 members', addresses: ['a', 'b'] }];
const plan = JSON.parse(
  renderJson(planDocument(planOf([planStep({ diagnostics: [trouble] })], { diagnostics: [trouble], batches }))),
);
const apply = JSON.parse(
  renderJson(applyDocument(reportOf([appliedStep('changed', { diagnostics: [trouble] })], { batches }))),
);
const differences = [{ address: 'a', field: 'f', then: 'x', now: 'y' }];
const failure = JSON.parse(renderJson(failureDocument('apply', [trouble], differences)));

test.each<readonly [string, object, readonly string[]]>([
  ['plan', plan, [...HEAD, 'summary', 'steps', 'diagnostics', 'batches']],
  ['plan.playbook', plan.playbook, ['path', 'name', 'sha256']],
  ['plan.summary', plan.summary, SUMMARY],
  ['plan.steps[]', plan.steps[0], STEP],
  ['plan.steps[].source', plan.steps[0].source, ['file', 'line', 'column']],
  ['plan.steps[].diagnostics[]', plan.steps[0].diagnostics[0], DIAGNOSTIC],
  ['plan.diagnostics[]', plan.diagnostics[0], DIAGNOSTIC],
  ['plan.batches[]', plan.batches[0], ['request', 'addresses']],
  ['apply', apply, [...HEAD, 'summary', 'steps', 'diagnostics', 'batches', 'execution_id', 'head']],
  ['apply.summary', apply.summary, OUTCOMES],
  ['apply.steps[]', apply.steps[0], [...STEP, 'outcome', 'resource', 'provider_fact', 'operation', 'duration_ms']],
  ['failure', failure, ['format_version', 'command', 'error', 'diagnostics', 'differences']],
  ['failure.diagnostics[]', failure.diagnostics[0], DIAGNOSTIC],
  ['failure.diagnostics[].source', failure.diagnostics[0].source, ['file', 'line', 'column']],
  ['failure.differences[]', failure.differences[0], ['address', 'field', 'then', 'now']],
])('%s has the keys of the contract, in its order', (_name, object, keys) => {
  expect(Object.keys(object)).toEqual(keys);
});

test('a failure without differences has only the keys of every failure', () => {
  const document = JSON.parse(renderJson(failureDocument('plan', [diagnostic('BUG', 'x')])));
  expect(document).toEqual({
    format_version: '1.0',
    command: 'plan',
    error: true,
    diagnostics: [
      {
        code: 'BUG',
        severity: 'error',
        summary: 'A bug in infra',
        detail: 'x',
        address: null,
        urn: null,
        source: null,
        hint: null,
        operation: null,
        retryable: null,
      },
    ],
  });
});

test('a plan survives the way through JSON', () => {
  const document = mixedPlan();
  expect(JSON.parse(renderJson(planDocument(document)))).toEqual(document);
});

describe('text', () => {
  test('a document is indented and ends in a newline, a line has none inside', () => {
    expect(renderJson({ a: [1] })).toBe('{\n  "a": [\n    1\n  ]\n}\n');
    expect(jsonLine({ a: 'x\ny' })).toBe('{"a":"x\\ny"}\n');
  });

  test('what is harmful raw is escaped, and reads back the same', () => {
    const value = { a: '\u007f\u009b\u202e\u2028\u{e0041}##[group] ::error::' };
    expect(jsonLine(value)).toBe('{"a":"\\u007f\\u009b\\u202e\\u2028\\udb40\\udc41#\\u0023[group] ::error::"}\n');
    expect(JSON.parse(jsonLine(value))).toEqual(value);
  });
});
