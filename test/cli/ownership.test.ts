import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { expandGlobs } from '../../src/cli/playbook-globs.ts';
import { runInfra } from '../support/cli-host.ts';
import { FOLDER_PLAYBOOK } from '../support/cli-playbooks.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const FOLDER = 'google:cloudresourcemanager:folder:organizations/123456789012/shared';

let cwd = '';
beforeEach(() => {
  cwd = temporaryFolder();
  writeFileSync(join(cwd, 'p.yaml'), FOLDER_PLAYBOOK);
});

const run = (argv: readonly string[], input = '') => runInfra([...argv, '--emulator'], { cwd, input });
const json = async (argv: readonly string[]) => {
  const { code, stdout } = await run([...argv, '--format', 'json']);
  return { code, document: JSON.parse(stdout) };
};

async function applied(): Promise<void> {
  const { document } = await json(['plan', 'p.yaml']);
  expect((await run(['apply', '--confirm', document.digest])).code).toBe(0);
}

describe('against the embedded emulator', () => {
  it('looks at what an apply made, with and without its playbook', async () => {
    await applied();
    expect(await json(['drift', 'p.yaml'])).toMatchObject({
      code: 0,
      document: { target: 'emulator', summary: { in_sync: 1 } },
    });
    expect(await json(['drift'])).toMatchObject({ code: 0, document: { summary: { in_sync: 1 } } });
    expect(await json(['orphans', 'p.yaml', '--grants'])).toMatchObject({
      code: 0,
      document: { orphans: [], stack: '<unscoped>' },
    });
    expect(await json(['log', 'owned'])).toMatchObject({ document: { owned: [{ urn: FOLDER, stack: '<unscoped>' }] } });
    expect(await json(['log', 'verify'])).toMatchObject({ document: { ok: true, rows: 3 } });
    expect((await json(['why', FOLDER])).document.history).toHaveLength(3);
    expect((await json(['inventory', '--from', 'organizations/123456789012'])).document.resources).toHaveLength(1);
    const imported = await run(['import', '--from', 'organizations/123456789012']);
    writeFileSync(join(cwd, 'imported.yaml'), imported.stdout);
    expect((await json(['plan', 'imported.yaml'])).document.summary).toMatchObject({ none: 1, create: 0 });
  });

  it('adopts, gives up and destroys', async () => {
    await applied();
    expect((await run(['adopt', 'p.yaml'])).stdout).toContain('Nothing to adopt');
    const { document } = await json(['forget', FOLDER]);
    const given = await run(['forget', FOLDER, '--confirm', document.digest]);
    expect(given.stdout).toContain('the resource was not touched');
    const rows = (await json(['log', 'verify'])).document.rows;
    const again = await run(['forget', FOLDER, '--confirm', document.digest]);
    expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining('already given up under this digest') });
    expect((await json(['log', 'verify'])).document.rows).toBe(rows);
    expect((await run(['forget', FOLDER, '--confirm', '0'.repeat(64)])).code).toBe(5);
    expect(await json(['orphans', 'p.yaml'])).toMatchObject({ code: 0 });
    expect((await run(['forget', FOLDER])).code).toBe(5);
    const adoption = await json(['adopt', 'p.yaml']);
    expect((await run(['adopt', 'p.yaml', '--confirm', adoption.document.digest])).code).toBe(0);
    const { code, stdout } = await run(['destroy', 'p.yaml']);
    expect(code).toBe(0);
    expect(stdout).toContain('protected');
  });

  it('a digest of an adoption is none for an apply, and that is said', async () => {
    await applied();
    const { document } = await json(['forget', FOLDER]);
    await run(['forget', FOLDER, '--confirm', document.digest]);
    const adoption = await json(['adopt', 'p.yaml']);
    const refused = await run(['apply', '--confirm', adoption.document.digest]);
    expect(refused.code).toBe(5);
    expect(refused.stderr.replaceAll(/\s+/g, ' ')).toContain('infra adopt p.yaml --confirm');
  });
});

it('fails in Markdown where Markdown was asked for', async () => {
  const { code, stdout } = await run(['drift', 'none.yaml', '--format', 'markdown']);
  expect(code).toBe(3);
  expect(stdout).toContain('### <code>infra drift</code> failed');
  expect((await run(['plan', 'p.yaml', '--format', 'markdown'])).code).toBe(3);
});

describe('globs', () => {
  const files = ['a.yaml', 'b.yml', 'x/a.yaml', 'x/y/c.yaml', 'x/node_modules/d.yaml', '.hidden/e.yaml', 'x/.f.yaml'];
  const expand = (...globs: readonly string[]) => expandGlobs(cwd, globs);
  beforeEach(() => {
    for (const file of files) {
      mkdirSync(dirname(join(cwd, file)), { recursive: true });
      writeFileSync(join(cwd, file), '');
    }
    symlinkSync('/', join(cwd, 'root'));
    symlinkSync(join(cwd, 'a.yaml'), join(cwd, 'link.yaml'));
  });

  it.each([
    [['*.yaml'], ['a.yaml', 'p.yaml']],
    [['**/*.yaml'], ['a.yaml', 'p.yaml', 'x/a.yaml', 'x/y/c.yaml']],
    [
      ['x/**/?.yaml', './a.yaml'],
      ['a.yaml', 'x/a.yaml', 'x/y/c.yaml'],
    ],
    [
      ['x/*/c.yaml', 'b.y*l', 'x/'],
      ['b.yml', 'x/y/c.yaml'],
    ],
    [['.hidden/*.yaml'], ['.hidden/e.yaml']],
    [['root/**', 'link.yaml', '**'], []],
    [['none/*.yaml'], []],
  ])('%j', async (globs, expected) => {
    expect(await expand(...globs)).toEqual(expected);
  });

  it.each(['/etc/*', '../*.yaml', 'x/../../*', '', '.'])('%j leads out, or nowhere', async (glob) => {
    await expect(expand(glob)).rejects.toThrow(/CONFIG_INVALID/);
  });

  it('many stars are no trouble', async () => {
    writeFileSync(join(cwd, 'a'.repeat(200)), '');
    expect(await expand(`${'*a'.repeat(100)}b`)).toEqual([]);
    expect(await expand(`${'**/'.repeat(30)}c.yaml`)).toEqual(['x/y/c.yaml']);
  });
});

it('writes nothing but what was asked for', async () => {
  await applied();
  const log = readFileSync(join(cwd, '.infra/emulator/eventlog.jsonl'), 'utf8');
  for (const argv of [
    ['drift', 'p.yaml'],
    ['orphans', 'p.yaml'],
    ['log', 'show'],
    ['adopt', 'p.yaml'],
    ['destroy', 'p.yaml'],
  ])
    await run(argv);
  expect(readFileSync(join(cwd, '.infra/emulator/eventlog.jsonl'), 'utf8')).toBe(log);
});
