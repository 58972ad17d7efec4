import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { foundationPlaybook, ORG_ID } from '../support/safety/foundation.ts';
import { type Ended, Site } from '../support/safety/site.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const PRELOAD = fileURLToPath(new URL('../support/safety/no-network.cjs', import.meta.url));

const open: Site[] = [];
afterEach(async () => {
  for (const site of open.splice(0)) await site.close();
});

async function siteOf(): Promise<Site> {
  const site = await Site.open();
  open.push(site);
  return site;
}

/** A playbook of one folder, with pieces that a stranger chose. */
function playbook(
  pieces: {
    readonly name?: string;
    readonly input?: string;
    readonly defaults?: string;
    readonly workload?: string;
    readonly step?: string;
    readonly desc?: string;
    readonly more?: string;
  } = {},
): string {
  return `apiVersion: infra/v1
metadata: { name: stranger }
workload: ${pieces.workload ?? '{ action: apply }'}
defaults: { stack: s, reconcile: enforce${pieces.defaults ?? ''} }
workflow:
  - step: ${pieces.step ?? 'folder'}
    desc: ${pieces.desc ?? 'one folder'}
    tool:
      kind: provider
      provider: google
      action: google.cloudresourcemanager.folders.ensure
      input: { parent: organizations/${ORG_ID}, display_name: ${pieces.name ?? 'folder'}${pieces.input ?? ''} }
${pieces.more ?? ''}`;
}

const TRACE = /\n\s+at .*(\.cjs|\.ts|node:)|node:internal|\[object Object\]|a bug in infra/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const RAW = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

function expectClear(ended: Ended, codes: readonly number[], words: RegExp): void {
  expect(codes, `${ended.stdout}\n${ended.stderr}`).toContain(ended.code);
  expect(ended.stdout + ended.stderr).toMatch(words);
  expect(ended.stdout + ended.stderr).not.toMatch(TRACE);
  expect(ended.stdout + ended.stderr).not.toMatch(RAW);
}

const BOMB = `x-a: &a [1,2,3,4,5,6,7,8,9]
x-b: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]
x-c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]
x-d: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]
x-e: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d]
x-f: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e]
`;

/** What a refusal may cost the processor, and how long a loaded machine may take over it. */
const CPU_MICROSECONDS = 30_000_000;
const PATIENCE_MS = 300_000;

describe('a playbook of a stranger', () => {
  it.each<[string, string, RegExp]>([
    [
      'a way to the Function constructor',
      playbook({ name: `"{{ workload.constructor.constructor('return process')() }}"` }),
      /TEMPLATE/,
    ],
    ['a way through a string', playbook({ name: `"{{ ''.constructor }}"` }), /TEMPLATE/],
    ['a way through __proto__', playbook({ name: `"{{ workload.__proto__.toString }}"` }), /TEMPLATE/],
    ['a way through a list', playbook({ name: `"{{ [].constructor.prototype }}"` }), /TEMPLATE/],
    ['a filter that is none', playbook({ name: `"{{ 'x' | attr('constructor') }}"` }), /TEMPLATE/],
    ['an import', playbook({ name: `"{% import 'os' as os %}x"` }), /TEMPLATE/],
    ['an endless string', playbook({ name: `"{{ 'x' * 1000000000 }}"` }), /TEMPLATE/],
    ['the environment', playbook({ name: '"{{ env.HOME }}"' }), /TEMPLATE/],
    ['__proto__ in the input', playbook({ input: ', __proto__: { parent: organizations/1 }' }), /__proto__/],
    ['__proto__ in the defaults', playbook({ defaults: ', __proto__: { dry_run: false }' }), /__proto__/],
    [
      '__proto__ in the workload',
      playbook({ workload: '{ __proto__: { polluted: yes } }', name: '"{{ workload.polluted }}"' }),
      /__proto__|TEMPLATE/,
    ],
    ['constructor as an input', playbook({ input: ', constructor: 1' }), /constructor/],
    ['an alias bomb', BOMB + playbook(), /YAML|alias/i],
    ['a hundred thousand brackets', `workflow: ${'['.repeat(100_000)}`, /YAML/],
    ['deep indentation', Array.from({ length: 5000 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n'), /YAML/],
    [
      'a hundred thousand duplicate keys',
      `apiVersion: infra/v1\n${'workflow: []\n'.repeat(100_000)}`,
      /YAML|duplicate/i,
    ],
    ['two documents', `${playbook()}---\n${playbook()}`, /YAML/],
    ['a custom tag', playbook({ name: '!!js/function "function(){}"' }), /YAML|tag/i],
    ['a key file', playbook({ defaults: ', auth: { type: gcp_adc, key_file: /etc/shadow }' }), /key_file/],
    [
      'an impersonation',
      playbook({ defaults: ', auth: { type: gcp_adc, impersonate: admin@example.com }' }),
      /impersonate/,
    ],
    [
      'a service account',
      playbook({ defaults: ', auth: { type: service_account, key_file: /etc/infra/ci.json }' }),
      /key_file|service_account/,
    ],
    ['a quota project', playbook({ defaults: ', auth: { type: gcp_adc, quota_project: theirs }' }), /quota_project/],
    ['a token file', playbook({ defaults: ', auth: { type: bearer, token_file: /etc/passwd }' }), /token_file/],
    [
      'a variable of the caller',
      playbook({ defaults: ', auth: { type: bearer, token_env: AWS_SECRET_ACCESS_KEY }' }),
      /token_env/,
    ],
    [
      "infra's own variable",
      playbook({ defaults: ', auth: { type: bearer, token_env: INFRA_EVENTLOG_TOKEN }' }),
      /token_env/,
    ],
    ['a password in the endpoint', playbook({ defaults: ', endpoint: "http://user:pass@127.0.0.1:1"' }), /endpoint/],
    ['an endpoint that is a file', playbook({ defaults: ', endpoint: "file:///etc/passwd"' }), /endpoint/],
    ['an endpoint with a query', playbook({ defaults: ', endpoint: "http://127.0.0.1:1/?x="' }), /endpoint/],
  ])(
    '%s is refused with one clear error',
    async (_name, text, words) => {
      const site = await siteOf();
      writeFileSync(join(site.folder, 'stranger.yaml'), text);
      const started = process.cpuUsage();
      for (const argv of [
        ['plan', 'stranger.yaml'],
        ['exec', 'stranger.yaml', '--format', 'json'],
      ]) {
        const ended = await site.runHere(argv);
        expectClear(ended, [3], words);
      }
      // What is worked, not what the clock says: a loaded machine is no hostile playbook.
      expect(process.cpuUsage(started).user).toBeLessThan(CPU_MICROSECONDS);
      expect(readdirSync(site.folder).sort()).toEqual(['foundation.yaml', 'stranger.yaml']);
    },
    PATIENCE_MS,
  );

  it.each<[string, (site: Site) => string]>([
    [
      'larger than 64 MiB',
      (site) => {
        const path = join(site.folder, 'large.yaml');
        writeFileSync(path, 'a: 1\n');
        truncateSync(path, 64 * 1024 * 1024 + 1);
        return path;
      },
    ],
    [
      'zeros',
      (site) => {
        const path = join(site.folder, 'zeros.yaml');
        writeFileSync(path, '');
        truncateSync(path, 1024 * 1024);
        return path;
      },
    ],
    ['that is an endless device', () => '/dev/zero'],
    ['that is a folder', (site) => site.home],
  ])('a file %s is refused in bounded time', async (_name, path) => {
    const site = await siteOf();
    const started = process.cpuUsage();
    expectClear(await site.runHere(['plan', path(site)]), [3], /FILE_UNREADABLE|YAML/);
    expect(process.cpuUsage(started).user).toBeLessThan(CPU_MICROSECONDS);
  });

  it('names that a terminal would take for commands are shown harmlessly, in every format', async () => {
    const site = await siteOf();
    const hostile = playbook({
      step: '"a\\u202eb\\e[2J\\u0007"',
      desc: '"\\e]0;owned\\u0007 \\u2066x\\u2069\\r\\n::error::x"',
      more: `  - step: s\n    desc: "\\e[31m"\n    tool: { kind: shell, command: "touch pwned" }\n`,
    });
    writeFileSync(join(site.folder, 'stranger.yaml'), hostile);
    writeFileSync(join(site.folder, 'names.yaml'), playbook({ name: '"\\e[31m\\u202ered\\0"' }));
    for (const verb of ['plan', 'exec']) {
      const ended = await site.runHere([verb, 'names.yaml', '--offline']);
      expect(ended.stdout + ended.stderr).not.toMatch(RAW);
      expect(ended.stderr).toMatch(/display name/);
    }
    for (const format of ['human', 'json', 'ndjson']) {
      const ended = await site.runHere(['plan', 'stranger.yaml', '--offline', '--no-save', '-v', '--format', format]);
      expect(ended.stdout + ended.stderr).not.toMatch(RAW);
      expect(ended.stdout + ended.stderr).not.toMatch(TRACE);
      expect([0, 3]).toContain(ended.code);
    }
  });

  it('steps that are no provider steps are never run', async () => {
    const site = await siteOf();
    const more = ['shell', 'python', 'http']
      .map(
        (kind) =>
          `  - step: ${kind}_step\n    tool: { kind: ${kind}, command: "touch pwned", code: "open('pwned','w')", url: "${site.emulator.url}/pwned" }\n`,
      )
      .join('');
    const auth = `, endpoint: "${site.emulator.url}", auth: { type: bearer, token_env: INFRA_TEST_TOKEN }`;
    writeFileSync(join(site.folder, 'stranger.yaml'), playbook({ defaults: auth, more }));
    const digest = await site.plan('stranger.yaml');
    expect((await site.run(['apply', '--confirm', digest])).code).toBe(0);
    expect((await site.run(['exec', 'stranger.yaml'])).code).toBe(0);
    expect(existsSync(join(site.folder, 'pwned'))).toBe(false);
    expect(site.emulator.requests.filter(({ path }) => path.includes('pwned'))).toEqual([]);
  });

  it.each([
    'http://169.254.169.254/computeMetadata/v1',
    'http://metadata.google.internal',
    'https://cloudresourcemanager.googleapis.com.evil.example',
    'http://localhost:1',
    'http://[::1]:1',
    'http://0x7f.1:1',
  ])('an endpoint at %s gets no connection and no lookup', async (endpoint) => {
    const site = await siteOf();
    const auth = `, endpoint: "${endpoint}", auth: { type: bearer, token_env: INFRA_TEST_TOKEN }`;
    writeFileSync(join(site.folder, 'stranger.yaml'), playbook({ defaults: auth }));
    const calls = join(site.home, 'calls');
    for (const argv of [
      ['plan', 'stranger.yaml', '--no-save'],
      ['apply', 'stranger.yaml', '--confirm', 'a'.repeat(64)],
    ]) {
      const ended = await site.run(argv, { preload: PRELOAD, env: { CALLS: calls } });
      expect(existsSync(calls) ? readFileSync(calls, 'utf8') : '').toBe('');
      expectClear(ended, argv[0] === 'plan' ? [0] : [5], /ENDPOINT_NOT_ALLOWED/);
    }
  });
});

describe('a folder of a stranger', () => {
  it.each(['.infra', '.infra/plans', '.infra/locks', '.infra/eventlog.jsonl', '.infra/.gitignore'])(
    '%s as a link leads nothing out',
    async (name) => {
      const site = await siteOf();
      const digest = await site.plan();
      const elsewhere = temporaryFolder();
      writeFileSync(join(elsewhere, 'eventlog.jsonl'), '');
      writeFileSync(join(elsewhere, 'kept'), 'kept');
      const other = await siteOf();
      writeFileSync(join(other.folder, 'foundation.yaml'), foundationPlaybook(site.emulator.url));
      if (name !== '.infra') mkdirSync(join(other.folder, '.infra'), { mode: 0o700 });
      const target = name.endsWith('.jsonl') || name.endsWith('.gitignore') ? join(elsewhere, 'kept') : elsewhere;
      symlinkSync(target, join(other.folder, name));
      const env = { INFRA_ALLOW_ENDPOINT: site.emulator.url };
      site.emulator.resetRequests();
      const applied = await other.runHere(['apply', 'foundation.yaml', '--confirm', digest], env);
      // A .gitignore that stands is left as it is.
      if (name.endsWith('.gitignore')) expect(applied.code).toBe(0);
      else expectClear(applied, [5], /UNSAFE_PATH/);
      if (!name.endsWith('.gitignore'))
        expect(
          site.emulator.requests.filter(({ method, path }) => method !== 'GET' && !path.endsWith(':getIamPolicy')),
        ).toEqual([]);
      expect(readdirSync(elsewhere).sort()).toEqual(['eventlog.jsonl', 'kept']);
      expect(readFileSync(join(elsewhere, 'kept'), 'utf8')).toBe('kept');
      expect(readFileSync(join(elsewhere, 'eventlog.jsonl'), 'utf8')).toBe('');
    },
  );

  it.each([
    ['auth', 'defaults: { auth: { type: gcp_adc } }'],
    ['an endpoint', 'defaults: { endpoint: "http://127.0.0.1:1" }'],
    ['an auth at the root', 'auth: { type: gcp_adc }'],
    ['credentials', 'credentials: { ci: { type: service_account, key_file: /etc/passwd } }'],
    ['allowed endpoints', 'allow_endpoints: ["http://127.0.0.1:1"]'],
    ['exposed variables', 'expose_env: [HOME]'],
    ['a log elsewhere', 'eventlog: ../../elsewhere.jsonl'],
    ['a log on a server', 'eventlog: http://127.0.0.1:1/log'],
    ['__proto__', '__proto__: { allow_endpoints: [x] }'],
  ])('an infra.yaml with %s is refused', async (_name, text) => {
    const site = await siteOf();
    writeFileSync(join(site.folder, 'infra.yaml'), `${text}\n`);
    expectClear(await site.runHere(['plan', 'foundation.yaml']), [3], /infra\.yaml/);
    expect(site.emulator.requests).toEqual([]);
  });
});
