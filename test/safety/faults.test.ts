import { beforeAll, describe, expect, it } from 'vitest';
import type { Fault, RecordedRequest } from '../../src/emulator/google/options.ts';
import { pooled, problemsUnder, undisturbed } from '../support/safety/converging.ts';

type Action = Fault['action'];

const PAGE = '<!doctype html><html><title>502 Bad Gateway</title><h1>Bad Gateway</h1></html>';
const error = (code: number, status: string, message: string, details: readonly unknown[] = []) => ({
  error: { code, status, message, details },
});
const LIMITED = error(429, 'RESOURCE_EXHAUSTED', 'Quota exceeded for quota metric.', [
  {
    '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
    reason: 'RATE_LIMIT_EXCEEDED',
    domain: 'googleapis.com',
    metadata: { quota_limit_value: '600' },
  },
]);
const FORBIDDEN = error(403, 'PERMISSION_DENIED', 'The caller does not have permission');

/** What may happen to one request and not to the next. */
const ONCE: Readonly<Record<string, Action>> = {
  'reset before it is handled': { kind: 'reset' },
  'reset after it was handled': { kind: 'resetAfter' },
  'no answer, not handled': { kind: 'hang' },
  'no answer, handled': { kind: 'hangAfter' },
  'cut short': { kind: 'truncate' },
  '429': { kind: 'respond', status: 429, body: LIMITED },
  '429 with Retry-After': { kind: 'respond', status: 429, body: LIMITED, headers: { 'retry-after': '17' } },
  '500': { kind: 'respond', status: 500, body: error(500, 'INTERNAL', 'Internal error encountered.') },
  '503': { kind: 'respond', status: 503, body: error(503, 'UNAVAILABLE', 'The service is currently unavailable.') },
  '502 as a page': { kind: 'respond', status: 502, body: PAGE },
  '200 as a page': { kind: 'respond', status: 200, body: PAGE },
  '403': { kind: 'respond', status: 403, body: FORBIDDEN },
};

/** What may last until somebody mends it. */
const FOR_GOOD: Readonly<Record<string, Action>> = {
  'reset before it is handled': { kind: 'reset' },
  'reset after it was handled': { kind: 'resetAfter' },
  '500': { kind: 'respond', status: 500, body: error(500, 'INTERNAL', 'Internal error encountered.') },
  '403': { kind: 'respond', status: 403, body: FORBIDDEN },
};

const HOUSE = { limits: { requestMs: 250 } };
const ABORTED = error(
  409,
  'ABORTED',
  'There were concurrent policy changes. Please retry the whole read-modify-write with exponential backoff.',
);
const INTERNAL = { code: 13, message: 'Internal error encountered.' };

/** Every observation is too old at its write, so each is looked at again. */
const LOOKING_AGAIN = { ...HOUSE, clockStepMs: 6000 };

const WIDTH = 6;

describe.each([
  ['', HOUSE],
  ['looking again before each write: ', LOOKING_AGAIN],
])('%severy request of an apply', (_name, house) => {
  let requests: readonly RecordedRequest[] = [];
  let shape: unknown;
  beforeAll(async () => {
    ({ requests, shape } = await undisturbed(house));
  });

  const each = async (action: Action, times: number): Promise<readonly string[]> => {
    const found = await pooled([...requests.entries()], WIDTH, async ([index, { method, path }]) => {
      const problems = await problemsUnder({ fault: { nth: index + 1, times, action }, house }, shape);
      return problems.map((problem) => `${index + 1}. ${method} ${path}: ${problem}`);
    });
    return found.flat();
  };

  const once =
    house === LOOKING_AGAIN
      ? Object.entries(ONCE).filter(([name]) => name === '500' || name === 'reset after it was handled')
      : Object.entries(ONCE);
  it.each(once)('%s, once: converged, or a clear error and the re-run converges', async (_fault, action) => {
    expect(await each(action, 1)).toEqual([]);
  });

  const forGood =
    house === LOOKING_AGAIN ? Object.entries(FOR_GOOD).filter(([name]) => name === '403') : Object.entries(FOR_GOOD);
  it.each(forGood)('%s, from there on: a clear error, and the re-run converges', async (_fault, action) => {
    expect(await each(action, Number.POSITIVE_INFINITY)).toEqual([]);
  });
});

describe('what only some requests meet', () => {
  let shape: unknown;
  beforeAll(async () => {
    ({ shape } = await undisturbed());
  });

  it.each([1, 3, 20])('409 ABORTED on setIamPolicy, %i times', async (times) => {
    const fault: Fault = {
      path: ':setIamPolicy',
      nth: 1,
      times,
      action: { kind: 'respond', status: 409, body: ABORTED },
    };
    expect(await problemsUnder({ fault }, shape)).toEqual([]);
  });

  it.each([
    ['POST', '/v3/folders$'],
    ['POST', '/v3/projects$'],
    ['POST', ':move$'],
    ['PATCH', '/v3/projects/'],
    ['POST', ':enable$'],
    ['POST', ':batchEnable$'],
  ])('the operation of %s %s ends in an error', async (method, path) => {
    const fault: Fault = { method, path, nth: 1, times: 1, action: { kind: 'lroError', error: INTERNAL } };
    expect(await problemsUnder({ fault }, shape)).toEqual([]);
  });

  it('an operation that does not end in time is pending, and the re-run picks it up', async () => {
    const fault: Fault = {
      method: 'GET',
      path: '/operations/',
      action: { kind: 'respond', status: 404, body: error(404, 'NOT_FOUND', 'Operation not found.') },
    };
    expect(await problemsUnder({ fault }, shape)).toEqual([]);
  });
});
