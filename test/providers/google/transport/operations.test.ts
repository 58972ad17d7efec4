import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/core/json.ts';
import type { PollSpec } from '../../../../src/core/step.ts';
import { awaitOperation, resumeOperation } from '../../../../src/providers/google/operations.ts';
import type { Act } from './loopback.ts';
import { clientFor, fakeTiming, json, raw, refuse, reset, serve } from './loopback.ts';

const POLL: PollSpec = { maxAttempts: 30, intervalMs: 2000, maxWaitSecs: 120 };
const NAME = 'operations/cp.123';
const PENDING = json(200, { name: NAME });
const DONE = json(200, { name: NAME, done: true, response: { '@type': 'x.Project', name: 'projects/1' } });

async function run(
  operation: JsonObject,
  script: readonly Act[] = [],
  poll = POLL,
  service: 'crm' | 'serviceusage' = 'crm',
) {
  const server = await serve(...script);
  const timing = fakeTiming(0.5);
  const polls: [string, number][] = [];
  const client = clientFor(server, { timing });
  const hooks = { timing, onOperation: (name: string, attempt: number) => polls.push([name, attempt]) };
  const result = await awaitOperation(client, service, operation, poll, hooks);
  return { result, slept: timing.slept, urls: server.seen.map((request) => request.url), polls };
}

describe('an operation that is over at once', () => {
  it('has no name at all (folders.delete)', async () => {
    const { result, urls } = await run({ done: true, response: { name: 'folders/1', state: 'DELETE_REQUESTED' } });
    expect(result).toEqual({ kind: 'done', response: { name: 'folders/1', state: 'DELETE_REQUESTED' } });
    expect(urls).toEqual([]);
  });

  it.each([
    { name: 'operations/noop.DONE_OPERATION', done: true, response: { service: { state: 'ENABLED' } } },
    { name: 'operations/noop.DONE_OPERATION', response: { service: { state: 'ENABLED' } } },
  ])('had nothing to change: %j', async (operation) => {
    const { result, urls } = await run(operation, [], POLL, 'serviceusage');
    expect(result).toEqual({ kind: 'done', response: { service: { state: 'ENABLED' } } });
    expect(urls).toEqual([]);
  });

  it('has a name and is done', async () => {
    expect((await run({ name: NAME, done: true, response: { a: 1 } })).result).toEqual({
      kind: 'done',
      response: { a: 1 },
    });
  });

  it('is done without a response', async () => {
    expect((await run({ name: NAME, done: true })).result).toEqual({ kind: 'done', response: null });
  });

  it('is the resource itself', async () => {
    const project = { name: 'projects/1', projectId: 'p1', state: 'ACTIVE' };
    expect((await run(project)).result).toEqual({ kind: 'done', response: project });
    expect((await run({ billingEnabled: true })).result).toEqual({ kind: 'done', response: { billingEnabled: true } });
  });

  it('is an empty body', async () => {
    expect((await run({})).result).toEqual({ kind: 'done', response: null });
  });

  it.each([
    { error: { code: 9, message: 'violates display name uniqueness' } },
    { name: NAME, error: { code: 9, message: 'violates display name uniqueness' }, response: { a: 1 } },
    { name: NAME, done: true, error: { code: 9, message: 'violates display name uniqueness' }, response: { a: 1 } },
  ])('failed: the error wins over all else: %j', async (operation) => {
    const { result, urls } = await run(operation);
    expect(result).toMatchObject({
      kind: 'failed',
      failure: { status: 400, canonical: 'FAILED_PRECONDITION', diagnostic: { code: 'FOLDER_NAME_TAKEN' } },
    });
    expect(urls).toEqual([]);
  });

  it.each([
    { name: 'operations/../projects/p', metadata: {} },
    { name: 'operations/', metadata: {} },
    { done: false },
    { name: 5, done: false },
  ])('is not one that can be waited for: %j', async (operation) => {
    const { result, urls } = await run(operation);
    expect(result).toMatchObject({ kind: 'unknown', name: null, why: { code: 'INVALID_RESPONSE' } });
    expect(urls).toEqual([]);
  });
});

describe('polling', () => {
  it('asks the service that issued it, quickly at first, then at the interval', async () => {
    const { result, slept, urls, polls } = await run({ name: NAME }, [
      PENDING,
      PENDING,
      PENDING,
      PENDING,
      PENDING,
      PENDING,
      DONE,
    ]);
    expect(result).toEqual({ kind: 'done', response: { '@type': 'x.Project', name: 'projects/1' } });
    expect(slept).toEqual([500, 750, 1125, 1688, 2000, 2000, 2000]);
    expect(new Set(urls)).toEqual(new Set([`/v3/${NAME}`]));
    expect(polls.slice(0, 3)).toEqual([
      [NAME, 0],
      [NAME, 1],
      [NAME, 2],
    ]);
    const usage = await run({ name: 'operations/acf.p2-1-x' }, [json(200, { done: true })], POLL, 'serviceusage');
    expect(usage.urls).toEqual(['/v1/operations/acf.p2-1-x']);
  });

  it('keeps to an interval below half a second, and to ten seconds above', async () => {
    const quick = await run({ name: NAME }, [PENDING, PENDING, DONE], { ...POLL, intervalMs: 10 });
    expect(quick.slept).toEqual([10, 10, 10]);
    const slow = await run({ name: NAME }, [...Array.from({ length: 9 }, () => PENDING), DONE], {
      ...POLL,
      intervalMs: 60_000,
    });
    expect(slow.slept.at(-1)).toBe(10_000);
  });

  it('sees an error without done', async () => {
    const { result } = await run({ name: NAME }, [
      PENDING,
      json(200, { name: NAME, error: { code: 8, message: 'quota' } }),
    ]);
    expect(result).toMatchObject({ kind: 'failed', failure: { status: 429, diagnostic: { code: 'PROJECT_QUOTA' } } });
  });

  it.each([
    ['500', refuse(500, 'INTERNAL', 'x')],
    ['503', refuse(503, 'UNAVAILABLE', 'x')],
    ['429', refuse(429, 'RESOURCE_EXHAUSTED', 'x')],
    ['404', refuse(404, 'NOT_FOUND', 'Operation not found')],
    ['HTML', raw(502, '<html></html>')],
    ['an HTML 200', raw(200, '<html></html>')],
    ['a reset', reset],
    ['an empty object', json(200, {})],
  ])('E3: outlasts %s', async (_what, act) => {
    const { result } = await run({ name: NAME }, [act, act, act, DONE]);
    expect(result.kind).toBe('done');
  });

  it.each([500, 503, 404])('E3: ends with its bound under a lasting %i', async (status) => {
    const { result } = await run({ name: NAME }, [refuse(status, 'X', 'x')]);
    expect(result).toMatchObject({ kind: 'pending', name: NAME });
  });

  it('stops asking where it may not ask', async () => {
    const { result, urls } = await run({ name: NAME }, [
      refuse(403, 'PERMISSION_DENIED', 'The caller does not have permission'),
    ]);
    expect(result).toMatchObject({ kind: 'unknown', name: NAME, why: { code: 'PERMISSION_DENIED' } });
    expect(urls).toHaveLength(1);
  });

  it('is left pending without a token', async () => {
    const { result } = await run({ name: NAME }, [refuse(401, 'UNAUTHENTICATED', 'x')]);
    expect(result).toMatchObject({ kind: 'pending', name: NAME, why: { code: 'OPERATION_PENDING', operation: NAME } });
  });

  it('E2: is pending after so many attempts, with its name', async () => {
    const { result, urls } = await run({ name: NAME }, [PENDING], { ...POLL, maxAttempts: 4 });
    expect(result).toMatchObject({ kind: 'pending', name: NAME, why: { code: 'OPERATION_PENDING', operation: NAME } });
    expect(urls).toHaveLength(4);
  });

  it('E2: is pending after so many seconds', async () => {
    const { result, slept } = await run({ name: NAME }, [PENDING], { ...POLL, maxWaitSecs: 5 });
    expect(result.kind).toBe('pending');
    expect(Math.round(slept.reduce((sum, ms) => sum + ms, 0) / 10)).toBe(500);
  });

  it('is pending when interrupted while waiting', async () => {
    const server = await serve(PENDING);
    const controller = new AbortController();
    const timing = { ...fakeTiming(), sleep: async () => controller.abort() };
    const result = await awaitOperation(clientFor(server), 'crm', { name: NAME }, POLL, {
      timing,
      signal: controller.signal,
    });
    expect(result).toMatchObject({ kind: 'pending', name: NAME });
    expect(server.seen).toHaveLength(0);
  });

  it.each([
    ['an interrupt', new DOMException('x', 'AbortError'), 'Interrupted while waiting'],
    ['the end of its time', new DOMException('x', 'TimeoutError'), 'The time given by --timeout was over'],
  ])('says of %s what it was', async (_, reason, said) => {
    const signal = AbortSignal.abort(reason);
    const client = clientFor(await serve(PENDING));
    const result = await awaitOperation(client, 'crm', { name: NAME }, POLL, { timing: fakeTiming(), signal });
    expect(JSON.stringify(result)).toContain(said);
  });

  it('is pending when interrupted while asking', async () => {
    const controller = new AbortController();
    const server = await serve(() => controller.abort());
    const result = await awaitOperation(clientFor(server), 'crm', { name: NAME }, POLL, {
      timing: fakeTiming(),
      signal: controller.signal,
    });
    expect(result).toMatchObject({ kind: 'pending', name: NAME });
  });
});

describe('an operation of an earlier run', () => {
  async function resume(name: string, ...script: readonly Act[]) {
    const server = await serve(...script);
    const timing = fakeTiming();
    return resumeOperation(clientFor(server, { timing }), 'crm', name, POLL, { timing });
  }

  it('is picked up', async () => {
    expect(await resume(NAME, PENDING, DONE)).toMatchObject({ kind: 'done' });
  });

  it('may be gone: then only the resource tells', async () => {
    expect(await resume(NAME, refuse(404, 'NOT_FOUND', 'x'))).toMatchObject({
      kind: 'unknown',
      name: NAME,
      why: { code: 'OUTCOME_UNKNOWN' },
    });
  });

  it('may be missing for a moment', async () => {
    expect(await resume(NAME, refuse(404, 'NOT_FOUND', 'x'), PENDING, DONE)).toMatchObject({ kind: 'done' });
  });

  it('is not asked for under a name that is none', async () => {
    expect(await resume('projects/p1', DONE)).toMatchObject({ kind: 'unknown', name: null });
    expect(await resume('operations/noop.DONE_OPERATION', DONE)).toEqual({ kind: 'done', response: null });
  });
});
