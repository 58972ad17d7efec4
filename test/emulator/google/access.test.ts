import { describe, expect, it } from 'vitest';
import type { Principal } from '../../../src/emulator/google/options.ts';
import { ACCOUNT, type Answer, type Client, detailOf, ORG, PEOPLED, startEmulator } from './support.ts';

const tokens: Record<string, Principal> = {
  admin: { name: 'user:admin@example.com', permissions: '*' },
  viewer: {
    name: 'user:viewer@example.com',
    permissions: [
      'resourcemanager.organizations.get',
      'resourcemanager.projects.get',
      'resourcemanager.folders.*',
      'billing.accounts.get',
    ],
    hidden: ['folders/1002'],
  },
  nobody: { name: 'user:nobody@example.com', permissions: [] },
  outsider: { name: 'user:outsider@example.com', permissions: '*', hidden: ['projects/acme-web', ACCOUNT] },
  local: {
    name: 'user:local@example.com',
    permissions: [],
    resources: { 'folders/1001': ['resourcemanager.projects.*'] },
  },
};

async function start(): Promise<Client> {
  return (await startEmulator({ seed: PEOPLED, tokens })).as('admin');
}

/** Asks about something that exists and about its absent twin; the two refusals must differ in the name alone. */
async function expectTwins(ask: (name: string) => Promise<Answer>, real: string, absent: string): Promise<void> {
  const [forbidden, missing] = await Promise.all([ask(real), ask(absent)]);
  expect(forbidden.status).toBe(403);
  expect(missing.status).toBe(403);
  const strip = (text: string, name: string) => text.replaceAll(name, 'NAME').replace(/Help Token: [\w-]+/, '');
  expect(strip(forbidden.text, real)).toBe(strip(missing.text, absent));
}

describe('missing and forbidden look the same', () => {
  it.each(['nobody', 'outsider'])('for projects, seen by %s', async (token) => {
    const client = (await start()).as(token);
    const asks: ((id: string) => Promise<Answer>)[] = [
      (id) => client.get(`/v3/projects/${id}`),
      (id) => client.get(`/v1/projects/${id}`),
      (id) => client.delete(`/v3/projects/${id}`),
      (id) => client.patch(`/v3/projects/${id}`, { displayName: 'Name' }),
      (id) => client.post(`/v3/projects/${id}:getIamPolicy`),
      (id) => client.post(`/v3/projects/${id}:setIamPolicy`, { policy: {} }),
      (id) => client.post(`/v3/projects/${id}:testIamPermissions`, { permissions: ['resourcemanager.projects.get'] }),
      (id) => client.get(`/v1/projects/${id}/billingInfo`),
      (id) => client.put(`/v1/projects/${id}/billingInfo`, { billingAccountName: ACCOUNT }),
      (id) => client.put(`/v1/projects/${id}/billingInfo`, {}),
      (id) => client.get(`/v1/projects/${id}/services`),
      (id) => client.get(`/v1/projects/${id}/services/dns.googleapis.com`),
      (id) => client.get(`/v1/projects/${id}/services:batchGet?names=projects/${id}/services/dns.googleapis.com`),
      (id) => client.post(`/v1/projects/${id}/services/dns.googleapis.com:enable`),
      (id) => client.post(`/v1/projects/${id}/services/dns.googleapis.com:disable`),
      (id) => client.post(`/v1/projects/${id}/services:batchEnable`, { serviceIds: ['dns.googleapis.com'] }),
    ];
    for (const ask of asks) await expectTwins(ask, 'acme-web', 'acme-not');
  });

  it('for folders, organisations and billing accounts', async () => {
    const client = (await start()).as('nobody');
    await expectTwins((name) => client.get(`/v3/${name}`), 'folders/1001', 'folders/1009');
    await expectTwins((name) => client.get(`/v3/folders?parent=${name}`), 'folders/1001', 'folders/1009');
    await expectTwins((name) => client.get(`/v3/${name}`), ORG, 'organizations/999999999999');
    await expectTwins(
      (name) => client.post(`/v3/${name}:testIamPermissions`, { permissions: ['a.b.c'] }),
      ORG,
      'organizations/999999999999',
    );
    await expectTwins((name) => client.get(`/v1/${name}`), ACCOUNT, 'billingAccounts/000000-000000-000000');
    await expectTwins(
      (name) => client.get(`/v1/${name}:getIamPolicy`),
      ACCOUNT,
      'billingAccounts/000000-000000-000000',
    );
  });
});

describe('the 403 of Resource Manager', () => {
  it('names permission and resource in version 3', async () => {
    const answer = await (await start()).get('/v3/projects/acme-not');
    expect(answer.json).toEqual({
      error: {
        code: 403,
        message:
          "Permission 'resourcemanager.projects.get' denied on resource " +
          "'//cloudresourcemanager.googleapis.com/projects/acme-not' (or it may not exist).",
        status: 'PERMISSION_DENIED',
        details: [
          {
            '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
            reason: 'IAM_PERMISSION_DENIED',
            domain: 'cloudresourcemanager.googleapis.com',
            metadata: { permission: 'resourcemanager.projects.get', resource: 'projects/acme-not' },
          },
        ],
      },
    });
  });

  it('is bare in version 1', async () => {
    const answer = await (await start()).get('/v1/projects/acme-not');
    expect(answer.json).toEqual({
      error: { code: 403, message: 'The caller does not have permission', status: 'PERMISSION_DENIED' },
    });
  });
});

describe('a principal', () => {
  it('is found by its token alone', async () => {
    const answer = await (await start()).as('stranger').get(`/v3/${ORG}`);
    expect(answer.status).toBe(401);
    expect(detailOf(answer, 'ErrorInfo')).toMatchObject({ reason: 'ACCESS_TOKEN_EXPIRED' });
  });

  it('sees no hidden resource, neither alone nor in lists and searches', async () => {
    const viewer = (await start()).as('viewer');
    expect((await viewer.get('/v3/folders/1001')).status).toBe(200);
    expect((await viewer.get('/v3/folders/1002')).status).toBe(403);
    expect((await viewer.get(`/v3/folders?parent=${ORG}`)).json['folders']).toHaveLength(1);
    expect((await viewer.get('/v3/folders:search')).json['folders']).toHaveLength(1);
    const outsider = viewer.as('outsider');
    expect((await outsider.get('/v3/projects:search')).json).toEqual({});
    expect((await outsider.get('/v1/projects')).json).toEqual({});
    expect((await outsider.get('/v3/projects?parent=folders/1001')).json).toEqual({});
    expect((await outsider.get('/v3/projects/555000111222')).status).toBe(403);
  });

  it('gets the held subset from testIamPermissions', async () => {
    const client = await start();
    const permissions = ['resourcemanager.projects.get', 'resourcemanager.projects.delete'];
    const test = (token: string, resource: string) =>
      client.as(token).post(`/v3/${resource}:testIamPermissions`, { permissions });
    expect((await test('admin', 'projects/acme-web')).json).toEqual({ permissions });
    expect((await test('viewer', 'projects/acme-web')).json).toEqual({ permissions: permissions.slice(0, 1) });
    expect(
      (await client.as('viewer').post('/v3/folders/1001:testIamPermissions', { permissions: ['a.b.c'] })).json,
    ).toEqual({});
    expect((await client.post(`/v3/${ORG}:testIamPermissions`, { permissions: ['resourcemanager.*'] })).status).toBe(
      400,
    );
    const billing = { permissions: ['billing.resourceAssociations.create'] };
    expect((await client.post(`/v1/${ACCOUNT}:testIamPermissions`, billing)).json).toEqual(billing);
    expect((await client.as('viewer').post(`/v1/${ACCOUNT}:testIamPermissions`, billing)).json).toEqual({});
  });

  it('may hold permissions below one resource only', async () => {
    const local = (await start()).as('local');
    expect((await local.get('/v3/projects/acme-web')).status).toBe(200);
    expect((await local.get('/v3/projects?parent=folders/1001')).json['projects']).toHaveLength(1);
    expect((await local.get('/v3/projects?parent=folders/1002')).status).toBe(403);
    const project = { projectId: 'acme-local', parent: 'folders/1001' };
    expect((await local.post('/v3/projects', project)).status).toBe(200);
    expect((await local.post('/v3/projects', { ...project, projectId: 'acme-else', parent: ORG })).status).toBe(403);
    expect((await local.post('/v3/projects/acme-web:move', { destinationParent: ORG })).status).toBe(403);
  });

  it('learns from a refused enable that it sees the project but lacks the permission', async () => {
    const answer = await (await start()).as('viewer').post('/v1/projects/acme-web/services/dns.googleapis.com:enable');
    expect(answer.status).toBe(403);
    expect(answer.text).toContain('Permission denied to enable service [dns.googleapis.com]');
    expect(detailOf(answer, 'ErrorInfo')).toMatchObject({
      reason: 'AUTH_PERMISSION_DENIED',
      metadata: { permission: 'serviceusage.services.enable', resource: '555000111222' },
    });
  });

  it('cannot charge a project that is hidden from it', async () => {
    const answer = await (await start()).as('outsider').get(`/v3/${ORG}`, { 'x-goog-user-project': 'acme-web' });
    expect(detailOf(answer, 'ErrorInfo')).toMatchObject({ reason: 'USER_PROJECT_DENIED' });
  });

  it('may find no billing account at all', async () => {
    const answer = await (await start()).as('nobody').get('/v1/billingAccounts');
    expect(answer.json).toEqual({ billingAccounts: [], nextPageToken: '' });
  });
});
