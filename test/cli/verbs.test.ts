import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { runCli } from '../../src/cli/program.ts';
import { lockStacks } from '../../src/eventlog/lock.ts';
import { fakeHost, runInfra } from '../support/cli-host.ts';
import { FOLDER_PLAYBOOK } from '../support/cli-playbooks.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

let cwd = '';
beforeEach(() => {
  cwd = temporaryFolder();
  writeFileSync(join(cwd, 'p.yaml'), FOLDER_PLAYBOOK);
});

describe('exec', () => {
  it('writes lines of JSON, and what is to be said on stderr', async () => {
    writeFileSync(join(cwd, 'p.yaml'), `${FOLDER_PLAYBOOK}  - step: shell\n    tool: { kind: shell, cmd: rm }\n`);
    const { code, stdout, stderr } = await runInfra(['exec', 'p.yaml', '--emulator', '--format', 'ndjson'], { cwd });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ step: 'shared', status: 'success' });
    expect(stderr).toContain('STEP_SKIPPED');
  });

  it('really does what is not dry, on a state of its own', async () => {
    writeFileSync(
      join(cwd, 'p.yaml'),
      FOLDER_PLAYBOOK.replace('reconcile: enforce', 'reconcile: enforce\n  dry_run: false'),
    );
    const { code, stdout } = await runInfra(['exec', 'p.yaml', '--emulator'], { cwd });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ data: { dry_run: false, changed: true } });
    expect(readdirSync(join(cwd, '.infra/emulator'))).toEqual(
      expect.arrayContaining(['google.json', 'eventlog.jsonl']),
    );
  });

  it('fails as a document where one is asked for', async () => {
    const { code, stdout } = await runInfra(['exec', 'none.yaml', '--format', 'json'], { cwd });
    expect(code).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({
      command: 'exec',
      error: true,
      diagnostics: [{ code: 'FILE_UNREADABLE' }],
    });
  });
});

describe('emulator', () => {
  it('runs until a signal comes', async () => {
    const host = fakeHost({ cwd });
    let url = '';
    const stdout = {
      ...host.stdout,
      write: (text: string) => {
        url = JSON.parse(text).url;
        host.send('SIGINT');
      },
    };
    const argv = ['emulator', 'google', '--latency', '1', '--state', 'state.json', '--format', 'json'];
    expect(await runCli(argv, { ...host, stdout })).toBe(0);
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    await expect(fetch(url)).rejects.toThrow();
  });

  it('needs a port that is free and a seed that can be read', async () => {
    expect(await runInfra(['emulator', 'google', '--seed', 'none.yaml'], { cwd })).toMatchObject({ code: 3 });
    writeFileSync(join(cwd, 'state.json'), '{}');
    expect(await runInfra(['emulator', 'google', '--state', 'state.json'], { cwd })).toMatchObject({ code: 3 });
  });

  it('is reset, also where there is nothing', async () => {
    expect(await runInfra(['emulator', 'reset', '--format', 'json'], { cwd })).toMatchObject({ code: 0 });
    await runInfra(['plan', 'p.yaml', '--emulator'], { cwd });
    const { code, stderr } = await runInfra(['emulator', 'reset'], { cwd });
    expect(code).toBe(0);
    expect(stderr).toContain('afresh');
    expect(readdirSync(join(cwd, '.infra'))).toEqual(['.gitignore']);
  });
});

describe('unlock', () => {
  const locked = () => lockStacks(join(cwd, '.infra'), ['prod'], { user: 'someone', host: 'test-host' }, 0);
  const idOf = (text: string) => /([0-9a-f]{12}) \(stack prod\)/.exec(text)?.[1] ?? '';

  it("names what is locked, and leaves a living process's lock alone", async () => {
    const held = await locked();
    const unknown = await runInfra(['unlock', 'ffffffffffff'], { cwd });
    expect(unknown.code).toBe(3);
    const refused = await runInfra(['unlock', idOf(unknown.stderr.replace(/\s+/g, ' '))], { cwd });
    expect(refused.code).toBe(5);
    expect(refused.stderr).toContain('LOCK_HELD');
    await held.release();
  });

  it('takes --force for what can not be judged from here', async () => {
    await lockStacks(join(cwd, '.infra'), ['prod'], { user: 'someone', host: 'elsewhere' }, 0);
    const { stderr } = await runInfra(['unlock', 'ffffffffffff'], { cwd });
    const id = idOf(stderr.replace(/\s+/g, ' '));
    expect(await runInfra(['unlock', id], { cwd })).toMatchObject({ code: 5 });
    const { code, stdout } = await runInfra(['unlock', id, '--force'], { cwd });
    expect(code).toBe(0);
    expect(stdout).toContain('Unlocked stack prod, which was held by someone@elsewhere');
  });
});

describe("the caller's configuration", () => {
  const configure = (text: string) => {
    mkdirSync(join(cwd, 'config/infra'), { recursive: true });
    writeFileSync(join(cwd, 'config/infra/config.yaml'), text, { mode: 0o600 });
    return { XDG_CONFIG_HOME: join(cwd, 'config') };
  };

  it('exposes variables to playbooks, but not to those of strangers', async () => {
    const env = { ...configure('expose_env: [FOLDER, UNSET]\n'), FOLDER: 'from-env' };
    writeFileSync(join(cwd, 'p.yaml'), FOLDER_PLAYBOOK.replace('{{ workload.name }}', '{{ env.FOLDER }}'));
    const { code, stdout } = await runInfra(['plan', 'p.yaml', '--offline'], { cwd, env });
    expect(code).toBe(0);
    expect(stdout).toContain('from-env');
    const untrusted = await runInfra(['plan', 'p.yaml', '--untrusted'], { cwd, env });
    expect(untrusted.code).toBe(3);
    expect(untrusted.stdout + untrusted.stderr).not.toContain('from-env');
  });

  it('pins a guard, which --guard-org can not contradict', async () => {
    const env = configure('guard: { require_org: "123456789012" }\n');
    expect(await runInfra(['plan', 'p.yaml', '--offline'], { cwd, env })).toMatchObject({ code: 0 });
    expect(await runInfra(['plan', 'p.yaml', '--offline', '--guard-org', '5'], { cwd, env })).toMatchObject({
      code: 3,
    });
  });

  it('names the log, before infra.yaml does', async () => {
    writeFileSync(join(cwd, 'infra.yaml'), 'eventlog: project.jsonl\n');
    const env = configure('eventlog: postgres://db/infra\n');
    const { code, stderr } = await runInfra(['plan', 'p.yaml', '--offline'], { cwd, env });
    expect(code).toBe(3);
    expect(stderr).toContain('PostgreSQL');
    expect(await runInfra(['plan', 'p.yaml', '--offline'], { cwd })).toMatchObject({ code: 0 });
    expect(await runInfra(['plan', 'p.yaml', '--offline', '--eventlog', 'own.jsonl'], { cwd, env })).toMatchObject({
      code: 0,
    });
    const named = { ...env, INFRA_EVENTLOG: 'file:own.jsonl' };
    expect(await runInfra(['plan', 'p.yaml', '--offline'], { cwd, env: named })).toMatchObject({ code: 0 });
  });

  it('is refused where it is wrong', async () => {
    const { code, stderr } = await runInfra(['plan', 'p.yaml', '--offline'], {
      cwd,
      env: configure('passwords: {}\n'),
    });
    expect(code).toBe(3);
    expect(stderr).toContain('CONFIG_INVALID');
  });
});
