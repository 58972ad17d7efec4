import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { runInfra } from '../support/cli-host.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const ORG = 'organizations/123456789012';
const INNER = `google:cloudresourcemanager:folder:${ORG}/outer/inner`;
const LOG = '.infra/emulator/eventlog.jsonl';

/** A folder in a folder, by reference: its URN takes an id that only the log or the cloud has. */
const playbook = (inner: string) => `apiVersion: infra/v1
metadata: { name: nested }
defaults: { stack: prod, reconcile: enforce, auth: { type: gcp_adc } }
workflow:
  - step: outer
    tool: { kind: provider, provider: google, action: google.cloudresourcemanager.folders.ensure, protect: false, input: { parent: ${ORG}, display_name: outer } }
${inner}`;
const NESTED = playbook(`  - step: inner
    tool: { kind: provider, provider: google, action: google.cloudresourcemanager.folders.ensure, protect: false, input: { parent: "{{ steps.outer.resource.name }}", display_name: inner } }
  - step: team
    tool: { kind: provider, provider: google, action: google.cloudresourcemanager.folders.iam.ensure_binding, input: { folder: "{{ steps.inner.resource.name }}", role: roles/browser, member: "group:team@example.com" } }
`);

let cwd = '';
beforeEach(() => {
  cwd = temporaryFolder();
  writeFileSync(join(cwd, 'p.yaml'), NESTED);
});

const run = (argv: readonly string[]) => runInfra([...argv, '--emulator'], { cwd });
const json = async (argv: readonly string[]) => {
  const { code, stdout } = await run([...argv, '--format', 'json']);
  return { code, document: JSON.parse(stdout) };
};

async function applied(): Promise<string> {
  const { document } = await json(['plan', 'p.yaml']);
  const done = await json(['apply', '--confirm', document.digest]);
  expect(done.code).toBe(0);
  return done.document.head;
}

describe('drift', () => {
  it('finds nested things with and without their playbook, and in another log not at all', async () => {
    await applied();
    expect(await json(['drift', 'p.yaml', '--stack', 'prod'])).toMatchObject({
      code: 0,
      document: { summary: { in_sync: 3 } },
    });
    const blind = await json(['drift', 'p.yaml', '--eventlog', 'none.jsonl']);
    expect(blind.code).toBe(3);
    writeFileSync(join(cwd, 'empty.jsonl'), '');
    const unowned = await json(['drift', 'p.yaml', '--eventlog', 'empty.jsonl']);
    expect(unowned).toMatchObject({ code: 2, document: { summary: { untracked: 3, in_sync: 0 } } });
  });

  it('ignores what infra.yaml names with a reason, until that is over', async () => {
    await applied();
    writeFileSync(
      join(cwd, 'q.yaml'),
      playbook('').replace('display_name: outer', 'display_name: other, was: { display_name: outer }'),
    );
    const { document } = await json(['plan', 'q.yaml', '--eventlog', 'other.jsonl']);
    expect((await run(['apply', 'q.yaml', '--confirm', document.digest, '--eventlog', 'other.jsonl'])).code).toBe(0);
    const target = ['--target', 'outer'];
    expect(await json(['drift', 'p.yaml', ...target])).toMatchObject({
      code: 2,
      document: { resources: [{ drift: 'modified', fields: ['display_name'], ignored: null }] },
    });
    const ignoring = (until: string) =>
      writeFileSync(
        join(cwd, 'infra.yaml'),
        `ignore: [{ urn: "google:*outer", field: display_name, reason: by hand, until: ${until} }]\n`,
      );
    ignoring('2999-01-01');
    expect(await json(['drift', 'p.yaml', ...target])).toMatchObject({
      code: 0,
      document: { resources: [{ ignored: 'by hand' }], summary: { ignored: 1 } },
    });
    ignoring('2000-01-01');
    expect((await json(['drift', 'p.yaml', ...target])).code).toBe(2);
  });
});

describe('orphans', () => {
  it('of a part of the playbook are written as a playbook that removes them', async () => {
    await applied();
    writeFileSync(join(cwd, 'part.yaml'), playbook(''));
    const found = await json(['orphans', 'part.yaml', '--plan-destroy', 'removal.yaml']);
    expect(found).toMatchObject({ code: 2, document: { orphans: [{ urn: INNER }, { resource_type: 'binding' }] } });
    const again = await json(['orphans', 'part.yaml', '--plan-destroy', 'removal.yaml']);
    expect(again).toMatchObject({ code: 3, document: { diagnostics: [{ code: 'USAGE' }] } });
    const { document } = await json(['plan', 'removal.yaml']);
    expect(document.summary).toMatchObject({ delete: 2, blocked: 0 });
    expect((await run(['apply', 'removal.yaml', '--confirm', document.digest])).code).toBe(0);
    expect(await json(['orphans', 'part.yaml'])).toMatchObject({ code: 0, document: { orphans: [] } });
    const nothing = await run(['orphans', 'part.yaml', '--plan-destroy', 'none.yaml']);
    expect(nothing.code).toBe(0);
    expect(existsSync(join(cwd, 'none.yaml'))).toBe(false);
  });
});

describe('log', () => {
  it('shows rows by stack, by what they are about and the newest only', async () => {
    await applied();
    const all = (await json(['log', 'show'])).document.rows;
    expect((await json(['log', 'show', '--stack', 'prod'])).document.rows.length).toBeGreaterThan(0);
    expect((await json(['log', 'show', '--stack', 'nobody'])).document.rows).toEqual([]);
    expect((await json(['log', 'show', '--limit', '2'])).document.rows).toEqual(all.slice(-2));
    const inner = (await json(['log', 'show', '--target', 'inner'])).document.rows;
    expect(inner.length).toBeGreaterThan(0);
    expect((await json(['log', 'show', '--target', INNER])).document.rows).toEqual(inner);
    expect((await run(['log', 'show', '--limit', '2'])).stdout).toMatch(/row \d+ is done/);
    expect((await run(['log', 'shwo'])).stderr).toContain('did you mean "show"');
  });

  it('is verified, also against a head that was kept', async () => {
    const head = await applied();
    expect(await json(['log', 'verify', '--head', head])).toMatchObject({ code: 0, document: { ok: true } });
    const other = `${head.split(':')[0]}:${'0'.repeat(64)}`;
    const failed = await json(['log', 'verify', '--head', other]);
    expect([failed.code, failed.document.ok ?? false]).toEqual([5, false]);
    expect((await run(['log', 'verify', '--head', 'nonsense'])).code).toBe(3);
    const text = readFileSync(join(cwd, LOG), 'utf8');
    writeFileSync(join(cwd, LOG), text.replace('"display_name":"inner"', '"display_name":"iNner"'));
    const broken = await run(['log', 'verify']);
    expect(broken.code).toBe(5);
    expect(broken.stdout + broken.stderr).toContain('row');
  });

  it('tells what was owned at a time', async () => {
    await applied();
    expect((await json(['log', 'owned', '--at', '2000-01-01'])).document.owned).toEqual([]);
    expect((await json(['log', 'owned', '--at', '2999-01-01'])).document.owned).toHaveLength(3);
    expect((await run(['log', 'owned', '--at', 'yesterday'])).code).toBe(3);
    expect((await run(['log', 'owned', '--stack', 'prod'])).stdout).toContain('3 resources owned');
  });
});

it('recover has nothing to settle after a whole apply, and abandons nothing that is not open', async () => {
  await applied();
  expect(await json(['recover'])).toMatchObject({
    code: 0,
    document: { resolved: [], unresolved: [], rolled_back: [], abandoned: [] },
  });
  expect((await run(['recover'])).code).toBe(0);
  expect(await json(['recover', '--abandon', INNER])).toMatchObject({ code: 3, document: { error: true } });
});

describe('explain', () => {
  it('says what a code means and how it ends', async () => {
    const told = await runInfra(['explain', 'digest_stale'], { cwd });
    expect(told.code).toBe(0);
    expect(told.stdout).toContain('Exit code 5.');
    expect((await runInfra(['explain', 'NOT_VISIBLE'], { cwd })).stdout).toContain('NOT_VISIBLE: Not visible');
    const document = JSON.parse((await runInfra(['explain', 'BILLING_LINKED', '--format', 'json'], { cwd })).stdout);
    expect(document).toMatchObject({ command: 'explain', severity: 'note', exit_code: null });
    const unknown = await runInfra(['explain', 'DIGEST_STAL'], { cwd });
    expect([unknown.code, unknown.stderr]).toEqual([3, expect.stringContaining('did you mean "DIGEST_STALE"')]);
  });
});

it('a result is written to files in other forms, and not over what can not be written', async () => {
  const done = await run([
    'plan',
    'p.yaml',
    '--out',
    'json=plan.json',
    '--out',
    'ndjson=plan.ndjson',
    '--out',
    'plan.txt',
  ]);
  expect(done.code).toBe(0);
  expect(JSON.parse(readFileSync(join(cwd, 'plan.json'), 'utf8'))).toMatchObject({ command: 'plan' });
  const lines = readFileSync(join(cwd, 'plan.ndjson'), 'utf8').trimEnd().split('\n');
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ type: 'version' });
  expect(readFileSync(join(cwd, 'plan.txt'), 'utf8')).toContain('Plan: 3 to create');
  expect((await run(['plan', 'p.yaml', '--out', 'json=no/such/folder/x.json'])).code).not.toBe(0);
  expect((await run(['plan', 'p.yaml', '--out', 'xml=x'])).code).toBe(3);
});
