import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { FOLDER_PLAYBOOK } from '../support/cli-playbooks.ts';
import { ensureBuilt, infra } from '../support/cli-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

beforeAll(ensureBuilt);

let cwd = '';
beforeEach(() => {
  cwd = temporaryFolder();
});

const isRoot = process.getuid?.() === 0;

describe('a playbook that can not be read ends with 3', () => {
  it.each<[string, (path: string) => void, string]>([
    ['missing', () => {}, 'does not exist'],
    ['a folder', (path) => mkdirSync(path), 'is a folder'],
    ['empty', (path) => writeFileSync(path, ''), 'is empty'],
    ['binary', (path) => writeFileSync(path, Buffer.from([0, 1, 2, 255])), 'is binary'],
    ['not UTF-8', (path) => writeFileSync(path, Buffer.from([0x61, 0xff, 0xfe])), 'UTF-8'],
    ['a circle of links', (path) => symlinkSync(path, path), 'symbolic links'],
  ])('%s', async (_name, make, expected) => {
    make(join(cwd, 'p.yaml'));
    const { code, stdout, stderr } = await infra(['plan', 'p.yaml', '--offline'], { cwd });
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(stderr).toContain('FILE_UNREADABLE');
    expect(stderr).toContain(
      `p.yaml ${expected.startsWith('is') || expected.startsWith('does') ? expected : ''}`.trimEnd(),
    );
    expect(stderr).not.toContain(cwd);
  });

  it.skipIf(isRoot)('without permission', async () => {
    writeFileSync(join(cwd, 'p.yaml'), FOLDER_PLAYBOOK);
    chmodSync(join(cwd, 'p.yaml'), 0);
    const { code, stderr } = await infra(['plan', 'p.yaml', '--offline'], { cwd });
    expect(code).toBe(3);
    expect(stderr).toContain('permission denied');
  });

  it('a workload file that is missing', async () => {
    writeFileSync(join(cwd, 'p.yaml'), FOLDER_PLAYBOOK);
    const { code, stderr } = await infra(['plan', 'p.yaml', '--offline', '--workload', 'w.yaml'], { cwd });
    expect(code).toBe(3);
    expect(stderr).toContain('w.yaml does not exist');
  });

  it('an infra.yaml with a key of its own', async () => {
    writeFileSync(join(cwd, 'p.yaml'), FOLDER_PLAYBOOK);
    writeFileSync(join(cwd, 'infra.yaml'), 'credentials: {}\n');
    const { code, stderr } = await infra(['plan', 'p.yaml', '--offline'], { cwd });
    expect(code).toBe(3);
    expect(stderr).toContain('CONFIG_INVALID');
  });
});

describe('.infra', () => {
  it('is never followed through a link', async () => {
    writeFileSync(join(cwd, 'p.yaml'), FOLDER_PLAYBOOK);
    symlinkSync(temporaryFolder(), join(cwd, '.infra'));
    const { code, stderr } = await infra(['plan', 'p.yaml', '--emulator'], { cwd });
    expect(code).toBe(5);
    expect(stderr).toContain('UNSAFE_PATH');
  });

  it('lies beside infra.yaml', async () => {
    mkdirSync(join(cwd, '.git'));
    mkdirSync(join(cwd, 'deep'));
    writeFileSync(join(cwd, 'infra.yaml'), 'stack: from-config\n');
    writeFileSync(join(cwd, 'deep/p.yaml'), FOLDER_PLAYBOOK);
    const { code, stdout } = await infra(['plan', 'p.yaml', '--emulator', '--format', 'json'], {
      cwd: join(cwd, 'deep'),
    });
    const { digest, stacks } = JSON.parse(stdout);
    expect({ code, stacks }).toEqual({ code: 0, stacks: ['from-config'] });
    const applied = await infra(['apply', '--emulator', '--confirm', digest], { cwd });
    expect(applied.code).toBe(0);
  });
});
