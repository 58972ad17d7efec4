import { describe, expect, it } from 'vitest';
import { ACCOUNT, type Client, detailOf, ORG, PEOPLED, startEmulator } from './support.ts';

function create(client: Client, projectId: string, more: object = {}) {
  return client.post('/v3/projects', { projectId, displayName: 'A Project', parent: ORG, ...more });
}

describe('projects.create', () => {
  it('starts with a bare name and ends in the project', async () => {
    const client = await startEmulator({ operationPolls: 2 });
    const started = await create(client, 'acme-new', { labels: { team: 'web', empty: '' } });
    expect(Object.keys(started.json)).toEqual(['name']);
    expect(String(started.json['name'])).toMatch(/^operations\/cp\.\d{19}$/);
    const poll = () => client.get(`/v3/${started.json['name']}`);
    const running = (await poll()).json;
    expect(running).not.toHaveProperty('done');
    expect(running['metadata']).toMatchObject({
      '@type': 'type.googleapis.com/google.cloud.resourcemanager.v3.CreateProjectMetadata',
      gettable: true,
    });
    const done = (await poll()).json;
    expect(done).toMatchObject({ done: true, metadata: { gettable: true, ready: true } });
    expect(done['response']).toEqual({
      '@type': 'type.googleapis.com/google.cloud.resourcemanager.v3.Project',
      name: expect.stringMatching(/^projects\/\d{12}$/),
      projectId: 'acme-new',
      displayName: 'A Project',
      parent: ORG,
      state: 'ACTIVE',
      labels: { team: 'web', empty: '' },
      createTime: expect.any(String),
      updateTime: expect.any(String),
      etag: expect.any(String),
    });
  });

  it('is readable by id and by number, and answers with the number', async () => {
    const client = await startEmulator({ seed: PEOPLED });
    const byId = await client.get('/v3/projects/acme-web');
    const byNumber = await client.get('/v3/projects/555000111222');
    expect(byId.json).toMatchObject({ name: 'projects/555000111222', projectId: 'acme-web' });
    expect(byId.json).not.toHaveProperty('labels');
    expect(byId.json).not.toHaveProperty('deleteTime');
    expect(byNumber.json).toEqual(byId.json);
  });

  it('never gives an id twice', async () => {
    const client = await startEmulator({ seed: PEOPLED });
    const taken = { error: { code: 409, status: 'ALREADY_EXISTS', message: 'Requested entity already exists' } };
    expect((await create(client, 'acme-web')).json).toEqual(taken);
    await client.delete('/v3/projects/acme-web');
    expect((await create(client, 'acme-web')).json).toEqual(taken);
  });

  it.each([
    ['short', 'at least 6'],
    ['a'.repeat(31), 'at most 30'],
    ['Acme-web', 'start with a lowercase letter'],
    ['1acme-web', 'start with a lowercase letter'],
    ['acme-web-', 'start with a lowercase letter'],
    ['acme_web', 'start with a lowercase letter'],
    ['my-google-app', 'restricted word'],
  ])('refuses the id %s', async (projectId, reason) => {
    const client = await startEmulator();
    const answer = await create(client, projectId);
    expect(answer.status).toBe(400);
    expect(answer.text).toContain('field [project_id] has issue');
    expect(answer.text).toContain(reason);
    expect(detailOf(answer, 'BadRequest')).toMatchObject({ fieldViolations: [{ field: 'project_id' }] });
  });

  it('refuses display names and labels outside the rules', async () => {
    const client = await startEmulator();
    for (const displayName of ['abc', 'x'.repeat(31), 'a_b_c', 'naïve']) {
      const answer = await create(client, 'acme-new', { displayName });
      expect(answer.text).toContain('field [display_name] has issue');
    }
    expect((await create(client, 'acme-new', { displayName: 'x'.repeat(31) })).json).toMatchObject({
      error: { message: 'field [display_name] has issue [project display name must be at most 30 characters]' },
    });
    const tooMany = Object.fromEntries(Array.from({ length: 65 }, (_, index) => [`k${index}`, 'v']));
    for (const labels of [{ Key: 'v' }, { '1k': 'v' }, { key: 'Value' }, { key: 'v'.repeat(64) }, tooMany]) {
      expect((await create(client, 'acme-new', { labels })).text).toContain('field [labels] has issue');
    }
    expect((await create(client, 'acme-new', { labels: { key: 1 } })).status).toBe(400);
  });

  it('refuses a parent that is missing or deleted in the same words', async () => {
    const client = await startEmulator({ seed: PEOPLED });
    const missing = await create(client, 'acme-new', { parent: 'folders/1003' });
    await client.delete('/v3/folders/1002');
    const deleted = await create(client, 'acme-new', { parent: 'folders/1002' });
    expect(missing.status).toBe(403);
    expect(missing.text).toContain(
      "Permission 'resourcemanager.projects.create' denied on resource '//cloudresourcemanager.googleapis.com/folders/1003'",
    );
    expect(deleted.text).toBe(missing.text.replaceAll('1003', '1002'));
  });

  it('takes the id for a name and the only organisation for a parent', async () => {
    const client = await startEmulator();
    const operation = await client.settle(client.post('/v3/projects', { projectId: 'acme-new' }));
    expect(operation['response']).toMatchObject({ displayName: 'acme-new', parent: ORG });
  });

  it('reports an exhausted quota in the operation, and reserves nothing', async () => {
    const client = await startEmulator({ seed: PEOPLED, knobs: { projectQuota: 1 } });
    const operation = await client.settle(create(client, 'acme-new'));
    expect(operation).toMatchObject({
      done: true,
      error: { code: 8, message: expect.stringContaining('allotted project quota') },
    });
    expect((await client.get('/v3/projects/acme-new')).status).toBe(403);
  });
});

describe('projects.patch', () => {
  async function labelled(): Promise<Client> {
    const client = await startEmulator();
    await create(client, 'acme-new', { labels: { team: 'web' } });
    return client;
  }

  it('changes what the mask names and clears labels only with it', async () => {
    const client = await labelled();
    await client.patch('/v3/projects/acme-new', { labels: {} });
    expect((await client.get('/v3/projects/acme-new')).json).toMatchObject({ labels: { team: 'web' } });
    await client.patch('/v3/projects/acme-new?updateMask=labels', {});
    expect((await client.get('/v3/projects/acme-new')).json).not.toHaveProperty('labels');
    await client.patch('/v3/projects/acme-new?updateMask=displayName', { displayName: 'Renamed', labels: { a: 'b' } });
    const { json } = await client.get('/v3/projects/acme-new');
    expect(json).toMatchObject({ displayName: 'Renamed' });
    expect(json).not.toHaveProperty('labels');
  });

  it('takes the populated fields without a mask', async () => {
    const client = await labelled();
    const operation = await client.settle(client.patch('/v3/projects/acme-new', { labels: { a: 'b' } }));
    expect(operation).toMatchObject({
      metadata: { '@type': 'type.googleapis.com/google.cloud.resourcemanager.v3.UpdateProjectMetadata' },
      response: { displayName: 'A Project', labels: { a: 'b' } },
    });
  });

  it('refuses a stale etag, takes the current one', async () => {
    const client = await labelled();
    const { etag } = (await client.get('/v3/projects/acme-new')).json;
    expect((await client.patch('/v3/projects/acme-new', { displayName: 'Once', etag })).status).toBe(200);
    const again = await client.patch('/v3/projects/acme-new', { displayName: 'Twice', etag });
    expect(again.json).toMatchObject({ error: { code: 409, status: 'ABORTED' } });
  });

  it('refuses an unknown mask and an empty name', async () => {
    const client = await labelled();
    expect((await client.patch('/v3/projects/acme-new?updateMask=parent', {})).status).toBe(400);
    expect((await client.patch('/v3/projects/acme-new?updateMask=displayName', {})).status).toBe(400);
  });
});

describe('projects.move', () => {
  it('changes the parent', async () => {
    const client = await startEmulator({ seed: PEOPLED });
    const operation = await client.settle(
      client.post('/v3/projects/acme-web:move', { destinationParent: 'folders/1002' }),
    );
    expect(operation).toMatchObject({
      metadata: { '@type': 'type.googleapis.com/google.cloud.resourcemanager.v3.MoveProjectMetadata' },
      response: { parent: 'folders/1002' },
    });
    expect((await client.get('/v3/projects?parent=folders/1002')).json['projects']).toHaveLength(1);
    expect((await client.get('/v3/projects?parent=folders/1001')).json).toEqual({});
  });

  it('refuses a destination that is missing, malformed or deleted', async () => {
    const client = await startEmulator({ seed: PEOPLED });
    const move = (destinationParent: string) => client.post('/v3/projects/acme-web:move', { destinationParent });
    expect((await move('folders/1003')).status).toBe(403);
    expect((await move('nowhere')).status).toBe(400);
    await client.delete('/v3/folders/1002');
    expect((await move('folders/1002')).json).toMatchObject({ error: { status: 'FAILED_PRECONDITION' } });
  });
});

describe('projects.delete and undelete', () => {
  it('marks the project, unlinks billing and succeeds twice', async () => {
    const client = await startEmulator({ seed: PEOPLED });
    await client.put('/v1/projects/acme-web/billingInfo', { billingAccountName: ACCOUNT });
    for (let attempt = 0; attempt < 2; attempt++) {
      const operation = await client.settle(client.delete('/v3/projects/acme-web'));
      expect(operation['response']).toMatchObject({ state: 'DELETE_REQUESTED', deleteTime: expect.any(String) });
    }
    expect((await client.get('/v3/projects/acme-web')).json).toMatchObject({ state: 'DELETE_REQUESTED' });
    expect((await client.get('/v3/projects?parent=folders/1001')).json).toEqual({});
    expect((await client.get('/v3/projects?parent=folders/1001&showDeleted=true')).json['projects']).toHaveLength(1);
    await client.post('/v3/projects/acme-web:undelete');
    expect((await client.get('/v1/projects/acme-web/billingInfo')).json).toMatchObject({ billingAccountName: '' });
    expect((await client.get('/v3/projects/acme-web')).json).not.toHaveProperty('deleteTime');
  });

  it('refuses every change in between', async () => {
    const client = await startEmulator({ seed: PEOPLED });
    await client.delete('/v3/projects/acme-web');
    const refusals = await Promise.all([
      client.patch('/v3/projects/acme-web', { displayName: 'New Name' }),
      client.post('/v3/projects/acme-web:move', { destinationParent: ORG }),
      client.post('/v3/projects/acme-web:setIamPolicy', { policy: { bindings: [] } }),
      client.post('/v1/projects/acme-web/services/dns.googleapis.com:enable'),
      client.put('/v1/projects/acme-web/billingInfo', { billingAccountName: ACCOUNT }),
    ]);
    for (const refusal of refusals)
      expect(refusal.json).toMatchObject({ error: { code: 400, status: 'FAILED_PRECONDITION' } });
  });

  it('undeletes nothing that is active or whose parent is gone', async () => {
    const client = await startEmulator({ seed: PEOPLED });
    expect((await client.post('/v3/projects/acme-web:undelete')).json).toMatchObject({
      error: { status: 'FAILED_PRECONDITION' },
    });
    await client.delete('/v3/projects/acme-web');
    await client.delete('/v3/folders/1001');
    expect((await client.post('/v3/projects/acme-web:undelete')).status).toBe(400);
  });
});

describe('liens', () => {
  it('block the deletion of their project until removed', async () => {
    const client = await startEmulator({ seed: PEOPLED });
    const lien = await client.post('/v3/liens', {
      parent: 'projects/acme-web',
      restrictions: ['resourcemanager.projects.delete'],
      reason: 'in production',
      origin: 'compute.googleapis.com',
    });
    expect(lien.json).toMatchObject({
      name: expect.stringMatching(/^liens\/p555000111222-l/),
      parent: 'projects/555000111222',
    });
    const refused = await client.delete('/v3/projects/acme-web');
    expect(refused.status).toBe(400);
    expect(detailOf(refused, 'PreconditionFailure')).toMatchObject({
      violations: [
        { type: 'LIEN', subject: lien.json['name'], description: expect.stringContaining('[compute.googleapis.com]') },
      ],
    });
    expect((await client.delete('/v1/projects/acme-web')).status).toBe(400);
    expect((await client.get('/v3/liens?parent=projects/555000111222')).json['liens']).toHaveLength(1);
    expect((await client.get(`/v3/${lien.json['name']}`)).json).toEqual(lien.json);
    expect((await client.delete(`/v3/${lien.json['name']}`)).json).toEqual({});
    expect((await client.get(`/v3/${lien.json['name']}`)).status).toBe(404);
    expect((await client.get('/v3/liens?parent=projects/acme-web')).json).toEqual({});
    expect((await client.delete('/v3/projects/acme-web')).status).toBe(200);
  });

  it('are checked', async () => {
    const client = await startEmulator({ seed: PEOPLED });
    const parent = 'projects/acme-web';
    const restrictions = ['resourcemanager.projects.delete'];
    expect((await client.post('/v3/liens', { parent, restrictions: [] })).status).toBe(400);
    expect((await client.post('/v3/liens', { parent, restrictions: ['x.y.z'] })).status).toBe(400);
    expect((await client.post('/v3/liens', { parent, restrictions, reason: 'x'.repeat(201) })).status).toBe(400);
    expect((await client.post('/v3/liens', { parent: 'acme-web', restrictions })).status).toBe(400);
    expect((await client.post('/v3/liens', { parent: 'projects/nobodys', restrictions })).status).toBe(403);
    expect((await client.get('/v3/liens')).status).toBe(400);
  });
});
