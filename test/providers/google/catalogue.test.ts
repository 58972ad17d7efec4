import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, test } from 'vitest';
import type { ValueObject } from '../../../src/core/value.ts';
import { unknownOf } from '../../../src/core/value.ts';
import { googleCatalogue } from '../../../src/providers/google/catalogue.ts';
import { declared, linked, stepOf } from './support/steps.ts';

const CRM = 'https://cloudresourcemanager.googleapis.com/v3';
const BILLING = 'https://cloudbilling.googleapis.com/v1';
const USAGE = 'https://serviceusage.googleapis.com/v1';
const ACCOUNT = '0A1B2C-3D4E5F-6A7B8C';
const GRANT = { role: 'roles/viewer', member: 'group:admins@example.com' };
const POLICY = { policy: { bindings: [{ role: 'roles/viewer', members: ['group:admins@example.com'] }], version: 3 } };
const READ_POLICY = { options: { requestedPolicyVersion: 3 } };

const ACTIONS: readonly (readonly [
  action: string,
  kind: string,
  converge: string,
  service: string,
  type: string,
  input: ValueObject,
  urn: string | null,
  method: string,
  url: string,
  body: unknown,
])[] = [
  [
    'cloudresourcemanager.organizations.get',
    'read',
    'single',
    'cloudresourcemanager',
    'organization',
    { organization: '1' },
    null,
    'GET',
    `${CRM}/organizations/1`,
    null,
  ],
  [
    'cloudresourcemanager.organizations.iam.get_policy',
    'read',
    'single',
    'iam',
    'binding',
    { organization: '1' },
    null,
    'POST',
    `${CRM}/organizations/1:getIamPolicy`,
    READ_POLICY,
  ],
  [
    'cloudresourcemanager.organizations.iam.ensure_binding',
    'ensure',
    'ensure_iam_binding',
    'iam',
    'binding',
    { organization: '1', ...GRANT },
    'google:iam:binding:organizations/1/roles/viewer/group:admins@example.com',
    'POST',
    `${CRM}/organizations/1:setIamPolicy`,
    POLICY,
  ],
  [
    'cloudresourcemanager.folders.list',
    'read',
    'single',
    'cloudresourcemanager',
    'folder',
    { parent: 'organizations/1' },
    null,
    'GET',
    `${CRM}/folders?parent=organizations/1&pageSize=300`,
    null,
  ],
  [
    'cloudresourcemanager.folders.ensure',
    'ensure',
    'ensure_folder',
    'cloudresourcemanager',
    'folder',
    { parent: 'organizations/1', display_name: '20-media' },
    'google:cloudresourcemanager:folder:organizations/1/20-media',
    'POST',
    `${CRM}/folders`,
    { parent: 'organizations/1', displayName: '20-media' },
  ],
  [
    'cloudresourcemanager.folders.delete',
    'delete',
    'destroy',
    'cloudresourcemanager',
    'folder',
    { parent: 'organizations/1', display_name: '20-media' },
    'google:cloudresourcemanager:folder:organizations/1/20-media',
    'DELETE',
    `${CRM}/folders/<resolved>`,
    null,
  ],
  [
    'cloudresourcemanager.folders.iam.get_policy',
    'read',
    'single',
    'iam',
    'binding',
    { folder: '7' },
    null,
    'POST',
    `${CRM}/folders/7:getIamPolicy`,
    READ_POLICY,
  ],
  [
    'cloudresourcemanager.folders.iam.ensure_binding',
    'ensure',
    'ensure_iam_binding',
    'iam',
    'binding',
    { folder_id: 'folders/7', ...GRANT },
    'google:iam:binding:folders/7/roles/viewer/group:admins@example.com',
    'POST',
    `${CRM}/folders/7:setIamPolicy`,
    POLICY,
  ],
  [
    'cloudresourcemanager.projects.describe',
    'read',
    'single',
    'cloudresourcemanager',
    'project',
    { project_id: 'acme-prod' },
    null,
    'GET',
    `${CRM}/projects/acme-prod`,
    null,
  ],
  [
    'cloudresourcemanager.projects.ensure',
    'ensure',
    'ensure_project',
    'cloudresourcemanager',
    'project',
    { project_id: 'acme-prod', parent: 'folders/7' },
    'google:cloudresourcemanager:project:acme-prod',
    'POST',
    `${CRM}/projects`,
    { projectId: 'acme-prod', displayName: 'acme-prod', parent: 'folders/7' },
  ],
  [
    'cloudresourcemanager.projects.delete',
    'delete',
    'destroy',
    'cloudresourcemanager',
    'project',
    { project_id: 'acme-prod' },
    'google:cloudresourcemanager:project:acme-prod',
    'DELETE',
    `${CRM}/projects/acme-prod`,
    null,
  ],
  [
    'cloudresourcemanager.projects.iam.get_policy',
    'read',
    'single',
    'iam',
    'binding',
    { project_id: 'acme-prod' },
    null,
    'POST',
    `${CRM}/projects/acme-prod:getIamPolicy`,
    READ_POLICY,
  ],
  [
    'cloudresourcemanager.projects.iam.ensure_binding',
    'ensure',
    'ensure_iam_binding',
    'iam',
    'binding',
    { project_id: 'acme-prod', ...GRANT },
    'google:iam:binding:projects/acme-prod/roles/viewer/group:admins@example.com',
    'POST',
    `${CRM}/projects/acme-prod:setIamPolicy`,
    POLICY,
  ],
  [
    'cloudbilling.projects.link',
    'ensure',
    'ensure_billing_link',
    'cloudbilling',
    'billing-link',
    { project_id: 'acme-prod', billing_account: ACCOUNT },
    'google:cloudbilling:billing-link:acme-prod',
    'PUT',
    `${BILLING}/projects/acme-prod/billingInfo`,
    { billingAccountName: `billingAccounts/${ACCOUNT}` },
  ],
  [
    'cloudbilling.projects.unlink',
    'delete',
    'destroy',
    'cloudbilling',
    'billing-link',
    { project_id: 'acme-prod' },
    'google:cloudbilling:billing-link:acme-prod',
    'PUT',
    `${BILLING}/projects/acme-prod/billingInfo`,
    { billingAccountName: '' },
  ],
  [
    'cloudbilling.billing_accounts.iam.get_policy',
    'read',
    'single',
    'iam',
    'binding',
    { billing_account: ACCOUNT },
    null,
    'GET',
    `${BILLING}/billingAccounts/${ACCOUNT}:getIamPolicy?options.requestedPolicyVersion=3`,
    null,
  ],
  [
    'cloudbilling.billing_accounts.iam.ensure_binding',
    'ensure',
    'ensure_iam_binding',
    'iam',
    'binding',
    { billing_account: ACCOUNT, ...GRANT },
    `google:iam:binding:billingAccounts/${ACCOUNT}/roles/viewer/group:admins@example.com`,
    'POST',
    `${BILLING}/billingAccounts/${ACCOUNT}:setIamPolicy`,
    POLICY,
  ],
  [
    'serviceusage.services.list_enabled',
    'read',
    'single',
    'serviceusage',
    'service',
    { project_id: 'acme-prod' },
    null,
    'GET',
    `${USAGE}/projects/acme-prod/services?filter=state:ENABLED&pageSize=200`,
    null,
  ],
  [
    'serviceusage.services.enable',
    'ensure',
    'ensure_service',
    'serviceusage',
    'service',
    { project_id: 'acme-prod', service_name: 'run.googleapis.com' },
    'google:serviceusage:service:acme-prod/run.googleapis.com',
    'POST',
    `${USAGE}/projects/acme-prod/services/run.googleapis.com:enable`,
    {},
  ],
  [
    'serviceusage.services.disable',
    'delete',
    'destroy',
    'serviceusage',
    'service',
    { project_id: 'acme-prod', service: 'run.googleapis.com' },
    'google:serviceusage:service:acme-prod/run.googleapis.com',
    'POST',
    `${USAGE}/projects/acme-prod/services/run.googleapis.com:disable`,
    { disableDependentServices: false, checkIfServiceHasUsage: 'SKIP' },
  ],
];

const REMOVALS: readonly (readonly [prefix: string, input: ValueObject, resource: string])[] = [
  ['cloudresourcemanager.organizations', { org_id: '1' }, 'organizations/1'],
  ['cloudresourcemanager.folders', { folder: '7' }, 'folders/7'],
  ['cloudresourcemanager.projects', { projectId: 'acme-prod' }, 'projects/acme-prod'],
  ['cloudbilling.billing_accounts', { billingAccount: ACCOUNT }, `billingAccounts/${ACCOUNT}`],
];

describe('actions', () => {
  it('are the 24 of the contract', () => {
    const names = [
      ...ACTIONS.map(([action]) => `google.${action}`),
      ...REMOVALS.map(([prefix]) => `google.${prefix}.iam.remove_binding`),
    ];
    expect([...googleCatalogue.actionNames()].sort()).toEqual(names.sort());
    expect(names).toHaveLength(24);
  });

  test.each(ACTIONS)('%s', (action, kind, converge, service, resourceType, input, urn, method, url, body) => {
    const step = stepOf('s', action, input);
    const declaration = declared(step);
    expect(declaration.action).toMatchObject({
      name: `google.${action}`,
      provider: 'google',
      kind,
      converge,
      service,
      resourceType,
    });
    expect(declaration.urn).toBe(urn);
    const change = kind === 'delete' ? 'delete' : 'create';
    const [request] =
      kind === 'read'
        ? googleCatalogue.readRequests(declaration, declaration.desired, step)
        : googleCatalogue.requests({ declaration, desired: declaration.desired, change, observation: null }, step);
    expect(request?.call).toEqual({ method, url, body });
  });

  test.each(REMOVALS)('%s.iam.remove_binding', (prefix, input, resource) => {
    const step = stepOf('s', `${prefix}.iam.remove_binding`, { ...input, ...GRANT });
    const declaration = declared(step);
    expect(declaration.action).toMatchObject({
      kind: 'delete',
      converge: 'destroy',
      service: 'iam',
      resourceType: 'binding',
    });
    expect(declaration.urn).toBe(`google:iam:binding:${resource}/roles/viewer/group:admins@example.com`);
    const [request] = googleCatalogue.requests(
      { declaration, desired: declaration.desired, change: 'delete', observation: null },
      step,
    );
    expect(request?.logical).toEqual({ remove: { resource, ...GRANT } });
    expect(JSON.stringify(request?.call)).toContain(`${resource}:setIamPolicy`);
  });

  test.each([
    ['projects.ensure', 'cloudresourcemanager.googleapis.com', 'google.cloudresourcemanager.projects.ensure'],
    ['projects.ensure', 'cloudresourcemanager', 'google.cloudresourcemanager.projects.ensure'],
    ['projects.link', 'cloudbilling', 'google.cloudbilling.projects.link'],
    ['services.enable', 'serviceusage.googleapis.com', 'google.serviceusage.services.enable'],
    [
      'organizations.iam.ensure_binding',
      'cloudresourcemanager',
      'google.cloudresourcemanager.organizations.iam.ensure_binding',
    ],
    [
      'cloudresourcemanager.projects.ensure',
      'cloudresourcemanager.googleapis.com',
      'google.cloudresourcemanager.projects.ensure',
    ],
    ['google.cloudresourcemanager.projects.ensure', null, 'google.cloudresourcemanager.projects.ensure'],
  ])('%s with the service %s', (action, service, name) => {
    expect(googleCatalogue.findAction(action, service)?.name).toBe(name);
  });

  test.each([
    ['projects.ensure', null],
    ['projects.ensure', 'compute.googleapis.com'],
    ['projects.ensure', 'cloudbilling'],
    ['google.projects.ensure', 'cloudresourcemanager'],
  ])('%s with the service %s is none', (action, service) => {
    expect(googleCatalogue.findAction(action, service)).toBeNull();
  });

  it('keep the version segments of an endpoint and leave the host out of what is digested', () => {
    const step = stepOf(
      's',
      'cloudresourcemanager.projects.describe',
      { project_id: 'acme-prod' },
      { endpoint: { crm: 'http://127.0.0.1:8089/v3', billing: null, serviceusage: null } },
    );
    const declaration = declared(step);
    const [request] = googleCatalogue.readRequests(declaration, declaration.desired, step);
    expect(request?.call).toMatchObject({ url: 'http://127.0.0.1:8089/v3/projects/acme-prod' });
    expect(JSON.stringify(request?.logical)).not.toContain('127.0.0.1');
  });
});

describe('inputs', () => {
  test.each<[string, ValueObject, ValueObject]>([
    [
      'cloudresourcemanager.folders.ensure',
      { parent: 'organizations/1', displayName: 'media-x' },
      { parent: 'organizations/1', display_name: 'media-x' },
    ],
    [
      'cloudresourcemanager.folders.ensure',
      { parent: 'organizations/1', display_name: 123 },
      { parent: 'organizations/1', display_name: '123' },
    ],
    [
      'cloudresourcemanager.folders.ensure',
      { parent: 42, display_name: 'media' },
      { parent: 'folders/42', display_name: 'media' },
    ],
    [
      'cloudresourcemanager.folders.ensure',
      { parent: 'https://console.cloud.google.com/welcome?folder=42&x=y', display_name: 'media' },
      { parent: 'folders/42', display_name: 'media' },
    ],
    [
      'cloudresourcemanager.folders.ensure',
      { parent: 'https://console.cloud.google.com/welcome?organizationId=1', display_name: 'media' },
      { parent: 'organizations/1', display_name: 'media' },
    ],
    [
      'cloudresourcemanager.projects.ensure',
      { projectId: 'acme-prod', parent: 'folders/1', labels: { env: true, tier: 1 } },
      { project_id: 'acme-prod', parent: 'folders/1', labels: { env: 'true', tier: '1' } },
    ],
    [
      'cloudbilling.projects.link',
      { projectId: 'acme-prod', billingAccountName: `billingAccounts/${ACCOUNT}`, billing_account: ACCOUNT },
      { project_id: 'acme-prod', billing_account: `billingAccounts/${ACCOUNT}` },
    ],
    [
      'cloudresourcemanager.organizations.iam.ensure_binding',
      { organization_id: 1, org_id: 'organizations/1', ...GRANT },
      { resource: 'organizations/1', ...GRANT },
    ],
    [
      'serviceusage.services.enable',
      { project_id: 'acme-prod', service: 'run.googleapis.com' },
      { project_id: 'acme-prod', service: 'run.googleapis.com' },
    ],
  ])('of %s: %j', (action, input, desired) => {
    expect(declared(stepOf('s', action, input)).desired).toEqual(desired);
  });

  it('that are left out are not managed', () => {
    expect(
      declared(stepOf('s', 'cloudresourcemanager.projects.ensure', { project_id: 'acme-prod', parent: 'folders/1' }))
        .desired,
    ).toEqual({ project_id: 'acme-prod', parent: 'folders/1' });
  });

  it('that steer a change are options', () => {
    const input = {
      project_id: 'acme-prod',
      parent: 'folders/1',
      labels: {},
      undelete: true,
      labels_authoritative: 'true',
      organization: '1',
    };
    expect(declared(stepOf('s', 'cloudresourcemanager.projects.ensure', input))).toMatchObject({
      options: { undelete: true, labels_authoritative: true, organization: 'organizations/1' },
      fields: { labels: 'mutable' },
    });
  });

  test.each<[string, ValueObject, string, string]>([
    ['cloudresourcemanager.folders.ensure', { parent: 'organizations/1' }, 'MISSING_KEY', 'display_name'],
    [
      'cloudresourcemanager.folders.ensure',
      { parent: 'organizations/1', display_name: '' },
      'MISSING_KEY',
      'display_name',
    ],
    [
      'cloudresourcemanager.folders.ensure',
      { parent: 'organizations/1', display_nam: 'x' },
      'UNKNOWN_KEY',
      'Did you mean "display_name"?',
    ],
    [
      'cloudresourcemanager.folders.ensure',
      { parent: 'organizations/1', display_name: 'abc', displayName: 'abd' },
      'INPUT_CONFLICT',
      'displayName',
    ],
    [
      'cloudresourcemanager.folders.ensure',
      { parent: ['organizations/1'], display_name: 'abc' },
      'INVALID_VALUE',
      'must be text',
    ],
    [
      'cloudresourcemanager.folders.ensure',
      { parent: 'folders/20-media', display_name: 'abc' },
      'INVALID_VALUE',
      'folders/by-display-name/20-media',
    ],
    [
      'cloudresourcemanager.folders.ensure',
      { parent: 'organizations/1', display_name: 'ab' },
      'INVALID_VALUE',
      '3 to 30',
    ],
    [
      'cloudresourcemanager.folders.ensure',
      { parent: 'organizations/1', display_name: 'abc', was: { name: 'x' } },
      'UNKNOWN_KEY',
      'name',
    ],
    ['cloudresourcemanager.projects.ensure', { project_id: 'p', parent: 'folders/1' }, 'INVALID_VALUE', '6 to 30'],
    [
      'cloudresourcemanager.projects.ensure',
      { project_id: 'my-google-project', parent: 'folders/1' },
      'INVALID_VALUE',
      'reserves',
    ],
    [
      'cloudresourcemanager.projects.ensure',
      { project_id: 'acme-prod', parent: 'folders/1', display_name: 'x' },
      'INVALID_VALUE',
      '4 to 30',
    ],
    [
      'cloudresourcemanager.projects.ensure',
      { project_id: 'acme-prod', parent: 'folders/1', labels: { 'Not ok': 'x' } },
      'INVALID_VALUE',
      'label key',
    ],
    [
      'cloudresourcemanager.projects.ensure',
      { project_id: 'acme-prod', parent: 'folders/1', labels: { c: null } },
      'INVALID_VALUE',
      'has no value',
    ],
    [
      'cloudresourcemanager.projects.iam.ensure_binding',
      { project_id: 'acme-prod', role: 'roles/viewer_withcond_0123456789abcdef0123', member: 'user:a@example.com' },
      'INVALID_VALUE',
      'is not a role',
    ],
    [
      'cloudresourcemanager.projects.ensure',
      { project_id: 'acme-prod', parent: 'folders/1', labels: { ok: ['x'] } },
      'INVALID_VALUE',
      'must be text',
    ],
    [
      'cloudresourcemanager.projects.ensure',
      {
        project_id: 'acme-prod',
        parent: 'folders/1',
        labels: Object.fromEntries(Array.from({ length: 65 }, (_, i) => [`k${i}`, 'v'])),
      },
      'INVALID_VALUE',
      'at most 64',
    ],
    [
      'cloudresourcemanager.projects.ensure',
      { project_id: 'acme-prod', parent: 'folders/1', undelete: 'maybe' },
      'INVALID_VALUE',
      'true or false',
    ],
    ['cloudbilling.projects.link', { project_id: 'acme-prod', billing_account: 'mine' }, 'INVALID_VALUE', 'XXXXXX'],
    ['serviceusage.services.enable', { project_id: 'acme-prod', service: 'run' }, 'INVALID_VALUE', 'DNS name'],
    ['serviceusage.services.enable', { project_id: 'acme-prod', services: [] }, 'INVALID_VALUE', 'one or more'],
    [
      'serviceusage.services.disable',
      { project_id: 'acme-prod', services: ['a.googleapis.com'] },
      'UNKNOWN_KEY',
      'services',
    ],
    ['cloudresourcemanager.organizations.get', { organization: 'acme' }, 'INVALID_VALUE', 'organizations/<number>'],
    [
      'cloudresourcemanager.organizations.iam.ensure_binding',
      { organization: '1', role: 'viewer', member: 'user:a@example.com' },
      'INVALID_VALUE',
      'not a role',
    ],
    [
      'cloudresourcemanager.organizations.iam.ensure_binding',
      { organization: '1', ...GRANT, condition: { title: 'x' } },
      'MISSING_KEY',
      'expression',
    ],
    [
      'cloudresourcemanager.organizations.iam.ensure_binding',
      {
        organization: '1',
        role: 'roles/owner',
        member: 'user:a@example.com',
        condition: { title: 'x', expression: 'true' },
      },
      'INVALID_VALUE',
      'basic role',
    ],
    [
      'cloudresourcemanager.organizations.iam.ensure_binding',
      { organization: '1', role: 'roles/browser', member: 'allUsers', condition: { title: 'x', expression: 'true' } },
      'INVALID_VALUE',
      'under a condition',
    ],
    [
      'cloudresourcemanager.projects.iam.ensure_binding',
      { project_id: 'acme-prod', role: 'roles/viewer', member: 'allUsers' },
      'INVALID_VALUE',
      'on a project',
    ],
    ['cloudresourcemanager.projects.delete', { project_id: 'acme-*' }, 'WILDCARD', 'literally'],
    [
      'cloudresourcemanager.folders.delete',
      { parent: 'organizations/1', display_name: 'tmp?' },
      'WILDCARD',
      'literally',
    ],
    [
      'cloudresourcemanager.organizations.iam.remove_binding',
      { organization: '1', role: 'roles/*', member: 'user:a@example.com' },
      'WILDCARD',
      'literally',
    ],
    [
      'cloudresourcemanager.organizations.iam.remove_binding',
      { organization: '1', role: 'roles/viewer', member: 'user:*@example.com' },
      'WILDCARD',
      'literally',
    ],
    [
      'cloudresourcemanager.folders.ensure',
      { parent: 'organizations/1', display_name: unknownOf([{ address: 'x', path: 'resource.name' }]) },
      'STATIC_REQUIRED',
      'display_name',
    ],
    [
      'cloudresourcemanager.folders.ensure',
      { parent: unknownOf([{ address: 'x', path: 'resource.name' }]), display_name: 'abc' },
      'STATIC_REQUIRED',
      'parent',
    ],
  ])('of %s: %j is %s', (action, input, code, words) => {
    const { diagnostics } = linked([stepOf('s', action, input)]);
    const match = diagnostics.find((item) => item.code === code);
    expect(match, JSON.stringify(diagnostics)).toBeDefined();
    expect(`${match?.detail} ${match?.hint ?? ''}`).toContain(words);
    expect(match).toMatchObject({ severity: 'error', address: 's', source: { file: 'p.yaml' } });
  });

  it('say where they stand', () => {
    const { diagnostics } = linked([
      stepOf('s', 'cloudresourcemanager.projects.ensure', { parent: 'folders/1', project_id: 'P' }),
    ]);
    expect(diagnostics[0]?.source?.column).toBe(11);
  });

  it('break formats with a warning where no real cloud is asked, and rules of meaning with an error all the same', () => {
    const formats = linked(
      [stepOf('s', 'cloudresourcemanager.projects.ensure', { project_id: 'p', parent: 'folders/20-media' })],
      'warning',
    );
    expect(formats.diagnostics.map(({ code, severity }) => [code, severity])).toEqual([
      ['FORMAT_WARNING', 'warning'],
      ['FORMAT_WARNING', 'warning'],
    ]);
    expect(formats.declarations.get('s')?.desired).toEqual({ project_id: 'p', parent: 'folders/20-media' });
    const meaning = linked([stepOf('s', 'cloudresourcemanager.projects.delete', { project_id: 'p*' })], 'warning');
    expect(meaning.diagnostics.some(({ code }) => code === 'WILDCARD')).toBe(true);
  });

  it('may take a principal set of a whole pool away', () => {
    const member = 'principalSet://iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/*';
    expect(
      linked([
        stepOf('s', 'cloudresourcemanager.projects.iam.remove_binding', {
          project_id: 'acme-prod',
          role: 'roles/viewer',
          member,
        }),
      ]).diagnostics,
    ).toEqual([]);
  });

  it('may be labels that a result gives whole', () => {
    const labels = unknownOf([{ address: 'x', path: 'resource.labels' }]);
    const declaration = declared(
      stepOf('s', 'cloudresourcemanager.projects.ensure', { project_id: 'acme-prod', parent: 'folders/1', labels }),
    );
    expect(declaration.desired['labels']).toEqual(labels);
    const settled = googleCatalogue.settle(declaration, { ...declaration.desired, labels: { 'Not ok': 'x', ok: 'y' } });
    expect(settled.map(({ path }) => path)).toEqual([['labels', 'Not ok']]);
  });

  it('with values that come later are checked when they are there', () => {
    const declaration = declared(
      stepOf('s', 'cloudresourcemanager.projects.ensure', {
        project_id: 'acme-prod',
        parent: unknownOf([{ address: 'x', path: 'resource.name' }]),
        labels: { a: unknownOf([{ address: 'x', path: 'id' }]) },
      }),
    );
    const settle = (parent: string, a: string) =>
      googleCatalogue.settle(declaration, { project_id: 'acme-prod', parent, labels: { a } });
    expect(settle('folders/1', 'ok')).toEqual([]);
    expect(settle('folders/by-display-name/media', 'ok')).toEqual([]);
    expect(settle('projects/1', 'Not ok').map(({ path }) => path)).toEqual([['parent'], ['labels', 'a']]);
  });
});

describe('lists of services', () => {
  const enable = googleCatalogue.findAction('google.serviceusage.services.enable', null);
  const expand = (input: ValueObject) => (enable === null ? null : googleCatalogue.expandInput(enable, input));

  it('make one step a service', () => {
    expect(expand({ project_id: 'acme-prod', services: ['a.googleapis.com', 'b.googleapis.com'] })).toEqual([
      { key: 'a.googleapis.com', input: { project_id: 'acme-prod', service_name: 'a.googleapis.com' } },
      { key: 'b.googleapis.com', input: { project_id: 'acme-prod', service_name: 'b.googleapis.com' } },
    ]);
  });

  test.each<[string, ValueObject]>([
    ['no list', { project_id: 'acme-prod', service: 'a.googleapis.com' }],
    ['an empty list', { project_id: 'acme-prod', services: [] }],
    ['a double', { project_id: 'acme-prod', services: ['a.googleapis.com', 'a.googleapis.com'] }],
    [
      'a list beside a service',
      { project_id: 'acme-prod', services: ['a.googleapis.com'], service: 'b.googleapis.com' },
    ],
    ['no text in it', { project_id: 'acme-prod', services: [['a.googleapis.com']] }],
  ])('are left as they are with %s', (_, input) => {
    expect(expand(input)).toBeNull();
  });
});

it('what is wrong with one of a list of services stands where the list does', () => {
  const at = { file: 'p.yaml', line: 7, column: 9 };
  const step = stepOf(
    's[run]',
    'serviceusage.services.enable',
    { project_id: 'acme-prod', service_name: 'run' },
    { positions: new Map([['input.services', at]]) },
  );
  expect(linked([step]).diagnostics).toMatchObject([{ code: 'INVALID_VALUE', source: at }]);
});

it('starts up without the network, the login and the schemas of answers', () => {
  const seen = new Set<string>();
  const follow = (file: string) => {
    if (seen.has(file)) return;
    seen.add(file);
    const text = readFileSync(file, 'utf8');
    for (const [, name = ''] of text.matchAll(/^(?:import|export) (?!type)[^;]*? from '([^']+)';/gms)) {
      if (name.startsWith('.')) follow(resolve(dirname(file), name));
      else seen.add(name);
    }
  };
  follow(fileURLToPath(new URL('../../../src/providers/google/catalogue.ts', import.meta.url)));
  expect([...seen].filter((name) => !name.endsWith('.ts'))).toEqual(['node:crypto']);
  expect([...seen].filter((name) => /client|auth|session|provider\.ts/.test(name))).toEqual([]);
});

describe('a condition', () => {
  const bind = (condition: ValueObject) =>
    declared(
      stepOf('s', 'cloudresourcemanager.organizations.iam.ensure_binding', {
        organization: '1',
        role: 'roles/browser',
        member: 'user:A@example.com',
        condition,
      }),
    ).urn;

  it('closes the URN with the SHA-256 of its canonical JSON, shortened', () => {
    const canonical = '{"description":"","expression":"true","title":"t"}';
    const hash = createHash('sha256').update(canonical).digest('hex').slice(0, 32);
    expect(bind({ title: 't', expression: 'true' })?.endsWith(`/condition:${hash}`)).toBe(true);
  });

  it('closes the URN with a hash of its parts', () => {
    const urn = bind({ title: 't', expression: 'true' });
    expect(urn).toMatch(
      /^google:iam:binding:organizations\/1\/roles\/browser\/user:a@example\.com\/condition:[0-9a-f]{32}$/,
    );
    expect(bind({ title: 't', expression: 'true', description: '' })).toBe(urn);
    expect(bind({ title: 't', expression: 'false' })).not.toBe(urn);
  });
});

describe('requests of changes', () => {
  const project = (input: ValueObject) => {
    const step = stepOf('s', 'cloudresourcemanager.projects.ensure', { project_id: 'acme-prod', ...input });
    const declaration = declared(step);
    const actual = {
      project_id: 'acme-prod',
      parent: 'folders/1',
      display_name: 'Acme Prod',
      labels: { theirs: 'x', env: 'dev' },
    };
    const observation = {
      kind: 'present',
      id: 'projects/9',
      actual,
      etag: 'e',
      state: 'ACTIVE',
      purgeTime: null,
      resource: {},
      warnings: [],
      blockers: [],
    } as const;
    return (change: 'update' | 'move' | 'undelete') =>
      googleCatalogue.requests({ declaration, desired: declaration.desired, change, observation }, step);
  };

  it('patch only what differs and keep the labels of others', () => {
    const [request] = project({ parent: 'folders/1', display_name: 'Acme Prod', labels: { env: 'prod' } })('update');
    expect(request?.call).toEqual({
      method: 'PATCH',
      url: `${CRM}/projects/acme-prod?updateMask=labels`,
      body: { labels: { theirs: 'x', env: 'prod' } },
    });
    expect(JSON.stringify(request?.logical)).not.toContain('theirs');
  });

  it('replace the labels where they are authoritative', () => {
    const [request] = project({ parent: 'folders/1', labels: { env: 'prod' }, labels_authoritative: true })('update');
    expect(request?.call).toMatchObject({ body: { labels: { env: 'prod' } } });
  });

  it('move last, as the primary one', () => {
    const requests = project({ parent: 'folders/2', display_name: 'Acme Other' })('move');
    expect(requests.map(({ call }) => call)).toEqual([
      { method: 'PATCH', url: `${CRM}/projects/acme-prod?updateMask=displayName`, body: { displayName: 'Acme Other' } },
      { method: 'POST', url: `${CRM}/projects/acme-prod:move`, body: { destinationParent: 'folders/2' } },
    ]);
  });

  it('undelete', () => {
    expect(project({ parent: 'folders/1', undelete: true })('undelete').map(({ call }) => call)).toEqual([
      { method: 'POST', url: `${CRM}/projects/acme-prod:undelete`, body: {} },
    ]);
  });
});
