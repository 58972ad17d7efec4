import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Fault } from '../../src/emulator/google/options.ts';
import { foundationPlaybook, ORG_ID } from '../support/safety/foundation.ts';
import { type HostileServer, hostileServer, page } from '../support/safety/hostile.ts';
import { type Ended, Site } from '../support/safety/site.ts';

const impatient = (url: string): string =>
  foundationPlaybook(url).replace('interval_ms: 1', 'interval_ms: 1, max_attempts: 3');
const TRACE = /\n\s+at .*(\.cjs|\.ts|node:)|node:internal|\[object Object\]|a bug in infra/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const RAW = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/;
/** Every path that a run of the fixture has any business with. */
const OURS =
  /^\/(v3\/(folders|projects)|v3\/(organizations|projects|folders)\/[A-Za-z0-9-]+(:(getIamPolicy|setIamPolicy|move|testIamPermissions))?|v[13]\/operations\/[A-Za-z0-9._~-]+|v1\/billingAccounts\/[A-F0-9-]+(\/projects)?|v1\/projects\/[a-z0-9-]+\/(billingInfo|services(\/[a-z.]+:enable|:batchEnable|:batchGet)?))$/;

const open: (Site | HostileServer)[] = [];
afterEach(async () => {
  for (const item of open.splice(0)) await item.close();
});

async function siteOf(): Promise<Site> {
  const site = await Site.open({ playbook: impatient });
  open.push(site);
  return site;
}

function expectBounded(site: Site, ended: Ended): void {
  expect(ended.stdout + ended.stderr).not.toMatch(TRACE);
  expect(ended.stdout + ended.stderr).not.toMatch(RAW);
  expect(ended.code).not.toBe(1);
  expect(site.emulator.requests.length).toBeLessThan(3000);
  expect(site.emulator.requests.map(({ path }) => path).filter((path) => !OURS.test(path))).toEqual([]);
}

const respond = (path: string, body: unknown, more: Partial<Fault> = {}): Fault => ({
  method: 'GET',
  path,
  action: { kind: 'respond', status: 200, body },
  ...more,
});
const POLICY = ':getIamPolicy';
const policy = (body: unknown): Fault => respond(POLICY, body, { method: 'POST' });
const nested = (depth: number): unknown => (depth === 0 ? 1 : { a: nested(depth - 1) });

describe('an API that lies to a plan', () => {
  it.each<[string, Fault, readonly number[]]>([
    ['the same page for ever', respond('/v3/folders', { folders: [], nextPageToken: 'again' }), [6]],
    [
      'the same page of projects for ever',
      respond('/v3/projects\\?', { projects: [], nextPageToken: 'again' }),
      [0, 6],
    ],
    ['the same page of services for ever', respond('/services', { services: [], nextPageToken: 'again' }), [6]],
    ['ten megabytes', respond('/v3/folders', { folders: [], note: 'x'.repeat(10_000_000) }), [0]],
    ['a hundred levels and more', respond('/v3/folders', { folders: [], note: nested(200) }), [6]],
    ['a text for a list', respond('/v3/folders', { folders: 'all of them' }), [6]],
    ['a map for a list', respond('/v3/folders', { folders: { length: 3 } }), [6]],
    ['entries that are none', respond('/v3/folders', { folders: [null, 3, 'x', [], {}] }), [0, 6]],
    [
      'a folder whose name is a path',
      respond('/v3/folders', {
        folders: [
          {
            name: 'folders/../organizations/1',
            displayName: '00-shared',
            parent: `organizations/${ORG_ID}`,
            state: 'ACTIVE',
          },
        ],
      }),
      [0, 6],
    ],
    [
      'a folder whose name is a URL',
      respond('/v3/folders', {
        folders: [
          {
            name: 'http://169.254.169.254/',
            displayName: '00-shared',
            parent: `organizations/${ORG_ID}`,
            state: 'ACTIVE',
          },
        ],
      }),
      [0, 6],
    ],
    [
      'numbers for names',
      respond('/v3/folders', { folders: [{ name: 7, displayName: 8, parent: 9, state: 10 }] }),
      [0, 6],
    ],
    [
      'names with escape sequences',
      respond('/v3/folders', {
        folders: [
          { name: 'folders/1', displayName: '00-shared', parent: `organizations/${ORG_ID}`, state: '\u001b[2J\u202e' },
        ],
      }),
      [0, 6],
    ],
    [
      'a project that is another one',
      respond('/v3/projects/acme-etl-dev', {
        name: 'projects/1',
        projectId: 'someone-elses',
        parent: '\u001b[31m',
        state: 'ACTIVE',
        displayName: '\u202eevil',
      }),
      [0, 6],
    ],
    [
      'a project of the wrong shape',
      respond('/v3/projects', { projects: [{ projectId: { toString: 'x' }, labels: 'none', parent: [] }] }),
      [0, 6],
    ],
    [
      '__proto__ in an answer',
      {
        method: 'GET',
        path: '/v3/projects',
        action: {
          kind: 'respond',
          status: 200,
          body: '{"projects":[],"__proto__":{"polluted":true}}',
          headers: { 'content-type': 'application/json' },
        },
      },
      [0, 6],
    ],
    ['a policy without an etag', policy({ bindings: [] }), [0, 6]],
    ['a policy that is a text', policy({ bindings: 'everybody', etag: 'x' }), [6]],
    ['bindings of the wrong shape', policy({ bindings: [{ role: 3, members: 'all' }, null], etag: 'x' }), [0, 6]],
    ['a list for an object', respond('/v3/projects', [1, 2, 3]), [6]],
    [
      'an empty answer',
      { method: 'GET', path: '/v3/folders', action: { kind: 'respond', status: 200, body: '' } },
      [6],
    ],
  ])('%s', async (_name, fault, codes) => {
    const site = await siteOf();
    site.emulator.addFault(fault);
    const started = process.cpuUsage();
    // What is to be read to its end has the time for it, however loaded the machine is.
    const timeout = codes.includes(6) ? '1s' : '30s';
    const ended = await site.runHere(['plan', 'foundation.yaml', '--no-save', '-v', '--timeout', timeout]);
    // What is worked, not what the clock says: a loaded machine is no hostile API.
    expect(process.cpuUsage(started).user).toBeLessThan(10_000_000);
    expectBounded(site, ended);
    expect(codes, ended.stdout + ended.stderr).toContain(ended.code);
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });

  it('more than can be held is not read to its end', async () => {
    const chunk = Buffer.alloc(1024 * 1024, 0x20);
    let sent = 0;
    const server = await hostileServer((_met, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const more = (): void => {
        for (let go = true; go && !response.destroyed && sent < 2000; sent += 1) go = response.write(chunk);
      };
      response.on('drain', more);
      response.on('error', () => undefined);
      more();
    });
    open.push(server);
    const site = await Site.open({ playbook: () => impatient(server.url) });
    open.push(site);
    const ended = await site.run(['plan', 'foundation.yaml', '--no-save', '--timeout', '8s', '--parallelism', '1'], {
      env: { INFRA_ALLOW_ENDPOINT: server.url },
    });
    expect(ended.code, ended.stderr).toBe(6);
    expect(sent).toBeLessThan(2000);
    expect(ended.stdout + ended.stderr).not.toMatch(TRACE);
  });

  it('headers without an end', async () => {
    const server = await hostileServer((_met, response) =>
      page(200, '{}', { 'x-long': 'x'.repeat(200_000) })(_met, response),
    );
    open.push(server);
    const site = await Site.open({ playbook: () => impatient(server.url) });
    open.push(site);
    const ended = await site.runHere(['plan', 'foundation.yaml', '--no-save', '--timeout', '2s'], {
      INFRA_ALLOW_ENDPOINT: server.url,
    });
    expect(ended.code).toBe(6);
    expect(ended.stdout + ended.stderr).not.toMatch(TRACE);
  });
});

describe('an API that lies to an apply', () => {
  const operation = (path: string, body: unknown): Fault => ({
    method: 'POST',
    path,
    nth: 1,
    action: { kind: 'respond', status: 200, body },
  });

  it.each<[string, Fault]>([
    [
      'an operation with a path out of its collection',
      operation('/v3/folders', { name: 'operations/../../v1/projects/acme-etl-dev/billingInfo' }),
    ],
    ['an operation that is a URL', operation('/v3/folders', { name: 'http://169.254.169.254/token' })],
    ['an operation on another host', operation('/v3/folders', { name: '//evil.example/operations/1' })],
    ['an operation with a query', operation('/v3/projects$', { name: 'operations/x?access_token=1' })],
    ['an operation with an encoded path', operation('/v3/projects$', { name: 'operations/%2e%2e%2forganizations' })],
    ['an operation with a line break', operation('/v3/folders', { name: 'operations/x\r\nHost: evil' })],
    ['an operation that is nothing', operation('/v3/folders', {})],
    ['an operation that is done and made nothing', operation('/v3/folders', { done: true, response: {} })],
    [
      'an operation that made something else',
      operation('/v3/folders', { done: true, response: { name: 'folders/../organizations/1', displayName: 'x' } }),
    ],
    [
      'an operation that made another folder',
      operation('/v3/folders', {
        done: true,
        response: { name: 'folders/666', displayName: 'not asked for', parent: 'organizations/1' },
      }),
    ],
    [
      'an error of no kind',
      operation('/v3/projects$', { done: true, error: { code: 'x', message: ['\u001b[2J'], details: 'none' } }),
    ],
    [
      'a billing link to another account',
      {
        method: 'PUT',
        path: 'billingInfo',
        nth: 1,
        action: {
          kind: 'respond',
          status: 200,
          body: {
            name: 'projects/acme-dns-prod/billingInfo',
            billingAccountName: 'billingAccounts/666666-666666-666666',
            billingEnabled: true,
          },
        },
      },
    ],
    [
      'a policy without what was written',
      {
        method: 'POST',
        path: ':setIamPolicy',
        action: { kind: 'respond', status: 200, body: { bindings: [], etag: 'x' } },
      },
    ],
  ])(
    '%s: no false success, no request elsewhere, and the next run converges',
    async (_name, fault) => {
      const site = await siteOf();
      const digest = await site.plan();
      site.emulator.addFault(fault);
      const ended = await site.runHere(['apply', '--confirm', digest, '-v', '--timeout', '1500ms', '--format', 'json']);
      expectBounded(site, ended);
      expect([6, 7], ended.stdout + ended.stderr).toContain(ended.code);
      await site.log().verify();
      site.emulator.clearFaults();
      const again = await site.runHere(['apply', '--confirm', digest]);
      expect(again.code, again.stdout + again.stderr).toBe(0);
      expect((await site.runHere(['plan', 'foundation.yaml', '--detailed-exitcode', '--no-save'])).code).toBe(0);
    },
    60_000,
  );

  it('a policy without an etag is not written over', async () => {
    const site = await siteOf();
    const digest = await site.plan();
    site.emulator.addFault(policy({ bindings: [] }));
    const ended = await site.runHere(['apply', 'foundation.yaml', '--confirm', digest]);
    expectBounded(site, ended);
    const written = site.emulator.requests.filter(({ path }) => path.endsWith(':setIamPolicy'));
    expect(written.filter(({ body }) => !JSON.stringify(body).includes('"etag":'))).toEqual([]);
  });

  it('a policy that was read in an older version is left alone', async () => {
    const site = await siteOf();
    const etag = 'BwXhqDVIJ6A=';
    site.emulator.addFault(
      policy({
        version: 1,
        etag,
        bindings: [{ role: 'roles/browser_withcond_2b17cc25d2cd9e2c54d8', members: ['user:night@example.com'] }],
      }),
    );
    const { code, stdout, stderr } = await site.runHere(['plan', 'foundation.yaml']);
    expect(stdout + stderr).toMatch(/_withcond_/);
    expect(code).toBe(0);
    const digest = 'a'.repeat(64);
    await site.runHere(['apply', 'foundation.yaml', '--confirm', digest]);
    expect(site.emulator.requests.filter(({ path }) => path.endsWith(':setIamPolicy'))).toEqual([]);
  });
});

describe('a log of a stranger', () => {
  const FACT = {
    urn: `google:cloudresourcemanager:folder:organizations/${ORG_ID}/00-shared`,
    provider: 'google',
    service: 'cloudresourcemanager',
    resource_type: 'folder',
    verb: 'ensure',
    stack: 'foundation',
    desired: { parent: `organizations/${ORG_ID}`, display_name: '00-shared' },
    execution_id: 1,
    outcome: 'changed',
  };
  const wrapped = (fact: object): string => JSON.stringify({ type: 'provider.fact', provider_fact: fact });

  it.each<[string, string, readonly number[], readonly number[]]>([
    ['a broken line', `${wrapped(FACT)}\n{"type": "provider\n${wrapped(FACT)}\n`, [5, 6], [5, 6]],
    ['a line that is no object', `${wrapped(FACT)}\n3\n${wrapped(FACT)}\n`, [0, 5, 6], [5, 6]],
    [
      'a fact of the wrong shape',
      `${wrapped({ ...FACT, desired: 3, urn: ['x'], outcome: { a: 1 } })}\n`,
      [0, 5, 6],
      [0, 5, 6, 7],
    ],
    [
      'a fact with __proto__',
      `{"type":"provider.fact","provider_fact":${JSON.stringify(FACT).replace('{', '{"__proto__":{"polluted":true},')}}\n`,
      [0, 5, 6],
      [0, 5, 6, 7],
    ],
    ['an id that is a path', `${wrapped({ ...FACT, resource_id: 'folders/1/../../organizations/1' })}\n`, [3], [3, 5]],
    [
      'an id that is a URL',
      `${wrapped({ ...FACT, resource_id: 'http://169.254.169.254/' })}\n`,
      [0, 5, 6],
      [0, 5, 6, 7],
    ],
    [
      'names with escape sequences',
      `${wrapped({ ...FACT, stack: '\u001b[2J\u202e', credential: '\u0007' })}\n`,
      [0, 5, 6],
      [0, 5, 6, 7],
    ],
    ['ten megabytes in a line', `${wrapped({ ...FACT, note: 'x'.repeat(10_000_000) })}\n`, [0, 5, 6], [0, 5, 6, 7]],
    ['nothing but brackets', `${'['.repeat(200_000)}\n${wrapped(FACT)}\n`, [5, 6], [5, 6]],
    ['bytes that are no text', `\u0000\ufffd\u0001\n${wrapped(FACT)}\n`, [5, 6], [5, 6]],
  ])('%s: bounded, clear, and no request elsewhere', async (_name, text, planCodes, applyCodes) => {
    const site = await siteOf();
    mkdirSync(dirname(site.logFile), { mode: 0o700 });
    writeFileSync(site.logFile, text, { mode: 0o600 });
    const plan = await site.runHere(['plan', 'foundation.yaml', '--format', 'json', '-v']);
    expectBounded(site, plan);
    expect(planCodes, plan.stderr.slice(0, 2000)).toContain(plan.code);
    const { digest } = JSON.parse(plan.stdout) as { digest?: string | null };
    const apply = await site.runHere(['apply', 'foundation.yaml', '--confirm', digest ?? 'a'.repeat(64), '-v']);
    expectBounded(site, apply);
    expect(applyCodes, apply.stderr.slice(0, 2000)).toContain(apply.code);
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });

  it('a pending operation whose name is a path is not asked for', async () => {
    const site = await siteOf();
    const target = site.emulator.url;
    mkdirSync(dirname(site.logFile), { mode: 0o700 });
    const intent = {
      global_sequence: 1,
      type: 'provider.intent',
      recorded_at: '2026-01-01T00:00:00Z',
      execution_id: 1,
      target,
      address: 'folders[00-shared]',
      urn: FACT.urn,
      stack: 'foundation',
      operation: 'create',
      operation_id: '0'.repeat(32),
      digest: null,
      provider_fact: { ...FACT, outcome: 'planned' },
    };
    const outcome = {
      global_sequence: 2,
      type: 'provider.outcome',
      recorded_at: '2026-01-01T00:00:00Z',
      execution_id: 1,
      target,
      intent_sequence: 1,
      status: 'pending',
      code: 'OPERATION_PENDING',
      operation_name: 'operations/../../v1/projects/acme-etl-dev/billingInfo',
    };
    writeFileSync(site.logFile, `${JSON.stringify(intent)}\n${JSON.stringify(outcome)}\n`, { mode: 0o600 });
    const digest = await site.plan();
    const ended = await site.runHere(['apply', '--confirm', digest]);
    expectBounded(site, ended);
    expect(site.emulator.requests.some(({ path }) => path.includes('..'))).toBe(false);
  });

  it.each<[string, (text: string) => string]>([
    ['a changed word', (text) => text.replace('acme-dns-prod', 'acme-dns-prox')],
    ['a row that is gone', (text) => text.split('\n').toSpliced(3, 1).join('\n')],
    [
      'two rows in another order',
      (text) => {
        const lines = text.split('\n');
        return [...lines.slice(0, 2), lines[3], lines[2], ...lines.slice(4)].join('\n');
      },
    ],
    [
      'a row twice',
      (text) => {
        const lines = text.split('\n');
        return [...lines.slice(0, 3), lines[2], ...lines.slice(3)].join('\n');
      },
    ],
  ])('%s in the chain: an apply is refused with exit 5, and sends nothing', async (_name, edit) => {
    const site = await siteOf();
    const digest = await site.plan();
    expect((await site.runHere(['apply', '--confirm', digest])).code).toBe(0);
    writeFileSync(site.logFile, edit(readFileSync(site.logFile, 'utf8')));
    site.emulator.resetRequests();
    const ended = await site.runHere(['apply', '--confirm', digest]);
    expect(ended.code, ended.stderr).toBe(5);
    expect(ended.stderr).toMatch(/CHAIN_BROKEN/);
    expect(site.emulator.requests).toEqual([]);
    expect(site.locks()).toEqual([]);
  });

  it('what another program appends is no break', async () => {
    const site = await siteOf();
    const digest = await site.plan();
    expect((await site.runHere(['apply', '--confirm', digest])).code).toBe(0);
    appendFileSync(site.logFile, `${wrapped({ ...FACT, outcome: 'noop' })}\n`);
    expect((await site.runHere(['apply', '--confirm', digest])).code).toBe(0);
    await site.log().verify();
  });
});
