import { describe, expect, it } from 'vitest';
import { ACCOUNT, type Answer, type Client, ORG, PEOPLED, startEmulator, type Tree } from './support.ts';

const CONDITION = { title: 'until 2030', expression: 'request.time < timestamp("2030-01-01T00:00:00Z")' };
const VIEWER = { role: 'roles/browser', members: ['user:a@example.com'] };
const CONDITIONAL = { role: 'roles/browser', members: ['user:a@example.com'], condition: CONDITION };

function read(client: Client, resource = ORG, requestedPolicyVersion = 3): Promise<Answer> {
  return client.post(`/v3/${resource}:getIamPolicy`, { options: { requestedPolicyVersion } });
}

function write(client: Client, policy: object, resource = ORG, updateMask?: string): Promise<Answer> {
  return client.post(`/v3/${resource}:setIamPolicy`, { policy, updateMask });
}

describe('reading a policy', () => {
  it('shows one that was never set as its etag alone', async () => {
    const client = await startEmulator({ seed: PEOPLED });
    for (const resource of [ORG, 'folders/1001', 'projects/acme-web']) {
      expect((await read(client, resource)).json).toEqual({ etag: 'ACAB' });
    }
    expect((await client.get(`/v1/${ACCOUNT}:getIamPolicy`)).json).toEqual({ etag: 'ACAB' });
  });

  it('is a POST on Resource Manager and a GET on Billing', async () => {
    const client = await startEmulator();
    expect((await client.get(`/v3/${ORG}:getIamPolicy`)).status).toBe(404);
    expect((await client.post(`/v1/${ACCOUNT}:getIamPolicy`)).status).toBe(404);
    expect((await client.get(`/v1/${ACCOUNT}:getIamPolicy?options.requestedPolicyVersion=3`)).status).toBe(200);
    expect((await client.get(`/v1/${ACCOUNT}:getIamPolicy?options.requestedPolicyVersion=2`)).status).toBe(400);
    expect((await read(client, ORG, 2)).status).toBe(400);
  });

  it('hides conditions from readers of a lower version', async () => {
    const client = await startEmulator();
    await write(client, { version: 3, bindings: [VIEWER, CONDITIONAL] });
    expect((await read(client)).json).toMatchObject({ version: 3, bindings: [VIEWER, CONDITIONAL] });
    for (const version of [0, 1]) {
      const { json } = await read(client, ORG, version);
      expect(json).toMatchObject({
        version: 1,
        bindings: [
          VIEWER,
          { role: expect.stringMatching(/^roles\/browser_withcond_[0-9a-f]{20}$/), members: VIEWER.members },
        ],
      });
      expect(JSON.stringify(json)).not.toContain('condition"');
    }
  });
});

describe('writing a policy', () => {
  it('answers version 1 without conditions, whatever was sent', async () => {
    const client = await startEmulator();
    const { status, json } = await write(client, { version: 3, etag: 'ACAB', bindings: [VIEWER] });
    expect(status).toBe(200);
    expect(json).toEqual({ version: 1, etag: expect.any(String), bindings: [VIEWER] });
    expect((await read(client)).json).toEqual(json);
  });

  it('makes the etag of the time of the write, in microseconds', async () => {
    const client = await startEmulator();
    const before = Date.now();
    const bytes = Buffer.from(String((await write(client, { bindings: [VIEWER] })).json['etag']), 'base64');
    expect(bytes).toHaveLength(8);
    expect(bytes[0]).toBe(7);
    bytes[0] = 0;
    const milliseconds = Number(bytes.readBigUInt64BE()) / 1000;
    expect(milliseconds).toBeGreaterThanOrEqual(before);
    expect(milliseconds).toBeLessThan(Date.now() + 1000);
  });

  it('refuses a stale etag with the legacy text and both etags', async () => {
    const client = await startEmulator();
    const { etag } = (await write(client, { bindings: [VIEWER] })).json;
    const current = (await write(client, { etag, bindings: [VIEWER] })).json['etag'];
    expect(current).not.toBe(etag);
    const refused = await write(client, { etag, bindings: [] });
    expect(refused.json).toMatchObject({ error: { code: 409, status: 'ABORTED' } });
    expect(refused.text).toContain(
      'There were concurrent policy changes. Please retry the whole read-modify-write with exponential backoff.',
    );
    expect(refused.text).toContain("The request's ETag '\\\\007\\\\006");
    expect((await write(client, { etag: 'ACAB', bindings: [] })).status).toBe(409);
    expect((await read(client)).json['etag']).toBe(current);
  });

  it('takes etags in either base64 alphabet, and refuses what is none', async () => {
    const client = await startEmulator();
    for (let round = 0; round < 20; round++) {
      const etag = String((await read(client)).json['etag']);
      const urlSafe = etag.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
      expect((await write(client, { etag: urlSafe, bindings: [VIEWER] })).status).toBe(200);
    }
    expect((await write(client, { etag: 'not base64!', bindings: [] })).status).toBe(400);
  });

  it('overwrites blindly without an etag, or with a mask that leaves it out', async () => {
    const client = await startEmulator();
    await write(client, { bindings: [VIEWER] });
    expect((await write(client, { bindings: [] })).status).toBe(200);
    expect((await write(client, { etag: 'ACAB', bindings: [VIEWER] }, ORG, 'bindings')).status).toBe(200);
  });

  it('touches audit configs only when the mask names them', async () => {
    const client = await startEmulator();
    const auditConfigs = [
      { service: 'allServices', auditLogConfigs: [{ logType: 'DATA_READ', exemptedMembers: ['user:a@example.com'] }] },
    ];
    expect((await write(client, { auditConfigs }, ORG, 'bindings,etag,auditConfigs')).json).toMatchObject({
      auditConfigs,
    });
    expect((await write(client, { bindings: [VIEWER] })).json).toMatchObject({ bindings: [VIEWER], auditConfigs });
    expect((await write(client, {}, ORG, 'auditConfigs')).json).toEqual({
      version: 1,
      etag: expect.any(String),
      bindings: [VIEWER],
    });
    expect((await write(client, {}, ORG, 'nope')).status).toBe(400);
  });

  it('merges bindings of one role and condition, sorts, and drops what is empty', async () => {
    const client = await startEmulator();
    const { json } = await write(client, {
      version: 3,
      bindings: [
        { role: 'roles/viewer', members: ['user:z@example.com'] },
        CONDITIONAL,
        { role: 'roles/viewer', members: ['user:a@example.com', 'user:z@example.com', 'user:A@example.com'] },
        { ...CONDITIONAL, members: ['user:b@example.com'] },
        { role: 'roles/editor', members: [] },
      ],
    });
    expect(json['bindings']).toEqual([
      { ...CONDITIONAL, members: ['user:a@example.com', 'user:b@example.com'] },
      { role: 'roles/viewer', members: ['user:a@example.com', 'user:z@example.com'] },
    ]);
  });

  it('guards conditions from writers of a lower version', async () => {
    const client = await startEmulator();
    expect((await write(client, { version: 1, bindings: [CONDITIONAL] })).status).toBe(400);
    const { etag } = (await write(client, { version: 3, bindings: [CONDITIONAL] })).json;
    expect((await write(client, { version: 1, etag, bindings: [VIEWER] })).status).toBe(400);
    expect((await write(client, { version: 2, bindings: [] })).status).toBe(400);
    const lower = (await read(client, ORG, 1)).json;
    expect((await write(client, lower)).status).toBe(400);
    const blind = await write(client, { version: 1, bindings: [VIEWER] });
    expect(blind.json).toMatchObject({ version: 1, bindings: [VIEWER] });
  });

  it.each([
    ['a role that is no role name', { role: 'viewer', members: ['user:a@example.com'] }],
    [
      'a role of a lower-version read',
      { role: 'roles/browser_withcond_00112233445566778899', members: ['user:a@example.com'] },
    ],
    ['a basic role with a condition', { ...CONDITIONAL, role: 'roles/owner' }],
    ['a condition without an expression', { ...CONDITIONAL, condition: { title: 't' } }],
    ['a condition without a title', { ...CONDITIONAL, condition: { expression: 'true' } }],
    ['a public member with a condition', { ...CONDITIONAL, members: ['allUsers'] }],
    ['a member without a kind', { role: 'roles/browser', members: ['a@example.com'] }],
    ['a member of an unknown kind', { role: 'roles/browser', members: ['User:a@example.com'] }],
    ['a user without an address', { role: 'roles/browser', members: ['user:a'] }],
    ['a deleted member without its uid', { role: 'roles/browser', members: ['deleted:user:a@example.com'] }],
    ['a principal without a path', { role: 'roles/browser', members: ['principal:x'] }],
    [
      'a missing service account',
      { role: 'roles/browser', members: ['serviceAccount:gone@p.iam.gserviceaccount.com'] },
    ],
    ['an unknown role', { role: 'roles/unknown', members: ['user:a@example.com'] }],
  ])('refuses %s', async (_, binding) => {
    const missingMembers = ['serviceAccount:gone@p.iam.gserviceaccount.com'];
    const client = await startEmulator({ knobs: { missingMembers, unknownRoles: ['roles/unknown'] } });
    const answer = await write(client, { version: 3, bindings: [binding] });
    expect(answer.json).toMatchObject({ error: { code: 400, status: 'INVALID_ARGUMENT' } });
    expect((await read(client)).json).toEqual({ etag: 'ACAB' });
  });

  it('keeps every kind of member, with addresses in lower case', async () => {
    const client = await startEmulator();
    const members = [
      'allAuthenticatedUsers',
      'deleted:serviceAccount:gone@p.iam.gserviceaccount.com?uid=123',
      'domain:example.com',
      'group:g@example.com',
      'principal://iam.googleapis.com/locations/global/workforcePools/P/subject/S',
      'principalSet://iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/P/*',
      'serviceAccount:p.svc.id.goog[ns/ksa]',
      'user:mixed@example.com',
    ];
    const sent = members.map((member) => (member.startsWith('user:') ? 'user:Mixed@Example.com' : member));
    const { json } = await write(client, { bindings: [{ role: 'roles/browser', members: sent }] });
    expect(json['bindings']).toEqual([{ role: 'roles/browser', members }]);
  });

  it('takes custom roles and refuses public members on projects', async () => {
    const client = await startEmulator({ seed: PEOPLED });
    const custom = [{ role: 'organizations/123456789012/roles/custom', members: VIEWER.members }];
    expect((await write(client, { bindings: custom }, 'projects/acme-web')).status).toBe(200);
    const open = [{ role: 'roles/browser', members: ['allUsers'] }];
    expect((await write(client, { bindings: open }, 'projects/acme-web')).status).toBe(400);
    expect((await write(client, { bindings: open }, 'folders/1001')).status).toBe(200);
  });

  it('bounds the size of a policy', async () => {
    const client = await startEmulator();
    const members = (kind: string, count: number) =>
      Array.from({ length: count }, (_, index) => `${kind}:m${index}@example.com`);
    expect(
      (await write(client, { bindings: [{ role: 'roles/browser', members: members('user', 1501) }] })).status,
    ).toBe(400);
    expect(
      (await write(client, { bindings: [{ role: 'roles/browser', members: members('group', 251) }] })).status,
    ).toBe(400);
    expect(
      (await write(client, { bindings: [{ role: 'roles/browser', members: members('user', 1500) }] })).status,
    ).toBe(200);
  });

  it('bounds the conditions of one role and member', async () => {
    const client = await startEmulator();
    const bindings = Array.from({ length: 21 }, (_, index) => ({
      ...CONDITIONAL,
      condition: { ...CONDITION, title: `t${index}` },
    }));
    expect((await write(client, { version: 3, bindings })).status).toBe(400);
    expect((await write(client, { version: 3, bindings: bindings.slice(1) })).status).toBe(200);
  });

  it('can be told to refuse an empty project policy', async () => {
    const client = await startEmulator({ seed: PEOPLED, knobs: { rejectEmptyProjectPolicy: true } });
    expect((await write(client, { bindings: [] }, 'projects/acme-web')).status).toBe(400);
    expect((await write(client, { bindings: [] }, 'folders/1001')).status).toBe(200);
  });

  it('shares one policy between the id and the number, and between the versions', async () => {
    const client = await startEmulator({ seed: PEOPLED });
    const { json } = await write(client, { bindings: [VIEWER] }, 'projects/acme-web');
    expect((await read(client, 'projects/555000111222')).json).toEqual(json);
    expect((await client.post('/v1/projects/acme-web:getIamPolicy')).json).toEqual(json);
    await client.post(`/v1/${ORG}:setIamPolicy`, { policy: { bindings: [VIEWER] } });
    expect((await read(client)).json).toMatchObject({ bindings: [VIEWER] });
    await client.post('/v2/folders/1001:setIamPolicy', { policy: { bindings: [VIEWER] } });
    expect((await read(client, 'folders/1001')).json).toMatchObject({ bindings: [VIEWER] });
    expect((await client.post(`/v1/${ACCOUNT}:setIamPolicy`, { policy: { bindings: [VIEWER] } })).json).toMatchObject({
      version: 1,
    });
  });

  it('loses nothing when writers race with etags', async () => {
    const client = await startEmulator();
    const add = async (member: string): Promise<void> => {
      const policy = (await read(client)).json;
      const bindings: readonly Tree[] = Array.isArray(policy['bindings']) ? policy['bindings'] : [];
      const answer = await write(client, {
        ...policy,
        bindings: [...bindings, { role: 'roles/browser', members: [member] }],
      });
      if (answer.status === 409) return add(member);
    };
    const members = Array.from({ length: 8 }, (_, index) => `user:m${index}@example.com`);
    await Promise.all(members.map(add));
    expect((await read(client)).json['bindings']).toEqual([{ role: 'roles/browser', members }]);
  });

  it('needs a policy', async () => {
    const client = await startEmulator();
    expect((await client.post(`/v3/${ORG}:setIamPolicy`, {})).status).toBe(400);
  });
});

describe('a seeded policy', () => {
  it('is there from the start, unchecked', async () => {
    const policies = [
      {
        resource: 'projects/acme-web',
        policy: { bindings: [{ role: 'roles/odd', members: ['user:Odd@example.com'] }, CONDITIONAL] },
      },
    ];
    const client = await startEmulator({ seed: { ...PEOPLED, policies } });
    expect((await read(client, 'projects/acme-web')).json).toMatchObject({
      version: 3,
      bindings: policies[0]?.policy.bindings,
    });
  });
});
