import { describe, expect, it } from 'vitest';
import { diagnostic } from '../../../../src/core/codes.ts';
import { fixedToken } from '../../../../src/providers/google/auth.ts';
import type { TokenSource } from '../../../../src/providers/google/token-source.ts';
import { CREATE, clientFor, ENABLE, json, ok, READ, refuse, serve } from './loopback.ts';

const expired = refuse(401, 'UNAUTHENTICATED', 'Request had invalid authentication credentials.');

/** Tokens `t1`, `t2`, ...; each refresh of the current one makes the next. */
function counting(): TokenSource & { refreshes: number } {
  const source = {
    reach: 'anywhere' as const,
    description: 'counting token',
    refreshes: 0,
    token: async () => ({ kind: 'token' as const, token: `token-number-${source.refreshes + 1}` }),
    refresh: async (refused: string) => {
      if (refused === `token-number-${source.refreshes + 1}`) source.refreshes += 1;
      return source.token();
    },
    issued: () => [],
  };
  return source;
}

describe('401', () => {
  it.each([READ, ENABLE, CREATE])('takes a new token once and sends again, for all kinds of calls', async (call) => {
    const server = await serve(expired, ok);
    const credential = counting();
    const result = await clientFor(server, { credential }).call(call);
    expect(result.kind).toBe('ok');
    expect(server.seen.map((request) => request.headers['authorization'])).toEqual([
      'Bearer token-number-1',
      'Bearer token-number-2',
    ]);
  });

  it('is final the second time', async () => {
    const server = await serve(expired);
    const credential = counting();
    const result = await clientFor(server, { credential }).call(READ);
    expect(result).toMatchObject({ kind: 'refused', failure: { status: 401, diagnostic: { code: 'AUTHENTICATION' } } });
    expect(server.seen).toHaveLength(2);
    expect(credential.refreshes).toBe(1);
  });

  it('met by many calls at once is one refresh', async () => {
    const server = await serve((request, response) => {
      const act = request.headers['authorization'] === 'Bearer token-number-1' ? expired : ok;
      act(request, response);
    });
    const credential = counting();
    const client = clientFor(server, { credential });
    const results = await Promise.all(Array.from({ length: 20 }, () => client.call(READ)));
    expect(results.every((result) => result.kind === 'ok')).toBe(true);
    expect(credential.refreshes).toBe(1);
  });

  it('in HTML counts as well', async () => {
    const server = await serve(json(401, 'no'), ok);
    expect(await clientFor(server, { credential: counting() }).call(READ)).toMatchObject({ kind: 'ok' });
  });

  it('of a token that nothing can replace is refused at once, and says so', async () => {
    const server = await serve(expired);
    const result = await clientFor(server, {
      credential: fixedToken('anywhere', 'bearer token of INFRA_TOKEN', 'some-token'),
    }).call(READ);
    expect(result).toMatchObject({
      kind: 'refused',
      failure: { status: 401, diagnostic: { code: 'AUTHENTICATION', hint: null } },
    });
    expect(result.kind === 'refused' && result.failure.diagnostic.detail).toContain('INFRA_TOKEN');
    expect(server.seen).toHaveLength(1);
  });

  it('is followed by nothing where the refresh fails', async () => {
    const why = diagnostic('AUTHENTICATION', 'reauthenticate', { hint: 'gcloud auth application-default login' });
    const credential: TokenSource = { ...counting(), refresh: async () => ({ kind: 'failed', why }) };
    const server = await serve(expired);
    const result = await clientFor(server, { credential }).call(CREATE);
    expect(result).toMatchObject({ kind: 'refused', failure: { diagnostic: { hint: why.hint } } });
    expect(server.seen).toHaveLength(1);
  });
});
