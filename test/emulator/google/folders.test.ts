import { describe, expect, it } from 'vitest';
import { type Client, detailOf, ORG, PEOPLED, startEmulator } from './support.ts';

async function createFolder(client: Client, displayName: string, parent: string): Promise<string> {
  const operation = await client.settle(client.post('/v3/folders', { displayName, parent }));
  return String(operation['response']?.['name']);
}

function violationOf(answer: Parameters<typeof detailOf>[0]): unknown {
  return detailOf(answer, 'PreconditionFailure')?.['violations'];
}

describe('folders.create', () => {
  it('starts with a bare name and ends in the folder', async () => {
    const client = await startEmulator();
    const started = await client.post('/v3/folders', { displayName: 'KCC one', parent: ORG });
    expect(Object.keys(started.json)).toEqual(['name']);
    expect(String(started.json['name'])).toMatch(/^operations\/fc\.\d{19}$/);
    const { json } = await client.get(`/v1/${started.json['name']}`);
    expect(json).toEqual({
      name: started.json['name'],
      done: true,
      response: {
        '@type': 'type.googleapis.com/google.cloud.resourcemanager.v3.Folder',
        name: expect.stringMatching(/^folders\/\d{12}$/),
        parent: ORG,
        displayName: 'KCC one',
        state: 'ACTIVE',
        createTime: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
        updateTime: expect.any(String),
        etag: expect.any(String),
      },
    });
    const { '@type': _, ...folder } = json['response'] ?? {};
    expect((await client.get(`/v3/${json['response']?.['name']}`)).json).toEqual(folder);
  });

  it('reports a duplicate name in the operation', async () => {
    const client = await startEmulator({ seed: PEOPLED });
    const operation = await client.settle(client.post('/v3/folders', { displayName: 'shared', parent: ORG }));
    expect(operation).toMatchObject({
      done: true,
      error: {
        code: 9,
        message: 'The folder operation violates display name uniqueness within the parent.',
        details: [{ violations: [{ type: 'FOLDER_NAME_UNIQUENESS_VIOLATION', subject: ORG }] }],
      },
    });
    expect(operation).not.toHaveProperty('response');
    expect((await client.get(`/v3/folders?parent=${ORG}`)).json['folders']).toHaveLength(2);
  });

  it('allows the name again elsewhere, in another case, and after deletion', async () => {
    const client = await startEmulator({ seed: PEOPLED });
    await createFolder(client, 'shared', 'folders/1001');
    await createFolder(client, 'Shared', ORG);
    await client.delete('/v3/folders/1002');
    expect(await createFolder(client, 'platform', ORG)).toMatch(/^folders\//);
  });

  it('can be told to fold case and to count deleted siblings', async () => {
    const knobs = { caseInsensitiveFolderNames: true, deletedFoldersBlockNames: true };
    const client = await startEmulator({ seed: PEOPLED, knobs });
    await client.delete('/v3/folders/1002');
    for (const displayName of ['SHARED', 'platform']) {
      const operation = await client.settle(client.post('/v3/folders', { displayName, parent: ORG }));
      expect(operation).toMatchObject({ error: { code: 9 } });
    }
  });

  it.each(['', ' a', 'a.', 'a/b', 'x'.repeat(31)])('refuses the display name "%s"', async (displayName) => {
    const client = await startEmulator();
    const answer = await client.post('/v3/folders', { displayName, parent: ORG });
    expect(answer.status).toBe(400);
    expect(answer.json).toMatchObject({ error: { message: 'Request contains an invalid argument.' } });
    expect(detailOf(answer, 'DebugInfo')).toBeDefined();
  });

  it.each([undefined, 'projects/1', 'organizations/acme', 'folders/1/x'])('refuses the parent %s', async (parent) => {
    const client = await startEmulator();
    const answer = await client.post('/v3/folders', { displayName: 'fine', parent });
    expect(answer.status).toBe(400);
    expect(answer.text).toContain('field [parent] has issue');
  });

  it('refuses a parent that is missing and, in the operation, one that is deleted', async () => {
    const client = await startEmulator({ seed: PEOPLED });
    expect((await client.post('/v3/folders', { displayName: 'fine', parent: 'folders/999' })).status).toBe(403);
    await client.delete('/v3/folders/1002');
    const operation = await client.settle(client.post('/v3/folders', { displayName: 'fine', parent: 'folders/1002' }));
    expect(operation).toMatchObject({
      error: { code: 9, details: [{ violations: [{ type: 'PARENT_DELETED_VIOLATION' }] }] },
    });
  });

  it('allows ten levels', async () => {
    const client = await startEmulator();
    let parent = ORG;
    for (let level = 1; level <= 10; level++) parent = await createFolder(client, `level ${level}`, parent);
    const answer = await client.post('/v3/folders', { displayName: 'too deep', parent });
    expect(answer.status).toBe(400);
    expect(violationOf(answer)).toMatchObject([{ type: 'ACTIVE_FOLDER_HEIGHT_VIOLATION' }]);
  });

  it('allows 300 children', async () => {
    const folders = Array.from({ length: 300 }, (_, index) => ({
      id: `${2000 + index}`,
      displayName: `f ${index}`,
      parent: ORG,
    }));
    const client = await startEmulator({ seed: { ...PEOPLED, folders } });
    const answer = await client.post('/v3/folders', { displayName: 'one more', parent: ORG });
    expect(answer.status).toBe(400);
    expect(violationOf(answer)).toMatchObject([{ type: 'MAX_CHILD_FOLDERS_VIOLATION' }]);
  });
});

describe('folders.patch', () => {
  it('renames, with or without a mask, and changes the etag', async () => {
    const client = await startEmulator({ seed: PEOPLED });
    const before = (await client.get('/v3/folders/1001')).json;
    const started = await client.patch('/v3/folders/1001', { displayName: 'shared 2' });
    expect(started.json).toEqual({
      name: expect.stringMatching(/^operations\//),
      metadata: { '@type': 'type.googleapis.com/google.cloud.resourcemanager.v3.UpdateFolderMetadata' },
    });
    const after = (await client.get('/v3/folders/1001')).json;
    expect(after).toMatchObject({ displayName: 'shared 2', createTime: before['createTime'] });
    expect(after['etag']).not.toBe(before['etag']);
    const operation = await client.settle(
      client.patch('/v3/folders/1001?updateMask=displayName', { displayName: 'shared 3' }),
    );
    expect(operation['response']).toMatchObject({ displayName: 'shared 3' });
  });

  it('refuses a taken name at once', async () => {
    const client = await startEmulator({ seed: PEOPLED });
    const answer = await client.patch('/v3/folders/1001?updateMask=display_name', { displayName: 'platform' });
    expect(answer.json).toMatchObject({
      error: { code: 400, status: 'FAILED_PRECONDITION', message: 'Precondition check failed.' },
    });
    expect(violationOf(answer)).toMatchObject([{ type: 'FOLDER_NAME_UNIQUENESS_VIOLATION', subject: 'folders/1001' }]);
  });

  it('refuses a stale etag and another field in the mask', async () => {
    const client = await startEmulator({ seed: PEOPLED });
    const stale = await client.patch('/v3/folders/1001', { displayName: 'x', etag: 'b2xk' });
    expect(stale.json).toMatchObject({ error: { code: 409, status: 'ABORTED' } });
    expect((await client.patch('/v3/folders/1001?updateMask=parent', { displayName: 'x' })).status).toBe(400);
  });
});

describe('folders.move', () => {
  it('moves below another parent', async () => {
    const client = await startEmulator({ seed: PEOPLED });
    const started = await client.post('/v3/folders/1001:move', { destinationParent: 'folders/1002' });
    expect(started.json['metadata']).toEqual({
      '@type': 'type.googleapis.com/google.cloud.resourcemanager.v3.MoveFolderMetadata',
    });
    expect((await client.get('/v3/folders/1001')).json).toMatchObject({ parent: 'folders/1002' });
  });

  it('refuses cycles, taken names, deleted parents and a second move meanwhile', async () => {
    const client = await startEmulator({ seed: PEOPLED, operationPolls: 3 });
    const child = await createFolder(client, 'platform', 'folders/1001');
    const move = (name: string, destinationParent: string) => client.post(`/v3/${name}:move`, { destinationParent });
    expect(violationOf(await move('folders/1001', child))).toMatchObject([{ type: 'CYCLE_INTRODUCED_VIOLATION' }]);
    expect(violationOf(await move('folders/1001', 'folders/1001'))).toMatchObject([
      { type: 'CYCLE_INTRODUCED_VIOLATION' },
    ]);
    expect(violationOf(await move(child, ORG))).toMatchObject([{ type: 'FOLDER_NAME_UNIQUENESS_VIOLATION' }]);
    await client.delete('/v3/folders/1002');
    expect(violationOf(await move(child, 'folders/1002'))).toMatchObject([{ type: 'PARENT_DELETED_VIOLATION' }]);
    expect((await move(child, ORG)).status).toBe(200);
    expect(violationOf(await move(child, 'folders/1001'))).toMatchObject([{ type: 'FOLDER_BEING_MOVED_VIOLATION' }]);
  });

  it('counts the whole moved tree against the depth', async () => {
    const client = await startEmulator({ seed: PEOPLED, knobs: { folderDepth: 2 } });
    await createFolder(client, 'below', 'folders/1001');
    const answer = await client.post('/v3/folders/1001:move', { destinationParent: 'folders/1002' });
    expect(violationOf(answer)).toMatchObject([{ type: 'ACTIVE_FOLDER_HEIGHT_VIOLATION' }]);
  });
});

describe('folders.delete and undelete', () => {
  it('is done at once, without a name, and twice', async () => {
    const client = await startEmulator({ seed: PEOPLED });
    for (let attempt = 0; attempt < 2; attempt++) {
      const { status, json } = await client.delete('/v3/folders/1002');
      expect(status).toBe(200);
      expect(Object.keys(json).sort()).toEqual(['done', 'response']);
      expect(json['response']).toMatchObject({ name: 'folders/1002', state: 'DELETE_REQUESTED' });
      expect(json['response']).not.toHaveProperty('deleteTime');
    }
    expect((await client.get('/v3/folders/1002')).json).toMatchObject({ state: 'DELETE_REQUESTED' });
    expect((await client.get(`/v3/folders?parent=${ORG}`)).json['folders']).toHaveLength(1);
    expect((await client.get(`/v3/folders?parent=${ORG}&showDeleted=true`)).json['folders']).toHaveLength(2);
  });

  it('is refused while something active is inside', async () => {
    const client = await startEmulator({ seed: PEOPLED });
    const answer = await client.delete('/v3/folders/1001');
    expect(answer.status).toBe(400);
    expect(violationOf(answer)).toMatchObject([
      { type: 'FOLDER_TO_DELETE_NON_EMPTY_VIOLATION', subject: 'folders/1001' },
    ]);
    await client.delete('/v3/projects/acme-web');
    expect((await client.delete('/v3/folders/1001')).status).toBe(200);
  });

  it('returns, unless the name is taken or the parent gone', async () => {
    const client = await startEmulator({ seed: PEOPLED });
    await client.delete('/v3/folders/1002');
    await createFolder(client, 'platform', ORG);
    expect(violationOf(await client.post('/v3/folders/1002:undelete'))).toMatchObject([
      { type: 'FOLDER_NAME_UNIQUENESS_VIOLATION' },
    ]);
    const child = await createFolder(client, 'child', ORG);
    await client.delete(`/v3/${child}`);
    const operation = await client.settle(client.post(`/v3/${child}:undelete`));
    expect(operation['response']).toMatchObject({ state: 'ACTIVE' });
    expect(operation['response']).not.toHaveProperty('deleteTime');
    expect((await client.post(`/v3/${child}:undelete`)).status).toBe(200);
  });

  it('refuses changes meanwhile', async () => {
    const client = await startEmulator({ seed: PEOPLED });
    await client.delete('/v3/folders/1002');
    expect(violationOf(await client.patch('/v3/folders/1002', { displayName: 'x' }))).toMatchObject([
      { type: 'RESOURCE_DELETED_VIOLATION' },
    ]);
    expect((await client.post('/v3/folders/1002:move', { destinationParent: 'folders/1001' })).status).toBe(400);
    expect((await client.post('/v3/folders/1002:setIamPolicy', { policy: {} })).status).toBe(400);
  });
});

describe('folders in version 2', () => {
  it('speaks of lifecycleState and takes the parent as a parameter', async () => {
    const client = await startEmulator({ seed: PEOPLED });
    const operation = await client.settle(client.post(`/v2/folders?parent=${ORG}`, { displayName: 'two' }));
    expect(operation['response']).toMatchObject({
      '@type': 'type.googleapis.com/google.cloud.resourcemanager.v2.Folder',
      displayName: 'two',
      lifecycleState: 'ACTIVE',
    });
    const name = operation['response']?.['name'];
    expect((await client.patch(`/v2/${name}`, { displayName: 'three' })).json).toMatchObject({ displayName: 'three' });
    expect((await client.post('/v2/folders:search', { query: 'displayName=three' })).json['folders']).toHaveLength(1);
    expect((await client.delete(`/v2/${name}`)).json).toMatchObject({ lifecycleState: 'DELETE_REQUESTED' });
    expect((await client.post(`/v2/${name}:undelete`)).json).toMatchObject({ lifecycleState: 'ACTIVE' });
    expect((await client.get(`/v2/folders?parent=${ORG}`)).json['folders']).toHaveLength(3);
  });
});

it('refuses a folder id that is no number and hides one that is missing', async () => {
  const client = await startEmulator();
  expect((await client.get('/v3/folders/abc')).status).toBe(400);
  expect((await client.get('/v3/folders/77')).status).toBe(403);
});
