import { describe, expect, it } from 'vitest';
import type { Fault, RecordedRequest } from '../../src/emulator/google/options.ts';
import { pooled, problemsUnder, type Undisturbed, undisturbed } from '../support/safety/converging.ts';
import type { HouseOptions } from '../support/safety/engine-house.ts';

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

/** Where a fault makes a difference: a lost answer is a lost answer to a read, whether that was carried out or not. */
type Where = 'everywhere' | 'while it applies' | 'writes';

const RESET: Action = { kind: 'reset' };
const RESET_AFTER: Action = { kind: 'resetAfter' };
const FAILING: Action = { kind: 'respond', status: 500, body: error(500, 'INTERNAL', 'Internal error encountered.') };
const REFUSING: Action = { kind: 'respond', status: 403, body: FORBIDDEN };

/** What may happen to one request and not to the next. */
const ONCE: readonly (readonly [string, Action, Where])[] = [
  ['reset before it is handled', RESET, 'everywhere'],
  ['reset after it was handled', RESET_AFTER, 'writes'],
  ['no answer, not handled', { kind: 'hang' }, 'while it applies'],
  ['no answer, handled', { kind: 'hangAfter' }, 'writes'],
  ['cut short', { kind: 'truncate' }, 'everywhere'],
  ['429', { kind: 'respond', status: 429, body: LIMITED }, 'writes'],
  [
    '429 with Retry-After',
    { kind: 'respond', status: 429, body: LIMITED, headers: { 'retry-after': '17' } },
    'while it applies',
  ],
  ['500', FAILING, 'everywhere'],
  [
    '503',
    { kind: 'respond', status: 503, body: error(503, 'UNAVAILABLE', 'The service is currently unavailable.') },
    'while it applies',
  ],
  ['502 as a page', { kind: 'respond', status: 502, body: PAGE }, 'while it applies'],
  ['200 as a page', { kind: 'respond', status: 200, body: PAGE }, 'while it applies'],
  ['403', REFUSING, 'everywhere'],
];

/** What may last until somebody mends it. */
const FOR_GOOD: readonly (readonly [string, Action, Where])[] = [
  ['reset before it is handled', RESET, 'while it applies'],
  ['reset after it was handled', RESET_AFTER, 'writes'],
  ['500', FAILING, 'everywhere'],
  ['403', REFUSING, 'everywhere'],
];

/** Where a server never answers, the client gives up soon; elsewhere a slow machine must not look like a silent server. */
const IMPATIENT = { limits: { requestMs: 250 } };
const PATIENT = {};
const houseFor = ({ kind }: Action) => (kind === 'hang' || kind === 'hangAfter' ? IMPATIENT : PATIENT);
const ABORTED = error(
  409,
  'ABORTED',
  'There were concurrent policy changes. Please retry the whole read-modify-write with exponential backoff.',
);
const INTERNAL = { code: 13, message: 'Internal error encountered.' };

/** Every observation is too old at its write, so each is looked at again. */
const LOOKING_AGAIN = { ...PATIENT, clockStepMs: 6000 };

const WIDTH = 6;

const isWrite = ({ method, path }: RecordedRequest): boolean => method !== 'GET' && !path.endsWith(':getIamPolicy');

/** Numbers of the requests where a fault makes a difference. */
function numbersOf(requests: readonly RecordedRequest[], where: Where): readonly number[] {
  // The first write is that of the policy, and its own read goes before it.
  const planning = requests.findIndex(isWrite) - 1;
  return requests.flatMap((request, index) => {
    const matters = where === 'everywhere' || (where === 'writes' ? isWrite(request) : index >= planning);
    return matters ? [index + 1] : [];
  });
}

async function problemsAt(
  known: Undisturbed,
  house: HouseOptions,
  action: Action,
  where: Where,
  times: number,
): Promise<readonly string[]> {
  const found = await pooled(numbersOf(known.requests, where), WIDTH, async (nth) => {
    const problems = await problemsUnder({ fault: { nth, times, action }, house }, known);
    const request = known.requests[nth - 1];
    return problems.map((problem) => `${nth}. ${request?.method} ${request?.path}: ${problem}`);
  });
  return found.flat();
}

describe('every request of an apply', () => {
  it.each(ONCE)('%s, once: converged, or a clear error and the re-run converges', async (_fault, action, where) => {
    const house = houseFor(action);
    expect(await problemsAt(await undisturbed(house), house, action, where, 1)).toEqual([]);
  });

  it.each(FOR_GOOD)('%s, from there on: a clear error, and the re-run converges', async (_fault, action, where) => {
    const house = houseFor(action);
    expect(await problemsAt(await undisturbed(house), house, action, where, Number.POSITIVE_INFINITY)).toEqual([]);
  });
});

describe('every request of an apply that looks again before each write', () => {
  it('reset after it was handled, once', async () => {
    expect(await problemsAt(await undisturbed(LOOKING_AGAIN), LOOKING_AGAIN, RESET_AFTER, 'writes', 1)).toEqual([]);
  });

  it('403, from there on', async () => {
    const known = await undisturbed(LOOKING_AGAIN);
    expect(await problemsAt(known, LOOKING_AGAIN, REFUSING, 'while it applies', Number.POSITIVE_INFINITY)).toEqual([]);
  });
});

describe('what only some requests meet', () => {
  it.each([1, 3, 20])('409 ABORTED on setIamPolicy, %i times', async (times) => {
    const fault: Fault = {
      path: ':setIamPolicy',
      nth: 1,
      times,
      action: { kind: 'respond', status: 409, body: ABORTED },
    };
    expect(await problemsUnder({ fault }, await undisturbed())).toEqual([]);
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
    expect(await problemsUnder({ fault }, await undisturbed())).toEqual([]);
  });

  it('an operation that does not end in time is pending, and the re-run picks it up', async () => {
    const fault: Fault = {
      method: 'GET',
      path: '/operations/',
      action: { kind: 'respond', status: 404, body: error(404, 'NOT_FOUND', 'Operation not found.') },
    };
    expect(await problemsUnder({ fault }, await undisturbed())).toEqual([]);
  });
});
