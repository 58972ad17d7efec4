import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { FOLDER_PLAYBOOK } from '../support/cli-playbooks.ts';
import { ensureBuilt, infra } from '../support/cli-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

beforeAll(ensureBuilt);

let cwd = '';
let state = '';
beforeEach(() => {
  cwd = temporaryFolder();
  state = join(cwd, '.infra/emulator/google.json');
  mkdirSync(join(cwd, '.infra/emulator'), { recursive: true, mode: 0o700 });
  writeFileSync(
    join(cwd, 'p.yaml'),
    FOLDER_PLAYBOOK.replace('provider: google, ', 'provider: google, dry_run: false, '),
  );
});

const VERBS = [
  ['plan', ['plan', 'p.yaml', '--emulator']],
  ['apply', ['apply', 'p.yaml', '--emulator', '--confirm', 'ab'.repeat(32)]],
  ['exec', ['exec', 'p.yaml', '--emulator']],
] as const;

describe.each(VERBS)('%s', (_verb, argv) => {
  it.each([
    ['no JSON', '{ '],
    ['something else', '{"format":1,"folders":[]}'],
  ])('refuses a state file with %s, and names the way out', async (_name, text) => {
    writeFileSync(state, text);
    const { code, stdout, stderr } = await infra(argv, { cwd });
    expect(code).toBe(3);
    const said = stdout + stderr;
    expect(said).toContain('FILE_UNREADABLE');
    expect(said).toContain(state);
    expect(said).toContain('infra emulator reset');
    expect(readFileSync(state, 'utf8')).toBe(text);
  });

  it.each([
    ['that holds a state', '{"format":1}'],
    ['that leads nowhere', null],
  ])('follows no link %s', async (_name, text) => {
    const elsewhere = join(cwd, 'elsewhere.json');
    if (text !== null) writeFileSync(elsewhere, text);
    symlinkSync(elsewhere, state);
    const { code, stdout, stderr } = await infra(argv, { cwd });
    expect(code).toBe(5);
    expect(stdout + stderr).toContain('UNSAFE_PATH');
    if (text !== null) expect(readFileSync(elsewhere, 'utf8')).toBe(text);
  });
});

describe('infra emulator google --state', () => {
  it.each([
    ['lies nowhere', 'none/x.json', 'ENOENT'],
    ['is a link', 'link.json', 'symbolic link'],
    ['is a folder', '.infra', 'no regular file'],
    ['is no JSON', 'p.yaml', 'is not a state file'],
  ])('refuses a file that %s', async (_name, path, expected) => {
    symlinkSync(join(cwd, 'p.yaml'), join(cwd, 'link.json'));
    const { code, stderr } = await infra(['emulator', 'google', '--state', path], { cwd });
    expect(code).toBe(3);
    const said = stderr.replaceAll(/\s+/g, ' ');
    expect(said).toContain(expected);
    expect(said).toContain(path);
    expect(said).not.toContain('a bug in infra');
  });

  it.each([
    ['knobs: { x: 1 }', 'knobs'],
    ['organizations: [{ id: "1", displayName: 7 }]', 'organizations.0.displayName'],
    ['projects: [{ projectId: p, colour: red }]', 'colour'],
    ['policies: {}', 'policies'],
    ['- 1', 'the seed: must be a mapping'],
    ['organizations: [{ id: a, displayName: 7 }]', 'organizations.0.id: digits only; organizations.0.displayName'],
  ])('refuses the seed %s', async (text, expected) => {
    writeFileSync(join(cwd, 'seed.yaml'), text);
    const { code, stderr } = await infra(['emulator', 'google', '--seed', 'seed.yaml'], { cwd });
    expect(code).toBe(3);
    expect(stderr.replaceAll(/\s+/g, ' ')).toContain(expected);
  });
});
