import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  callerConfigPath,
  loadCallerConfig,
  NO_CALLER_CONFIG,
  parseCallerConfig,
} from '../../src/playbook/caller-config.ts';
import { brief } from './support.ts';

const ALL = `credentials:
  gcp_org_admin: { type: gcp_adc, quota_project: acme-admin, impersonate: infra@acme-admin.iam.gserviceaccount.com, scopes: [s] }
  ci: { type: service_account, key_file: /etc/infra/ci.json }
  sandbox: { type: yc_profile, profile: sandbox }
  short: { type: bearer, token_env: CI_TOKEN }
stacks:
  gateway: { credential: sandbox, settings: { folder_id: b1g, command_timeout: 60 } }
eventlog: postgres://db/infra
expose_env: [CI_COMMIT_SHA]
allow_endpoints: ["http://127.0.0.1:8089", "https://x/"]
guard: { require_org: organizations/1 }
`;

describe('config.yaml', () => {
  it('may leave the profile of a credential out', () => {
    const { config, diagnostics } = parseCallerConfig('/c.yaml', 'credentials: { yc: { type: yc_profile } }');
    expect(diagnostics).toEqual([]);
    expect(config?.credentials).toEqual({ yc: { type: 'yc_profile' } });
  });

  it('is read with all its keys', () => {
    const { config, diagnostics } = parseCallerConfig('/c.yaml', ALL);
    expect(diagnostics).toEqual([]);
    expect(config?.credentials['gcp_org_admin']).toMatchObject({
      type: 'gcp_adc',
      quota_project: 'acme-admin',
      scopes: ['s'],
    });
    expect(Object.keys(config?.credentials ?? {})).toEqual(['gcp_org_admin', 'ci', 'sandbox', 'short']);
    expect(config?.credentials['constructor']).toBeUndefined();
    expect(config?.stacks.get('gateway')).toEqual({
      credential: 'sandbox',
      settings: { folder_id: 'b1g', command_timeout: 60 },
    });
    expect(config).toMatchObject({
      eventlog: 'postgres://db/infra',
      exposeEnv: ['CI_COMMIT_SHA'],
      allowEndpoints: ['http://127.0.0.1:8089', 'https://x'],
    });
    expect(config?.guard?.requireOrg).toBe('1');
  });

  it.each([
    ['credential: {}', 'did you mean "credentials"?'],
    ['credentials: { a: { type: gcp } }', 'CONFIG_INVALID: credentials.a.type must be one of'],
    ['credentials: { a: {} }', 'CONFIG_INVALID: credentials.a.type must be one of'],
    ['credentials: { a: { type: service_account, key_file: ci.json } }', 'must be an absolute path'],
    ['credentials: { a: { type: service_account } }', 'credentials.a.key_file'],
    ['credentials: { a: { type: yc_profile, profile: p, impersonat: x } }', 'did you mean "impersonate"?'],
    ['credentials: { a: { type: bearer } }', 'either a token_file or a token_env'],
    ['credentials: { "a b": { type: gcp_adc } }', 'is no name'],
    ['credentials: { a: 1 }', 'credentials.a must be a mapping'],
    ['credentials: { toString: { type: toString } }', 'credentials.toString.type must be one of'],
    ['stacks: { a: { credentials: x } }', 'did you mean "credential"?'],
    ['eventlog: postgres://u:pw@db/infra', 'must have no password in it'],
    ['eventlog: postgres://db/infra?password=pw', 'must have no password in it'],
    ['expose_env: ["A B"]', 'must be the name of a variable'],
    ['allow_endpoints: ["http://x/path"]', 'must be an origin'],
    ['allow_endpoints: ["http://u:pw@x"]', 'must be an origin'],
    ['allow_endpoints: [x]', 'must be an origin'],
    ['guard: { require_org: x }', 'guard.require_org must be'],
  ])('%s is refused', (text, expected) => {
    const { config, diagnostics } = parseCallerConfig('/c.yaml', `${text}\n`);
    expect(config).toBeNull();
    const said = diagnostics.map(brief).join('\n');
    expect(said).toContain(expected);
    expect(said).not.toContain('pw');
    expect(diagnostics[0]?.source).toMatchObject({ file: '/c.yaml', line: 1 });
  });
});

describe('where config.yaml lies', () => {
  let home = '';
  const uid = process.getuid?.() ?? null;
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'infra-home-'));
    await mkdir(join(home, '.config', 'infra'), { recursive: true });
  });
  afterEach(() => rm(home, { recursive: true, force: true }));

  it('is XDG_CONFIG_HOME if that is absolute, else .config in the home folder', () => {
    expect(callerConfigPath({ env: { XDG_CONFIG_HOME: '/x' }, home: '/h' })).toBe('/x/infra/config.yaml');
    expect(callerConfigPath({ env: { XDG_CONFIG_HOME: 'x' }, home: '/h' })).toBe('/h/.config/infra/config.yaml');
    expect(callerConfigPath({ env: {}, home: '/h' })).toBe('/h/.config/infra/config.yaml');
  });

  it('may be nowhere', async () => {
    expect(await loadCallerConfig({ env: {}, home, uid })).toEqual({ config: NO_CALLER_CONFIG, diagnostics: [] });
  });

  it("must be the caller's own, written by nobody else", async () => {
    const path = join(home, '.config', 'infra', 'config.yaml');
    await writeFile(path, ALL, { mode: 0o600 });
    expect((await loadCallerConfig({ env: {}, home, uid })).config?.path).toBe(path);
    expect((await loadCallerConfig({ env: {}, home, uid: null })).config?.path).toBe(path);
    await chmod(path, 0o666);
    expect((await loadCallerConfig({ env: {}, home, uid })).diagnostics).toMatchObject([{ code: 'UNSAFE_PATH' }]);
    await writeFile(path, '');
    await chmod(path, 0o600);
    expect(await loadCallerConfig({ env: {}, home, uid })).toMatchObject({
      config: { path, guard: null },
      diagnostics: [],
    });
    await rm(path);
    await mkdir(path);
    await chmod(path, 0o700);
    expect((await loadCallerConfig({ env: {}, home, uid })).diagnostics).toMatchObject([{ code: 'FILE_UNREADABLE' }]);
  });
});
