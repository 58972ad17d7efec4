import { describe, expect, it } from 'vitest';
import {
  type ExitCode,
  exitOfApply,
  exitOfDiagnostics,
  exitOfExec,
  exitOfPlan,
  strongest,
} from '../../src/cli/exit-codes.ts';
import { diagnostic } from '../../src/core/codes.ts';
import type { AppliedStep, ApplyReport, Outcome, Plan, PlanStep } from '../../src/core/plan.ts';
import { summarize, summarizeOutcomes } from '../../src/core/plan.ts';
import type { ExecLine } from '../../src/engine/ports.ts';

const STEP: PlanStep = {
  address: 'folder',
  step: 'folder',
  action: 'google.cloudresourcemanager.folders.ensure',
  provider: 'google',
  backend: 'rest',
  urn: 'google:cloudresourcemanager:folder:organizations/1:f',
  stack: null,
  reconcile: 'enforce',
  change: 'none',
  present: true,
  record: null,
  depends_on: [],
  input: {},
  desired: null,
  actual: null,
  recorded: null,
  diff: {},
  unknown: [],
  would_call: [],
  converge: 'ensure_folder',
  plan_digest: null,
  held: null,
  drift: null,
  preflight: null,
  source: { file: 'p.yaml', line: 1, column: 1 },
  diagnostics: [],
  resource_id: null,
  state: null,
  desc: null,
};

const PLAN: Plan = {
  format_version: '1.0',
  command: 'plan',
  mode: 'live',
  target: 'cloud',
  digest: 'a'.repeat(64),
  stack: null,
  stacks: [],
  playbook: { path: 'p.yaml', name: 'p', sha256: '0'.repeat(64) },
  summary: summarize([]),
  steps: [],
  batches: [],
  diagnostics: [],
};

function planOf(...steps: readonly Partial<PlanStep>[]): Plan {
  return { ...PLAN, steps: steps.map((step) => ({ ...STEP, ...step })) };
}

function reportOf(...steps: readonly (Partial<AppliedStep> & { outcome: Outcome })[]): ApplyReport {
  const applied = steps.map(
    (step): AppliedStep => ({ ...STEP, resource: null, provider_fact: null, operation: null, duration_ms: 0, ...step }),
  );
  return {
    ...PLAN,
    command: 'apply',
    steps: applied,
    summary: summarizeOutcomes(applied),
    execution_id: 1,
    head: null,
  };
}

describe('precedence', () => {
  it.each<[ExitCode[], ExitCode]>([
    [[], 0],
    [[0, 2], 2],
    [[2, 8], 8],
    [[8, 3], 3],
    [[3, 6], 6],
    [[6, 4], 4],
    [[4, 5], 5],
    [[5, 130], 130],
    [[5, 143], 143],
    [[130, 7], 7],
    [[7, 1], 1],
  ])('of %j the strongest is %i', (codes, expected) => {
    expect(strongest(codes)).toBe(expected);
    expect(strongest(codes.toReversed())).toBe(expected);
  });
});

describe('diagnostics', () => {
  it.each([
    ['USAGE', 3],
    ['YAML_INVALID', 3],
    ['AUTH_REQUIRED', 4],
    ['NOT_VISIBLE', 4],
    ['DIGEST_STALE', 5],
    ['LOCK_HELD', 5],
    ['CHAIN_BROKEN', 5],
    ['LOG_WRITE', 6],
    ['UNAVAILABLE', 6],
    ['OUTCOME_UNKNOWN', 7],
    ['BUG', 1],
  ] as const)('%s ends with %i', (code, expected) => {
    expect(exitOfDiagnostics([diagnostic(code, 'x')])).toBe(expected);
  });

  it('warnings and notes end nothing', () => {
    expect(exitOfDiagnostics([diagnostic('INLINE_TOKEN', 'x'), diagnostic('KEY_IGNORED', 'x')])).toBe(0);
  });

  it('being interrupted is the signal that did it', () => {
    expect(exitOfDiagnostics([diagnostic('INTERRUPTED', 'x')], 'SIGTERM')).toBe(143);
    expect(exitOfDiagnostics([diagnostic('OUTCOME_UNKNOWN', 'x')], 'SIGINT')).toBe(7);
  });
});

describe('a plan', () => {
  it('ends with 0 whatever is pending, unless details are asked for', () => {
    for (const change of ['create', 'update', 'move', 'delete', 'blocked', 'unknown'] as const) {
      expect(exitOfPlan(planOf({ change }), false)).toBe(0);
      expect(exitOfPlan(planOf({ change }), true)).toBe(2);
    }
    expect(exitOfPlan(planOf({}), true)).toBe(0);
    expect(exitOfPlan(planOf({ change: 'update', held: 'dry_run' }), true)).toBe(2);
  });

  it('fails by what kept a step from being read, not by what blocks it', () => {
    const unread = { change: 'blocked', present: 'unknown', diagnostics: [diagnostic('UNAVAILABLE', 'x')] } as const;
    expect(
      exitOfPlan(planOf({ change: 'blocked', present: 'unknown', diagnostics: [diagnostic('NOT_FOUND', 'x')] }), false),
    ).toBe(0);
    expect(
      exitOfPlan(
        planOf({ change: 'blocked', present: 'unknown', diagnostics: [diagnostic('NOT_VISIBLE', 'x')] }),
        false,
      ),
    ).toBe(4);
    expect(exitOfPlan(planOf(unread), true)).toBe(6);
    expect(exitOfPlan(planOf({ change: 'blocked', diagnostics: [diagnostic('LIEN', 'x')] }), true)).toBe(2);
    expect(exitOfPlan(planOf({ change: 'blocked', diagnostics: [diagnostic('PROTECTED', 'x')] }), false)).toBe(0);
    expect(exitOfPlan(planOf({ change: 'blocked', diagnostics: [diagnostic('OUTCOME_UNKNOWN', 'x')] }), false)).toBe(0);
  });
});

describe('an apply', () => {
  it.each<[string, (Partial<AppliedStep> & { outcome: Outcome })[], ExitCode]>([
    ['everything done', [{ outcome: 'changed' }, { outcome: 'noop' }, { outcome: 'read' }], 0],
    ['an ensure step held', [{ outcome: 'changed' }, { outcome: 'held', held: 'dry_run', change: 'create' }], 2],
    ['nothing to do on a held step', [{ outcome: 'held', held: 'dry_run', change: 'none' }], 2],
    ['a blocked step', [{ outcome: 'changed' }, { outcome: 'blocked', change: 'blocked' }], 5],
    [
      'a step that an earlier request of unknown outcome blocks',
      [{ outcome: 'blocked', change: 'blocked', diagnostics: [diagnostic('OUTCOME_UNKNOWN', 'x')] }],
      7,
    ],
    ['a stale step', [{ outcome: 'refused', change: 'update' }], 5],
    [
      'a definite failure, nothing done',
      [
        { outcome: 'failed', diagnostics: [diagnostic('CONFLICT', 'x')] },
        { outcome: 'blocked', change: 'create' },
      ],
      6,
    ],
    [
      'a failure for want of permission, nothing done',
      [{ outcome: 'failed', diagnostics: [diagnostic('PERMISSION_DENIED', 'x')] }],
      4,
    ],
    ['a failure without a word', [{ outcome: 'failed' }], 6],
    [
      'a failure beside work done',
      [{ outcome: 'failed', diagnostics: [diagnostic('CONFLICT', 'x')] }, { outcome: 'changed' }],
      7,
    ],
    ['an uncertain write', [{ outcome: 'uncertain' }, { outcome: 'blocked', change: 'blocked' }], 7],
    ['an operation still running', [{ outcome: 'pending' }], 7],
  ])('%s', (_name, steps, expected) => {
    expect(exitOfApply(reportOf(...steps))).toBe(expected);
  });

  it('interrupted after all was settled', () => {
    const report = {
      ...reportOf({ outcome: 'changed' }, { outcome: 'skipped' }),
      diagnostics: [diagnostic('INTERRUPTED', 'x')],
    };
    expect(exitOfApply(report, 'SIGINT')).toBe(130);
    expect(exitOfApply(reportOf({ outcome: 'uncertain' }), 'SIGINT')).toBe(7);
  });
});

describe('exec', () => {
  const ok = (data: ExecLine['data'] = {}): ExecLine => ({ step: 'a', status: 'success', data });
  const failed = (kind: 'Configuration' | 'Provider', code: string): ExecLine => ({
    step: 'b',
    status: 'error',
    data: {},
    error: { kind, code, message: 'x' },
  });
  const of = (...lines: ExecLine[]) =>
    exitOfExec({ lines, diagnostics: [], notStarted: new Set(['waiting']), rolledBack: new Set(['undone']) });

  it('counts neither dry nor report steps as pending', () => {
    expect(of(ok({ dry_run: true, changed: true }), ok({ reconcile: 'report', drift: 'missing' }))).toBe(0);
  });

  it('counts neither what waits for a failed step nor what was made and undone', () => {
    const waiting: ExecLine = { ...failed('Provider', 'BLOCKED'), step: 'waiting' };
    const undone: ExecLine = { ...ok({ dry_run: false, changed: true }), step: 'undone' };
    expect(of(undone, failed('Provider', 'COMMAND_FAILED'), waiting)).toBe(6);
  });

  it('takes the code of a failed step', () => {
    expect(of(failed('Configuration', 'INVALID_VALUE'))).toBe(3);
    expect(of(failed('Configuration', 'DIGEST_STALE'))).toBe(5);
    expect(of(failed('Provider', 'CONFLICT'))).toBe(6);
    expect(of(failed('Provider', 'a code of later'))).toBe(6);
    expect(of(ok({ dry_run: false, changed: true }), failed('Provider', 'CONFLICT'))).toBe(7);
  });
});
