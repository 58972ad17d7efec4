import { describe, expect, it, test } from 'vitest';
import type { Json } from '../../../src/core/json.ts';
import { ACCOUNT, type Cloud, cloudOf, ORG, OTHER_ACCOUNT, see, sent, targetOf } from './support/cloud.ts';
import { declared, guardOf, stepOf } from './support/steps.ts';

const folders = [
  { id: '10', displayName: 'shared', parent: ORG },
  { id: '11', displayName: 'dev', parent: 'folders/10' },
  { id: '12', displayName: 'platform', parent: ORG },
];
const projects = [
  {
    projectId: 'acme-prod',
    parent: 'folders/10',
    displayName: 'Acme Prod',
    labels: { env: 'prod' },
    billingAccountName: ACCOUNT,
    services: ['run.googleapis.com'],
  },
  { projectId: 'acme-gone', parent: 'folders/10', state: 'DELETE_REQUESTED' as const },
];
const seed = { folders, projects };

const folder = (parent: string, display_name: string, more: Record<string, Json> = {}) =>
  stepOf('f', 'cloudresourcemanager.folders.ensure', { parent, display_name, ...more });
const project = (project_id: string, parent = 'folders/10', more: Record<string, Json> = {}) =>
  stepOf('p', 'cloudresourcemanager.projects.ensure', { project_id, parent, ...more });
const link = (project_id: string, billing_account = ACCOUNT) =>
  stepOf('l', 'cloudbilling.projects.link', { project_id, billing_account });
const api = (project_id: string, service: string) =>
  stepOf(service, 'serviceusage.services.enable', { project_id, service });
const grant = (role: string, member = 'user:a@example.com', more: Record<string, Json> = {}) =>
  stepOf(role, 'cloudresourcemanager.organizations.iam.ensure_binding', { organization: ORG, role, member, ...more });

const BLIND = { blind: { name: 'user:blind@example.com', permissions: [] as string[] } };

describe('a folder', () => {
  it('is there under its exact name, active, with its id, etag and state', async () => {
    const cloud = await cloudOf({ seed });
    expect((await see(cloud, folder(ORG, 'shared'))).observation).toMatchObject({
      kind: 'present',
      id: 'folders/10',
      state: 'ACTIVE',
      actual: { parent: ORG, display_name: 'shared' },
    });
    expect((await see(cloud, folder(ORG, 'dev'))).observation).toEqual({ kind: 'absent' });
  });

  it('is found on every page of the list', async () => {
    const many = Array.from({ length: 7 }, (_, index) => ({
      id: String(100 + index),
      displayName: `many-${index}`,
      parent: ORG,
    }));
    const cloud = await cloudOf({ seed: { folders: many }, pageSize: 2 });
    expect((await see(cloud, folder(ORG, 'many-6'))).observation).toMatchObject({ id: 'folders/106' });
    expect(sent(cloud, 'GET', /folders$/)).toHaveLength(4);
  });

  it('is unreadable where the list is refused', async () => {
    const cloud = await cloudOf({ seed, tokens: BLIND }, 'blind');
    expect((await see(cloud, folder(ORG, 'shared'))).observation).toMatchObject({
      kind: 'unreadable',
      why: { code: 'NOT_VISIBLE', address: 'f' },
    });
  });

  it('twice under one name is ambiguous', async () => {
    const cloud = await cloudOf({ seed: { folders: [...folders, { id: '99', displayName: 'shared', parent: ORG }] } });
    const { observation } = await see(cloud, folder(ORG, 'shared'));
    expect(observation).toMatchObject({ kind: 'unreadable', why: { code: 'AMBIGUOUS' } });
    expect(JSON.stringify(observation)).toContain('folders/10, folders/99');
  });

  test.each([
    ['its former name', { was: { display_name: 'shared' } }, ORG, 'folders/10'],
    ['its former parent', { was: { parent: ORG, display_name: 'platform' } }, 'folders/10', 'folders/12'],
    [
      'its former parent by name',
      { was: { parent: 'folders/by-display-name/shared', display_name: 'dev' }, organization: ORG },
      ORG,
      'folders/11',
    ],
  ])('is found under %s', async (_, more, parent, id) => {
    const cloud = await cloudOf({ seed });
    expect((await see(cloud, folder(parent, 'renamed', more))).observation).toMatchObject({ kind: 'present', id });
  });

  it('is found by the id that the log has, and not when that one is deleted', async () => {
    const cloud = await cloudOf({
      seed: {
        folders: [...folders, { id: '13', displayName: 'old', parent: ORG, state: 'DELETE_REQUESTED' as const }],
      },
    });
    expect((await see(cloud, folder(ORG, 'renamed'), { resourceId: 'folders/10' })).observation).toMatchObject({
      kind: 'present',
      actual: { display_name: 'shared' },
    });
    expect((await see(cloud, folder(ORG, 'renamed'), { resourceId: 'folders/13' })).observation).toEqual({
      kind: 'absent',
    });
    expect(
      (await see(cloud, folder(ORG, 'renamed', { undelete: true }), { resourceId: 'folders/13' })).observation,
    ).toMatchObject({ kind: 'present', state: 'DELETE_REQUESTED' });
  });

  it('that is to go tells what is inside, under the names a playbook would use (A13)', async () => {
    const cloud = await cloudOf({ seed });
    const { observation } = await see(
      cloud,
      stepOf('d', 'cloudresourcemanager.folders.delete', { parent: ORG, display_name: 'shared' }),
    );
    expect(observation).toMatchObject({
      kind: 'present',
      blockers: [
        { code: 'FOLDER_NOT_EMPTY', urn: `google:cloudresourcemanager:folder:${ORG}/shared/dev` },
        { code: 'FOLDER_NOT_EMPTY', urn: 'google:cloudresourcemanager:project:acme-prod' },
      ],
    });
  });
});

describe('a project', () => {
  it("is shown by its parent's list, without a read of its own", async () => {
    const cloud = await cloudOf({ seed });
    expect((await see(cloud, project('acme-prod'))).observation).toMatchObject({
      kind: 'present',
      state: 'ACTIVE',
      actual: { project_id: 'acme-prod', parent: 'folders/10', display_name: 'Acme Prod', labels: { env: 'prod' } },
    });
    expect(cloud.emulator.requests.map(({ path }) => path)).toEqual(['/v3/projects']);
  });

  it('that is elsewhere is found by one read of its own', async () => {
    const cloud = await cloudOf({ seed });
    expect((await see(cloud, project('acme-prod', ORG))).observation).toMatchObject({
      kind: 'present',
      actual: { parent: 'folders/10' },
    });
    expect(sent(cloud, 'GET', /projects\/acme-prod$/)).toHaveLength(1);
  });

  it('that answers 403 is not visible, and the rest is read all the same (A7)', async () => {
    const cloud = await cloudOf({ seed });
    const session = cloud.provider.openSession();
    expect((await see(cloud, project('nobody-knows'), {}, session)).observation).toMatchObject({
      kind: 'not_visible',
      why: { code: 'NOT_VISIBLE' },
    });
    expect((await see(cloud, project('acme-prod'), {}, session)).observation).toMatchObject({ kind: 'present' });
  });

  it('pending deletion is recognised, with the day it is gone for good (A5)', async () => {
    const cloud = await cloudOf({ seed });
    const { observation } = await see(cloud, project('acme-gone'));
    expect(observation).toMatchObject({ kind: 'present', state: 'DELETE_REQUESTED' });
    const purgeTime = observation.kind === 'present' ? Date.parse(observation.purgeTime ?? '') : 0;
    expect(purgeTime - Date.now()).toBeGreaterThan(29 * 86_400_000);
  });

  it('pending deletion is gone as far as a delete is concerned', async () => {
    const cloud = await cloudOf({ seed });
    expect(
      (await see(cloud, stepOf('d', 'cloudresourcemanager.projects.delete', { project_id: 'acme-gone' }))).observation,
    ).toEqual({ kind: 'absent' });
  });

  it('that is to go shows its billing link, as a note', async () => {
    const cloud = await cloudOf({ seed });
    const { observation } = await see(
      cloud,
      stepOf('d', 'cloudresourcemanager.projects.delete', { project_id: 'acme-prod' }),
    );
    expect(observation).toMatchObject({ kind: 'present', blockers: [{ code: 'BILLING_LINKED', severity: 'note' }] });
  });

  it('that cannot be asked about is unreadable, not absent', async () => {
    const cloud = await cloudOf({
      seed,
      faults: [{ path: 'projects', action: { kind: 'respond', status: 500, body: {} } }],
    });
    expect((await see(cloud, project('acme-prod'))).observation).toMatchObject({ kind: 'unreadable' });
  });
});

describe('what lies in something that is yet to be made', () => {
  it('is absent without a read of its own; a project may still exist elsewhere', async () => {
    const cloud = await cloudOf({ seed });
    const pending = new Set(['p']);
    const owner = project('acme-new');
    for (const step of [
      link('acme-new'),
      api('acme-new', 'run.googleapis.com'),
      stepOf('g', 'cloudresourcemanager.projects.iam.ensure_binding', {
        project_id: 'acme-new',
        role: 'roles/viewer',
        member: 'user:a@example.com',
      }),
    ]) {
      const declaration = declared(step, [owner]);
      expect(await cloud.provider.openSession().observe(targetOf(declaration, { pending }))).toEqual({
        kind: 'absent',
      });
    }
    // Whether the account that is to pay is open, and nothing else.
    expect(cloud.emulator.requests.map(({ path }) => path)).toEqual([`/v1/${ACCOUNT}`]);
    cloud.emulator.resetRequests();
    const inside = stepOf('in', 'cloudresourcemanager.projects.ensure', {
      project_id: 'acme-prod',
      parent: 'folders/by-display-name/fresh',
      organization: ORG,
    });
    const declaration = declared(inside, [
      stepOf('fresh', 'cloudresourcemanager.folders.ensure', { parent: ORG, display_name: 'fresh' }),
    ]);
    expect(
      await cloud.provider.openSession().observe(targetOf(declaration, { pending: new Set(['fresh']) })),
    ).toMatchObject({ kind: 'present' });
    expect(cloud.emulator.requests.map(({ path }) => path)).toEqual(['/v3/projects/acme-prod']);
  });

  it('is unreadable where that is not known and not about to be made', async () => {
    const cloud = await cloudOf({ seed });
    const inside = stepOf('in', 'cloudresourcemanager.folders.ensure', {
      parent: 'folders/by-display-name/fresh',
      display_name: 'inner',
      organization: ORG,
    });
    const declaration = declared(inside, [
      stepOf('fresh', 'cloudresourcemanager.folders.ensure', { parent: ORG, display_name: 'fresh' }),
    ]);
    expect(await cloud.provider.openSession().observe(targetOf(declaration))).toMatchObject({
      kind: 'unreadable',
      why: { code: 'BLOCKED' },
    });
    expect(await cloud.provider.openSession().observe(targetOf(declaration, { pending: new Set(['fresh']) }))).toEqual({
      kind: 'absent',
    });
  });
});

describe('a billing link', () => {
  it("is shown by the account's list", async () => {
    const cloud = await cloudOf({ seed });
    expect((await see(cloud, link('acme-prod'))).observation).toMatchObject({
      kind: 'present',
      state: 'linked',
      actual: { project_id: 'acme-prod', billing_account: ACCOUNT },
      warnings: [],
    });
    expect(sent(cloud, 'GET', /billingInfo$/)).toHaveLength(0);
  });

  it('to another account is read by itself, and a closed account is said', async () => {
    const cloud = await cloudOf({ seed });
    expect((await see(cloud, link('acme-prod', OTHER_ACCOUNT))).observation).toMatchObject({
      kind: 'present',
      actual: { billing_account: ACCOUNT },
      warnings: [
        { code: 'BILLING_LINKED', severity: 'warning' },
        { code: 'BILLING_CLOSED', severity: 'warning' },
      ],
    });
  });

  it('that is not there is absent; of a project that is not visible it is not visible', async () => {
    const cloud = await cloudOf({ seed: { projects: [{ projectId: 'acme-free', parent: ORG }] } });
    expect((await see(cloud, link('acme-free'))).observation).toEqual({ kind: 'absent' });
    expect((await see(cloud, link('nobody-knows'))).observation).toMatchObject({ kind: 'not_visible' });
  });

  it('to another account than the one said is left alone', async () => {
    const cloud = await cloudOf({ seed });
    const step = stepOf('d', 'cloudbilling.projects.unlink', {
      project_id: 'acme-prod',
      billing_account: OTHER_ACCOUNT,
    });
    expect((await see(cloud, step)).observation).toMatchObject({ blockers: [{ code: 'NOT_OURS', severity: 'error' }] });
  });
});

describe('services', () => {
  it('of a project are read once, whoever asks (C6)', async () => {
    const cloud = await cloudOf({ seed });
    const session = cloud.provider.openSession();
    const seen = await Promise.all(
      ['run.googleapis.com', 'dns.googleapis.com', 'compute.googleapis.com'].map((name) =>
        see(cloud, api('acme-prod', name), {}, session),
      ),
    );
    expect(seen.map(({ observation }) => observation.kind)).toEqual(['present', 'absent', 'absent']);
    expect(cloud.emulator.requests).toHaveLength(1);
  });

  it('are read on all pages (C5)', async () => {
    const services = ['run', 'dns', 'compute', 'logging', 'monitoring'].map((name) => `${name}.googleapis.com`);
    const cloud = await cloudOf({
      seed: { projects: [{ projectId: 'acme-apis', parent: ORG, services }] },
      pageSize: 1,
    });
    const session = cloud.provider.openSession();
    for (const name of services)
      expect((await see(cloud, api('acme-apis', name), {}, session)).observation.kind).toBe('present');
  });

  it('that may not be listed are unreadable, never absent', async () => {
    const cloud = await cloudOf({ seed, tokens: BLIND }, 'blind');
    expect((await see(cloud, api('acme-prod', 'run.googleapis.com'))).observation).toMatchObject({
      kind: 'unreadable',
    });
  });
});

describe('a grant', () => {
  const condition = { title: 'until', expression: 'request.time < timestamp("2030-01-01T00:00:00Z")' };
  const withPolicy = (bindings: Json) => ({ seed: { ...seed, policies: [{ resource: ORG, policy: { bindings } }] } });

  it('is there whatever the case of the member, and is shown as declared', async () => {
    const cloud = await cloudOf(withPolicy([{ role: 'roles/viewer', members: ['user:A@Example.com'] }]));
    expect((await see(cloud, grant('roles/viewer'))).observation).toMatchObject({
      kind: 'present',
      state: 'bound',
      id: null,
      actual: { resource: ORG, role: 'roles/viewer', member: 'user:a@example.com' },
    });
  });

  it('under a condition is not the one without (B2)', async () => {
    const cloud = await cloudOf(withPolicy([{ role: 'roles/browser', members: ['user:a@example.com'], condition }]));
    const session = cloud.provider.openSession();
    expect((await see(cloud, grant('roles/browser'), {}, session)).observation).toEqual({ kind: 'absent' });
    expect(
      (await see(cloud, grant('roles/browser', 'user:a@example.com', { condition }), {}, session)).observation,
    ).toMatchObject({ kind: 'present' });
    expect(cloud.emulator.requests).toHaveLength(1);
    expect(cloud.emulator.requests[0]?.body).toEqual({ options: { requestedPolicyVersion: 3 } });
  });

  it('in a policy that lost its conditions is unreadable', async () => {
    const cloud = await cloudOf({
      seed,
      faults: [
        {
          path: 'getIamPolicy',
          action: {
            kind: 'respond',
            status: 200,
            body: { etag: 'BwX=', bindings: [{ role: 'roles/viewer_withcond_00', members: [] }] },
          },
        },
      ],
    });
    expect((await see(cloud, grant('roles/viewer'))).observation).toMatchObject({
      kind: 'unreadable',
      why: { code: 'POLICY_DOWNGRADED' },
    });
  });

  it('that is the last by which the policy can be set is said before it is taken away', async () => {
    const cloud = await cloudOf(
      withPolicy([{ role: 'roles/resourcemanager.organizationAdmin', members: ['user:a@example.com'] }]),
    );
    const step = stepOf('d', 'cloudresourcemanager.organizations.iam.remove_binding', {
      organization: ORG,
      role: 'roles/resourcemanager.organizationAdmin',
      member: 'user:a@example.com',
    });
    expect((await see(cloud, step)).observation).toMatchObject({
      blockers: [{ code: 'SELF_LOCKOUT', severity: 'warning' }],
    });
  });
});

it('values that a result gives take the form of written ones', async () => {
  const cloud = await cloudOf();
  const declaration = declared(project('acme-x-prod'));
  const desired = { project_id: 'acme-x-prod', parent: '10', display_name: 12345, labels: { tier: 1 } };
  expect(await cloud.provider.openSession().resolve(targetOf(declaration, { desired }))).toEqual({
    kind: 'resolved',
    desired: { project_id: 'acme-x-prod', parent: 'folders/10', display_name: '12345', labels: { tier: '1' } },
  });
});

describe('names that only the cloud can resolve', () => {
  const resolve = async (cloud: Cloud, parent: string) => {
    const declaration = declared(project('acme-x-prod', parent, { organization: ORG }));
    return cloud.provider.openSession().resolve(targetOf(declaration));
  };

  test.each([
    ['folders/by-display-name/shared', 'folders/10'],
    ['folders/by-display-name/shared/dev', 'folders/11'],
    ['shared/dev', 'folders/11'],
    ['folders/by-display-name/dev', 'folders/11'],
    ['folders/10', 'folders/10'],
  ])('%s is %s', async (parent, name) => {
    const cloud = await cloudOf({ seed });
    expect(await resolve(cloud, parent)).toMatchObject({ kind: 'resolved', desired: { parent: name } });
  });

  it('are refused with the candidates where nothing fits', async () => {
    const cloud = await cloudOf({ seed });
    const result = await resolve(cloud, 'folders/by-display-name/nowhere');
    expect(result).toMatchObject({ kind: 'failed', why: { code: 'NOT_FOUND', address: 'p' } });
    expect(JSON.stringify(result)).toContain('\\"platform\\" (folders/12');
    expect(await resolve(cloud, 'folders/by-display-name/shared/nowhere')).toMatchObject({
      kind: 'failed',
      why: { code: 'NOT_FOUND' },
    });
  });

  it('are refused with the candidates where several fit', async () => {
    const cloud = await cloudOf({
      seed: { folders: [...folders, { id: '20', displayName: 'dev', parent: 'folders/12' }] },
    });
    const result = await resolve(cloud, 'folders/by-display-name/dev');
    expect(result).toMatchObject({ kind: 'failed', why: { code: 'AMBIGUOUS' } });
    expect(JSON.stringify(result)).toContain('folders/11');
    expect(JSON.stringify(result)).toContain('folders/20');
  });
});

describe('read actions', () => {
  const read = async (cloud: Cloud, action: string, input: Record<string, Json>) => {
    const declaration = declared(stepOf('r', action, input));
    return cloud.provider.openSession().read(declaration, declaration.desired);
  };

  it('give the whole of what they read', async () => {
    const cloud = await cloudOf({ seed, pageSize: 1 });
    expect(await read(cloud, 'cloudresourcemanager.organizations.get', { organization: ORG })).toMatchObject({
      kind: 'done',
      resource: { displayName: 'acme.example' },
    });
    expect(await read(cloud, 'cloudresourcemanager.folders.list', { parent: ORG })).toMatchObject({
      kind: 'done',
      resource: { folders: [{ displayName: 'platform' }, { displayName: 'shared' }] },
    });
    expect(await read(cloud, 'cloudresourcemanager.projects.describe', { project_id: 'acme-prod' })).toMatchObject({
      kind: 'done',
      resource: { projectId: 'acme-prod' },
    });
    expect(await read(cloud, 'serviceusage.services.list_enabled', { project_id: 'acme-prod' })).toMatchObject({
      kind: 'done',
      resource: { services: [{ state: 'ENABLED' }] },
    });
    expect(await read(cloud, 'cloudresourcemanager.organizations.iam.get_policy', { organization: ORG })).toMatchObject(
      { kind: 'done', resource: { etag: expect.any(String) } },
    );
    expect(
      await read(cloud, 'cloudbilling.billing_accounts.iam.get_policy', { billing_account: ACCOUNT }),
    ).toMatchObject({ kind: 'done', resource: { etag: expect.any(String) } });
  });

  it('say why not', async () => {
    const cloud = await cloudOf({ seed });
    expect(await read(cloud, 'cloudresourcemanager.projects.describe', { project_id: 'nobody-knows' })).toMatchObject({
      kind: 'failed',
      why: { code: 'NOT_VISIBLE', address: 'r' },
    });
  });
});

describe('the live guard', () => {
  const guard = guardOf({
    requireOrg: '123456789012',
    requireOrgDisplayName: 'acme.example',
    requireBillingAccount: '0A1B2C-3D4E5F-6A7B8C',
  });
  const check = async (cloud: Cloud, given = guard, parents: readonly string[] = []) =>
    cloud.provider.openSession().checkGuard(given, parents);

  it('lets the pinned organisation pass, with everything below it', async () => {
    const cloud = await cloudOf({ seed });
    expect(await check(cloud, guard, [ORG, 'folders/11', 'folders/10', 'projects/acme-prod'])).toEqual([]);
    expect(sent(cloud, 'GET', /folders\/10$/)).toHaveLength(1);
  });

  it('says nothing where nothing is pinned', async () => {
    const cloud = await cloudOf({ seed });
    expect(await check(cloud, guardOf({}), ['folders/11'])).toEqual([]);
    expect(cloud.emulator.requests).toEqual([]);
  });

  it("refuses another name, another account's owner, another tree", async () => {
    const cloud = await cloudOf({
      seed: {
        ...seed,
        organizations: [
          { id: '123456789012', displayName: 'other.example' },
          { id: '5', displayName: 'five' },
        ],
        billingAccounts: [{ id: '0A1B2C-3D4E5F-6A7B8C', parent: 'organizations/5' }],
        folders: [...folders, { id: '50', displayName: 'foreign', parent: 'organizations/5' }],
      },
    });
    const found = await check(cloud, guard, ['folders/50']);
    expect(found.map(({ code }) => code)).toEqual(['GUARD', 'GUARD', 'GUARD']);
    expect(found.map(({ detail }) => detail).join(' ')).toMatch(/other\.example.*organizations\/5.*folders\/50/s);
  });

  it("refuses what it can't verify", async () => {
    const cloud = await cloudOf({ seed, tokens: BLIND }, 'blind');
    expect((await check(cloud, guard, ['folders/11'])).map(({ code }) => code)).toEqual(['GUARD', 'GUARD', 'GUARD']);
  });
});

describe('answers that are not what the API promises', () => {
  test.each<[string, unknown, string]>([
    ['a page token that comes twice', { folders: [], nextPageToken: 'again' }, 'INVALID_RESPONSE'],
    ['a list that is none', { folders: { a: 1 } }, 'INVALID_RESPONSE'],
    ['a folder without a name', { folders: [{ displayName: 'x' }] }, 'INVALID_RESPONSE'],
    [
      'a folder of another parent',
      { folders: [{ name: 'folders/1', parent: 'organizations/9', displayName: 'x' }] },
      'SCOPE_MISMATCH',
    ],
  ])('%s', async (_, body, code) => {
    const cloud = await cloudOf({ faults: [{ path: 'folders', action: { kind: 'respond', status: 200, body } }] });
    expect((await see(cloud, folder(ORG, 'shared'))).observation).toMatchObject({ kind: 'unreadable', why: { code } });
  });

  it('a project of another id', async () => {
    const cloud = await cloudOf({
      faults: [
        {
          path: 'projects/acme-prod$',
          action: { kind: 'respond', status: 200, body: { name: 'projects/1', projectId: 'other' } },
        },
      ],
    });
    expect((await see(cloud, project('acme-prod', ORG))).observation).toMatchObject({
      kind: 'unreadable',
      why: { code: 'SCOPE_MISMATCH' },
    });
  });
});

describe('the status of the provider', () => {
  it('is asked for by the cheapest call', async () => {
    const cloud = await cloudOf();
    expect(await cloud.provider.checkAuthentication()).toMatchObject({
      available: true,
      authenticated: true,
      errorCode: null,
    });
  });

  it('tells an identity that is not accepted', async () => {
    const cloud = await cloudOf({ tokens: BLIND }, 'unknown-token');
    expect(await cloud.provider.checkAuthentication()).toMatchObject({
      available: true,
      authenticated: false,
      errorCode: 'AUTHENTICATION',
    });
  });

  it('tells a service that is not there', async () => {
    const cloud = await cloudOf({ faults: [{ action: { kind: 'reset' } }] });
    expect(await cloud.provider.checkAvailability()).toMatchObject({ available: false, authenticated: null });
  });
});
