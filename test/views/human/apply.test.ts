import { describe, expect, test } from 'vitest';
import { diagnostic } from '../../../src/core/codes.ts';
import { renderApply, renderRefusal } from '../../../src/views/human/apply.ts';
import { appliedStep, DIGEST, PLAIN, planOf, reportOf } from '../support/plans.ts';

const DONE = [
  appliedStep('changed', {
    address: 'folders[a]',
    action: 'google.cloudresourcemanager.folders.ensure',
    desired: { display_name: 'a' },
    duration_ms: 3120,
  }),
  appliedStep('changed', {
    address: 'apis',
    action: 'google.serviceusage.services.enable',
    desired: { project_id: 'p', service: 'dns.googleapis.com' },
    duration_ms: 61_000,
  }),
  appliedStep('deleted', { address: 'old', change: 'delete', duration_ms: 812 }),
  appliedStep('adopted', { address: 'taken', change: 'adopt' }),
];
const IDLE = [
  appliedStep('noop', { address: 'same' }),
  appliedStep('absent', { address: 'gone' }),
  appliedStep('read', { address: 'read', change: 'read' }),
];
const TROUBLE = [
  appliedStep('failed', {
    address: 'link',
    duration_ms: 400,
    diagnostics: [
      diagnostic('BILLING_CAP', 'billingAccounts/X is linked to 5 projects.', {
        hint: 'ask for a higher cap',
        retryable: false,
      }),
    ],
  }),
  appliedStep('blocked', { address: 'child', diagnostics: [diagnostic('BLOCKED', 'It needs link, which failed.')] }),
  appliedStep('held', { address: 'later', held: 'dry_run' }),
  appliedStep('refused', { address: 'moved', diagnostics: [diagnostic('STALE', 'Its etag is another one now.')] }),
  appliedStep('pending', { address: 'slow', operation: 'operations/cp.1', duration_ms: 120_000 }),
  appliedStep('uncertain', {
    address: 'lost',
    diagnostics: [
      diagnostic('OUTCOME_UNKNOWN', 'The connection was reset after the request was sent.', {
        operation: 'operations/cp.2',
      }),
    ],
    operation: 'operations/cp.2',
  }),
  appliedStep('rolled_back', { address: 'undone' }),
];

test('all done', () => {
  expect(renderApply(reportOf([...DONE, ...IDLE]), PLAIN)).toMatchInlineSnapshot(`
    "Apply of org.yaml on the real cloud, execution 4213370001

    Done (4):
      + folders[a]  created: folder "a", 3.1 s
      + apis        enabled: service dns.googleapis.com of project p, 1 min 1 s
      - old         deleted: project acme-dns-prod "Acme DNS Prod", 812 ms
      ⊕ taken       adopted: project acme-dns-prod "Acme DNS Prod"

    Result: 2 changed, 1 deleted, 1 adopted, 1 already as declared, 1 already gone, 1 read.
    Log head: 42:c0dec0dec0dec0dec0dec0dec0dec0dec0dec0dec0dec0dec0dec0dec0dec0de
    "
  `);
});

test('partly done', () => {
  expect(renderApply(reportOf([...DONE, ...TROUBLE]), PLAIN)).toMatchInlineSnapshot(`
    "Apply of org.yaml on the real cloud, execution 4213370001

    Done (4):
      + folders[a]  created: folder "a", 3.1 s
      + apis        enabled: service dns.googleapis.com of project p, 1 min 1 s
      - old         deleted: project acme-dns-prod "Acme DNS Prod", 812 ms
      ⊕ taken       adopted: project acme-dns-prod "Acme DNS Prod"

    Not done (5):
      ! link    failed: project acme-dns-prod "Acme DNS Prod", 400 ms
          error[BILLING_CAP]: The billing account's project cap is reached
            billingAccounts/X is linked to 5 projects.
            hint: ask for a higher cap
      ! child   blocked, not tried: project acme-dns-prod "Acme DNS Prod"
          error[BLOCKED]: The step is blocked
            It needs link, which failed.
      + later   held, not changed: project acme-dns-prod "Acme DNS Prod"
          held: dry_run
      ! moved   refused, not changed: project acme-dns-prod "Acme DNS Prod"
          error[STALE]: The resource changed since the plan
            Its etag is another one now.
      + undone  made and rolled back: project acme-dns-prod "Acme DNS Prod"

    Not known or not finished yet (2):
      ? slow  still running: project acme-dns-prod "Acme DNS Prod", 2 min 0 s
          operation: operations/cp.1
      ? lost  uncertain: sent, but no answer came: project acme-dns-prod "Acme DNS Prod"
          error[OUTCOME_UNKNOWN]: It is not known whether the write happened
            The connection was reset after the request was sent.
            operation: operations/cp.2

    Result: 2 changed, 1 deleted, 1 adopted, 1 held, 1 blocked, 1 failed, 1 refused, 1 rolled back, 1 still running, 1 uncertain.
    Log head: 42:c0dec0dec0dec0dec0dec0dec0dec0dec0dec0dec0dec0dec0dec0dec0dec0de

    What is uncertain is settled first, by reading; \`infra recover\` does only that.
    To go on with what is left, as long as nothing else moved:
      infra apply org.yaml --confirm 3f9a3f9a3f9a3f9a3f9a3f9a3f9a3f9a3f9a3f9a3f9a3f9a3f9a3f9a3f9a3f9a
    "
  `);
});

test('verbose also lists where there was nothing to do', () => {
  expect(renderApply(reportOf(IDLE), { ...PLAIN, verbose: true })).toContain(
    'Nothing to do (3):\n  + same  already as declared: project',
  );
});

test('only held steps are left: no command, the reason', () => {
  const text = renderApply(reportOf([appliedStep('held', { held: 'dry_run' })]), PLAIN);
  expect(text).toContain('1 step held: an apply leaves held steps alone.');
  expect(text).not.toContain('--confirm');
});

test('warnings of the run stand before the result', () => {
  const text = renderApply(
    reportOf(DONE, { diagnostics: [diagnostic('LOG_NOT_KEPT', 'CI=true.')], head: null }),
    PLAIN,
  );
  expect(text.indexOf('warning[LOG_NOT_KEPT]')).toBeLessThan(text.indexOf('Result:'));
  expect(text).not.toContain('Log head');
});

test('more than 50 finished steps are counted', () => {
  const steps = Array.from({ length: 60 }, (_, index) => appliedStep('changed', { address: `s${index}` }));
  expect(renderApply(reportOf(steps), PLAIN)).toContain('  … and 10 more (-v lists them all)');
});

test('an empty report', () => {
  expect(renderApply(reportOf([]), PLAIN)).toContain('Result: nothing to do.');
});

test('the command to go on with has the digest that was confirmed', () => {
  const report = reportOf(TROUBLE, {
    ...planOf([]),
    summary: reportOf(TROUBLE).summary,
    steps: TROUBLE,
    command: 'destroy',
  });
  expect(renderApply(report, PLAIN)).toContain(`  infra destroy org.yaml --confirm ${DIGEST}\n`);
  expect(renderApply(report, { ...PLAIN, applyCommand: null })).not.toContain('--confirm');
});

describe('a refusal', () => {
  const why = [diagnostic('DIGEST_STALE', 'The plan has another digest now.', { hint: 'review the plan again' })];

  test('shows what differs from the reviewed plan', () => {
    const differences = [
      { address: 'projects[acme-web]', field: 'actual.display_name', then: 'Acme Web', now: 'Someone else' },
      { address: 'folders[a]', field: 'change', then: 'create', now: 'none' },
    ];
    expect(renderRefusal(why, differences, PLAIN)).toMatchInlineSnapshot(`
      "error[DIGEST_STALE]: The confirmed plan no longer holds
        The plan has another digest now.
        hint: review the plan again

      1 error

      What differs from the reviewed plan:
        address             field                then      now
        projects[acme-web]  actual.display_name  Acme Web  Someone else
        folders[a]          change               create    none

      Review the new plan, then confirm its digest.
      "
    `);
  });

  test('without the reviewed plan is the reason alone', () => {
    expect(renderRefusal(why, [], PLAIN)).toMatchInlineSnapshot(`
      "error[DIGEST_STALE]: The confirmed plan no longer holds
        The plan has another digest now.
        hint: review the plan again

      1 error
      "
    `);
  });
});

test('a step that is done brings no notes along, and long words take a line of their own', () => {
  const member = `group:${'x'.repeat(60)}@example.com`;
  const step = appliedStep('changed', {
    address: 'admins',
    action: 'google.cloudresourcemanager.folders.iam.ensure_binding',
    desired: { folder: 'folders/1', role: 'roles/viewer', member },
    diagnostics: [diagnostic('RECORD_MISMATCH', 'told before')],
  });
  expect(renderApply(reportOf([step]), PLAIN)).toContain(`  + admins\n      added: grant of roles/viewer to\n`);
  expect(renderApply(reportOf([step]), PLAIN)).not.toContain('told before');
  expect(renderApply(reportOf([step]), { ...PLAIN, verbose: true })).toContain('told before');
});

test('a note of the plan is not repeated where the step failed', () => {
  const note = diagnostic('NOT_VISIBLE', 'It may be out of sight.', { severity: 'note' });
  const failure = diagnostic('PERMISSION_DENIED', 'No.');
  const report = reportOf([appliedStep('failed', { address: 'a', diagnostics: [note, failure] })]);
  expect(renderApply(report, PLAIN)).not.toContain('NOT_VISIBLE');
  expect(renderApply(report, { ...PLAIN, verbose: true })).toContain('NOT_VISIBLE');
});

test('only so many differences are listed', () => {
  const differences = Array.from({ length: 35 }, (_, at) => ({ address: `a${at}`, field: 'x', then: '1', now: '2' }));
  const text = renderRefusal([diagnostic('DIGEST_STALE', 'Moved.')], differences, PLAIN);
  expect(text).toContain('… and 5 more (--format json lists them all)');
  expect(text).toContain('a29');
  expect(text).not.toContain('a30');
});

describe('how to go on', () => {
  const interrupted = diagnostic('INTERRUPTED', 'the run was interrupted: nothing new was started.');

  test('an interrupted run names what it did not start', () => {
    const text = renderApply(
      reportOf([
        ...DONE,
        appliedStep('skipped', {
          address: 'next',
          change: 'create',
          diagnostics: [{ ...interrupted, severity: 'note' }],
        }),
        appliedStep('skipped', { address: 'other', change: 'skipped' }),
      ]),
      PLAIN,
    );
    expect(text).toMatch(/Not done \(1\):\n {2}\+ next {2}not started: /);
    expect(text).toContain('1 not started, 1 skipped.');
    expect(text).toContain('To go on with what is left');
    expect(text).toContain(`--confirm ${DIGEST}`);
    expect(text).not.toContain('other');
  });

  test('the same digest is no help where all that is left was refused or is blocked', () => {
    const left = [
      appliedStep('refused', { address: 'moved' }),
      appliedStep('blocked', { address: 'b', change: 'blocked' }),
    ];
    const text = renderApply(reportOf([...DONE, ...left]), PLAIN);
    expect(text).not.toContain('To go on');
    expect(text).toContain('plan again');
  });
});
