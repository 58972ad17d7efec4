import { describe, expect, it } from 'vitest';
import { ORG, PEOPLED, SEED, startEmulator } from './support.ts';

describe('recorded requests', () => {
  it('tell method, path, query, body and status, but no credential', async () => {
    const client = await startEmulator();
    await client.get(`/v3/folders?parent=${ORG}&access_token=secret-b`, {
      'x-goog-user-project': 'acme-not',
      'user-agent': 'infra/0.1.0',
    });
    await client.as('secret-a').post('/v3/folders', { displayName: 'x', parent: 'nowhere' });
    const [first, second] = client.emulator.requests;
    expect(first).toEqual({
      method: 'GET',
      path: '/v3/folders',
      query: { parent: [ORG] },
      body: undefined,
      status: 403,
      headers: {
        authorized: true,
        authorizationDigest: expect.stringMatching(/^[0-9a-f]{12}$/),
        'x-goog-user-project': 'acme-not',
        'user-agent': 'infra/0.1.0',
      },
    });
    expect(second).toMatchObject({ method: 'POST', body: { displayName: 'x', parent: 'nowhere' }, status: 400 });
    expect(JSON.stringify(client.emulator.requests)).not.toMatch(/secret|a-token/);
    client.emulator.resetRequests();
    expect(client.emulator.requests).toEqual([]);
  });
});

describe('the control endpoints', () => {
  it('show and clear the requests, without being recorded', async () => {
    const client = await startEmulator();
    await client.get(`/v3/${ORG}`);
    const shown = await client.get('/_emulator/requests');
    expect(shown.json).toMatchObject({ requests: [{ method: 'GET', path: `/v3/${ORG}`, status: 200 }] });
    expect((await client.delete('/_emulator/requests')).json).toEqual({});
    expect((await client.get('/_emulator/requests')).json).toEqual({ requests: [] });
  });

  it('need no credential', async () => {
    const client = await startEmulator();
    expect((await client.get('/_emulator/state', { authorization: '' })).json).toMatchObject({
      organizations: { [ORG]: { displayName: 'acme.example' } },
    });
  });

  it('add and clear faults', async () => {
    const client = await startEmulator();
    const fault = { times: 1, action: { kind: 'respond', status: 503 } };
    expect((await client.post('/_emulator/faults', fault)).json).toEqual({ added: 1 });
    expect((await client.get(`/v3/${ORG}`)).status).toBe(503);
    expect((await client.post('/_emulator/faults', [fault, fault])).json).toEqual({ added: 2 });
    await client.delete('/_emulator/faults');
    expect((await client.get(`/v3/${ORG}`)).status).toBe(200);
    expect((await client.post('/_emulator/faults', { action: { kind: 'explode' } })).status).toBe(400);
    expect((await client.post('/_emulator/faults', { path: '(', action: { kind: 'reset' } })).status).toBe(400);
    expect((await client.post('/_emulator/faults', 'nonsense')).status).toBe(400);
  });

  it('seed what is missing', async () => {
    const client = await startEmulator();
    await client.post('/_emulator/seed', PEOPLED);
    await client.post('/_emulator/seed', { folders: [{ id: '1001', displayName: 'other', parent: ORG }] });
    expect((await client.get('/v3/folders/1001')).json).toMatchObject({ displayName: 'shared' });
    expect((await client.get('/v3/projects/acme-web')).status).toBe(200);
  });

  it('reset to the first seed without giving an id twice', async () => {
    const client = await startEmulator();
    const create = async () =>
      String(
        (await client.settle(client.post('/v3/folders', { displayName: 'new', parent: ORG })))['response']?.['name'],
      );
    const first = await create();
    await client.post('/_emulator/reset');
    expect((await client.get(`/v3/${first}`)).status).toBe(403);
    expect((await client.get(`/v3/${ORG}`)).status).toBe(200);
    expect(await create()).not.toBe(first);
  });

  it('purge what is deleted, while the id stays taken', async () => {
    const client = await startEmulator({ seed: PEOPLED });
    const purge = (resource: string) => client.post('/_emulator/purge', { resource });
    expect((await purge('projects/acme-web')).status).toBe(400);
    await client.delete('/v3/projects/acme-web');
    expect((await purge('projects/acme-web')).status).toBe(200);
    expect((await client.get('/v3/projects/acme-web')).status).toBe(403);
    expect((await client.get('/v3/projects/555000111222')).status).toBe(403);
    expect((await client.post('/v3/projects', { projectId: 'acme-web', parent: ORG })).status).toBe(409);
    await client.delete('/v3/folders/1001');
    expect((await purge('folders/1001')).status).toBe(200);
    expect((await client.get('/v3/folders/1001')).status).toBe(403);
  });

  it('turn knobs', async () => {
    const client = await startEmulator({ seed: PEOPLED });
    await client.post('/_emulator/knobs', { strictDisable: true });
    expect((await client.post('/v1/projects/acme-web/services/dns.googleapis.com:disable')).status).toBe(400);
  });

  it.each([
    [{ strictDisabel: true }, 'there is no knob \\"strictDisabel\\"'],
    [{ projectQuota: '1' }, 'the knob \\"projectQuota\\" must be a number'],
    [{ missingMembers: [1] }, 'the knob \\"missingMembers\\" must be a list of texts'],
  ])('refuse the knobs %j', async (knobs, expected) => {
    const client = await startEmulator();
    const answer = await client.post('/_emulator/knobs', knobs);
    expect(answer.status).toBe(400);
    expect(answer.text).toContain(expected);
  });

  it('are these and no others', async () => {
    const client = await startEmulator();
    expect((await client.get('/_emulator/nothing')).status).toBe(404);
    expect((await client.put('/_emulator/state')).status).toBe(404);
  });
});

it('seeds deleted resources and services that are on', async () => {
  const client = await startEmulator({
    seed: {
      ...SEED,
      folders: [{ id: '1', displayName: 'gone', parent: ORG, state: 'DELETE_REQUESTED' }],
      projects: [
        { projectId: 'acme-gone', parent: ORG, state: 'DELETE_REQUESTED', labels: { a: 'b' } },
        { projectId: 'acme-live', parent: ORG, services: ['dns.googleapis.com'] },
      ],
    },
  });
  expect((await client.get('/v3/folders/1')).json).toMatchObject({
    state: 'DELETE_REQUESTED',
    deleteTime: expect.any(String),
  });
  expect((await client.get('/v3/projects/acme-gone')).json).toMatchObject({
    state: 'DELETE_REQUESTED',
    labels: { a: 'b' },
  });
  expect((await client.get('/v1/projects/acme-live/services?filter=state:ENABLED')).json['services']).toHaveLength(1);
});
