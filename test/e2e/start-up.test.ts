import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { COMMANDS } from '../../src/cli/commands.ts';
import { ensureBuilt, infra, ROOT } from '../support/cli-process.ts';

beforeAll(ensureBuilt);

describe('infra', () => {
  it('prints its version', async () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    expect(await infra(['--version'])).toEqual({ code: 0, signal: null, stdout: `${version}\n`, stderr: '' });
  });

  it('lists its commands', async () => {
    const { code, stdout, stderr } = await infra(['--help']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    for (const { name, summary } of COMMANDS)
      expect(stdout).toMatch(new RegExp(`^  ${name} +${summary.slice(0, 20)}`, 'm'));
  });

  it('without a command says where to look', async () => {
    const { code, stdout, stderr } = await infra([]);
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(stderr).toContain('infra --help');
  });

  it.each(COMMANDS.map(({ name }) => name))('%s --help has an example', async (name) => {
    const { code, stdout, stderr } = await infra([name, '--help']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(new RegExp(`Examples?:\n  \\$ infra ${name}`));
    expect((await infra(['help', name])).stdout).toBe(stdout);
  });
});
