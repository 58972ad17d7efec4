import { describe, expect, it } from 'vitest';
import { ACCOUNT, ORG, PEOPLED, startEmulator } from './support.ts';

describe('operations', () => {
  it('are done in the first answer when no polls are needed', async () => {
    const client = await startEmulator({ seed: PEOPLED, operationPolls: 0 });
    const writes = [
      () => client.post('/v3/folders', { displayName: 'new', parent: ORG }),
      () => client.patch('/v3/folders/1001', { displayName: 'renamed' }),
      () => client.post('/v3/projects', { projectId: 'acme-new', parent: ORG }),
      () => client.post('/v1/projects/acme-web/services/youtube.googleapis.com:enable'),
      () => client.delete('/v3/projects/acme-web'),
    ];
    for (const write of writes) {
      expect((await write()).json).toMatchObject({
        name: expect.any(String),
        done: true,
        response: { '@type': expect.any(String) },
      });
    }
  });

  it('are done at the given poll, and stay so', async () => {
    const client = await startEmulator({ operationPolls: 3 });
    const { name } = (await client.post('/v3/folders', { displayName: 'new', parent: ORG })).json;
    const done: unknown[] = [];
    for (let poll = 0; poll < 4; poll++) done.push((await client.get(`/v3/${name}`)).json['done']);
    expect(done).toEqual([undefined, undefined, true, true]);
  });

  it('take effect even if nobody polls', async () => {
    const client = await startEmulator({ operationPolls: 5 });
    await client.post('/v3/projects', { projectId: 'acme-new', parent: ORG });
    expect((await client.get('/v3/projects/acme-new')).json).toMatchObject({ state: 'ACTIVE' });
  });

  it('belong to the service that issued them', async () => {
    const client = await startEmulator({ seed: PEOPLED });
    const { name: crm } = (await client.post('/v3/folders', { displayName: 'new', parent: ORG })).json;
    const { name: usage } = (await client.post('/v1/projects/acme-web/services/youtube.googleapis.com:enable')).json;
    for (const path of [`/v3/${crm}`, `/v1/${crm}`, `/crm/v1/${crm}`, `/v1/${usage}`, `/serviceusage/v1/${usage}`]) {
      expect((await client.get(path)).status).toBe(200);
    }
    for (const path of [`/v3/${usage}`, `/crm/v1/${usage}`, `/serviceusage/v1/${crm}`]) {
      const answer = await client.get(path);
      expect(answer.json).toMatchObject({
        error: { code: 400, message: expect.stringContaining('unsupported operation name') },
      });
    }
  });

  it('unknown are not found', async () => {
    const client = await startEmulator();
    expect((await client.get('/v3/operations/cp.1')).json).toMatchObject({ error: { code: 404, status: 'NOT_FOUND' } });
    expect((await client.get('/v1/operations/acf.p2-1-x')).status).toBe(404);
  });
});

describe('an injected operation error', () => {
  const action = { kind: 'lroError', error: { code: 13, message: 'Internal.', details: [{ '@type': 'x' }] } } as const;
  const ended = { done: true, error: { code: 13, message: 'Internal.', details: [{ '@type': 'x' }] } };

  it('ends the operation of the write and leaves the world as it was', async () => {
    const client = await startEmulator({ seed: PEOPLED });
    const before = client.emulator.snapshot();
    client.emulator.addFault({ method: 'POST', action });
    client.emulator.addFault({ method: 'PATCH', action });
    client.emulator.addFault({ method: 'DELETE', action });
    expect(await client.settle(client.post('/v3/folders', { displayName: 'new', parent: ORG }))).toMatchObject(ended);
    expect(await client.settle(client.post('/v3/projects', { projectId: 'acme-new', parent: ORG }))).toMatchObject(
      ended,
    );
    expect(
      await client.settle(client.post('/v1/projects/acme-web/services/youtube.googleapis.com:enable')),
    ).toMatchObject(ended);
    expect(await client.settle(client.patch('/v3/projects/acme-web', { displayName: 'Other' }))).toMatchObject(ended);
    expect((await client.delete('/v3/folders/1002')).json).toEqual(ended);
    const after = client.emulator.snapshot();
    expect(worldOf(after)).toEqual(worldOf(before));
  });

  it('does not touch a synchronous write', async () => {
    const client = await startEmulator({ seed: PEOPLED, faults: [{ action }] });
    expect((await client.put('/v1/projects/acme-web/billingInfo', { billingAccountName: ACCOUNT })).status).toBe(200);
  });
});

function worldOf(snapshot: unknown): unknown {
  if (typeof snapshot !== 'object' || snapshot === null) throw new Error('the snapshot is no object');
  const entries = Object.entries(snapshot);
  return Object.fromEntries(entries.filter(([key]) => !['counter', 'lastMicros', 'operations'].includes(key)));
}
