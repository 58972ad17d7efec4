import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ACCOUNT, type Client, ORG, SEED, startEmulator } from './support.ts';

let folder: string;
let stateFile: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'google-emulator-'));
  stateFile = join(folder, 'state.json');
});

afterEach(() => rm(folder, { recursive: true, force: true }));

async function build(client: Client): Promise<string> {
  const operation = await client.settle(client.post('/v3/folders', { displayName: 'kept', parent: ORG }));
  const parent = String(operation['response']?.['name']);
  await client.settle(client.post('/v3/projects', { projectId: 'acme-kept', parent, labels: { a: 'b' } }));
  await client.put('/v1/projects/acme-kept/billingInfo', { billingAccountName: ACCOUNT });
  await client.settle(client.post('/v1/projects/acme-kept/services/run.googleapis.com:enable'));
  await client.post(`/v3/${parent}:setIamPolicy`, {
    policy: { bindings: [{ role: 'roles/browser', members: ['user:a@example.com'] }] },
  });
  return parent;
}

describe('the state file', () => {
  it('carries the world from one emulator to the next', async () => {
    const first = await startEmulator({ stateFile });
    const parent = await build(first);
    const paths = [
      `/v3/${parent}`,
      '/v3/projects/acme-kept',
      '/v1/projects/acme-kept/billingInfo',
      '/v1/projects/acme-kept/services?filter=state:ENABLED',
    ];
    const before = await Promise.all(paths.map(async (path) => (await first.get(path)).json));
    const policy = (await first.post(`/v3/${parent}:getIamPolicy`)).json;
    const snapshot = first.emulator.snapshot();
    await first.emulator.close();

    const second = await startEmulator({ stateFile });
    expect(second.emulator.snapshot()).toEqual(snapshot);
    expect(await Promise.all(paths.map(async (path) => (await second.get(path)).json))).toEqual(before);
    expect((await second.post(`/v3/${parent}:getIamPolicy`)).json).toEqual(policy);
    expect((await second.post('/v3/projects', { projectId: 'acme-kept', parent })).status).toBe(409);
  });

  it('finishes operations that the first emulator began', async () => {
    const first = await startEmulator({ stateFile, operationPolls: 2 });
    const { name } = (await first.post('/v3/folders', { displayName: 'kept', parent: ORG })).json;
    await first.get(`/v3/${name}`);
    await first.emulator.close();
    const second = await startEmulator({ stateFile });
    expect((await second.get(`/v3/${name}`)).json).toMatchObject({ done: true, response: { displayName: 'kept' } });
  });

  it('is written before the answer, for the owner alone, and leaves no litter', async () => {
    const client = await startEmulator({
      stateFile,
      faults: [{ method: 'POST', times: 1, action: { kind: 'resetAfter' } }],
    });
    await expect(client.post('/v3/folders', { displayName: 'kept', parent: ORG })).rejects.toThrow();
    expect(await readFile(stateFile, 'utf8')).toContain('"displayName":"kept"');
    expect((await stat(stateFile)).mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).toEqual(['state.json']);
  });

  it('is not touched by reads', async () => {
    const client = await startEmulator({ stateFile });
    await build(client);
    const { mtimeMs, ino } = await stat(stateFile);
    await client.get(`/v3/folders?parent=${ORG}`);
    await client.get('/v1/projects/acme-kept/services');
    await client.post(`/v3/${ORG}:getIamPolicy`);
    expect(await stat(stateFile)).toMatchObject({ mtimeMs, ino });
  });

  it('gains the organisations and accounts of a later seed, loses and changes nothing', async () => {
    const first = await startEmulator({ stateFile });
    const parent = await build(first);
    await first.emulator.close();
    const seed = {
      organizations: [
        { id: '123456789012', displayName: 'renamed.example' },
        { id: '2', displayName: 'second.example' },
      ],
      billingAccounts: [{ id: 'AAAAAA-AAAAAA-AAAAAA' }],
      folders: [{ id: '9', displayName: 'not added', parent: ORG }],
    };
    const second = await startEmulator({ stateFile, seed });
    expect((await second.get(`/v3/${ORG}`)).json).toMatchObject({ displayName: 'acme.example' });
    expect((await second.get('/v3/organizations/2')).status).toBe(200);
    expect((await second.get('/v1/billingAccounts')).json['billingAccounts']).toHaveLength(3);
    expect((await second.get(`/v3/${parent}`)).status).toBe(200);
    expect((await second.get('/v3/folders/9')).status).toBe(403);
  });

  it('that is something else is not overwritten', async () => {
    await writeFile(stateFile, '{"mine":true}');
    await expect(startEmulator({ stateFile, seed: SEED })).rejects.toThrow('is not a state file');
    expect(await readFile(stateFile, 'utf8')).toBe('{"mine":true}');
  });
});
