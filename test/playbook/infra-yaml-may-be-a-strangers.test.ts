import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadProjectConfig, parseProjectConfig } from '../../src/playbook/project-config.ts';
import { brief } from './support.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'infra-config-'));
  await mkdir(join(folder, 'repo', 'a', 'b'), { recursive: true });
  await writeFile(join(folder, 'repo', 'a', 'b', 'p.yaml'), 'x: 1\n');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const at = (...parts: readonly string[]) => join(folder, ...parts);

async function found(playbook: string | null, cwd: string, override: string | null = null): Promise<string | null> {
  const { config, diagnostics } = await loadProjectConfig({ cwd, playbook, override });
  expect(diagnostics).toEqual([]);
  return config?.path ?? null;
}

async function refused(text: string): Promise<string> {
  const { config, diagnostics } = await parseProjectConfig(at('repo', 'infra.yaml'), text);
  expect(config).toBeNull();
  return diagnostics.map(brief).join('\n');
}

describe('infra.yaml', () => {
  it("is found beside the playbook or above it, up to the repository's root", async () => {
    await mkdir(at('repo', '.git'));
    await writeFile(at('infra.yaml'), 'stack: outside\n');
    expect(await found('a/b/p.yaml', at('repo'))).toBeNull();
    await writeFile(at('repo', 'infra.yaml'), 'stack: root\n');
    expect(await found('a/b/p.yaml', at('repo'))).toBe(at('repo', 'infra.yaml'));
    await writeFile(at('repo', 'a', 'b', 'infra.yaml'), 'stack: near\n');
    expect(await found('a/b/p.yaml', at('repo'))).toBe(at('repo', 'a', 'b', 'infra.yaml'));
    expect(await found(null, at('repo'))).toBe(at('repo', 'infra.yaml'));
  });

  it("without a repository counts only in the playbook's own folder", async () => {
    await writeFile(at('repo', 'infra.yaml'), 'stack: above\n');
    expect(await found('a/b/p.yaml', at('repo'))).toBeNull();
    await writeFile(at('repo', 'a', 'b', 'infra.yaml'), 'stack: near\n');
    expect(await found('a/b/p.yaml', at('repo'))).toBe(at('repo', 'a', 'b', 'infra.yaml'));
  });

  it('is another file under --config, which must exist', async () => {
    await writeFile(at('repo', 'other.yaml'), 'stack: other\n');
    expect(await found('a/b/p.yaml', at('repo'), 'other.yaml')).toBe(at('repo', 'other.yaml'));
    const { config, diagnostics } = await loadProjectConfig({
      cwd: at('repo'),
      playbook: null,
      override: 'missing.yaml',
    });
    expect([config, diagnostics[0]?.code]).toEqual([null, 'FILE_UNREADABLE']);
  });

  it('is read with all its keys', async () => {
    const text = [
      'playbooks: ["*.yaml"]',
      'stack: prod',
      'defaults: { reconcile: report, settings: { folder_id: b1g } }',
      'ignore: [{ urn: "google:*", field: labels, reason: theirs, until: 2030-12-31 }, { urn: x, reason: y }]',
      'guard: { require_org: organizations/1 }',
      'parallelism: 4',
      'eventlog: log/events.jsonl',
      '',
    ].join('\n');
    const { config } = await parseProjectConfig(at('repo', 'infra.yaml'), text);
    expect(config).toMatchObject({
      folder: at('repo'),
      playbooks: ['*.yaml'],
      stack: 'prod',
      parallelism: 4,
      eventlog: at('repo', 'log', 'events.jsonl'),
      ignore: [
        { urn: 'google:*', field: 'labels', reason: 'theirs', until: '2030-12-31' },
        { urn: 'x', field: null, reason: 'y', until: null },
      ],
    });
    expect(config?.guard?.spec.requireOrg).toBe('1');
  });

  it.each([
    ['credentials: {}', '1:1 CONFIG_INVALID: infra.yaml has no key "credentials"'],
    ['stak: a', 'did you mean "stack"?'],
    ['defaults: { auth: { type: gcp_adc } }', 'defaults.auth is not accepted in infra.yaml'],
    ['defaults: { endpoint: "http://x" }', 'defaults.endpoint is not accepted'],
    ['defaults: { reconcil: x }', 'UNKNOWN_KEY: defaults has no key'],
    ['defaults: 1', 'defaults must be a mapping'],
    ['playbooks: a', 'CONFIG_INVALID: playbooks'],
    ['stack: [a]', 'CONFIG_INVALID: stack'],
    ['parallelism: 0', 'CONFIG_INVALID: parallelism'],
    ['ignore: [{ urn: a }]', 'CONFIG_INVALID: ignore.0.reason'],
    ['ignore: [{ urn: a, reason: b, untill: c }]', 'did you mean "until"?'],
    ['ignore: [{ urn: a, reason: b, until: soon }]', 'must be a date'],
    ['guard: { require_org: "{{ x }}" }', 'must be a literal'],
    ['eventlog: postgres://x/y', 'eventlog in infra.yaml must be a file inside its folder'],
    ['eventlog: ../events.jsonl', 'must be a file inside its folder'],
    ['eventlog: /tmp/events.jsonl', 'must be a file inside its folder'],
    ['eventlog: "-"', 'must be a file inside its folder'],
    ['eventlog: file://host/x', 'must be a file inside its folder'],
    ['eventlog: .', 'must be a file inside its folder'],
    ['[]', 'infra.yaml must be a mapping'],
    ['a: [', 'YAML_INVALID'],
  ])('%s is refused', async (text, expected) => {
    expect(await refused(`${text}\n`)).toContain(expected);
  });

  it('may say nothing', async () => {
    for (const text of ['', '\n', '# nothing yet\n']) {
      expect((await parseProjectConfig(at('repo', 'infra.yaml'), text)).config).toMatchObject({
        stack: null,
        playbooks: [],
      });
    }
  });

  it("can't lead the log out through a link", async () => {
    await symlink(folder, at('repo', 'out'));
    expect(await refused('eventlog: out/events.jsonl\n')).toContain('must be a file inside its folder');
    const { config } = await parseProjectConfig(
      at('repo', 'infra.yaml'),
      `eventlog: file://${at('repo', 'a', 'e.jsonl')}\n`,
    );
    expect(config?.eventlog).toBe(at('repo', 'a', 'e.jsonl'));
  });
});
