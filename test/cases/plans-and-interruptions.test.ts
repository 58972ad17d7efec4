import { expect, it, vi } from 'vitest';
import { type Cloud, codesOf, expectExit, linesOf, ORG, openCloud, stepAt, TOKEN } from '../support/e2e/cloud.ts';
import { folder, google, grant, project } from '../support/e2e/playbooks.ts';

const SEED = {
  folders: [{ id: '1', displayName: 'one', parent: ORG }],
  projects: [{ projectId: 'acme-web', number: '555', displayName: 'Acme Web', parent: 'folders/1' }],
};

/** Two folders, one in the other; the answer for the first takes a while. */
async function slowCloud(): Promise<{ readonly cloud: Cloud; readonly digest: string }> {
  const cloud = await openCloud();
  cloud.write({
    steps: [
      folder('outer', { parent: ORG, display_name: 'outer one' }),
      folder('inner', { parent: '{{ steps.outer.resource.name }}', display_name: 'inner one' }),
    ],
  });
  const { plan } = await cloud.plan();
  return { cloud, digest: plan.digest ?? '' };
}

it.concurrent('B19 a grant is compared as what was declared: other members and bindings of the policy are no drift', async () => {
  const cloud = await openCloud({
    seed: {
      policies: [
        {
          resource: ORG,
          policy: { bindings: [{ role: 'roles/viewer', members: ['user:a@example.com', 'user:b@example.com'] }] },
        },
      ],
    },
  });
  cloud.write({ steps: [grant('a', { organization: ORG, role: 'roles/viewer', member: 'user:a@example.com' })] });
  expectExit(await cloud.converge(), 0);
  const { plan } = await cloud.plan('--reconcile', 'report');
  expect(stepAt(plan, 'a')).toMatchObject({ change: 'none', diff: {}, drift: 'in_sync' });
});

it.concurrent('F1 SIGTERM: what is in flight settles and is recorded, nothing new starts, exit 143', async () => {
  const { cloud, digest } = await slowCloud();
  cloud.emulator.addFault({ method: 'POST', path: '^/v3/folders$', action: { kind: 'delay', delayMs: 600 } });
  const { child, ended } = cloud.start(['apply', 'playbook.yaml', '--confirm', digest]);
  await vi.waitFor(() => expect(cloud.writes).toHaveLength(1), { timeout: 10_000, interval: 10 });
  child.kill('SIGTERM');
  const { code, stderr } = await ended;
  expect(code).toBe(143);
  expect(stderr).toContain('outer');
  expect(cloud.writes).toHaveLength(1);
  const facts = cloud.rows.filter((row) => row['type'] === 'provider.fact');
  expect(facts).toMatchObject([{ provider_fact: { step: 'outer', outcome: 'changed' } }]);
  // The lock is gone, and the same digest goes on.
  cloud.emulator.clearFaults();
  expectExit(await cloud.apply(digest), 0);
  expect(cloud.folderNamed('inner one').parent).toBe(cloud.folderNamed('outer one').name);
});

it.concurrent('F2 F3 the second interrupt records "uncertain" and exits; the lock is gone, and the next run settles it by looking', async () => {
  const { cloud, digest } = await slowCloud();
  cloud.emulator.addFault({ method: 'POST', path: '^/v3/folders$', action: { kind: 'hangAfter' } });
  const { child, ended } = cloud.start(['apply', 'playbook.yaml', '--confirm', digest]);
  let said = '';
  child.stderr?.on('data', (text: string) => {
    said += text;
  });
  await vi.waitFor(() => expect(cloud.writes).toHaveLength(1), { timeout: 10_000, interval: 10 });
  const before = said.length;
  child.kill('SIGINT');
  // It says what it waits for.
  await vi.waitFor(() => expect(said.slice(before)).toContain('outer'), { timeout: 10_000, interval: 10 });
  child.kill('SIGINT');
  const { code } = await ended;
  expect([7, 130]).toContain(code);
  expect(cloud.rows.at(-1)).toMatchObject({ type: 'provider.outcome', status: 'uncertain' });
  cloud.emulator.clearFaults();
  const next = await cloud.apply(digest);
  expectExit(next, 0);
  expect(Object.values(cloud.state.folders)).toHaveLength(2);
  expect(cloud.writes).toHaveLength(2);
});

it.concurrent('F5 the lock of a dead process: named as dead, with the command that removes it', async () => {
  const { cloud, digest } = await slowCloud();
  cloud.emulator.addFault({ method: 'POST', path: '^/v3/folders$', action: { kind: 'hang' } });
  const { child, ended } = cloud.start(['apply', 'playbook.yaml', '--confirm', digest]);
  await vi.waitFor(() => expect(cloud.writes).toHaveLength(1), { timeout: 10_000, interval: 10 });
  child.kill('SIGKILL');
  await ended;
  cloud.emulator.clearFaults();
  const people = await cloud.run(['apply', 'playbook.yaml', '--confirm', digest]);
  expect(people.code).toBe(5);
  expect(people.stderr).toContain(String(child.pid));
  expect(people.stderr).toMatch(/infra unlock [0-9a-f]+/);
  expectExit(await cloud.run(['unlock', /infra unlock ([0-9a-f]+)/.exec(people.stderr)?.[1] ?? '']), 0);
  expectExit(await cloud.apply(digest), 0);
});

it.concurrent('F8 planning, whatever it plans, records nothing: no adoption, no ownership', async () => {
  const cloud = await openCloud({ seed: SEED });
  cloud.write({
    steps: [
      project('web', { project_id: 'acme-web', parent: 'folders/1' }, { reconcile: 'adopt' }),
      folder('one', { parent: ORG, display_name: 'one' }),
    ],
  });
  const { plan } = await cloud.plan();
  expect(stepAt(plan, 'web').change).toBe('adopt');
  expect(stepAt(plan, 'one').record).toBe('own');
  expect(() => cloud.rows).toThrow();
  cloud.write({
    steps: [project('web', { project_id: 'acme-web', parent: 'folders/1' }, { reconcile: 'adopt', dry_run: true })],
  });
  expectExit(await cloud.exec(), 0);
  expect(() => cloud.rows).toThrow();
});

it.concurrent('F9 protection alone is a change of the log: shown, confirmed, recorded', async () => {
  const cloud = await openCloud({ seed: SEED });
  const input = { project_id: 'acme-web', parent: 'folders/1' };
  cloud.write({ steps: [project('web', input)] });
  expectExit(await cloud.converge(), 0);
  cloud.write({ steps: [project('web', input, { protect: true })] });
  const { plan, code } = await cloud.plan('--detailed-exitcode');
  expect(code).toBe(2);
  expect(stepAt(plan, 'web')).toMatchObject({ change: 'none', record: 'protect' });
  cloud.resetRequests();
  expectExit(await cloud.apply(plan.digest), 0);
  expect(cloud.writes).toEqual([]);
  expect(cloud.rows.at(-1)).toMatchObject({ provider_fact: { protect: true } });
  expect((await cloud.plan('--detailed-exitcode')).code).toBe(0);
  // An explicit delete step is held by it.
  cloud.write({ steps: [google('gone', 'cloudresourcemanager.projects.delete', { project_id: 'acme-web' })] });
  const gone = await cloud.plan();
  expect(stepAt(gone.plan, 'gone')).toMatchObject({ change: 'delete', held: 'protected' });
  expect(codesOf(stepAt(gone.plan, 'gone').diagnostics)).toContain('PROTECTED');
});

it.concurrent('F10 URNs and keys are opaque: roles with slashes, folders with blanks and odd letters', async () => {
  const cloud = await openCloud();
  const name = 'a folder_with-ümläut 1';
  cloud.write({
    steps: [
      grant(
        'g',
        {
          organization: ORG,
          role: '{{ iter.role }}',
          member:
            'principal://iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/subject/repo:o/r:ref',
        },
        {},
      ),
      folder('odd', { parent: ORG, display_name: name }),
    ].map((step) =>
      step.step === 'g'
        ? { ...step, loop: { in: ['roles/browser', 'organizations/123456789012/roles/own.role'], iterator: 'role' } }
        : step,
    ),
  });
  const { plan } = await cloud.plan();
  expectExit(await cloud.apply(plan.digest), 0);
  const again = await cloud.plan('--detailed-exitcode');
  expect([again.code, again.plan.summary['none']]).toEqual([0, 3]);
  expect((await cloud.plan('--target', 'g[organizations/123456789012/roles/own.role]')).plan.summary).toMatchObject({
    none: 1,
    skipped: 2,
  });
});

it.concurrent('F11 a local log in CI is said loudly', async () => {
  const cloud = await openCloud();
  cloud.write({ steps: [folder('f', { parent: ORG, display_name: 'one more' })] });
  const { plan } = await cloud.plan();
  const argv = ['apply', 'playbook.yaml', '--confirm', plan.digest ?? ''];
  const inCi = await cloud.run(argv, { CI: 'true' });
  expectExit(inCi, 0);
  expect(inCi.stdout + inCi.stderr).toContain('LOG_NOT_KEPT');
  const kept = await cloud.run([...argv, '--eventlog', 'kept/eventlog.jsonl'], { CI: 'true' });
  expect(kept.stdout + kept.stderr).not.toContain('LOG_NOT_KEPT');
});

it.concurrent('G1 what changed outside of what is managed is in no plan', async () => {
  const cloud = await openCloud({ seed: SEED });
  cloud.write({ steps: [project('web', { project_id: 'acme-web', parent: 'folders/1', labels: { team: 'web' } })] });
  expectExit(await cloud.converge(), 0);
  await cloud.outOfBand('PATCH', '/v3/projects/acme-web?updateMask=labels,displayName', {
    labels: { team: 'web', theirs: 'x' },
    displayName: 'Renamed by hand',
  });
  const { plan, code } = await cloud.plan('--detailed-exitcode');
  expect([code, stepAt(plan, 'web').diff]).toEqual([0, {}]);
});

it.concurrent('G5 streamed JSON never holds a secret', async () => {
  const cloud = await openCloud({ seed: SEED });
  cloud.write({
    steps: [project('web', { project_id: 'acme-web', parent: ORG, labels: { team: 'web' } })],
    workload: { password: 'hunter2-in-the-workload' },
  });
  const planned = await cloud.run(['plan', 'playbook.yaml', '--format', 'ndjson', '-v']);
  const digest = linesOf(planned.stdout)
    .map((line) => JSON.parse(line))
    .find(({ type }) => type === 'plan_summary')?.digest;
  const applied = await cloud.run([
    'apply',
    'playbook.yaml',
    '--confirm',
    String(digest),
    '--format',
    'ndjson',
    '-v',
    '--log-format',
    'json',
  ]);
  expectExit(applied, 0);
  for (const text of [
    planned.stdout,
    planned.stderr,
    applied.stdout,
    applied.stderr,
    cloud.readText('.infra/eventlog.jsonl'),
  ]) {
    expect(text).not.toContain(TOKEN);
    expect(text).not.toContain('hunter2');
  }
});
