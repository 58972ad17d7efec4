import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { FOLDER_PLAYBOOK } from '../support/cli-playbooks.ts';
import { ensureBuilt, infra } from '../support/cli-process.ts';
import { builtCli } from '../support/safety/built-cli.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

beforeAll(ensureBuilt);

async function planned(): Promise<{ readonly cwd: string; readonly apply: readonly string[] }> {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, 'p.yaml'), FOLDER_PLAYBOOK);
  const { stdout } = await infra(['plan', 'p.yaml', '--emulator', '--format', 'json'], { cwd });
  return { cwd, apply: ['apply', 'p.yaml', '--emulator', '--confirm', JSON.parse(stdout).digest] };
}

it('an apply whose --out file has no room says so once, and is no usage error', async () => {
  const { cwd, apply } = await planned();
  const ended = await infra([...apply, '-q', '--out', 'json=/dev/full'], { cwd });
  expect(ended.code).toBe(6);
  expect(ended.stdout).toContain('1 changed.');
  expect(ended.stderr.match(/ENOSPC/g)).toHaveLength(1);
  expect(ended.stderr).toContain('OUTPUT_WRITE');
  expect(await infra(apply, { cwd })).toMatchObject({ code: 0 });
});

it.each([
  [[], 6],
  [['--confirm', '0'.repeat(64), '--format', 'json'], 5],
])('an apply whose stdout has no room keeps its own code (%s)', async (flags, code) => {
  const { cwd, apply } = await planned();
  const full = openSync('/dev/full', 'w');
  const env = { PATH: process.env['PATH'], HOME: cwd };
  const ended = spawnSync(process.execPath, [await builtCli(), ...apply, '-q', ...flags], {
    cwd,
    env,
    stdio: ['ignore', full, 'pipe'],
    encoding: 'utf8',
  });
  closeSync(full);
  expect(ended.status).toBe(code);
  expect(ended.stderr).toContain("infra: the result can't be written to stdout: ENOSPC");
  expect(ended.stderr.match(/ENOSPC/g)).toHaveLength(1);
});

it('a plan that can not be kept says so, and how to do without', async () => {
  const { cwd, apply } = await planned();
  const path = join(cwd, '.infra/emulator/plans', `${apply.at(-1)}.json`);
  rmSync(path);
  // Nothing can be put in its place.
  mkdirSync(join(path, 'in the way'), { recursive: true });
  const ended = await infra(['plan', 'p.yaml', '--emulator'], { cwd });
  expect(ended.code).toBe(6);
  expect(ended.stderr).toContain('OUTPUT_WRITE');
  expect(ended.stderr).toContain('--no-save');
  expect(ended.stderr).not.toContain('event log');
  expect(await infra(['plan', 'p.yaml', '--emulator', '--no-save'], { cwd })).toMatchObject({ code: 0 });
});
