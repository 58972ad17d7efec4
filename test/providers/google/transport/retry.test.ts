import { describe, expect, it } from 'vitest';
import type { ApiCall } from '../../../../src/providers/google/client.ts';
import { retryAfterMs } from '../../../../src/providers/google/retry.ts';
import type { Act } from './loopback.ts';
import {
  CREATE,
  clientFor,
  ENABLE,
  errorInfo,
  fakeTiming,
  json,
  MOVE,
  ok,
  precondition,
  READ,
  raw,
  refuse,
  reset,
  serve,
} from './loopback.ts';

async function run(call: ApiCall, ...script: readonly Act[]) {
  const server = await serve(...script);
  const timing = fakeTiming();
  const result = await clientFor(server, { timing }).call(call);
  return { result, slept: timing.slept, sent: server.seen.length };
}

const unavailable = refuse(503, 'UNAVAILABLE', 'The service is currently unavailable.');
const internal = refuse(500, 'INTERNAL', 'Internal error encountered.');
const rateLimit = refuse(
  429,
  'RESOURCE_EXHAUSTED',
  'Quota exceeded for quota metric x',
  errorInfo('RATE_LIMIT_EXCEEDED'),
);
const SET_POLICY: ApiCall = { ...MOVE, path: 'projects/p1:setIamPolicy', body: { policy: {} } };
const CREATE_FOLDER: ApiCall = { ...CREATE, path: 'folders', body: { displayName: 'x' } };

describe('no whole answer', () => {
  const unanswered: readonly (readonly [string, Act])[] = [
    ['a reset', reset],
    ['HTTP 500', internal],
    ['HTTP 502 in HTML', raw(502, '<html>bad gateway</html>')],
    ['HTTP 503', unavailable],
    ['HTTP 504 in HTML', raw(504, '<html>timeout</html>')],
  ];

  it.each(unanswered)('%s: reads and idempotent writes are sent again', async (_what, act) => {
    for (const call of [READ, ENABLE]) {
      const { result, slept, sent } = await run(call, act, ok);
      expect(result.kind).toBe('ok');
      expect(sent).toBe(2);
      expect(slept).toEqual([500]);
    }
  });

  it.each(unanswered)('%s: six tries, then a read has failed and a write is open', async (_what, act) => {
    const read = await run(READ, act);
    expect(read.sent).toBe(6);
    expect(read.slept).toEqual([500, 1000, 2000, 4000, 8000]);
    expect(['refused', 'lost']).toContain(read.result.kind);
    const write = await run(ENABLE, act);
    expect(write.sent).toBe(6);
    expect(write.result).toMatchObject({ kind: 'lost', diagnostic: { code: 'OUTCOME_UNKNOWN' } });
  });

  it.each(unanswered)('%s: a create is never sent again', async (_what, act) => {
    const { result, sent } = await run(CREATE, act, ok);
    expect(result).toMatchObject({ kind: 'lost', diagnostic: { code: 'OUTCOME_UNKNOWN' } });
    expect(sent).toBe(1);
  });

  it.each(unanswered.filter(([what]) => what !== 'HTTP 503'))(
    '%s: a policy is never sent again',
    async (_what, act) => {
      const { result, sent } = await run(SET_POLICY, act, ok);
      expect(result.kind).toBe('lost');
      expect(sent).toBe(1);
    },
  );

  it('503 UNAVAILABLE: a custom verb is sent once more, and once only', async () => {
    expect(await run(MOVE, unavailable, ok)).toMatchObject({ result: { kind: 'ok' }, sent: 2, slept: [500] });
    expect(await run(MOVE, unavailable)).toMatchObject({ result: { kind: 'lost' }, sent: 2 });
  });

  it('503 in HTML says nothing about execution', async () => {
    expect(await run(MOVE, raw(503, '<html></html>'), ok)).toMatchObject({ result: { kind: 'lost' }, sent: 1 });
  });

  it.each([
    refuse(409, 'ABORTED', 'There were concurrent policy changes.'),
    refuse(409, 'ALREADY_EXISTS', 'Requested entity already exists'),
    refuse(400, 'FAILED_PRECONDITION', 'Precondition check failed.'),
    refuse(404, 'NOT_FOUND', 'not found'),
    refuse(412, 'FAILED_PRECONDITION', 'Precondition check failed.'),
  ])('a conflict after an unanswered try may be our own doing', async (conflict) => {
    expect(await run(SET_POLICY, unavailable, conflict)).toMatchObject({
      result: { kind: 'lost', diagnostic: { code: 'OUTCOME_UNKNOWN' } },
    });
  });

  it('a refusal that is none of that is one, even after an unanswered try', async () => {
    const { result } = await run(
      ENABLE,
      reset,
      refuse(403, 'PERMISSION_DENIED', 'The caller does not have permission'),
    );
    expect(result).toMatchObject({ kind: 'refused', failure: { status: 403 } });
  });

  it('a read has no such doubt', async () => {
    expect(await run(READ, reset, refuse(404, 'NOT_FOUND', 'x'))).toMatchObject({
      result: { kind: 'refused', failure: { diagnostic: { code: 'NOT_FOUND' } } },
    });
  });
});

describe('rejected before execution', () => {
  it.each([READ, ENABLE, CREATE, SET_POLICY])('a rate limit is waited out, for all kinds of calls', async (call) => {
    const { result, sent } = await run(call, rateLimit, rateLimit, ok);
    expect(result.kind).toBe('ok');
    expect(sent).toBe(3);
  });

  it.each([READ, CREATE])('so is one that comes as 403, or bare, or in HTML', async (call) => {
    const texts = [
      refuse(403, 'PERMISSION_DENIED', "Quota exceeded for quota metric 'a' and limit 'b per minute' of service 'c'"),
      refuse(403, 'PERMISSION_DENIED', 'slow down', errorInfo('RATE_LIMIT_EXCEEDED')),
      refuse(429, 'RESOURCE_EXHAUSTED', 'Resource has been exhausted (e.g. check quota).'),
      raw(429, '<html>too many</html>'),
    ];
    for (const act of texts) expect(await run(call, act, ok)).toMatchObject({ result: { kind: 'ok' }, sent: 2 });
  });

  it('outlasts more tries than a fault would, up to the budget', async () => {
    const { result, sent } = await run(READ, rateLimit);
    expect(result).toMatchObject({ kind: 'refused', failure: { diagnostic: { code: 'THROTTLED', retryable: true } } });
    expect(sent).toBeGreaterThan(6);
  });

  it('is limited by the budget of the call', async () => {
    const { result, sent } = await run({ ...READ, budgetMs: 1600 }, rateLimit);
    expect(result.kind).toBe('refused');
    expect(sent).toBe(3);
  });

  it('Retry-After and RetryInfo are floors', async () => {
    const seconds = await run(READ, json(429, {}, { 'retry-after': '7' }), ok);
    expect(seconds.slept[0]).toBe(7000);
    const info = { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '3.5s' };
    const delay = await run(READ, refuse(429, 'RESOURCE_EXHAUSTED', 'x', info), ok);
    expect(delay.slept[0]).toBe(3500);
    const server = await run(READ, json(503, {}, { 'retry-after': '4' }), ok);
    expect(server.slept).toEqual([4000]);
  });

  it('HTTP 500 that speaks of a quota is no rejection of a write', async () => {
    const quota = refuse(500, 'INTERNAL', "Quota exceeded for quota metric 'a' and limit 'b per minute'");
    expect(await run(CREATE, quota, ok)).toMatchObject({ result: { kind: 'lost' }, sent: 1 });
    expect(await run(READ, quota, ok)).toMatchObject({ result: { kind: 'ok' }, sent: 2 });
  });

  it('a Retry-After beyond the budget is not waited for', async () => {
    expect(await run(READ, json(429, {}, { 'retry-after': '3600' }), ok)).toMatchObject({
      result: { kind: 'refused' },
      sent: 1,
      slept: [],
    });
  });

  it.each([CREATE_FOLDER, { ...MOVE, path: 'folders/1:move' }])(
    'folder creates and moves wait ten seconds at least',
    async (call) => {
      const { result, slept } = await run(call, rateLimit, ok);
      expect(result.kind).toBe('ok');
      expect(slept[0]).toBe(10_000);
    },
  );

  it.each([
    refuse(429, 'RESOURCE_EXHAUSTED', 'x', errorInfo('RATE_LIMIT_EXCEEDED', { quota_limit_value: '0' })),
    refuse(
      429,
      'RESOURCE_EXHAUSTED',
      'The project cannot be created because you have exceeded your allotted project quota.',
    ),
  ])('a quota that waiting does not raise is final', async (act) => {
    expect(await run(CREATE, act, ok)).toMatchObject({
      result: { kind: 'refused', failure: { diagnostic: { retryable: false } } },
      sent: 1,
    });
  });

  it.each([READ, ENABLE, CREATE])('408 is sent again', async (call) => {
    expect(await run(call, json(408, {}), ok)).toMatchObject({ result: { kind: 'ok' }, sent: 2, slept: [500] });
  });

  it.each([ENABLE, { ...ENABLE, repeatability: 'once' as const }])(
    'another activation in progress is waited out, 5 to 60 s',
    async (call) => {
      const busy = refuse(
        400,
        'FAILED_PRECONDITION',
        'Another activation or deactivation is in progress for the following service(s): foo',
      );
      const { result, slept } = await run(call, busy, busy, busy, ok);
      expect(result.kind).toBe('ok');
      expect(slept).toEqual([10_000, 20_000, 40_000]);
      expect((await run(call, busy)).result).toMatchObject({
        kind: 'refused',
        failure: { diagnostic: { code: 'CONFLICT' } },
      });
    },
  );

  it('409 ABORTED: reads and idempotent writes again; not a policy, nor what was decided on a read', async () => {
    const aborted = refuse(409, 'ABORTED', 'There were concurrent policy changes.');
    expect(await run(READ, aborted, ok)).toMatchObject({ result: { kind: 'ok' }, sent: 2 });
    expect(await run(ENABLE, aborted, ok)).toMatchObject({ result: { kind: 'ok' }, sent: 2 });
    const decided = { ...ENABLE, repeatability: 'decided' as const };
    expect(await run(decided, aborted, ok)).toMatchObject({ result: { kind: 'refused' }, sent: 1 });
    expect(await run(decided, unavailable, ok)).toMatchObject({ result: { kind: 'ok' }, sent: 2 });
    expect(await run(SET_POLICY, aborted, ok)).toMatchObject({
      result: { kind: 'refused', failure: { diagnostic: { code: 'CONFLICT' } } },
      sent: 1,
    });
  });

  it.each([
    refuse(409, 'ALREADY_EXISTS', 'Requested entity already exists'),
    refuse(
      400,
      'FAILED_PRECONDITION',
      'Precondition check failed.',
      precondition('FOLDER_TO_DELETE_NON_EMPTY_VIOLATION'),
    ),
    refuse(400, 'FAILED_PRECONDITION', 'Precondition check failed.', precondition('FOLDER_BEING_MOVED_VIOLATION')),
    refuse(400, 'INVALID_ARGUMENT', 'bad'),
    refuse(404, 'NOT_FOUND', 'x'),
    refuse(412, 'FAILED_PRECONDITION', 'x'),
    refuse(501, 'UNIMPLEMENTED', 'x'),
  ])('other refusals are final', async (act) => {
    for (const call of [READ, ENABLE, CREATE]) {
      expect(await run(call, act, ok)).toMatchObject({ result: { kind: 'refused' }, sent: 1, slept: [] });
    }
  });
});

describe('propagation', () => {
  const refusals: readonly Act[] = [
    refuse(403, 'PERMISSION_DENIED', 'The caller does not have permission'),
    refuse(
      403,
      'PERMISSION_DENIED',
      'x',
      errorInfo('SERVICE_DISABLED', { consumer: 'projects/1', service: 'a.googleapis.com' }),
    ),
    refuse(403, 'PERMISSION_DENIED', 'x', errorInfo('USER_PROJECT_DENIED', { consumer: 'projects/p' })),
    refuse(403, 'PERMISSION_DENIED', 'x', errorInfo('SERVICE_CONFIG_NOT_FOUND_OR_PERMISSION_DENIED')),
  ];

  it.each(refusals)('is waited out after something fresh', async (act) => {
    for (const call of [READ, ENABLE, CREATE]) {
      const { result, slept } = await run({ ...call, fresh: true }, act, act, act, act, ok);
      expect(result.kind).toBe('ok');
      expect(slept).toEqual([5000, 10_000, 20_000, 30_000]);
    }
  });

  it.each(refusals)('ends with the budget', async (act) => {
    const { result, slept } = await run({ ...READ, fresh: true }, act);
    expect(result.kind).toBe('refused');
    expect(slept).toEqual([5000, 10_000, 20_000, 30_000, 30_000]);
  });

  it.each(refusals)('is no matter without something fresh', async (act) => {
    expect(await run(READ, act, ok)).toMatchObject({ result: { kind: 'refused' }, sent: 1 });
  });
});

describe('jitter', () => {
  it('spreads over the whole interval', async () => {
    const server = await serve(internal);
    const timing = fakeTiming(0.25);
    await clientFor(server, { timing }).call(READ);
    expect(timing.slept).toEqual([125, 250, 500, 1000, 2000]);
  });

  it('reads Retry-After in both forms', () => {
    expect(retryAfterMs('12', () => 0)).toBe(12_000);
    expect(retryAfterMs(new Date(5000).toUTCString(), () => 1000)).toBe(4000);
    expect(retryAfterMs(new Date(5000).toUTCString(), () => 9000)).toBe(0);
    expect(retryAfterMs('99999999', () => 0)).toBe(3_600_000);
    expect(retryAfterMs('soon', () => 0)).toBe(0);
    expect(retryAfterMs(undefined, () => 0)).toBe(0);
  });
});
