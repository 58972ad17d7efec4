import { describe, expect, it } from 'vitest';
import { ORG, PEOPLED, startEmulator } from './support.ts';

const PROJECT = {
  projectId: 'acme-new',
  name: 'KCC one',
  parent: { type: 'folder', id: '1001' },
  labels: { 'cnrm-test': 'true', 'managed-by-cnrm': 'true' },
};

describe('projects in version 1', () => {
  it('are created like the recorded ones', async () => {
    const client = await startEmulator({ seed: PEOPLED });
    const started = await client.post('/v1/projects', PROJECT);
    expect(Object.keys(started.json)).toEqual(['name']);
    const project = {
      ...PROJECT,
      lifecycleState: 'ACTIVE',
      projectNumber: expect.stringMatching(/^\d{12}$/),
      createTime: expect.any(String),
    };
    expect((await client.get(`/v1/${started.json['name']}`)).json).toEqual({
      name: started.json['name'],
      metadata: {
        '@type': 'type.googleapis.com/google.cloudresourcemanager.v1.ProjectCreationStatus',
        gettable: true,
        ready: true,
      },
      done: true,
      response: { '@type': 'type.googleapis.com/google.cloudresourcemanager.v1.Project', ...project },
    });
    expect((await client.get('/v1/projects/acme-new')).json).toEqual(project);
    expect((await client.post('/v1/projects', PROJECT)).status).toBe(409);
    expect((await client.post('/v1/projects', { ...PROJECT, parent: { type: 'project', id: '1' } })).status).toBe(400);
  });

  it('are replaced whole by PUT, which also moves', async () => {
    const client = await startEmulator({ seed: PEOPLED });
    await client.post('/v1/projects', PROJECT);
    const current = (await client.get('/v1/projects/acme-new')).json;
    const updated = await client.put('/v1/projects/acme-new', {
      ...current,
      name: 'KCC two',
      parent: { type: 'folder', id: '1002' },
    });
    expect(updated.json).toEqual({ ...current, name: 'KCC two', parent: { type: 'folder', id: '1002' } });
    const { labels: _, ...unlabelled } = current;
    expect((await client.put('/v1/projects/acme-new', unlabelled)).json).not.toHaveProperty('labels');
    expect((await client.put('/v1/projects/acme-new', { parent: { type: 'folder', id: '77' } })).status).toBe(403);
  });

  it('are deleted and undeleted with empty answers', async () => {
    const client = await startEmulator({ seed: PEOPLED });
    for (let attempt = 0; attempt < 2; attempt++)
      expect((await client.delete('/v1/projects/acme-web')).json).toEqual({});
    expect((await client.get('/v1/projects/acme-web')).json).toMatchObject({ lifecycleState: 'DELETE_REQUESTED' });
    expect((await client.put('/v1/projects/acme-web', { name: 'Name' })).status).toBe(400);
    expect((await client.post('/v1/projects/acme-web:undelete')).json).toEqual({});
    expect((await client.post('/v1/projects/acme-web:undelete')).status).toBe(400);
  });

  it('list by filter, terms beside each other all counting', async () => {
    const client = await startEmulator({ seed: PEOPLED });
    await client.post('/v1/projects', PROJECT);
    const found = async (filter: string) => {
      const projects: unknown = (await client.get(`/v1/projects?filter=${encodeURIComponent(filter)}`)).json[
        'projects'
      ];
      return Array.isArray(projects) ? projects.map((project) => project.projectId) : [];
    };
    expect(await found('')).toHaveLength(2);
    expect(await found('lifecycleState:ACTIVE')).toHaveLength(2);
    expect(await found('parent.type:folder parent.id:1001')).toHaveLength(2);
    expect(await found('parent.type:folder parent.id:1002')).toEqual([]);
    expect(await found('labels.cnrm-test:true name:kcc*')).toEqual(['acme-new']);
    expect(await found('labels.cnrm-test:*')).toEqual(['acme-new']);
    expect(await found('NOT labels.cnrm-test:*')).toEqual(['acme-web']);
    expect(await found('-labels.cnrm-test:*')).toEqual(['acme-web']);
    expect(await found('id:acme-new OR id:acme-web')).toHaveLength(2);
    expect(await found('projectId!=acme-new')).toEqual(['acme-web']);
    expect(await found('projectNumber=555000111222')).toEqual(['acme-web']);
  });

  it('tell their ancestry', async () => {
    const client = await startEmulator({ seed: PEOPLED });
    expect((await client.post('/v1/projects/acme-web:getAncestry')).json).toEqual({
      ancestor: [
        { resourceId: { type: 'project', id: 'acme-web' } },
        { resourceId: { type: 'folder', id: '1001' } },
        { resourceId: { type: 'organization', id: '123456789012' } },
      ],
    });
  });
});

describe('organisations', () => {
  it('are got and searched in both versions', async () => {
    const client = await startEmulator();
    const v3 = (await client.get(`/v3/${ORG}`)).json;
    expect(v3).toEqual({
      name: ORG,
      displayName: 'acme.example',
      directoryCustomerId: 'C0acme',
      state: 'ACTIVE',
      createTime: expect.any(String),
      updateTime: expect.any(String),
      etag: expect.any(String),
    });
    const v1 = (await client.get(`/v1/${ORG}`)).json;
    expect(v1).toEqual({
      name: ORG,
      displayName: 'acme.example',
      owner: { directoryCustomerId: 'C0acme' },
      creationTime: v3['createTime'],
      lifecycleState: 'ACTIVE',
    });
    for (const query of ['', 'domain:ACME.example', 'directoryCustomerId:C0acme', 'owner.directoryCustomerId=C0acme']) {
      expect((await client.get(`/v3/organizations:search?query=${query}`)).json).toEqual({ organizations: [v3] });
      expect((await client.post('/v1/organizations:search', { filter: query })).json).toEqual({ organizations: [v1] });
    }
    expect((await client.get('/v3/organizations:search?query=domain:other.example')).json).toEqual({});
    expect((await client.get('/v3/organizations:search?query=nope:1')).status).toBe(400);
    expect((await client.get('/v3/organizations/acme')).status).toBe(400);
  });
});
