import { describe, expect, it } from 'vitest';
import { type Client, ORG, startEmulator } from './support.ts';

async function folderCount(client: Client): Promise<number> {
  const folders: unknown = (await client.get(`/v3/folders?parent=${ORG}`)).json['folders'];
  return Array.isArray(folders) ? folders.length : 0;
}

const NEW_FOLDER = { displayName: 'new', parent: ORG };

describe('a fault', () => {
  it('answers with a status, a body and headers of its own', async () => {
    const body = { error: { code: 429, status: 'RESOURCE_EXHAUSTED', message: 'Quota exceeded.' } };
    const client = await startEmulator({
      faults: [
        {
          method: 'GET',
          path: '/v3/org',
          action: { kind: 'respond', status: 429, body, headers: { 'Retry-After': '3' } },
        },
      ],
    });
    const answer = await client.get(`/v3/${ORG}`);
    expect(answer.status).toBe(429);
    expect(answer.headers.get('retry-after')).toBe('3');
    expect(answer.json).toEqual(body);
    expect((await client.get(`/v3/folders?parent=${ORG}`)).status).toBe(200);
  });

  it('answers text as HTML', async () => {
    const client = await startEmulator({
      faults: [{ action: { kind: 'respond', status: 502, body: '<html>Bad Gateway</html>' } }],
    });
    const answer = await client.get(`/v3/${ORG}`);
    expect(answer.status).toBe(502);
    expect(answer.headers.get('content-type')).toContain('text/html');
    expect(answer.text).toBe('<html>Bad Gateway</html>');
  });

  it.each([
    ['every request', {}, [503, 503, 503, 503]],
    ['the first two', { times: 2 }, [503, 503, 200, 200]],
    ['the second alone', { nth: 2 }, [200, 503, 200, 200]],
    ['two from the second on', { nth: 2, times: 2 }, [200, 503, 503, 200]],
  ])('can hit %s', async (_, which, expected) => {
    const client = await startEmulator({ faults: [{ ...which, action: { kind: 'respond', status: 503 } }] });
    const statuses: number[] = [];
    for (let call = 0; call < 4; call++) statuses.push((await client.get(`/v3/${ORG}`)).status);
    expect(statuses).toEqual(expected);
  });

  it('matches method and path, query included', async () => {
    const client = await startEmulator();
    client.emulator.addFault({ method: 'post', path: '/v3/folders$', action: { kind: 'respond', status: 500 } });
    client.emulator.addFault({ path: 'pageSize=7', action: { kind: 'respond', status: 501 } });
    expect((await client.post('/v3/folders', NEW_FOLDER)).status).toBe(500);
    expect((await client.get(`/v3/folders?parent=${ORG}&pageSize=7`)).status).toBe(501);
    expect((await client.get(`/v3/folders?parent=${ORG}`)).status).toBe(200);
    client.emulator.clearFaults();
    expect((await client.post('/v3/folders', NEW_FOLDER)).status).toBe(200);
  });

  it('resets before the request is handled', async () => {
    const client = await startEmulator({ faults: [{ method: 'POST', times: 1, action: { kind: 'reset' } }] });
    await expect(client.post('/v3/folders', NEW_FOLDER)).rejects.toThrow();
    expect(await folderCount(client)).toBe(0);
    expect(client.emulator.requests[0]).toMatchObject({ method: 'POST', status: 0 });
  });

  it('resets after the request is handled: a lost answer', async () => {
    const client = await startEmulator({ faults: [{ method: 'POST', times: 1, action: { kind: 'resetAfter' } }] });
    await expect(client.post('/v3/folders', NEW_FOLDER)).rejects.toThrow();
    expect(await folderCount(client)).toBe(1);
  });

  it('cuts the body in half', async () => {
    const client = await startEmulator({ faults: [{ times: 1, action: { kind: 'truncate' } }] });
    const response = await fetch(`${client.emulator.url}/v3/${ORG}`, { headers: { authorization: 'Bearer t' } });
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow();
    expect((await client.get(`/v3/${ORG}`)).status).toBe(200);
  });

  it.each([
    ['hang', 0],
    ['hangAfter', 1],
  ] as const)('never answers for %s, and closing ends it', async (kind, folders) => {
    const client = await startEmulator({ faults: [{ method: 'POST', action: { kind } }] });
    const pending = client.post('/v3/folders', NEW_FOLDER);
    const outcome = pending.then(
      () => 'answered',
      () => 'cut',
    );
    await arrival(client, 'POST');
    expect(await folderCount(client)).toBe(folders);
    await client.emulator.close();
    expect(await outcome).toBe('cut');
  });

  it('delays, and combines with what follows', async () => {
    const client = await startEmulator({
      latencyMs: 10,
      faults: [{ action: { kind: 'delay', delayMs: 20 } }, { action: { kind: 'respond', status: 503 } }],
    });
    const started = performance.now();
    expect((await client.get(`/v3/${ORG}`)).status).toBe(503);
    // Timers may fire a millisecond early.
    expect(performance.now() - started).toBeGreaterThanOrEqual(28);
  });

  it('that is held back does not outlive the emulator', async () => {
    const client = await startEmulator({ faults: [{ action: { kind: 'delay', delayMs: 3_600_000 } }] });
    const outcome = client.get(`/v3/${ORG}`).then(
      () => 'answered',
      () => 'cut',
    );
    await arrival(client, 'GET');
    await client.emulator.close();
    expect(await outcome).toBe('cut');
  });
});

/** Resolves when a request of the method has arrived. */
async function arrival(client: Client, method: string): Promise<void> {
  while (!client.emulator.requests.some((request) => request.method === method)) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}
