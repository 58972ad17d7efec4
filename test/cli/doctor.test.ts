import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { runInfra } from '../support/cli-host.ts';
import { FOLDER_PLAYBOOK } from '../support/cli-playbooks.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

interface Check {
  readonly name: string;
  readonly status: string;
  readonly detail: string;
}

let cwd = '';
beforeEach(() => {
  cwd = temporaryFolder();
  writeFileSync(join(cwd, 'p.yaml'), FOLDER_PLAYBOOK);
});

async function doctor(argv: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { code, stdout } = await runInfra(['doctor', '--format', 'json', ...argv], { cwd, env });
  const document = JSON.parse(stdout);
  expect(document).toMatchObject({ format_version: '1.0', command: 'doctor' });
  const checks: readonly Check[] = document.checks;
  return { code, checks, status: Object.fromEntries(checks.map(({ name, status }) => [name, status])) };
}

describe('infra doctor', () => {
  it('without credentials looks at what is here, and leaves the clouds out', async () => {
    const { code, status } = await doctor([]);
    expect(code).toBe(0);
    expect(status).toEqual({
      node: 'ok',
      'log readable': 'ok',
      'log writable': 'ok',
      'log chain': 'ok',
      locks: 'ok',
      'log kept': 'ok',
      'google availability': 'skipped',
      'yandex availability': 'skipped',
    });
  });

  it('fails where Google is asked for without a credential: it answers nobody', async () => {
    const { code, status } = await doctor(['--provider', 'google']);
    expect(code).toBe(4);
    expect(status['google availability']).toBe('fail');
  });

  it('says of a yc that is not there and of a credential that is missing, each by itself', async () => {
    const { checks } = await doctor(['--provider', 'yandex']);
    const said = checks.filter(({ name }) => name.startsWith('yandex'));
    expect(said).toEqual([
      { name: 'yandex availability', status: 'fail', detail: expect.stringContaining('There is no yc in PATH') },
      { name: 'yandex identity', status: 'fail', detail: expect.stringMatching(/^AUTH_REQUIRED: No credential/) },
    ]);
  });

  it.each([['--emulator'], []])('refuses what is no scope, and says what one looks like', async (...flags) => {
    const { code, stdout } = await runInfra(['doctor', ...flags, '--from', 'bogus', '--format', 'json'], { cwd });
    expect(code).toBe(3);
    const [why] = JSON.parse(stdout).diagnostics;
    expect(why).toMatchObject({ code: 'USAGE', detail: expect.stringContaining('organizations/<number>') });
  });

  it('says who one is at Google, and what one may do', async () => {
    const { digest } = JSON.parse(
      (await runInfra(['plan', 'p.yaml', '--emulator', '--format', 'json'], { cwd })).stdout,
    );
    await runInfra(['apply', '--emulator', '--confirm', digest], { cwd });
    const { code, status } = await doctor([
      '--emulator',
      '--provider',
      'google',
      '--from',
      'organizations/123456789012',
    ]);
    expect(code).toBe(0);
    expect(status).toMatchObject({
      'google availability': 'ok',
      'google identity': 'ok',
      'google quota project': 'skipped',
      'google permissions': 'ok',
    });
    const missing = await doctor(['--emulator', '--provider', 'google', '--from', 'organizations/999999999999']);
    expect(missing.code).toBe(4);
    expect(missing.status['google permissions']).toBe('fail');
  });

  it('fails on a broken chain with the code of that, and warns of a log that CI throws away', async () => {
    const { digest } = JSON.parse(
      (await runInfra(['plan', 'p.yaml', '--emulator', '--format', 'json'], { cwd })).stdout,
    );
    await runInfra(['apply', '--emulator', '--confirm', digest], { cwd });
    const log = join(cwd, '.infra/emulator/eventlog.jsonl');
    writeFileSync(log, readFileSync(log, 'utf8').replace('tester', 'tesler'));
    const broken = await doctor(['--emulator', '--provider', 'google']);
    expect(broken.code).toBe(5);
    expect(broken.status['log chain']).toBe('fail');
    const ci = await doctor([], { CI: 'true' });
    expect(ci.code).toBe(0);
    expect(ci.status['log kept']).toBe('warn');
    const { stdout } = await runInfra(['doctor'], { cwd, env: { CI: 'true' } });
    expect(stdout).toContain('LOG_NOT_KEPT');
    expect(stdout).toContain('1 warning.');
  });
});
