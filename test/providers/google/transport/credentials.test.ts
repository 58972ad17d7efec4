import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AuthSpec, EndpointSpec } from '../../../../src/core/step.ts';
import type { CredentialRequest, ResolvedCredential } from '../../../../src/providers/google/credentials.ts';
import { resolveCredential } from '../../../../src/providers/google/credentials.ts';
import { CLOUD_ENDPOINTS } from '../../../../src/providers/google/endpoints.ts';
import type { Act, SeenRequest } from './loopback.ts';
import { json, raw, serve } from './loopback.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'credentials-'));
});
afterAll(() => rm(folder, { recursive: true }));

const AUTH: AuthSpec = { type: 'gcp_adc', credential: null, scopes: [], token: null, tokenEnv: null };
const BEARER: AuthSpec = { ...AUTH, type: 'bearer' };
const ORIGIN = 'http://127.0.0.1:8089';
const ENDPOINT: EndpointSpec = { crm: `${ORIGIN}/v3`, billing: `${ORIGIN}/v1`, serviceusage: `${ORIGIN}/v1` };
const SECRET = 'canary-secret-0123456789';

function resolve(request: Partial<CredentialRequest>): Promise<ResolvedCredential> {
  const environment = { METADATA_SERVER_DETECTION: 'none', HOME: folder, ...request.environment };
  return resolveCredential({
    auth: AUTH,
    endpoint: null,
    credentials: {},
    allowedEndpoints: [],
    ...request,
    environment,
  });
}

async function file(name: string, content: unknown): Promise<string> {
  const full = path.join(folder, name);
  await writeFile(full, typeof content === 'string' ? content : JSON.stringify(content));
  return full;
}

async function tokenOf(resolved: ResolvedCredential): Promise<string> {
  if (resolved.kind === 'unusable') throw new Error(resolved.why.detail);
  const result = await resolved.tokenSource.token();
  if (result.kind === 'failed') throw new Error(result.why.detail);
  return result.token;
}

function unusable(code: string, ...says: readonly string[]) {
  return { kind: 'unusable', why: { code, detail: expect.stringMatching(new RegExp(says.join('.*'), 's')) } };
}

/** Sends token exchanges to a loopback server, whatever host they are for; hosts are written down. */
async function exchangeWith(
  ...script: readonly Act[]
): Promise<{ exchange: typeof fetch; seen: SeenRequest[]; urls: string[] }> {
  const server = await serve(...script);
  const urls: string[] = [];
  const exchange: typeof fetch = (input, init) => {
    const url = new URL(String(input));
    urls.push(url.origin + url.pathname);
    return fetch(server.origin + url.pathname, init);
  };
  return { exchange, seen: server.seen, urls };
}

const USER = { type: 'authorized_user', client_id: 'id', client_secret: SECRET, refresh_token: `${SECRET}-refresh` };
const granted = (token: string) => json(200, { access_token: token, expires_in: 3600, token_type: 'Bearer' });

describe('whose authority', () => {
  it('is never ambient: a step without auth is refused', async () => {
    expect(await resolve({ auth: null })).toMatchObject(unusable('AUTH_REQUIRED'));
  });

  it('a name counts only where the caller has configured some', async () => {
    const named = { ...BEARER, credential: 'ghost', tokenEnv: 'INFRA_TOKEN' };
    const environment = { INFRA_TOKEN: 'abc' };
    expect(await resolve({ auth: named, environment })).toMatchObject({ kind: 'ok' });
    const credentials = { ci: { type: 'gcp_adc' } } as const;
    expect(await resolve({ auth: named, environment, credentials })).toMatchObject(
      unusable('UNKNOWN_CREDENTIAL', 'ghost', 'ci'),
    );
    expect(await resolve({ auth: { ...named, credential: 'constructor' }, environment, credentials })).toMatchObject(
      unusable('UNKNOWN_CREDENTIAL'),
    );
  });

  it("the caller's configuration decides under its name", async () => {
    const credentials = { ci: { type: 'bearer', token_env: 'MY_TOKEN', quota_project: 'acme-admin' } } as const;
    const resolved = await resolve({
      auth: { ...AUTH, credential: 'ci' },
      credentials,
      environment: { MY_TOKEN: 'mine' },
    });
    expect(resolved).toMatchObject({
      kind: 'ok',
      quotaProject: 'acme-admin',
      target: 'cloud',
      endpoints: CLOUD_ENDPOINTS,
    });
    expect(await tokenOf(resolved)).toBe('mine');
  });

  it.each(['yc_profile', 'magic'])('%s is of no use here', async (type) => {
    expect(await resolve({ auth: { ...AUTH, type } })).toMatchObject(unusable('AUTHENTICATION', type));
  });

  it("a playbook can't name a key file", async () => {
    expect(await resolve({ auth: { ...AUTH, type: 'service_account' } })).toMatchObject(
      unusable('AUTHENTICATION', 'key file'),
    );
  });
});

describe('a bearer', () => {
  it.each(['INFRA_TOKEN', 'GOOGLE_OAUTH_ACCESS_TOKEN'])('comes from %s', async (tokenEnv) => {
    const resolved = await resolve({ auth: { ...BEARER, tokenEnv }, environment: { [tokenEnv]: 'abc' } });
    expect(await tokenOf(resolved)).toBe('abc');
    expect(resolved.kind === 'ok' && resolved.tokenSource.reach).toBe('cloud');
  });

  it('comes from the playbook itself', async () => {
    expect(await tokenOf(await resolve({ auth: { ...BEARER, token: 'abc' } }))).toBe('abc');
  });

  it.each([
    'INFRA_EVENTLOG',
    'INFRA_EVENTLOG_TOKEN',
    'INFRA_YC',
    'INFRA_ALLOW_ENDPOINT',
    'HOME',
    'PGPASSWORD',
    'infra_token',
    'INFRA_',
  ])('never comes from %s', async (tokenEnv) => {
    expect(await resolve({ auth: { ...BEARER, tokenEnv }, environment: { [tokenEnv]: SECRET } })).toMatchObject(
      unusable('CREDENTIAL_MISDIRECTED', tokenEnv),
    );
  });

  it('needs its variable', async () => {
    const auth = { ...BEARER, tokenEnv: 'INFRA_TOKEN' };
    expect(await resolve({ auth })).toMatchObject(unusable('AUTHENTICATION', 'INFRA_TOKEN', 'not set'));
    expect(await resolve({ auth, environment: { INFRA_TOKEN: '' } })).toMatchObject(
      unusable('AUTHENTICATION', 'empty'),
    );
    expect(await resolve({ auth: BEARER })).toMatchObject(unusable('AUTHENTICATION', 'token_env'));
  });

  it("that can't be a token is refused without being shown", async () => {
    const resolved = await resolve({
      auth: { ...BEARER, tokenEnv: 'INFRA_TOKEN' },
      environment: { INFRA_TOKEN: `${SECRET}\r\nx: y` },
    });
    expect(resolved).toMatchObject(unusable('AUTHENTICATION', 'characters'));
    expect(JSON.stringify(resolved)).not.toContain(SECRET);
  });

  it("from a file of the caller's is read again when it is refused", async () => {
    const token_file = await file('token', 'first\n');
    const resolved = await resolve({
      auth: { ...BEARER, credential: 'ci' },
      credentials: { ci: { type: 'bearer', token_file } },
    });
    expect(await tokenOf(resolved)).toBe('first');
    if (resolved.kind !== 'ok') return;
    expect(await resolved.tokenSource.refresh('first')).toMatchObject({
      kind: 'failed',
      why: { code: 'AUTHENTICATION' },
    });
    await writeFile(token_file, 'second');
    expect(await resolved.tokenSource.refresh('first')).toEqual({ kind: 'token', token: 'second' });
    expect(await resolved.tokenSource.refresh('first')).toEqual({ kind: 'token', token: 'second' });
    expect(resolved.tokenSource.issued()).toEqual(['first', 'second']);
  });

  it('from a file that is missing or empty is refused', async () => {
    const auth = { ...BEARER, credential: 'ci' };
    expect(
      await resolve({ auth, credentials: { ci: { type: 'bearer', token_file: path.join(folder, 'none') } } }),
    ).toMatchObject(unusable('AUTHENTICATION', 'read'));
    expect(
      await resolve({ auth, credentials: { ci: { type: 'bearer', token_file: await file('empty', ' \n') } } }),
    ).toMatchObject(unusable('AUTHENTICATION', 'empty'));
  });

  it('is used as it is', async () => {
    const credentials = { ci: { type: 'bearer', token_env: 'T', impersonate: 'a@b.iam.gserviceaccount.com' } } as const;
    expect(
      await resolve({ auth: { ...BEARER, credential: 'ci' }, credentials, environment: { T: 'x' } }),
    ).toMatchObject(unusable('AUTHENTICATION', 'impersonate'));
  });
});

describe('an endpoint of a playbook', () => {
  const allowedEndpoints = [`${ORIGIN}/`];
  const auth = { ...BEARER, token: 'abc' };

  it('is refused unless the caller allows its origin', async () => {
    const resolved = await resolve({ auth, endpoint: ENDPOINT });
    expect(resolved).toMatchObject({
      ...unusable('ENDPOINT_NOT_ALLOWED', ORIGIN),
      why: { hint: `--allow-endpoint ${ORIGIN}` },
    });
    expect(
      await resolve({ auth, endpoint: ENDPOINT, allowedEndpoints: ['http://127.0.0.1:80890', 'nonsense'] }),
    ).toMatchObject(unusable('ENDPOINT_NOT_ALLOWED'));
  });

  it('gets a bearer that the playbook spells', async () => {
    const resolved = await resolve({ auth, endpoint: ENDPOINT, allowedEndpoints });
    expect(resolved).toMatchObject({
      kind: 'ok',
      endpoints: ENDPOINT,
      target: ORIGIN,
      quotaProject: null,
      tokenSource: { reach: 'anywhere' },
    });
    const byName = await resolve({
      auth: { ...BEARER, tokenEnv: 'INFRA_SANDBOX' },
      endpoint: ENDPOINT,
      allowedEndpoints,
      environment: { INFRA_SANDBOX: 's' },
    });
    expect(await tokenOf(byName)).toBe('s');
  });

  it.each(['GOOGLE_OAUTH_ACCESS_TOKEN', 'INFRA_EVENTLOG_TOKEN', 'AWS_SECRET_ACCESS_KEY'])(
    'never gets %s',
    async (tokenEnv) => {
      const resolved = await resolve({
        auth: { ...BEARER, tokenEnv },
        endpoint: ENDPOINT,
        allowedEndpoints,
        environment: { [tokenEnv]: SECRET },
      });
      expect(resolved).toMatchObject(unusable('CREDENTIAL_MISDIRECTED'));
    },
  );

  it("never gets a credential of the caller's", async () => {
    const credentials = { ci: { type: 'bearer', token_env: 'MINE' } } as const;
    const environment = { MINE: SECRET };
    expect(
      await resolve({
        auth: { ...AUTH, credential: 'ci' },
        endpoint: ENDPOINT,
        allowedEndpoints,
        credentials,
        environment,
      }),
    ).toMatchObject(unusable('CREDENTIAL_MISDIRECTED'));
    expect(
      await resolve({
        auth: { ...BEARER, credential: 'ci' },
        endpoint: ENDPOINT,
        allowedEndpoints,
        credentials,
        environment,
      }),
    ).toMatchObject(unusable('CREDENTIAL_MISDIRECTED'));
    const spelt = await resolve({
      auth: { ...auth, credential: 'ci' },
      endpoint: ENDPOINT,
      allowedEndpoints,
      credentials,
      environment,
    });
    expect(await tokenOf(spelt)).toBe('abc');
  });

  it('leaves the services that it does not name without an address', async () => {
    const endpoint = { crm: `${ORIGIN}/v3`, billing: null, serviceusage: null };
    expect(await resolve({ auth, endpoint, allowedEndpoints })).toMatchObject({ kind: 'ok', endpoints: endpoint });
  });

  it('every origin of it must be allowed', async () => {
    const endpoint = { ...ENDPOINT, billing: 'http://127.0.0.1:9000/v1' };
    expect(await resolve({ auth, endpoint, allowedEndpoints })).toMatchObject(unusable('ENDPOINT_NOT_ALLOWED', '9000'));
    const both = await resolve({ auth, endpoint, allowedEndpoints: [ORIGIN, 'http://127.0.0.1:9000'] });
    expect(both).toMatchObject({ kind: 'ok', target: `${ORIGIN} http://127.0.0.1:9000` });
  });

  it.each([
    'http://example.com/v3',
    'https://user:pw@example.com/v3',
    'https://example.com/v3?x=1',
    'file:///etc/passwd',
  ])("can't be %s", async (crm) => {
    const origins = [new URL(crm).origin];
    expect(
      await resolve({ auth, endpoint: { ...ENDPOINT, crm }, allowedEndpoints: [...allowedEndpoints, ...origins] }),
    ).toMatchObject(unusable('ENDPOINT_NOT_ALLOWED'));
  });

  it("that is Google's own is one like any other", async () => {
    expect(await resolve({ auth, endpoint: CLOUD_ENDPOINTS })).toMatchObject(unusable('ENDPOINT_NOT_ALLOWED'));
  });

  it('works where certificates are not verified; a real credential does not', async () => {
    const environment = { NODE_TLS_REJECT_UNAUTHORIZED: '0' };
    expect(await resolve({ auth, endpoint: ENDPOINT, allowedEndpoints, environment })).toMatchObject({ kind: 'ok' });
    expect(await resolve({ auth, environment })).toMatchObject(
      unusable('CREDENTIAL_MISDIRECTED', 'NODE_TLS_REJECT_UNAUTHORIZED'),
    );
  });
});

describe('the quota project', () => {
  const quota = async (caller: string | undefined, environment: Record<string, string>, inFile?: string) => {
    const GOOGLE_APPLICATION_CREDENTIALS = await file('quota.json', {
      ...USER,
      ...(inFile === undefined ? {} : { quota_project_id: inFile }),
    });
    const credentials = caller === undefined ? {} : { ci: { type: 'gcp_adc', quota_project: caller } as const };
    const auth = caller === undefined ? AUTH : { ...AUTH, credential: 'ci' };
    const resolved = await resolve({
      auth,
      credentials,
      environment: { GOOGLE_APPLICATION_CREDENTIALS, ...environment },
    });
    return resolved.kind === 'ok' ? resolved.quotaProject : resolved.why.code;
  };

  it("is the caller's, else the environment's, else the file's, else none", async () => {
    const environment = { GOOGLE_CLOUD_QUOTA_PROJECT: 'from-env' };
    expect(await quota('from-caller', environment, 'from-file')).toBe('from-caller');
    expect(await quota(undefined, environment, 'from-file')).toBe('from-env');
    expect(await quota(undefined, {}, 'from-file')).toBe('from-file');
    expect(await quota(undefined, { GOOGLE_CLOUD_QUOTA_PROJECT: '' })).toBeNull();
  });

  it('must look like one', async () => {
    expect(await quota('x\r\ny: z', {})).toBe('QUOTA_PROJECT');
  });
});

describe('application default credentials', () => {
  const adc = async (content: unknown, more: Partial<CredentialRequest> = {}) => {
    const GOOGLE_APPLICATION_CREDENTIALS = await file('adc.json', content);
    return resolve({ ...more, environment: { GOOGLE_APPLICATION_CREDENTIALS, ...more.environment } });
  };

  it('of a user: the token is taken once, kept, and taken anew when refused', async () => {
    const { exchange, seen, urls } = await exchangeWith(granted('token-1'), granted('token-2'));
    const resolved = await adc(USER, { exchange });
    if (resolved.kind !== 'ok') throw new Error(resolved.why.detail);
    expect(seen).toHaveLength(0);
    const { tokenSource } = resolved;
    const tokens = await Promise.all([tokenSource.token(), tokenSource.token(), tokenSource.token()]);
    expect(tokens).toEqual(Array.from({ length: 3 }, () => ({ kind: 'token', token: 'token-1' })));
    expect(await tokenSource.token()).toEqual({ kind: 'token', token: 'token-1' });
    expect(seen).toHaveLength(1);
    const refreshed = await Promise.all([tokenSource.refresh('token-1'), tokenSource.refresh('token-1')]);
    expect(refreshed).toEqual(Array.from({ length: 2 }, () => ({ kind: 'token', token: 'token-2' })));
    expect(await tokenSource.refresh('token-1')).toEqual({ kind: 'token', token: 'token-2' });
    expect(seen).toHaveLength(2);
    expect(tokenSource.issued()).toEqual(['token-1', 'token-2']);
    expect(urls[0]).toBe('https://oauth2.googleapis.com/token');
  });

  it('never give the refused token again, whoever else asks at the same time', async () => {
    const { exchange, seen } = await exchangeWith(granted('token-1'), granted('token-2'));
    const resolved = await adc(USER, { exchange });
    expect(await tokenOf(resolved)).toBe('token-1');
    if (resolved.kind !== 'ok') return;
    const { tokenSource } = resolved;
    const asked = [
      tokenSource.token(),
      tokenSource.refresh('token-1'),
      tokenSource.token(),
      tokenSource.refresh('token-1'),
    ];
    const [, first, , second] = await Promise.all(asked);
    expect([first, second]).toEqual([
      { kind: 'token', token: 'token-2' },
      { kind: 'token', token: 'token-2' },
    ]);
    expect(seen).toHaveLength(2);
  });

  it('that are no longer valid say what to run, show no secret, and are asked for once', async () => {
    const { exchange, seen } = await exchangeWith(
      json(400, { error: 'invalid_grant', error_description: `Token ${SECRET}-refresh has been expired or revoked.` }),
    );
    const resolved = await adc(USER, { exchange });
    if (resolved.kind !== 'ok') throw new Error(resolved.why.detail);
    const result = await resolved.tokenSource.token();
    expect(result).toMatchObject({
      kind: 'failed',
      why: { code: 'AUTHENTICATION', hint: 'gcloud auth application-default login', retryable: false },
    });
    expect(JSON.stringify(result)).not.toContain(SECRET);
    const before = seen.length;
    await resolved.tokenSource.token();
    await resolved.tokenSource.refresh('x');
    expect(seen.length).toBe(before);
  });

  it('are asked for again after a passing failure', async () => {
    let failing = true;
    const { exchange: loopback } = await exchangeWith(granted('token-1'));
    const exchange: typeof fetch = (input, init) => {
      if (failing) return Promise.reject(Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }));
      return loopback(input, init);
    };
    const resolved = await adc({ ...USER, type: 'authorized_user' }, { exchange });
    if (resolved.kind !== 'ok') throw new Error(resolved.why.detail);
    expect(await resolved.tokenSource.token()).toMatchObject({ kind: 'failed', why: { retryable: true } });
    failing = false;
    expect(await resolved.tokenSource.token()).toEqual({ kind: 'token', token: 'token-1' });
  });

  it('of a service account sign their request for the scopes', async () => {
    const { exchange, seen } = await exchangeWith(granted('sa-token'));
    const resolved = await adc(serviceAccount(), {
      exchange,
      auth: { ...AUTH, scopes: ['https://www.googleapis.com/auth/cloud-platform.read-only'] },
    });
    expect(await tokenOf(resolved)).toBe('sa-token');
    const assertion = new URLSearchParams(seen[0]?.body).get('assertion') ?? '';
    const claims = JSON.parse(Buffer.from(assertion.split('.')[1] ?? '', 'base64url').toString());
    expect(claims).toMatchObject({
      iss: 'sa@p.iam.gserviceaccount.com',
      scope: 'https://www.googleapis.com/auth/cloud-platform.read-only',
    });
  });

  it("of an external account whose own token can't be read fail, and ask nobody", async () => {
    const { exchange, urls } = await exchangeWith(granted('never'));
    const resolved = await adc(EXTERNAL, { exchange });
    if (resolved.kind !== 'ok') throw new Error(resolved.why.detail);
    expect(await resolved.tokenSource.token()).toMatchObject({ kind: 'failed', why: { code: 'AUTHENTICATION' } });
    expect(urls).toEqual([]);
  });

  it('act as a service account where the caller says so', async () => {
    const expireTime = new Date(Date.now() + 3_600_000).toISOString();
    const { exchange, seen, urls } = await exchangeWith(
      granted('source'),
      json(200, { accessToken: 'target', expireTime }),
    );
    const impersonate = 'infra@acme-admin.iam.gserviceaccount.com';
    const resolved = await adc(USER, {
      exchange,
      auth: { ...AUTH, credential: 'ci' },
      credentials: { ci: { type: 'gcp_adc', impersonate, scopes: ['https://s'] } },
    });
    expect(await tokenOf(resolved)).toBe('target');
    expect(urls[1]).toBe(
      `https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/${impersonate}:generateAccessToken`,
    );
    expect(JSON.parse(seen[1]?.body ?? '')).toMatchObject({ scope: ['https://s'], lifetime: '3600s' });
    expect(resolved.kind === 'ok' && resolved.tokenSource.description).toContain(impersonate);
  });

  it('that may not act as it say which role is missing, without a token', async () => {
    const refused = json(403, { error: { code: 403, status: 'PERMISSION_DENIED', message: 'no' } });
    const { exchange } = await exchangeWith(granted(`${SECRET}-source`), refused);
    const impersonate = 'infra@acme-admin.iam.gserviceaccount.com';
    const resolved = await adc(USER, {
      exchange,
      auth: { ...AUTH, credential: 'ci' },
      credentials: { ci: { type: 'gcp_adc', impersonate } },
    });
    if (resolved.kind !== 'ok') throw new Error(resolved.why.detail);
    const result = await resolved.tokenSource.token();
    expect(result).toMatchObject({
      kind: 'failed',
      why: {
        code: 'AUTHENTICATION',
        hint: `gcloud iam service-accounts add-iam-policy-binding ${impersonate} --member=MEMBER --role=roles/iam.serviceAccountTokenCreator`,
      },
    });
    expect(JSON.stringify(result)).not.toContain(SECRET);
  });

  it('act as nobody whose name is no service account', async () => {
    const credentials = { ci: { type: 'gcp_adc', impersonate: 'x/../y' } } as const;
    expect(await adc(USER, { auth: { ...AUTH, credential: 'ci' }, credentials })).toMatchObject(
      unusable('AUTHENTICATION', 'impersonate'),
    );
  });

  it('lie where gcloud puts them', async () => {
    const CLOUDSDK_CONFIG = await mkdtemp(path.join(folder, 'sdk-'));
    await writeFile(path.join(CLOUDSDK_CONFIG, 'application_default_credentials.json'), JSON.stringify(USER));
    const resolved = await resolve({ environment: { CLOUDSDK_CONFIG } });
    expect(resolved).toMatchObject({
      kind: 'ok',
      tokenSource: { reach: 'cloud', description: 'application default credentials (authorized_user)' },
    });
  });

  it('may be nowhere', async () => {
    expect(await resolve({})).toMatchObject({
      ...unusable('AUTHENTICATION', 'no metadata server'),
      why: { hint: 'gcloud auth application-default login' },
    });
    expect(
      await resolve({ environment: { GOOGLE_APPLICATION_CREDENTIALS: path.join(folder, 'none.json') } }),
    ).toMatchObject(unusable('AUTHENTICATION', 'does not exist'));
    expect(await resolve({ environment: { GOOGLE_APPLICATION_CREDENTIALS: folder } })).toMatchObject(
      unusable('AUTHENTICATION', 'no plain file'),
    );
  });

  it.each([
    ['another universe', { ...USER, universe_domain: 'evil.example' }, 'universe_domain'],
    ['an unknown type', { ...USER, type: 'gdch_service_account' }, 'type is not supported'],
    ['no type', {}, 'type is not supported'],
    ['not JSON', 'nonsense', 'not a JSON object'],
    ['a list', [], 'not a JSON object'],
    ['too large', 'x'.repeat(300_000), 'too large'],
    ['a missing key', { type: 'authorized_user', client_id: 'x', client_secret: SECRET }, 'refresh_token'],
  ])('of %s are refused without showing anything of them', async (_what, content, says) => {
    const resolved = await adc(content);
    expect(resolved).toMatchObject(unusable('AUTHENTICATION', says));
    expect(JSON.stringify(resolved)).not.toContain(SECRET);
  });

  it.each([
    'http://sts.googleapis.com/v1/token',
    'https://evil.example/v1/token',
    'https://googleapis.com.evil.example/t',
    'https://u:p@sts.googleapis.com/',
    'nonsense',
  ])('exchange nothing at %s', async (token_url) => {
    expect(await adc({ ...EXTERNAL, token_url })).toMatchObject(unusable('AUTHENTICATION', 'token_url'));
  });

  it('look into the sources of an impersonating file too', async () => {
    const service_account_impersonation_url =
      'https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/a@b.iam.gserviceaccount.com:generateAccessToken';
    const content = {
      type: 'impersonated_service_account',
      service_account_impersonation_url,
      source_credentials: USER,
    };
    expect(await adc(content)).toMatchObject({ kind: 'ok' });
    expect(await adc({ ...content, source_credentials: { ...USER, universe_domain: 'evil.example' } })).toMatchObject(
      unusable('AUTHENTICATION', 'universe_domain'),
    );
    expect(
      await adc({ ...content, service_account_impersonation_url: 'https://evil.example/x:generateAccessToken' }),
    ).toMatchObject(unusable('AUTHENTICATION', 'impersonation_url'));
  });
});

const EXTERNAL = {
  type: 'external_account',
  audience: '//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/q',
  subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
  token_url: 'https://sts.googleapis.com/v1/token',
  credential_source: { file: '/nonexistent' },
};

function serviceAccount() {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return {
    type: 'service_account',
    client_email: 'sa@p.iam.gserviceaccount.com',
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    private_key_id: '1',
    project_id: 'p',
  };
}

describe("a key file of the caller's", () => {
  const key = (key_file: string | undefined, exchange?: typeof fetch) =>
    resolve({
      auth: { ...AUTH, credential: 'ci' },
      credentials: { ci: { type: 'service_account', key_file } },
      ...(exchange === undefined ? {} : { exchange }),
    });

  it("is a service account's", async () => {
    const { exchange } = await exchangeWith(granted('sa-token'));
    expect(await tokenOf(await key(await file('sa.json', serviceAccount()), exchange))).toBe('sa-token');
  });

  it('is nothing else', async () => {
    expect(await key(await file('user.json', USER))).toMatchObject(unusable('AUTHENTICATION', 'type'));
    expect(await key(await file('ext.json', EXTERNAL))).toMatchObject(unusable('AUTHENTICATION', 'type'));
    expect(await key(await file('uni.json', { ...serviceAccount(), universe_domain: 'x.y' }))).toMatchObject(
      unusable('AUTHENTICATION', 'universe_domain'),
    );
    expect(await key(path.join(folder, 'none.json'))).toMatchObject(unusable('AUTHENTICATION', 'does not exist'));
    expect(await key(undefined)).toMatchObject(unusable('AUTHENTICATION', 'key_file'));
  });

  it('with a broken key fails without showing it', async () => {
    const { exchange } = await exchangeWith(raw(200, 'x'));
    const resolved = await key(await file('broken.json', { ...serviceAccount(), private_key: SECRET }), exchange);
    if (resolved.kind !== 'ok') throw new Error(resolved.why.detail);
    const result = await resolved.tokenSource.token();
    expect(result).toMatchObject({ kind: 'failed', why: { code: 'AUTHENTICATION' } });
    expect(JSON.stringify(result)).not.toContain(SECRET);
  });
});

describe('a metadata server', () => {
  it("gives the token of the machine's service account", async () => {
    const server = await serve((request, response) => {
      const body = request.url.includes('/token') ? '{"access_token":"machine","expires_in":3600}' : '{}';
      response.writeHead(200, { 'metadata-flavor': 'Google', 'content-type': 'application/json' });
      response.end(body);
    });
    const { gcpMetadata } = await import('google-auth-library');
    const before = process.env['GCE_METADATA_HOST'];
    process.env['GCE_METADATA_HOST'] = new URL(server.origin).host;
    gcpMetadata.resetIsAvailableCache();
    try {
      expect(await tokenOf(await resolve({ environment: { METADATA_SERVER_DETECTION: undefined } }))).toBe('machine');
      expect(server.seen.some((request) => request.headers['metadata-flavor'] === 'Google')).toBe(true);
    } finally {
      if (before === undefined) delete process.env['GCE_METADATA_HOST'];
      else process.env['GCE_METADATA_HOST'] = before;
      gcpMetadata.resetIsAvailableCache();
    }
  });

  it('that is not there is noticed within seconds', async () => {
    const before = process.env['GCE_METADATA_HOST'];
    process.env['GCE_METADATA_HOST'] = '127.0.0.1:1';
    const { gcpMetadata } = await import('google-auth-library');
    gcpMetadata.resetIsAvailableCache();
    const started = performance.now();
    try {
      expect(await resolve({ environment: { METADATA_SERVER_DETECTION: undefined } })).toMatchObject(
        unusable('AUTHENTICATION', 'no metadata server'),
      );
      expect(performance.now() - started).toBeLessThan(6000);
    } finally {
      if (before === undefined) delete process.env['GCE_METADATA_HOST'];
      else process.env['GCE_METADATA_HOST'] = before;
      gcpMetadata.resetIsAvailableCache();
    }
  });
});
