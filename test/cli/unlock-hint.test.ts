import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { sha256Hex } from '../../src/core/json.ts';
import { type LockHolder, thisProcess } from '../../src/eventlog/lock-holder.ts';
import { runInfra } from '../support/cli-host.ts';
import { FOLDER_PLAYBOOK } from '../support/cli-playbooks.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

let cwd = '';
beforeEach(() => {
  cwd = temporaryFolder();
  writeFileSync(join(cwd, 'p.yaml'), FOLDER_PLAYBOOK);
});

const ID = '0123456789ab';

/** The lock of a process that has ended. */
function leaveLock(folder: string, more: Partial<LockHolder> = {}): void {
  const { pid } = spawnSync('true');
  const path = join(folder, 'locks', `stack-${sha256Hex('<unscoped>').slice(0, 32)}.lock`);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const actor = { user: 'tester', host: 'test-host' };
  const holder = { ...thisProcess('stack <unscoped>', actor), id: ID, pid: pid ?? 1, started: '1', ...more };
  writeFileSync(path, JSON.stringify(holder), { mode: 0o600 });
}

async function digestOf(...flags: readonly string[]): Promise<string> {
  const { stdout } = await runInfra(['plan', 'p.yaml', '--emulator', '--format', 'json', ...flags], { cwd });
  return JSON.parse(stdout).digest;
}

it.each([
  ['.infra/emulator', [], `infra unlock ${ID} --emulator`],
  ['logs', ['--eventlog', 'logs/e.jsonl'], `infra unlock ${ID} --emulator --eventlog logs/e.jsonl`],
])('names the flags that lead to the locked log (%s)', async (folder, flags, command) => {
  const digest = await digestOf();
  leaveLock(join(cwd, folder));
  const apply = ['apply', 'p.yaml', '--emulator', ...flags, '--confirm', digest, '--format', 'json'];
  const refused = await runInfra(apply, { cwd });
  expect(refused.code).toBe(5);
  const [found] = JSON.parse(refused.stdout).diagnostics;
  expect(found).toMatchObject({ code: 'LOCK_STALE', hint: command });
  expect(found.detail).toContain(command);
  const lost = await runInfra(['unlock', ID, '--format', 'json'], { cwd });
  expect(JSON.parse(lost.stdout).diagnostics[0].hint).toContain('--emulator');
  expect(await runInfra(command.split(' ').slice(1), { cwd })).toMatchObject({ code: 0 });
  expect(await runInfra(apply, { cwd })).toMatchObject({ code: 0 });
});

it("says the way out of another host's lock, to apply and to unlock", async () => {
  const digest = await digestOf();
  leaveLock(join(cwd, '.infra/emulator'), { host: 'far-host', machine: 'f'.repeat(32) });
  const way = `infra unlock --force ${ID} --emulator`;
  for (const argv of [
    ['apply', 'p.yaml', '--emulator', '--confirm', digest],
    ['unlock', ID, '--emulator'],
  ]) {
    const refused = await runInfra([...argv, '--format', 'json'], { cwd });
    expect(refused.code).toBe(5);
    const [found] = JSON.parse(refused.stdout).diagnostics;
    expect(found).toMatchObject({ code: 'LOCK_HELD' });
    expect(found.hint).toContain('far-host');
    expect(found.hint.endsWith(way)).toBe(true);
  }
  expect(await runInfra(way.split(' ').slice(1), { cwd })).toMatchObject({ code: 0 });
});

it('names the configuration where it lies beside a playbook elsewhere', async () => {
  mkdirSync(join(cwd, 'sub'));
  writeFileSync(join(cwd, 'sub/infra.yaml'), 'parallelism: 2\n');
  writeFileSync(join(cwd, 'sub/p.yaml'), FOLDER_PLAYBOOK);
  leaveLock(join(cwd, 'sub/.infra/emulator'));
  const { stdout } = await runInfra(
    ['apply', 'sub/p.yaml', '--emulator', '--confirm', '0'.repeat(64), '--format', 'json'],
    { cwd },
  );
  expect(stdout).toContain(`infra unlock ${ID} --emulator --config ${join(cwd, 'sub/infra.yaml')}`);
});
