import { describe, expect, it } from 'vitest';
import { fixedToken } from '../../../../src/providers/google/auth.ts';
import { createGoogleClient } from '../../../../src/providers/google/http-client.ts';
import { CREATE, clientFor, fakeTiming, json, ok, READ, raw, reset, serve, silence, TOKEN } from './loopback.ts';

describe('a request', () => {
  it('carries the token, the user agent and no wish for compression', async () => {
    const server = await serve(ok);
    const result = await clientFor(server).call({ ...READ, query: { pageSize: '50', names: ['a', 'b'] } });
    expect(result).toEqual({ kind: 'ok', body: { name: 'projects/1' } });
    const [request] = server.seen;
    expect(request?.url).toBe('/v3/projects/p1?pageSize=50&names=a&names=b');
    expect(request?.headers['authorization']).toBe(`Bearer ${TOKEN}`);
    expect(request?.headers['user-agent']).toBe('infra/0.0.0');
    expect(request?.headers['accept-encoding']).toBeUndefined();
    expect(request?.headers['content-type']).toBeUndefined();
  });

  it('carries a body as JSON and a length where there is none', async () => {
    const server = await serve(ok);
    const client = clientFor(server);
    await client.call(CREATE);
    const { body: _body, ...bodiless } = CREATE;
    await client.call(bodiless);
    expect(server.seen.map((request) => request.body)).toEqual(['{"projectId":"p1"}', '']);
    expect(server.seen[0]?.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(server.seen[1]?.headers['content-length']).toBe('0');
  });

  it('D7: carries the quota project on every call, but for calls that leave it out', async () => {
    const server = await serve(ok);
    const client = clientFor(server, { quotaProject: 'acme-admin' });
    await client.call(READ);
    await client.call(CREATE);
    await client.call({ ...READ, omitQuotaProject: true });
    const sent = server.seen.map((request) => request.headers['x-goog-user-project']);
    expect(sent).toEqual(['acme-admin', 'acme-admin', undefined]);
  });

  it('is not sent to a service without an address', async () => {
    const server = await serve(ok);
    const client = clientFor(server, { endpoints: { crm: `${server.origin}/v3`, billing: null, serviceusage: null } });
    const result = await client.call({ ...READ, service: 'billing' });
    expect(result).toMatchObject({ kind: 'unsent', diagnostic: { code: 'ENDPOINT_NOT_ALLOWED' } });
    expect(server.seen).toHaveLength(0);
  });

  it.each([
    'http://10.0.0.1/v3',
    'http://example.com/v3',
    'ftp://127.0.0.1/v3',
    'https://u:p@127.0.0.1/v3',
    'nonsense',
  ])('is not sent to %s', async (crm) => {
    const server = await serve(ok);
    const result = await clientFor(server, { endpoints: { crm, billing: null, serviceusage: null } }).call(READ);
    expect(result).toMatchObject({ kind: 'unsent', diagnostic: { code: 'ENDPOINT_NOT_ALLOWED' } });
  });

  it('never takes a real credential to another address', async () => {
    const server = await serve(ok);
    const result = await clientFor(server, { credential: fixedToken('cloud', 'real token', TOKEN) }).call(READ);
    expect(result).toMatchObject({ kind: 'unsent', diagnostic: { code: 'CREDENTIAL_MISDIRECTED' } });
    expect(server.seen).toHaveLength(0);
  });

  it.each([
    'projects/..',
    'projects/../x',
    'projects/%2e%2e',
    '/projects',
    'projects/p?x=1',
    'projects/p#x',
    '',
    'projects/a b',
    'projects\\x',
  ])('is not sent where its path %j leads elsewhere', async (path) => {
    const server = await serve(ok);
    const result = await clientFor(server).call({ ...READ, path });
    expect(result).toMatchObject({ kind: 'unsent', diagnostic: { code: 'INVALID_VALUE' } });
    expect(server.seen).toHaveLength(0);
  });

  it('is not sent without a token', async () => {
    const server = await serve(ok);
    const result = await clientFor(server, { credential: fixedToken('anywhere', 'test token', 'two\nlines') }).call(
      READ,
    );
    expect(result).toMatchObject({ kind: 'unsent', diagnostic: { code: 'AUTHENTICATION' } });
    expect(server.seen).toHaveLength(0);
  });

  it('reuses its connection', async () => {
    const sockets = new Set<unknown>();
    const server = await serve((_request, response) => {
      sockets.add(response.socket);
      response.end('{"a":1}');
    });
    const client = clientFor(server);
    for (let count = 0; count < 5; count += 1) await client.call(READ);
    expect(sockets.size).toBeLessThan(3);
  });
});

describe('an answer', () => {
  it.each([
    ['HTML', raw(200, '<html>hello</html>')],
    ['nothing', raw(200, '')],
    ['cut short', raw(200, '{"name":"proj')],
    ['a list', json(200, [1])],
    ['a string', json(200, 'x')],
    ['too deep', raw(200, `{"a":${'['.repeat(200)}${']'.repeat(200)}}`)],
    ['too long', raw(200, JSON.stringify({ a: 'x'.repeat(5000) }))],
  ])('that is %s is invalid for a read and leaves a write open', async (_what, act) => {
    const server = await serve(act);
    const client = clientFor(server, { limits: { bodyBytes: 4096 } });
    expect(await client.call(READ)).toMatchObject({ kind: 'lost', diagnostic: { code: 'INVALID_RESPONSE' } });
    const sent = server.seen.length;
    expect(await client.call(CREATE)).toMatchObject({ kind: 'lost', diagnostic: { code: 'OUTCOME_UNKNOWN' } });
    expect(server.seen.length).toBe(sent + 1);
  });

  it.each([400, 403, 404, 409])('HTTP %i that is not from the API is never taken for its refusal', async (status) => {
    const server = await serve(raw(status, '<html>Not Found</html>'));
    const result = await clientFor(server).call(READ);
    expect(result).toMatchObject({ kind: 'lost', diagnostic: { code: 'INVALID_RESPONSE' } });
    expect(server.seen).toHaveLength(1);
  });

  it.each([301, 302, 303, 307, 308])('HTTP %i is not followed', async (status) => {
    const elsewhere = await serve(ok);
    const server = await serve(raw(status, '', { location: `${elsewhere.origin}/v3/projects/p1` }));
    const result = await clientFor(server).call(CREATE);
    expect(result).toMatchObject({ kind: 'refused', failure: { status, diagnostic: { code: 'INVALID_RESPONSE' } } });
    expect(elsewhere.seen).toHaveLength(0);
    expect(server.seen).toHaveLength(1);
  });

  it('that repeats the token reaches nobody', async () => {
    const echo = await serve(json(200, { displayName: `it is ${TOKEN}` }));
    const told = await clientFor(echo).call(READ);
    const refusing = await serve(
      json(403, {
        error: {
          code: 403,
          status: 'PERMISSION_DENIED',
          message: TOKEN,
          details: [{ '@type': 'x.ErrorInfo', reason: TOKEN, metadata: { a: TOKEN } }],
        },
      }),
    );
    const refused = await clientFor(refusing).call(READ);
    expect(JSON.stringify([told, refused])).not.toContain(TOKEN);
    expect(told).toEqual({ kind: 'ok', body: { displayName: 'it is ***redacted***' } });
    const escaped = [...TOKEN].map((letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
    const spelt = await serve(raw(200, `{"labels":{"${escaped}":["${escaped}"]}}`));
    expect(await clientFor(spelt).call(READ)).toEqual({
      kind: 'ok',
      body: { labels: { '***redacted***': ['***redacted***'] } },
    });
  });

  it('keeps a short token where it is a word of the answer', async () => {
    const server = await serve(json(200, { displayName: 'emulator' }));
    const client = clientFor(server, { credential: fixedToken('anywhere', 'test token', 'emulator') });
    expect(await client.call(READ)).toEqual({ kind: 'ok', body: { displayName: 'emulator' } });
  });
});

describe('time and interruption', () => {
  it('gives up a silent read with TIMEOUT and leaves a silent write open', async () => {
    const server = await serve(silence);
    const client = clientFor(server, { limits: { requestMs: 300 } });
    expect(await client.call(READ)).toMatchObject({ kind: 'lost', diagnostic: { code: 'TIMEOUT' } });
    expect(server.seen).toHaveLength(6);
    expect(await client.call(CREATE)).toMatchObject({ kind: 'lost', diagnostic: { code: 'OUTCOME_UNKNOWN' } });
    expect(server.seen).toHaveLength(7);
  });

  it('gives up an answer that starts and never ends', async () => {
    const server = await serve((_request, response) => {
      response.writeHead(200);
      response.write('{"name":');
    });
    const result = await clientFor(server, { limits: { requestMs: 300 } }).call(CREATE);
    expect(result).toMatchObject({ kind: 'lost', diagnostic: { code: 'OUTCOME_UNKNOWN' } });
  });

  it('sends nothing when interrupted before', async () => {
    const server = await serve(ok);
    const result = await clientFor(server).call({ ...CREATE, signal: AbortSignal.abort() });
    expect(result).toMatchObject({ kind: 'unsent', diagnostic: { code: 'INTERRUPTED' } });
    expect(server.seen).toHaveLength(0);
  });

  it('leaves a write open when interrupted on its way', async () => {
    const controller = new AbortController();
    const server = await serve(() => controller.abort());
    const client = clientFor(server);
    const result = await client.call({ ...CREATE, signal: controller.signal });
    expect(result).toMatchObject({ kind: 'lost', diagnostic: { code: 'OUTCOME_UNKNOWN' } });
    expect(result.kind === 'lost' && result.diagnostic.detail).toContain('interrupted');
  });

  it('says INTERRUPTED for a read that was interrupted on its way', async () => {
    const controller = new AbortController();
    const server = await serve(() => controller.abort());
    const result = await clientFor(server).call({ ...READ, signal: controller.signal });
    expect(result).toMatchObject({ kind: 'lost', diagnostic: { code: 'INTERRUPTED' } });
  });

  it('stays open about a write whose unanswered try was followed by an interruption', async () => {
    const controller = new AbortController();
    const server = await serve(reset);
    const timing = fakeTiming();
    const sleep = async () => controller.abort();
    const client = clientFor(server, { timing: { ...timing, sleep } });
    const result = await client.call({ ...CREATE, repeatability: 'idempotent', signal: controller.signal });
    expect(result).toMatchObject({ kind: 'lost', diagnostic: { code: 'OUTCOME_UNKNOWN' } });
  });

  it('waits for room, and leaves the queue when interrupted', async () => {
    const controller = new AbortController();
    const server = await serve(silence);
    const client = clientFor(server, { concurrency: 1, limits: { requestMs: 60 } });
    const first = client.call(CREATE);
    const second = client.call({ ...CREATE, signal: controller.signal });
    controller.abort();
    expect(await second).toMatchObject({ kind: 'unsent', diagnostic: { code: 'INTERRUPTED' } });
    expect(await first).toMatchObject({ kind: 'lost' });
    expect(server.seen).toHaveLength(1);
  });

  it('serves many calls under one signal without a warning', async () => {
    const warnings: Error[] = [];
    const listen = (warning: Error) => warnings.push(warning);
    process.on('warning', listen);
    const server = await serve(ok);
    const { signal } = new AbortController();
    const client = clientFor(server);
    await Promise.all(Array.from({ length: 100 }, () => client.call({ ...READ, signal })));
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', listen);
    expect(warnings).toEqual([]);
  });
});

describe('no connection', () => {
  it.each([READ, CREATE, { ...CREATE, repeatability: 'idempotent' as const }])(
    'is tried six times, then nothing was sent',
    async (call) => {
      const timing = fakeTiming();
      const client = createGoogleClient({
        endpoints: { crm: 'http://127.0.0.1:1/v3', billing: null, serviceusage: null },
        credential: fixedToken('anywhere', 'test token', TOKEN),
        quotaProject: null,
        userAgent: 'infra/0.0.0',
        timing,
      });
      const result = await client.call(call);
      await client.close();
      expect(result).toMatchObject({ kind: 'unsent', diagnostic: { code: 'UNAVAILABLE', retryable: true } });
      expect(timing.slept).toEqual([500, 1000, 2000, 4000, 8000]);
    },
  );

  it('whose TLS handshake fails is the same: nothing was sent', async () => {
    const server = await serve(ok);
    const crm = `${server.origin.replace('http:', 'https:')}/v3`;
    const result = await clientFor(server, { endpoints: { crm, billing: null, serviceusage: null } }).call(CREATE);
    expect(result).toMatchObject({ kind: 'unsent', diagnostic: { code: 'UNAVAILABLE' } });
    expect(server.seen).toHaveLength(0);
  });

  it('after a try that may have been carried out leaves a write open', async () => {
    const server = await serve(reset);
    const timing = fakeTiming();
    const client = clientFor(server, { timing: { ...timing, sleep: () => server.stop() } });
    const result = await client.call({ ...CREATE, repeatability: 'idempotent' });
    expect(result).toMatchObject({ kind: 'lost', diagnostic: { code: 'OUTCOME_UNKNOWN' } });
    expect(server.seen).toHaveLength(1);
  });
});
