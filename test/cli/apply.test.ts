import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { runCli } from '../../src/cli/program.ts';
import { fakeHost, runInfra } from '../support/cli-host.ts';
import { FOLDER_PLAYBOOK } from '../support/cli-playbooks.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

let cwd = '';
beforeEach(() => {
  cwd = temporaryFolder();
  writeFileSync(join(cwd, 'p.yaml'), FOLDER_PLAYBOOK);
});

const ASK = ['apply', 'p.yaml', '--emulator'];

describe('apply on a terminal without a digest', () => {
  it('shows the plan, asks, and applies what was shown', async () => {
    const { code, stdout, host } = await runInfra(ASK, { cwd, tty: true, answers: ['yes'] });
    expect(code).toBe(0);
    expect(host.questions).toHaveLength(1);
    expect(stdout).toContain('1 to create');
    expect(stdout).toContain('1 changed.');
  });

  it.each([['no'], ['y'], ['YES'], [' '], []])('takes %j for a no', async (...answers) => {
    const { code, stdout, stderr } = await runInfra(ASK, { cwd, tty: true, answers });
    expect(code).toBe(8);
    expect(stdout).not.toContain('changed');
    expect(stderr).toContain('Nothing was changed.');
  });

  it('asks nothing when there is nothing to do', async () => {
    await runInfra(ASK, { cwd, tty: true, answers: ['yes'] });
    const { code, host } = await runInfra(ASK, { cwd, tty: true });
    expect(code).toBe(0);
    expect(host.questions).toEqual([]);
  });

  it('can not apply what could not be planned', async () => {
    const options = { cwd, tty: true, answers: ['yes'], env: { METADATA_SERVER_DETECTION: 'none' } };
    const { code, host, stdout } = await runInfra(['apply', 'p.yaml'], options);
    expect(code).toBe(4);
    expect(host.questions).toEqual([]);
    expect(stdout).toContain('No digest');
  });

  it('shows the plan on stderr where stdout is for a program', async () => {
    const { code, stdout, stderr } = await runInfra([...ASK, '--format', 'json'], { cwd, tty: true, answers: ['yes'] });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ command: 'apply', summary: { changed: 1 } });
    expect(stderr).toContain('1 to create');
  });

  it('is interrupted while it asks', async () => {
    const host = fakeHost({ cwd, tty: true });
    const asking = {
      ...host,
      ask: async () => {
        host.send('SIGINT');
        return null;
      },
    };
    expect(await runCli(ASK, asking)).toBe(130);
  });
});

describe('what the caller says', () => {
  it('colours a terminal, and nothing else', async () => {
    const ansi = '\u001b[';
    expect((await runInfra(['plan', 'p.yaml', '--emulator'], { cwd, tty: true })).stdout).toContain(ansi);
    for (const options of [
      { tty: false },
      { tty: true, env: { NO_COLOR: '1' } },
      { tty: true, env: { TERM: 'dumb' } },
    ]) {
      expect((await runInfra(['plan', 'p.yaml', '--emulator'], { cwd, ...options })).stdout).not.toContain(ansi);
    }
    expect((await runInfra(['plan', 'p.yaml', '--emulator', '--no-color'], { cwd, tty: true })).stdout).not.toContain(
      escape,
    );
  });

  it('warns in CI of a log that is thrown away', async () => {
    const plan = await runInfra(['plan', 'p.yaml', '--emulator', '--format', 'json'], { cwd, env: { CI: 'true' } });
    const { digest } = JSON.parse(plan.stdout);
    const apply = await runInfra(['apply', '--emulator', '--confirm', digest, '--format', 'json'], {
      cwd,
      env: { CI: 'true' },
    });
    expect(apply.code).toBe(0);
    expect(JSON.parse(apply.stdout).diagnostics).toEqual([]);
  });

  it('pins an organisation', async () => {
    expect(await runInfra(['plan', 'p.yaml', '--offline', '--guard-org', 'acme'], { cwd })).toMatchObject({ code: 3 });
    expect(await runInfra(['plan', 'p.yaml', '--offline', '--guard-org', 'organizations/5'], { cwd })).toMatchObject({
      code: 5,
    });
    expect(await runInfra(['plan', 'p.yaml', '--offline', '--guard-org', '123456789012'], { cwd })).toMatchObject({
      code: 0,
    });
  });

  it.each(['--untrusted', '--offline'])(
    'reads nothing under %s, and says that the emulator is not asked',
    async (flag) => {
      const { code, stdout } = await runInfra(['plan', 'p.yaml', flag, '--emulator', '--format', 'json'], { cwd });
      expect(code).toBe(0);
      const plan = JSON.parse(stdout);
      expect(plan).toMatchObject({ mode: 'offline', digest: null });
      expect(plan.diagnostics).toContainEqual(
        expect.objectContaining({
          code: 'EMULATOR_NOT_ASKED',
          severity: 'note',
          detail: expect.stringContaining(flag),
        }),
      );
    },
  );

  it('has to say things about a playbook with the playbook', async () => {
    const { code, stderr } = await runInfra(['apply', '--confirm', 'ab'.repeat(32), '--set', 'a=b', '--target', 'x'], {
      cwd,
    });
    expect(code).toBe(3);
    expect(stderr).toContain('--set, --target');
  });

  it('allows origins only', async () => {
    const argv = ['plan', 'p.yaml', '--offline', '--allow-endpoint', 'localhost'];
    expect(await runInfra(argv, { cwd })).toMatchObject({ code: 3 });
    expect(await runInfra(argv.slice(0, 3), { cwd, env: { INFRA_ALLOW_ENDPOINT: 'ftp://x' } })).toMatchObject({
      code: 3,
    });
  });
});
