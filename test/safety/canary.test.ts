import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { CANARY, filesBelow, leaksOf, SECOND_CANARY } from '../support/safety/canary.ts';
import { foundationPlaybook } from '../support/safety/foundation.ts';
import { type Answer, echoing, type HostileServer, hostileServer, json, page } from '../support/safety/hostile.ts';
import { type Ended, Site, type SiteOptions } from '../support/safety/site.ts';

const FORMATS = [
  ['--format', 'human', '-v'],
  ['--format', 'json', '-v', '--log-format', 'json'],
  ['--format', 'ndjson', '-v', '--log-format', 'json'],
  ['--no-color', '--out', 'json=out.json', '--out', 'ndjson=out.ndjson', '--out', 'out.txt'],
];
/** exec has its lines, and no files of results. */
const forExec = (flags: readonly string[]): readonly string[] =>
  flags.filter((word) => word !== '--out' && !/out\.|out$/.test(word));
const ENV = { INFRA_TEST_TOKEN: CANARY };
const INLINE = `{ type: bearer, token: ${JSON.stringify(CANARY)} }`;

const open: (Site | HostileServer)[] = [];
afterEach(async () => {
  for (const item of open.splice(0)) await item.close();
});

async function siteOf(options: SiteOptions = {}): Promise<Site> {
  const site = await Site.open(options);
  open.push(site);
  return site;
}

async function hostile(answer: Answer): Promise<HostileServer> {
  const server = await hostileServer(answer);
  open.push(server);
  return server;
}

/** Runs each command line and looks for the secrets in everything that was printed and written. */
async function leaksIn(
  site: Site,
  commands: readonly (readonly string[])[],
  env: Readonly<Record<string, string>>,
  secretFiles: readonly string[] = [],
) {
  const texts: Record<string, string> = {};
  const ends: Ended[] = [];
  for (const argv of commands) {
    const ended = await site.runHere(argv, env);
    ends.push(ended);
    texts[`stdout of ${argv.slice(0, 2).join(' ')}`] = ended.stdout;
    texts[`stderr of ${argv.slice(0, 2).join(' ')}`] = ended.stderr;
    // A later command may write over what an earlier one wrote.
    for (const [path, text] of Object.entries(written(site, secretFiles))) texts[`${path} after ${argv[0]}`] = text;
  }
  texts['what the emulator notes'] = JSON.stringify(site.emulator.requests);
  return { ends, leaks: leaksOf([CANARY, SECOND_CANARY], texts) };
}

function written(site: Site, secretFiles: readonly string[]): Readonly<Record<string, string>> {
  const except = secretFiles.map((name) => join(site.folder, name));
  return { ...filesBelow(site.folder, except), ...filesBelow(site.home, except) };
}

describe.each(FORMATS.map((flags) => [flags.slice(0, 2).join(' '), flags] as const))('%s', (_name, flags) => {
  it('a token in the environment', async () => {
    const site = await siteOf({ playbook: foundationPlaybook });
    const digest = await site.plan();
    const { ends, leaks } = await leaksIn(
      site,
      [
        ['plan', 'foundation.yaml', ...flags],
        ['exec', 'foundation.yaml', ...forExec(flags)],
        ['apply', '--confirm', digest, ...flags],
        ['apply', 'foundation.yaml', '--confirm', digest, ...flags],
        ['exec', 'foundation.yaml', '--set', 'action=apply', ...forExec(flags)],
      ],
      ENV,
    );
    expect(ends.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0]);
    expect(leaks).toEqual([]);
  });

  it('a token in the playbook', async () => {
    const site = await siteOf({ playbook: (url) => foundationPlaybook(url, { auth: INLINE }) });
    const digest = await site.plan();
    const { ends, leaks } = await leaksIn(
      site,
      [
        ['plan', 'foundation.yaml', ...flags],
        ['exec', 'foundation.yaml', ...forExec(flags)],
        ['apply', '--confirm', digest, ...flags],
        ['apply', 'foundation.yaml', '--confirm', digest, ...flags],
      ],
      {},
      ['foundation.yaml'],
    );
    // The stored plan has no playbook, because that holds a token: it must be given again.
    expect(ends.map(({ code }) => code)).toEqual([0, 0, 5, 0]);
    expect(leaks).toEqual([]);
  });

  it('a token given by --set, and one in a workload file', async () => {
    const auth = '{ type: bearer, token: "{{ workload.token }}" }';
    const site = await siteOf({ playbook: (url) => foundationPlaybook(url, { auth }) });
    writeFileSync(join(site.folder, 'values.yaml'), `token: ${JSON.stringify(CANARY)}\n`);
    const set = ['--set', `token=${JSON.stringify(CANARY)}`];
    const { ends, leaks } = await leaksIn(
      site,
      [
        ['plan', 'foundation.yaml', ...set, ...flags],
        ['plan', 'foundation.yaml', '--workload', 'values.yaml', ...flags],
        ['exec', 'foundation.yaml', ...set, ...forExec(flags)],
        ['apply', 'foundation.yaml', '--confirm', 'a'.repeat(64), ...set, ...flags],
      ],
      {},
      ['values.yaml'],
    );
    expect(ends.map(({ code }) => code)).toEqual([0, 0, 0, 5]);
    expect(leaks).toEqual([]);
  });
});

describe.each(FORMATS.slice(0, 2).map((flags) => [flags.slice(0, 2).join(' '), flags] as const))(
  '%s, and',
  (_name, flags) => {
    it.each<[string, Answer]>([
      ['401', echoing(401, 'UNAUTHENTICATED')],
      ['403', echoing(403, 'PERMISSION_DENIED')],
      ['404', echoing(404, 'NOT_FOUND')],
      ['400', echoing(400, 'INVALID_ARGUMENT')],
      ['501', echoing(501, 'UNIMPLEMENTED')],
      [
        'a page',
        (met, response) =>
          page(403, `<h1>${met.headers.authorization}</h1>`, { 'x-echo': met.headers.authorization ?? '' })(
            met,
            response,
          ),
      ],
      ['a cut page', (met, response) => page(200, `{"name": "${met.headers.authorization}`)(met, response)],
      [
        'a success',
        (met, response) =>
          json(200, {
            name: met.headers.authorization,
            displayName: met.headers.authorization,
            folders: [{ name: `folders/${met.headers.authorization}`, displayName: met.headers.authorization }],
          })(met, response),
      ],
    ])('a server that repeats the token in %s', async (_case, answer) => {
      const server = await hostile(answer);
      const site = await siteOf({ playbook: () => foundationPlaybook(server.url) });
      const env = { ...ENV, INFRA_ALLOW_ENDPOINT: server.url };
      const { ends, leaks } = await leaksIn(
        site,
        [
          ['plan', 'foundation.yaml', '--timeout', '300ms', ...flags],
          ['apply', 'foundation.yaml', '--confirm', 'a'.repeat(64), '--timeout', '300ms', ...flags],
          ['exec', 'foundation.yaml', '--set', 'action=apply', '--timeout', '300ms', ...forExec(flags)],
        ],
        env,
      );
      expect(server.requests.some(({ headers }) => headers.authorization === `Bearer ${CANARY}`)).toBe(true);
      expect(ends.map(({ code }) => code)).not.toContain(1);
      expect(leaks).toEqual([]);
    });
  },
);

describe('debug switches in the environment', () => {
  const switches = { DEBUG: '*', GOOGLE_SDK_NODE_LOGGING: '*' };

  it.each([
    ['undici,fetch,execa', 0],
    ['http', 3],
    ['net,stream', 3],
    ['*', 3],
  ])('NODE_DEBUG=%s: no token gets out (exit %i)', async (sections, exit) => {
    const site = await siteOf({ playbook: foundationPlaybook });
    const ended = await site.run(['plan', 'foundation.yaml', '-v', '--format', 'json'], {
      env: { ...ENV, ...switches, NODE_DEBUG: sections },
    });
    expect(ended.code).toBe(exit);
    expect(site.emulator.requests.length > 0).toBe(exit === 0);
    const leaks = leaksOf([CANARY], { stdout: ended.stdout, stderr: ended.stderr });
    expect(leaks).toEqual([]);
  });
});

describe('a redirect', () => {
  it.each([301, 302, 303, 307, 308])('%i is not followed, neither for a read nor for a write', async (status) => {
    const other = await hostile(json(200, {}));
    const server = await hostile((met, response) =>
      page(status, '', { location: `${other.url}${met.url}` })(met, response),
    );
    const site = await siteOf({ playbook: () => foundationPlaybook(server.url) });
    const env = { ...ENV, INFRA_ALLOW_ENDPOINT: `${server.url},${other.url}` };
    const plan = await site.runHere(
      ['plan', 'foundation.yaml', '--allow-endpoint', server.url, '--allow-endpoint', other.url],
      { ...env, INFRA_ALLOW_ENDPOINT: '' },
    );
    const exec = await site.runHere(
      [
        'exec',
        'foundation.yaml',
        '--set',
        'action=apply',
        '--allow-endpoint',
        server.url,
        '--allow-endpoint',
        other.url,
      ],
      { ...env, INFRA_ALLOW_ENDPOINT: '' },
    );
    // Under exec it is the guard that can't be verified then.
    expect([plan.code, exec.code]).toEqual([6, 6]);
    expect(plan.stderr + plan.stdout).toContain('redirect');
    expect(server.requests.length).toBeGreaterThan(0);
    expect(other.connections).toBe(0);
  });
});

describe('an endpoint that the caller did not allow', () => {
  it.each(['plan', 'apply', 'exec'])('%s opens no connection to it', async (verb) => {
    const server = await hostile(json(200, {}));
    const site = await siteOf({ playbook: () => foundationPlaybook(server.url) });
    const flags = verb === 'apply' ? ['--confirm', 'a'.repeat(64)] : verb === 'exec' ? ['--set', 'action=apply'] : [];
    const ended = await site.runHere([verb, 'foundation.yaml', ...flags], {
      ...ENV,
      INFRA_ALLOW_ENDPOINT: 'http://127.0.0.1:9',
    });
    expect(server.connections).toBe(0);
    // A plan goes on offline, and has no digest.
    expect(ended.code).toBe(verb === 'plan' ? 0 : 5);
    expect(ended.stderr + ended.stdout).toContain(`--allow-endpoint ${server.url}`);
    expect(leaksOf([CANARY], { stdout: ended.stdout, stderr: ended.stderr })).toEqual([]);
  });

  it('an allowed one gets only what a playbook spells: never a credential of the caller', async () => {
    const server = await hostile(json(200, {}));
    const site = await siteOf({ playbook: () => foundationPlaybook(server.url, { auth: '{ type: gcp_adc }' }) });
    const key = join(site.home, 'key.json');
    writeFileSync(
      key,
      JSON.stringify({ type: 'authorized_user', client_id: 'id', client_secret: CANARY, refresh_token: SECOND_CANARY }),
    );
    const env = { GOOGLE_APPLICATION_CREDENTIALS: key, INFRA_ALLOW_ENDPOINT: server.url };
    const commands = [
      ['plan', 'foundation.yaml', '-v'],
      ['exec', 'foundation.yaml', '--set', 'action=apply', '-v'],
    ];
    const { ends, leaks } = await leaksIn(site, commands, env);
    expect(server.connections).toBe(0);
    expect(leaks.filter((leak) => !leak.startsWith(key))).toEqual([]);
    expect(ends.map(({ code }) => code)).toEqual([0, 5]);
    expect(ends[0]?.stdout).toContain('CREDENTIAL_MISDIRECTED');
  });

  it('GOOGLE_OAUTH_ACCESS_TOKEN goes to the cloud alone', async () => {
    const server = await hostile(json(200, {}));
    const auth = '{ type: bearer, token_env: GOOGLE_OAUTH_ACCESS_TOKEN }';
    const site = await siteOf({ playbook: () => foundationPlaybook(server.url, { auth }) });
    const ended = await site.runHere(['plan', 'foundation.yaml'], {
      GOOGLE_OAUTH_ACCESS_TOKEN: CANARY,
      INFRA_ALLOW_ENDPOINT: server.url,
    });
    expect(server.connections).toBe(0);
    expect(ended.stdout).toContain('CREDENTIAL_MISDIRECTED');
  });
});

describe('a secret in a place where none belongs', () => {
  it.each<[string, readonly string[], Readonly<Record<string, string>>, (url: string) => string, RegExp]>([
    [
      'the log in the environment',
      ['plan', 'foundation.yaml'],
      { INFRA_EVENTLOG: `postgres://user:${SECOND_CANARY}@db.example/log` },
      foundationPlaybook,
      /PostgreSQL|password/,
    ],
    [
      '--eventlog',
      ['plan', 'foundation.yaml', '--eventlog', `https://user:${SECOND_CANARY}@db.example/log`],
      {},
      foundationPlaybook,
      /password|read/i,
    ],
    [
      'an allowed endpoint',
      ['plan', 'foundation.yaml', '--allow-endpoint', `http://user:${SECOND_CANARY}@127.0.0.1:1`],
      {},
      foundationPlaybook,
      /password|origin/i,
    ],
    [
      'an unknown input',
      ['plan', 'foundation.yaml'],
      {},
      (url) =>
        foundationPlaybook(url).replace(
          'display_name: Acme Web,',
          `display_name: Acme Web, api_key: "${SECOND_CANARY}",`,
        ),
      /api_key/,
    ],
    [
      'an unknown key of auth',
      ['plan', 'foundation.yaml'],
      {},
      (url) =>
        foundationPlaybook(url, {
          auth: `{ type: bearer, token_env: INFRA_TEST_TOKEN, client_secret: "${SECOND_CANARY}" }`,
        }),
      /client_secret/,
    ],
    [
      'a token of the wrong shape',
      ['plan', 'foundation.yaml', '-v'],
      { INFRA_TEST_TOKEN: `${SECOND_CANARY}\nx: y` },
      foundationPlaybook,
      /characters that no token has/,
    ],
    [
      'a credentials file that is no JSON',
      ['plan', 'foundation.yaml', '-v'],
      { GOOGLE_APPLICATION_CREDENTIALS: 'key.json' },
      () =>
        foundationPlaybook('')
          .replace(/ {2}endpoint:.*\n/, '')
          .replace(/ {2}auth:.*\n/, '  auth: { type: gcp_adc }\n'),
      /credential file/,
    ],
  ])('%s: refused without repeating it', async (_case, argv, env, playbook, words) => {
    const site = await siteOf({ playbook });
    writeFileSync(join(site.folder, 'key.json'), `{"type": "service_account", "private_key": "${SECOND_CANARY}`);
    const secretFiles = ['foundation.yaml', 'key.json'];
    const commands = ['human', 'json', 'ndjson'].map((format) => [...argv, '--format', format]);
    const { ends, leaks } = await leaksIn(
      site,
      commands,
      {
        ...env,
        ...(env['GOOGLE_APPLICATION_CREDENTIALS'] === undefined
          ? {}
          : { GOOGLE_APPLICATION_CREDENTIALS: join(site.folder, 'key.json') }),
      },
      secretFiles,
    );
    expect(leaks).toEqual([]);
    for (const { code, stdout, stderr } of ends) {
      expect(code).not.toBe(1);
      expect(stdout + stderr).toMatch(words);
    }
  });
});

it('the search finds a secret in each of its forms', () => {
  const forms = [
    CANARY,
    `Bearer ${CANARY}`,
    Buffer.from(`user:${CANARY}`).toString('base64'),
    Buffer.from(CANARY).toString('base64url'),
    encodeURIComponent(CANARY),
    JSON.stringify({ a: CANARY }),
    CANARY.slice(0, 20),
  ];
  expect(forms.filter((form) => leaksOf([CANARY], { place: `x${form}y` }).length === 0)).toEqual([]);
});
