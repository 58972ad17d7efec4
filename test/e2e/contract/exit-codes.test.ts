import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { codesOf, expectExit, ORG, openCloud, stepAt } from '../../support/e2e/cloud.ts';
import { folder, google, grant, project } from '../../support/e2e/playbooks.ts';

const SHARED = folder('shared', { parent: ORG, display_name: '00-shared' });
const hasPython = spawnSync('python3', ['-c', 'import pty']).status === 0;

/** Runs its arguments on a terminal, types what stdin says, and ends as they end. */
const PTY = `
import os, pty, sys
pid, fd = pty.fork()
if pid == 0:
    os.execvp(sys.argv[2], sys.argv[2:])
said = b''
answered = False
while True:
    try:
        data = os.read(fd, 4096)
    except OSError:
        break
    if not data:
        break
    said += data
    if not answered and b'Only "yes"' in said:
        os.write(fd, sys.argv[1].encode() + b'\\n')
        answered = True
sys.stdout.buffer.write(said)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
`;

it.concurrent('0 and 2: with --detailed-exitcode a plan with changes is 2, without it 0', async () => {
  const cloud = await openCloud();
  cloud.write({ steps: [SHARED] });
  expect((await cloud.plan()).code).toBe(0);
  expect((await cloud.plan('--detailed-exitcode')).code).toBe(2);
  expectExit(await cloud.converge(), 0);
  expect((await cloud.plan('--detailed-exitcode')).code).toBe(0);
});

it.concurrent('2: an apply that left a held ensure behind', async () => {
  const cloud = await openCloud();
  cloud.write({ steps: [SHARED, folder('held', { parent: ORG, display_name: '01-held' }, { dry_run: true })] });
  expectExit(await cloud.converge(), 2);
});

it.concurrent('2: an apply that left a held delete behind, and not one that left a held read', async () => {
  const cloud = await openCloud({ seed: { folders: [{ id: '9', displayName: 'old one', parent: ORG }] } });
  const gone = google(
    'gone',
    'cloudresourcemanager.folders.delete',
    { parent: ORG, display_name: 'old one' },
    { dry_run: true },
  );
  cloud.write({ steps: [gone] });
  expectExit(await cloud.converge(), 2);
  cloud.write({
    steps: [google('list', 'cloudresourcemanager.folders.list', { parent: ORG }, { dry_run: true }), SHARED],
  });
  expectExit(await cloud.converge(), 0);
});

it.concurrent('3: usage, playbook, config', async () => {
  const cloud = await openCloud();
  cloud.write({ steps: [SHARED] });
  cloud.writeText('infra.yaml', 'statefile: x\n');
  expect((await cloud.run(['plan', 'playbook.yaml'])).code).toBe(3);
  cloud.writeText('infra.yaml', 'stack: prod\n');
  for (const argv of [
    ['plan', 'playbook.yaml', '--no-such-flag'],
    ['plan', 'none.yaml'],
    ['plan', 'playbook.yaml', '--config', 'none.yaml'],
    ['apply', 'playbook.yaml', '--confirm', 'short'],
    ['apply', 'playbook.yaml', '--confirm', 'a'.repeat(64), '--offline'],
  ])
    expect([(await cloud.run(argv)).code, argv]).toEqual([3, argv]);
  expect(cloud.requests).toEqual([]);
});

it.concurrent('3: a log that can only be read, before any request', async () => {
  const cloud = await openCloud();
  cloud.write({ steps: [SHARED] });
  const ended = await cloud.run(['apply', 'playbook.yaml', '--confirm', 'a'.repeat(64), '--eventlog', '-']);
  expectExit(ended, 3);
  expect(cloud.requests).toEqual([]);
});

it.concurrent('4: the cloud refuses the identity', async () => {
  const cloud = await openCloud({ tokens: { other: { name: 'user:a@example.com', permissions: '*' } } });
  cloud.write({ steps: [SHARED] });
  const planned = await cloud.plan();
  expectExit(planned, 4);
  expect(planned.stdout + planned.stderr).toContain('AUTHENTICATION');
  // An auth that does not work is as none: the step is planned as far as that goes, and nothing can be confirmed.
  expect(planned.plan).toMatchObject({ digest: null, summary: { unknown: 1 } });
  const applied = await cloud.fail(['apply', 'playbook.yaml', '--confirm', 'a'.repeat(64)]);
  expect([applied.code, codesOf(applied.failure.diagnostics)]).toEqual([4, ['AUTHENTICATION']]);
  const real = { reconcile: 'enforce', dry_run: false };
  cloud.write({ steps: [folder('shared', { parent: ORG, display_name: '00-shared' }, real)] });
  const executed = await cloud.exec();
  expect([executed.code, executed.lines]).toMatchObject([4, [{ status: 'error', error: { code: 'AUTHENTICATION' } }]]);
  expect(cloud.writes).toEqual([]);
});

it.concurrent('4: a permission is missing for the write; nothing was done', async () => {
  const cloud = await openCloud({
    tokens: {
      'token-of-the-test-and-of-nothing-else': {
        name: 'user:viewer@example.com',
        permissions: ['resourcemanager.folders.list', 'resourcemanager.folders.get'],
      },
    },
  });
  cloud.write({ steps: [SHARED] });
  const applied = await cloud.converge();
  expectExit(applied, 4);
  expect(codesOf(stepAt(applied.report, 'shared').diagnostics)).toContain('PERMISSION_DENIED');
});

it.concurrent('5: without a terminal and without --confirm', async () => {
  const cloud = await openCloud();
  cloud.write({ steps: [SHARED] });
  const { code, failure } = await cloud.fail(['apply', 'playbook.yaml']);
  expect([code, codesOf(failure.diagnostics)]).toEqual([5, ['CONFIRM_REQUIRED']]);
  expect(cloud.requests).toEqual([]);
});

it.concurrent('5: the lock is held by someone who lives', async () => {
  const cloud = await openCloud();
  cloud.write({ steps: [SHARED] });
  const { plan } = await cloud.plan();
  cloud.emulator.addFault({ method: 'POST', path: '^/v3/folders$', action: { kind: 'hang' } });
  const { child, ended } = cloud.start(['apply', 'playbook.yaml', '--confirm', plan.digest ?? '']);
  await vi.waitFor(() => expect(cloud.writes).toEqual(['POST /v3/folders']), { timeout: 10_000, interval: 10 });
  const second = await cloud.fail(['apply', 'playbook.yaml', '--confirm', plan.digest ?? '']);
  expect([second.code, codesOf(second.failure.diagnostics)]).toEqual([5, ['LOCK_HELD']]);
  expect(JSON.stringify(second.failure.diagnostics)).toContain(String(child.pid));
  child.kill('SIGKILL');
  await ended;
  expect(cloud.writes).toEqual(['POST /v3/folders']);
});

it.concurrent('5: an ambiguous folder name', async () => {
  const cloud = await openCloud({
    seed: {
      folders: [
        { id: '1', displayName: 'twin', parent: ORG },
        { id: '2', displayName: 'twin', parent: ORG },
      ],
    },
  });
  cloud.write({
    steps: [google('gone', 'cloudresourcemanager.folders.delete', { parent: ORG, display_name: 'twin' })],
  });
  const { plan } = await cloud.plan();
  const gone = stepAt(plan, 'gone');
  expect([gone.change, codesOf(gone.diagnostics)]).toEqual(['blocked', ['AMBIGUOUS']]);
  expect(gone.diagnostics[0]?.detail).toContain('folders/1');
  expect(gone.diagnostics[0]?.detail).toContain('folders/2');
  expectExit(await cloud.apply(plan.digest), 5);
  expect(cloud.writes).toEqual([]);
});

it.concurrent('5: a broken chain of the log; nothing is sent', async () => {
  const cloud = await openCloud();
  cloud.write({ steps: [SHARED] });
  expectExit(await cloud.converge(), 0);
  cloud.writeText('.infra/eventlog.jsonl', cloud.readText('.infra/eventlog.jsonl').replace('"changed"', '"noop"'));
  cloud.write({ steps: [SHARED, folder('more', { parent: ORG, display_name: '01-more' })] });
  const { plan } = await cloud.plan();
  cloud.resetRequests();
  const { code, failure } = await cloud.fail(['apply', 'playbook.yaml', '--confirm', plan.digest ?? '']);
  expect([code, codesOf(failure.diagnostics)]).toEqual([5, ['CHAIN_BROKEN']]);
  expect(cloud.writes).toEqual([]);
});

it.concurrent('5: .infra behind a symlink is not followed', async () => {
  const cloud = await openCloud();
  cloud.write({ steps: [SHARED] });
  mkdirSync(join(cloud.folder, 'elsewhere'));
  const { symlinkSync } = await import('node:fs');
  symlinkSync('elsewhere', join(cloud.folder, '.infra'));
  const ended = await cloud.run(['plan', 'playbook.yaml']);
  expectExit(ended, 5);
});

it.concurrent('6: the provider fails definitely, nothing was done', async () => {
  const cloud = await openCloud();
  cloud.write({ steps: [SHARED] });
  cloud.emulator.addFault({
    method: 'POST',
    path: '^/v3/folders$',
    action: {
      kind: 'respond',
      status: 400,
      body: { error: { code: 400, status: 'INVALID_ARGUMENT', message: 'Request contains an invalid argument.' } },
    },
  });
  const applied = await cloud.converge();
  expectExit(applied, 6);
  expect(stepAt(applied.report, 'shared').outcome).toBe('failed');
});

it.concurrent('6: the log can not be written: without a place for the intent nothing is sent', async () => {
  const cloud = await openCloud();
  cloud.write({ steps: [SHARED] });
  const { plan } = await cloud.plan();
  mkdirSync(join(cloud.folder, 'logs/log.jsonl'), { recursive: true });
  const ended = await cloud.run([
    'apply',
    'playbook.yaml',
    '--confirm',
    plan.digest ?? '',
    '--eventlog',
    'logs/log.jsonl',
  ]);
  expect([5, 6]).toContain(ended.code);
  expect(cloud.writes).toEqual([]);
});

it.concurrent('7: one step failed, another was done', async () => {
  const cloud = await openCloud({ seed: { projects: [{ projectId: 'acme-web', displayName: 'Web', parent: ORG }] } });
  cloud.emulator.addFault({
    method: 'PATCH',
    action: { kind: 'respond', status: 400, body: { error: { code: 400, status: 'INVALID_ARGUMENT', message: 'no' } } },
  });
  cloud.write({ steps: [SHARED, project('web', { project_id: 'acme-web', parent: ORG, display_name: 'Acme Web' })] });
  expectExit(await cloud.converge(), 7);
});

it.runIf(hasPython)('8: the user said no; yes applies exactly what was shown', async () => {
  const cloud = await openCloud();
  cloud.write({ steps: [SHARED] });
  writeFileSync(join(cloud.folder, 'on-terminal.py'), PTY);
  const { child, ended } = cloud.start(['--version']);
  const [node = '', entry = ''] = child.spawnargs;
  await ended;
  const { spawn } = await import('node:child_process');
  const onTerminal = (answer: string) =>
    new Promise<{ readonly code: number | null; readonly said: string }>((resolve) => {
      const run = spawn('python3', ['on-terminal.py', answer, node, entry, 'apply', 'playbook.yaml'], {
        cwd: cloud.folder,
        env: { PATH: process.env['PATH'], HOME: cloud.folder, TERM: 'dumb', ...cloud.env() },
      });
      let said = '';
      run.stderr.setEncoding('utf8').on('data', (text: string) => {
        said += text;
      });
      run.stdout.setEncoding('utf8').on('data', (text: string) => {
        said += text;
      });
      run.once('close', (code) => resolve({ code, said }));
    });
  const no = await onTerminal('no');
  expect([no.code, no.said]).toEqual([8, expect.stringContaining('00-shared')]);
  expect(cloud.writes).toEqual([]);
  // Only "yes" is yes.
  expect((await onTerminal('y')).code).toBe(8);
  const yes = await onTerminal('yes');
  expect([yes.code, yes.said]).toEqual([0, expect.stringContaining('00-shared')]);
  expect(cloud.writes).toEqual(['POST /v3/folders']);
});

it.concurrent('130: interrupted, after what was in flight was settled and logged', async () => {
  const cloud = await openCloud();
  cloud.write({
    steps: [SHARED, project('dns', { project_id: 'acme-dns', parent: '{{ steps.shared.resource.name }}' })],
  });
  const { plan } = await cloud.plan();
  cloud.emulator.addFault({ method: 'POST', path: '^/v3/folders$', action: { kind: 'delay', delayMs: 700 } });
  const { child, ended } = cloud.start(['apply', 'playbook.yaml', '--confirm', plan.digest ?? '']);
  await vi.waitFor(() => expect(cloud.writes).toEqual(['POST /v3/folders']), { timeout: 10_000, interval: 10 });
  child.kill('SIGINT');
  const { code, stderr } = await ended;
  expect(code).toBe(130);
  expect(stderr).toContain('shared');
  expect(cloud.writes).toEqual(['POST /v3/folders']);
  expect(cloud.rows.map((row) => row['type'])).toEqual(['provider.intent', 'provider.outcome', 'provider.fact']);
  cloud.emulator.clearFaults();
  expectExit(await cloud.apply(plan.digest), 0);
});

it.concurrent('the strongest of several: an uncertain write before a refused grant', async () => {
  const cloud = await openCloud({
    seed: {
      folders: [
        { id: '9', displayName: 'full one', parent: ORG },
        { id: '10', displayName: 'inside', parent: 'folders/9' },
      ],
    },
  });
  cloud.write({
    steps: [
      google('gone', 'cloudresourcemanager.folders.delete', { parent: ORG, display_name: 'full one' }),
      grant('team', { organization: ORG, role: 'roles/browser', member: 'group:team@example.com' }),
    ],
  });
  const { plan } = await cloud.plan();
  expect(stepAt(plan, 'gone').change).toBe('blocked');
  const applied = await cloud.apply(plan.digest);
  expectExit(applied, 5);
  expect(stepAt(applied.report, 'team').outcome).toBe('changed');
});
