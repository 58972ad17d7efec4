import { expect, test } from 'vitest';
import { openEhdbLog } from '../../src/eventlog/ehdb-http.ts';
import { type Fault, reply, sendJson, startEhdbServer } from '../support/ehdb/server.ts';
import { made, openServerLog, refusalOf } from './support/ehdb.ts';

const TOKEN = 'secret-token-of-the-log';

const json =
  (status: number, body: unknown, headers = {}): Fault =>
  (_, response) =>
    sendJson(response, status, JSON.stringify(body), headers);
const raw =
  (status: number, type: string, body: string): Fault =>
  (_, response) => {
    response.writeHead(status, { 'content-type': type });
    response.end(body);
  };
const tier = (outcome: string, more = {}) => ({ action: 'ehdb.tier.query', tier: 'eventlog', outcome, ...more });

async function readWith(faults: readonly Fault[], token: string | null = null) {
  const server = await startEhdbServer({ rows: [made(1)] });
  server.faults.push(...faults);
  const { log, slept } = openServerLog(server.origin, { token });
  return { server, slept, read: () => log.read('cloud') };
}

const REFUSALS = ['disabled', 'unavailable', 'guard_refused', 'invalid', 'rejected', 'error', 'something_new'];

test('records without an outcome are an answer where older servers have them, and nowhere else', async () => {
  const older = await readWith([json(200, { records: [] })]);
  expect((await older.read()).model.owned.size).toBe(0);
  const { read } = await readWith([json(200, { result: { records: [] } })]);
  expect(await refusalOf(read())).toMatchObject({
    code: 'LOG_INVALID',
    detail: expect.stringContaining('without an outcome'),
  });
});

test.each(REFUSALS)('%s under HTTP 200 is a refusal, with and without records', async (outcome) => {
  for (const more of [{}, { records: [] }, { result: { records: [] } }]) {
    const { read } = await readWith([json(200, tier(outcome, more))]);
    expect(await refusalOf(read())).toMatchObject({
      code: 'LOG_INVALID',
      detail: expect.stringContaining(`its outcome is "${outcome}"`),
    });
  }
});

test('a refusal is one even where the action is not named', async () => {
  const { read } = await readWith([json(200, { outcome: 'disabled', records: [] })]);
  expect((await refusalOf(read())).code).toBe('LOG_INVALID');
});

test('absent is an answer: there are no rows', async () => {
  for (const more of [{}, { result: { exists: false, records: [] } }]) {
    const { read } = await readWith([json(200, tier('absent', more))]);
    expect((await read()).model.owned.size).toBe(0);
  }
});

test.each<[string, Fault, string]>([
  ['501', json(501, tier('disabled', { reason: 'no relay' })), 'its relay to the event log is not configured'],
  ['400', json(400, tier('invalid')), 'it does not know this tier or this request'],
  ['404', json(404, {}), 'nothing is served at this address'],
  ['a redirect', json(307, {}, { location: 'http://127.0.0.1:9/' }), 'a redirect, which is not followed'],
  ['204', (_, response) => response.writeHead(204).end(), 'HTTP 204'],
  ['HTML', raw(200, 'text/html; charset=utf-8', '<!doctype html><p>Sign in'), 'answered with text/html, not with JSON'],
  ['half a body', raw(200, 'application/json', reply([JSON.stringify(made(1))]).slice(0, 150)), 'unfinished body'],
  ['an empty body', raw(200, 'application/json', ''), 'an empty body'],
  ['bytes that are no text', (_, response) => response.end(Buffer.from([0x22, 0xff, 0x22])), 'not with JSON'],
  ['a list', json(200, []), 'no reply of the tier'],
  ['no records', json(200, tier('served')), 'answered without records'],
  ['no records inside', json(200, tier('served', { result: { record_count: 0 } })), 'answered without records'],
  ['records of another type', json(200, tier('served', { records: {} })), 'answered without records'],
  ['an outcome of another type', json(200, { outcome: 0, records: [] }), 'its outcome is "of another type"'],
  ['an empty object', json(200, {}), 'answered without records'],
])('%s is an error, never an empty log', async (_, fault, detail) => {
  const { read, server, slept } = await readWith([fault]);
  expect(await refusalOf(read())).toMatchObject({ code: 'LOG_INVALID', detail: expect.stringContaining(detail) });
  expect(server.requests).toHaveLength(1);
  expect(slept).toEqual([]);
});

test('a refusal on a later page is one too', async () => {
  const rows = Array.from({ length: 1001 }, (_, index) => made(index + 1));
  const server = await startEhdbServer({ rows });
  const page = reply(rows.slice(0, 1000).map((row) => JSON.stringify(row)));
  server.faults.push((_, response) => sendJson(response, 200, page), json(200, tier('guard_refused')));
  expect((await refusalOf(openServerLog(server.origin).log.read('cloud'))).detail).toContain('guard_refused');
});

test('without a token it says which one to set; a refused identity is another error', async () => {
  const anonymous = await readWith([json(401, {})]);
  expect(await refusalOf(anonymous.read())).toMatchObject({
    code: 'AUTHENTICATION',
    hint: 'set INFRA_EVENTLOG_TOKEN',
  });
  const known = await readWith([json(401, { error: { message: `bad ${TOKEN}` } })], TOKEN);
  expect(await refusalOf(known.read())).toMatchObject({ code: 'AUTHENTICATION', hint: null });
  expect((await refusalOf((await readWith([json(403, {})], TOKEN)).read())).code).toBe('PERMISSION_DENIED');
  const guarded = await readWith([json(403, tier('guard_refused'))], TOKEN);
  expect((await refusalOf(guarded.read())).code).toBe('LOG_INVALID');
});

test.each([429, 502, 503, 504])('HTTP %s passes: it is asked again, with jitter', async (status) => {
  const { read, server, slept } = await readWith([json(status, {}), json(status, {}, { 'retry-after': '7' })]);
  expect((await read()).model.owned.size).toBe(1);
  expect(server.requests.map(({ query }) => query.get('after'))).toEqual(['0', '0', '0', '0']);
  expect(slept).toEqual([500, 7000]);
});

test('a connection that is cut, before or within the answer, is tried again', async () => {
  const cut: Fault = (request) => request.socket.destroy();
  const half: Fault = (request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
    response.write('{"action":', () => request.socket.destroy());
  };
  const { read, slept } = await readWith([cut, half]);
  expect((await read()).model.owned.size).toBe(1);
  expect(slept).toHaveLength(2);
});

test('it gives up after five tries, and says that another one may help', async () => {
  const { read, server, slept } = await readWith(Array.from({ length: 5 }, () => json(503, tier('unavailable'))));
  expect(await refusalOf(read())).toMatchObject({
    code: 'LOG_INVALID',
    retryable: true,
    detail: expect.stringContaining('HTTP 503 and the outcome "unavailable"'),
  });
  expect(server.requests).toHaveLength(5);
  expect(slept).toEqual([500, 1000, 2000, 4000]);
});

test('nobody there is an error', async () => {
  const { log, slept } = openServerLog('http://127.0.0.1:1');
  expect(await refusalOf(log.read('cloud'))).toMatchObject({
    code: 'LOG_INVALID',
    detail: expect.stringContaining('the connection was refused'),
  });
  expect(slept).toHaveLength(4);
});

test('an answer that does not come, and one that does not end, are bounded', async () => {
  const server = await startEhdbServer();
  server.faults.push(() => undefined);
  const slow = openServerLog(server.origin, { limits: { requestMs: 50 } });
  expect((await refusalOf(slow.log.read('cloud'))).detail).toContain('no whole answer came within 50 ms');
  server.faults.push((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write(' '.repeat(5000));
  });
  const large = openServerLog(server.origin, { limits: { bodyBytes: 4000 } });
  expect((await refusalOf(large.log.read('cloud'))).detail).toContain('longer than 4000 bytes');
});

test('an interrupt ends it, while it waits for an answer as while it waits to ask again', async () => {
  const server = await startEhdbServer();
  const interrupt = new AbortController();
  server.faults.push(() => interrupt.abort());
  const { signal } = interrupt;
  const waiting = openServerLog(server.origin, { signal });
  expect((await refusalOf(waiting.log.read('cloud'))).detail).toContain('the run was interrupted');
  await refusalOf(waiting.log.read('cloud'));
  expect(server.requests).toHaveLength(1);
  const pausing = new AbortController();
  server.faults.push(json(503, {}));
  const timing = { random: () => 1, sleep: async () => pausing.abort() };
  const asking = openServerLog(server.origin, { signal: pausing.signal, timing });
  expect((await refusalOf(asking.log.read('cloud'))).detail).toContain('the run was interrupted');
  expect(server.requests).toHaveLength(2);
});

test('the token goes to the server, and never into a diagnostic', async () => {
  const echo = { message: `who is Bearer ${TOKEN}?\u202e\n::error::`, outcome: 'rejected' };
  const { read, server } = await readWith([json(400, echo)], TOKEN);
  const refusal = await refusalOf(read());
  expect(server.requests[0]?.authorization).toBe(`Bearer ${TOKEN}`);
  expect(JSON.stringify(refusal)).not.toContain(TOKEN);
  expect(refusal.detail).toContain('it says "who is Bearer ***? ::error::"');
});

test('a redirect takes the token nowhere', async () => {
  const elsewhere = await startEhdbServer({ rows: [made(1)] });
  const { read } = await readWith([json(302, {}, { location: `${elsewhere.origin}/api/ehdb/tiers/eventlog` })], TOKEN);
  await refusalOf(read());
  expect(elsewhere.requests).toEqual([]);
});

const open = (url: string, token: string | null = null) => openEhdbLog({ url, token, userAgent: 'infra/0' });

test.each([
  ['https://user:hunter2@noetl.example', null, 'USAGE'],
  ['https://hunter2@noetl.example', null, 'USAGE'],
  ['https://noetl.example/?after=hunter2', null, 'USAGE'],
  ['https://noetl.example/?tenant=a&tenant=b', null, 'USAGE'],
  ['https://noetl.example/#hunter2', null, 'USAGE'],
  ['ftp://noetl.example/hunter2', null, 'USAGE'],
  ['http://', null, 'USAGE'],
  ['http://noetl.example', TOKEN, 'CREDENTIAL_MISDIRECTED'],
  ['http://127.0.0.1.example', TOKEN, 'CREDENTIAL_MISDIRECTED'],
  ['https://noetl.example', 'hunter2\nx: y', 'AUTHENTICATION'],
])('%s is refused before anything is sent', async (url, token, code) => {
  const refusal = await refusalOf((async () => open(url, token))());
  expect(refusal.code).toBe(code);
  expect(JSON.stringify(refusal)).not.toMatch(/hunter2|secret-token/);
});

test.each([
  ['http://localhost:8082', TOKEN],
  ['http://[::1]:8082', TOKEN],
  ['https://noetl.example', TOKEN],
  ['http://noetl.example', null],
])('%s is accepted', (url, token) => {
  expect(open(url, token).url).toBe(`${url}/api/ehdb/tiers/eventlog`);
});

test('a reply that has fewer rows than it says it returns was cut', async () => {
  const cut = { result: { returned: 5, records: [made(1)] } };
  const { read } = await readWith([json(200, tier('served', cut))]);
  expect(await refusalOf(read())).toMatchObject({
    code: 'LOG_INVALID',
    detail: expect.stringContaining('returned 5 rows and has 1'),
    retryable: true,
  });
});

test('a 500 is asked again, like the other failures that pass', async () => {
  const { read, slept } = await readWith([json(500, {}), json(500, {})]);
  expect((await read()).model.owned.size).toBe(1);
  expect(slept).toHaveLength(2);
});

test('a row without its payload is broken: it is named, or counted where that is asked for', async () => {
  const row = { ...made(2), payload: null };
  const page = () => json(200, tier('served', { result: { records: [row] } }));
  const { read } = await readWith([page()]);
  expect(await refusalOf(read())).toMatchObject({ detail: expect.stringContaining('its payload is not a text') });
  const server = await startEhdbServer();
  server.faults.push(page());
  const { diagnostics } = await openServerLog(server.origin, { skipInvalid: true }).log.read('cloud');
  expect(diagnostics).toMatchObject([{ severity: 'warning', detail: expect.stringContaining('1 broken line') }]);
});
