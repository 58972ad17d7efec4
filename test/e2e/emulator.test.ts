import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { FOLDER_PLAYBOOK } from '../support/cli-playbooks.ts';
import { ensureBuilt, infra, startInfra } from '../support/cli-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

beforeAll(ensureBuilt);

let cwd = '';
beforeEach(() => {
  cwd = temporaryFolder();
  writeFileSync(join(cwd, 'p.yaml'), FOLDER_PLAYBOOK);
});

function tree(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
}

async function planned(...flags: readonly string[]): Promise<string> {
  const { code, stdout } = await infra(['plan', 'p.yaml', '--emulator', '--format', 'json', ...flags], { cwd });
  expect(code).toBe(0);
  return JSON.parse(stdout).digest;
}

describe('plan --emulator', () => {
  it('leaves nothing but the plan, for its owner alone', async () => {
    const digest = await planned();
    expect(tree(cwd)).toEqual(['.infra/.gitignore', `.infra/emulator/plans/${digest}.json`, 'p.yaml']);
    expect(statSync(join(cwd, `.infra/emulator/plans/${digest}.json`)).mode & 0o777).toBe(0o600);
  });

  it('leaves nothing at all with --no-save', async () => {
    await planned('--no-save');
    expect(tree(cwd)).toEqual(['p.yaml']);
  });

  it('writes results to files beside stdout', async () => {
    const { code, stdout, stderr } = await infra(
      ['plan', 'p.yaml', '--emulator', '--out', 'json=plan.json', '--out', 'ndjson=plan.ndjson', '--out', 'plan.txt'],
      { cwd },
    );
    expect(code).toBe(0);
    expect(JSON.parse(readFileSync(join(cwd, 'plan.json'), 'utf8'))).toMatchObject({
      command: 'plan',
      summary: { create: 1 },
    });
    expect(readFileSync(join(cwd, 'plan.txt'), 'utf8')).toBe(stdout);
    const types = readFileSync(join(cwd, 'plan.ndjson'), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).type);
    expect(types).toEqual(['version', 'plan_start', 'step_planned', 'plan_summary']);
    expect(stderr).toContain('planning p.yaml');
    expect((await infra(['plan', 'p.yaml', '--emulator', '-q'], { cwd })).stderr).toBe('');
  });

  it('says with --detailed-exitcode that something is pending', async () => {
    expect((await infra(['plan', 'p.yaml', '--emulator', '--detailed-exitcode'], { cwd })).code).toBe(2);
  });

  it('makes JSON lines of stderr', async () => {
    const { stderr } = await infra(['plan', 'p.yaml', '--emulator', '--log-format', 'json'], { cwd });
    expect(
      stderr
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toMatchObject([{ type: 'plan_start', msg: 'planning p.yaml: 1 step' }]);
  });
});

describe('apply --emulator', () => {
  it('applies a stored plan by its digest, once', async () => {
    const digest = await planned();
    const first = await infra(['apply', '--emulator', '--confirm', digest], { cwd });
    expect(first.code).toBe(0);
    expect(first.stdout).toContain('Result: 1 changed.');
    const again = await infra(['apply', '--emulator', '--confirm', digest, '--format', 'json'], { cwd });
    expect(again.code).toBe(0);
    expect(JSON.parse(again.stdout)).toMatchObject({ command: 'apply', summary: { changed: 0, noop: 1 } });
    const { code, stdout } = await infra(['plan', 'p.yaml', '--emulator', '--detailed-exitcode'], { cwd });
    expect(code).toBe(0);
    expect(stdout).toContain('Nothing to do');
  });

  it('applies what the plan was made of, even when the file has changed or gone', async () => {
    const digest = await planned('--set', 'name=other');
    rmSync(join(cwd, 'p.yaml'));
    const { code, stdout } = await infra(['apply', '--emulator', '--confirm', digest], { cwd });
    expect(code).toBe(0);
    expect(stdout).toContain('other');
  });

  it('refuses a digest of another plan and says what differs', async () => {
    const digest = await planned();
    const { code, stderr } = await infra(
      ['apply', 'p.yaml', '--emulator', '--confirm', digest, '--set', 'name=other'],
      { cwd },
    );
    expect(code).toBe(5);
    expect(stderr).toContain('DIGEST_STALE');
    expect(stderr).toContain('What differs from the reviewed plan:');
  });

  it('refuses an unknown digest, and one of the other world', async () => {
    expect(await infra(['apply', '--emulator', '--confirm', 'ab'.repeat(32)], { cwd })).toMatchObject({ code: 5 });
    const digest = await planned();
    const { code, stderr } = await infra(['apply', '--confirm', digest], { cwd });
    expect(code).toBe(5);
    expect(stderr).toContain('add --emulator');
  });

  it('refuses a plan that is too old, or of unknown age', async () => {
    const digest = await planned();
    expect(await infra(['apply', '--emulator', '--confirm', digest, '--max-age', '0s'], { cwd })).toMatchObject({
      code: 5,
    });
    rmSync(join(cwd, '.infra'), { recursive: true });
    const { code, stderr } = await infra(['apply', 'p.yaml', '--emulator', '--confirm', digest, '--max-age', '1h'], {
      cwd,
    });
    expect(code).toBe(5);
    expect(stderr).toContain('PLAN_TOO_OLD');
  });

  it('believes no stored plan that was tampered with', async () => {
    const digest = await planned();
    const path = join(cwd, `.infra/emulator/plans/${digest}.json`);
    writeFileSync(path, readFileSync(path, 'utf8').replace('"change":"create"', '"change":"delete"'));
    const { code, stderr } = await infra(['apply', '--emulator', '--confirm', digest], { cwd });
    // The tampered part may or may not be one that the digest covers.
    expect(code === 5 || code === 0).toBe(true);
    writeFileSync(path, 'nonsense');
    const broken = await infra(['apply', '--emulator', '--confirm', digest], { cwd });
    expect(broken.code).toBe(5);
    expect(broken.stderr).toContain('DIGEST_STALE');
    expect(stderr).not.toContain('    at ');
  });

  it('asks for a digest where nobody can be asked', async () => {
    const { code, stderr } = await infra(['apply', 'p.yaml', '--emulator'], { cwd });
    expect(code).toBe(5);
    expect(stderr).toContain('CONFIRM_REQUIRED');
  });

  it('keeps a playbook with a token out of the plan store', async () => {
    writeFileSync(
      join(cwd, 'p.yaml'),
      FOLDER_PLAYBOOK.replace('type: gcp_adc', 'type: bearer, token: s3cret-token-s3cret'),
    );
    const { code, stdout, stderr } = await infra(['plan', 'p.yaml', '--emulator'], { cwd });
    expect(code).toBe(0);
    const [name = ''] = readdirSync(join(cwd, '.infra/emulator/plans'));
    expect(readFileSync(join(cwd, '.infra/emulator/plans', name), 'utf8')).not.toContain('s3cret');
    expect(stdout + stderr).not.toContain('s3cret');
    expect(stdout).toContain('infra apply p.yaml --emulator --confirm');
    const digest = name.replace('.json', '');
    expect(await infra(['apply', '--emulator', '--confirm', digest], { cwd })).toMatchObject({ code: 5 });
    expect(await infra(['apply', 'p.yaml', '--emulator', '--confirm', digest], { cwd })).toMatchObject({ code: 0 });
  });
});

describe('exec --emulator', () => {
  it('writes one line of JSON a step, and nothing on disk while dry', async () => {
    const { code, stdout } = await infra(['exec', 'p.yaml', '--emulator'], { cwd });
    expect(code).toBe(0);
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toMatchObject([{ step: 'shared', status: 'success', data: { dry_run: true } }]);
    expect(tree(cwd)).toEqual(['p.yaml']);
  });
});

describe('infra emulator', () => {
  it('forgets with reset what --emulator made', async () => {
    await infra(['apply', '--emulator', '--confirm', await planned()], { cwd });
    expect(tree(cwd)).toContain('.infra/emulator/google.json');
    expect(await infra(['emulator', 'reset'], { cwd })).toMatchObject({ code: 0, stdout: '' });
    expect(tree(cwd)).toEqual(['.infra/.gitignore', 'p.yaml']);
  });

  it('serves until it is stopped', async () => {
    writeFileSync(join(cwd, 'seed.yaml'), 'organizations: [{ id: "123456789012", displayName: acme.example }]\n');
    const { child, ended } = startInfra(['emulator', 'google', '--seed', 'seed.yaml'], { cwd });
    const url = await new Promise<string>((resolve) =>
      child.stdout?.once('data', (text: string) => resolve(text.trim())),
    );
    const answer = await fetch(`${url}/v3/organizations/123456789012`, { headers: { authorization: 'Bearer any' } });
    expect(await answer.json()).toMatchObject({ displayName: 'acme.example' });
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ code: 0, stdout: `${url}\n` });
  });

  it.each([
    ['no seed at all', 'x', '--seed seed.yaml'],
    ['a key of its own', 'organisations: []', '--seed seed.yaml'],
    ['an id that is none', 'organizations: [{ id: acme, displayName: acme }]', 'organizations.0.id'],
  ])('refuses a seed: %s', async (_name, text, expected) => {
    writeFileSync(join(cwd, 'seed.yaml'), text);
    const { code, stderr } = await infra(['emulator', 'google', '--seed', 'seed.yaml'], { cwd });
    expect(code).toBe(3);
    expect(stderr).toContain(expected);
  });
});
