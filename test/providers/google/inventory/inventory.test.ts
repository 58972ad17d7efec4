import { describe, expect, it } from 'vitest';
import { DiagnosticError } from '../../../../src/core/diagnostics.ts';
import { bindingUrn } from '../../../../src/providers/google/resources/binding.ts';
import { ACCOUNT, failure, found, isWrite, ORG, SEED, survey } from './support.ts';

const IDS = {
  folder: ['folders/100', 'folders/101', 'folders/20'],
  project: ['acme-etl-dev', 'acme-old-prod', 'acme-web-prod'],
  billing_link: ['acme-web-prod'],
  service: ['acme-web-prod/dns.googleapis.com', 'acme-web-prod/pubsub.googleapis.com'],
  binding: [
    'folders/101/roles/viewer/group:ops@example.com',
    `${ORG}/roles/browser/user:ada@example.com`,
    `${ORG}/roles/browser/user:ada@example.com/condition:`,
    'projects/acme-web-prod/roles/editor/user:ada@example.com',
    'projects/acme-web-prod/roles/editor/user:bob@example.com',
  ],
};

describe('a full inventory', () => {
  it('has every kind in its order, sorted by id, whatever the pages are', async () => {
    const { reader, emulator } = await survey({ pageSize: 1 });
    const resources = found(await reader().discoverInventory());
    const ids = resources.map(({ kind, id }) => [kind, id.replace(/:[0-9a-f]{32}$/, ':')]);
    expect(ids).toEqual(Object.entries(IDS).flatMap(([kind, some]) => some.map((id) => [kind, id])));
    expect(emulator.requests.filter(isWrite)).toEqual([]);
  });

  it('describes each in neutral words', async () => {
    const { reader } = await survey();
    const resources = found(await reader().discoverInventory());
    const common = { provider_id: 'google', scope_id: ORG, zone_id: null, labels: {}, public_addresses: [] };
    const of = (kind: string, id: string) => resources.find((item) => item.kind === kind && item.id === id);
    expect(of('folder', 'folders/101')).toEqual({
      ...common,
      kind: 'folder',
      id: 'folders/101',
      name: 'prod',
      status: 'ACTIVE',
    });
    expect(of('project', 'acme-web-prod')).toEqual({
      ...common,
      kind: 'project',
      id: 'acme-web-prod',
      name: 'Acme Web',
      status: 'ACTIVE',
      labels: { env: 'prod' },
    });
    expect(of('project', 'acme-old-prod')?.status).toBe('DELETE_REQUESTED');
    expect(of('billing_link', 'acme-web-prod')).toMatchObject({ name: ACCOUNT, status: 'ENABLED' });
    expect(of('service', 'acme-web-prod/dns.googleapis.com')).toMatchObject({
      name: 'dns.googleapis.com',
      status: 'ENABLED',
    });
    expect(of('binding', 'folders/101/roles/viewer/group:ops@example.com')).toMatchObject({
      name: 'roles/viewer group:ops@example.com',
      status: 'UNKNOWN',
    });
  });

  it('names grants as their URNs do', async () => {
    const { reader } = await survey();
    const ids = found(await reader().listResources('binding')).map(({ id }) => `google:iam:binding:${id}`);
    const condition = { title: 'a', expression: 'true' };
    expect(ids).toContain(
      bindingUrn({ resource: ORG, role: 'roles/browser', member: 'user:ada@example.com', condition }),
    );
  });

  it('asks for everything once, and lists whole accounts instead of asking for each link', async () => {
    const projects = Array.from({ length: 30 }, (_, index) => ({
      projectId: `acme-many-${index}`,
      parent: ORG,
      ...(index === 29 ? {} : { billingAccountName: ACCOUNT }),
    }));
    const { reader, emulator } = await survey({ seed: { ...SEED, folders: [], projects } });
    expect(found(await reader().discoverInventory()).filter(({ kind }) => kind === 'billing_link')).toHaveLength(29);
    const asked = emulator.requests.map(({ method, path, query }) => JSON.stringify([method, path, query]));
    expect(new Set(asked).size).toBe(asked.length);
    expect(asked.filter((request) => request.includes('billingInfo'))).toHaveLength(6);
  });

  it('asks link by link where accounts may not be listed', async () => {
    const projects = Array.from({ length: 8 }, (_, index) => ({
      projectId: `acme-many-${index}`,
      parent: ORG,
      billingAccountName: ACCOUNT,
    }));
    const { reader, emulator } = await survey({ seed: { ...SEED, folders: [], projects } });
    emulator.addFault({ path: `${ACCOUNT}/projects`, action: { kind: 'respond', status: 403 } });
    expect(found(await reader().listResources('billing_link'))).toHaveLength(8);
  });

  it('of a folder holds what lies in it and the grants on it', async () => {
    const { reader } = await survey();
    const resources = found(await reader('folders/101').discoverInventory());
    expect(resources.map(({ kind }) => kind)).toEqual([
      'project',
      'billing_link',
      'service',
      'service',
      'binding',
      'binding',
      'binding',
    ]);
    expect(resources.every(({ scope_id }) => scope_id === 'folders/101')).toBe(true);
  });

  it('of a project holds that project', async () => {
    const { reader } = await survey();
    const resources = found(await reader('projects/acme-web-prod').discoverInventory());
    expect(resources.map(({ kind }) => kind)).toEqual([
      'project',
      'billing_link',
      'service',
      'service',
      'binding',
      'binding',
    ]);
  });
});

describe('an inventory that can not be whole', () => {
  const refusal = {
    kind: 'respond',
    status: 403,
    body: { error: { code: 403, status: 'PERMISSION_DENIED', message: 'no' } },
  } as const;

  it.each([
    ['folders', 'v3/folders\\?.*101', 'The list of folders in folders/101'],
    ['projects', 'v3/projects\\?.*101', 'The list of projects in folders/101'],
    ['links', 'acme-etl-dev/billingInfo', 'The billing link of acme-etl-dev'],
    ['services', 'acme-etl-dev/services', 'The list of services of acme-etl-dev'],
    ['policies', 'folders/20:getIamPolicy', 'The policy of folders/20'],
  ])('is an error where %s can not be read', async (_kind, path, what) => {
    const { reader, emulator } = await survey();
    emulator.addFault({ path, action: refusal });
    const { code, detail } = failure(await reader().discoverInventory());
    expect(code).toBe('PERMISSION_DENIED');
    expect(detail).toContain(`${what} can't be read, so nothing is listed`);
  });

  it.each([
    ['no list', { bindings: 'x' }],
    ['no binding', { bindings: ['x'] }],
    ['no role', { bindings: [{ members: [] }] }],
    ['no members', { bindings: [{ role: 'roles/a', members: 'x' }] }],
    ['no member', { bindings: [{ role: 'roles/a', members: [1] }] }],
    ['no condition', { bindings: [{ role: 'roles/a', members: ['user:a@b.c'], condition: 'x' }] }],
  ])('is an error where a policy has %s', async (_what, body) => {
    const { reader, emulator } = await survey();
    emulator.addFault({ path: 'folders/20:getIamPolicy', action: { kind: 'respond', status: 200, body } });
    expect(failure(await reader().discoverInventory()).code).toBe('INVALID_RESPONSE');
  });

  it('is an error where a policy lost its conditions', async () => {
    const { reader, emulator } = await survey();
    const body = { bindings: [{ role: 'roles/a_withcond_1234', members: ['user:a@b.c'] }] };
    emulator.addFault({ path: 'folders/20:getIamPolicy', action: { kind: 'respond', status: 200, body } });
    expect(failure(await reader().discoverInventory()).code).toBe('POLICY_DOWNGRADED');
  });

  it('refuses what is no scope before anything is sent', async () => {
    const { reader, emulator } = await survey();
    await expect(reader('folders/by-display-name/x').discoverInventory()).rejects.toThrow(DiagnosticError);
    expect(emulator.requests).toEqual([]);
  });
});

describe('one kind', () => {
  it('is listed alone', async () => {
    const { reader, emulator } = await survey();
    const services = found(await reader().listResources('service'));
    expect(services.map(({ id }) => id)).toEqual(IDS.service);
    expect(emulator.requests.some(({ path }) => path.includes('getIamPolicy') || path.includes('billingInfo'))).toBe(
      false,
    );
  });

  it('is refused where there is no such kind', async () => {
    const { reader, emulator } = await survey();
    expect(failure(await reader().listResources('instance')).code).toBe('UNSUPPORTED');
    expect(emulator.requests).toEqual([]);
  });
});
