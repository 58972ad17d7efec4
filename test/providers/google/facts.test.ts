import { describe, expect, it, test } from 'vitest';
import type { Json } from '../../../src/core/json.ts';
import { googleCatalogue } from '../../../src/providers/google/catalogue.ts';
import { declared, guardOf, stepOf } from './support/steps.ts';

const BINDING = 'google:iam:binding:organizations/1/roles/viewer/user:a@x.com';
const GRANT = { resource: 'organizations/1', role: 'roles/viewer', member: 'user:a@x.com' };

describe('facts of others', () => {
  test.each<[string, string, string, Json, string, Json]>([
    [
      "a folder in the input's words",
      'folder',
      'google:cloudresourcemanager:folder:organizations/1/media',
      { parent: 'organizations/1', displayName: 'media', extra: 1 },
      'google:cloudresourcemanager:folder:organizations/1/media',
      { parent: 'organizations/1', display_name: 'media' },
    ],
    [
      'a folder from its URN',
      'folder',
      'google:cloudresourcemanager:folder:organizations/1/media',
      {},
      'google:cloudresourcemanager:folder:organizations/1/media',
      { parent: 'organizations/1', display_name: 'media' },
    ],
    [
      'a project',
      'project',
      'google:cloudresourcemanager:project:acme',
      { projectId: 'acme', displayName: 'Acme', parent: 'folders/1', labels: { a: 'b' } },
      'google:cloudresourcemanager:project:acme',
      { project_id: 'acme', parent: 'folders/1', display_name: 'Acme', labels: { a: 'b' } },
    ],
    [
      'an adopted service',
      'service',
      'google:serviceusage:service:acme/run.googleapis.com',
      { state: 'ENABLED' },
      'google:serviceusage:service:acme/run.googleapis.com',
      { project_id: 'acme', service: 'run.googleapis.com' },
    ],
    [
      'an adopted link',
      'billing-link',
      'google:cloudbilling:billing-link:acme',
      { billing_account: 'billingAccounts/X' },
      'google:cloudbilling:billing-link:acme',
      { project_id: 'acme', billing_account: 'billingAccounts/X' },
    ],
    [
      "a link in the input's words",
      'billing-link',
      'google:cloudbilling:billing-link:acme',
      { project_id: 'acme', billingAccountName: 'X' },
      'google:cloudbilling:billing-link:acme',
      { project_id: 'acme', billing_account: 'billingAccounts/X' },
    ],
    [
      'an adopted grant',
      'binding',
      BINDING,
      { role: 'roles/viewer', member: 'user:a@x.com', bound: true },
      BINDING,
      GRANT,
    ],
    [
      'a grant whose URN holds the URL',
      'binding',
      'google:iam:binding:https://cloudresourcemanager.googleapis.com/v3/organizations/1:getIamPolicy/roles/viewer/user:a@x.com',
      { org_id: '1', role: 'roles/viewer', member: 'user:a@x.com' },
      BINDING,
      GRANT,
    ],
    [
      'a grant whose URN holds another host and port',
      'binding',
      'google:iam:binding:http://127.0.0.1:8089/v3/organizations/1:getIamPolicy/roles/viewer/user:A@X.com',
      { role: 'roles/viewer', member: 'user:A@X.com' },
      BINDING,
      { ...GRANT, member: 'user:A@X.com' },
    ],
    [
      'a grant on an account by URL',
      'binding',
      'google:iam:binding:https://cloudbilling.googleapis.com/v1/billingAccounts/0A1B2C-3D4E5F-6A7B8C:getIamPolicy/roles/billing.user/group:g@x.com',
      {},
      'google:iam:binding:billingAccounts/0A1B2C-3D4E5F-6A7B8C/roles/billing.user/group:g@x.com',
      { resource: 'billingAccounts/0A1B2C-3D4E5F-6A7B8C', role: 'roles/billing.user', member: 'group:g@x.com' },
    ],
    [
      'a grant of a custom role to a principal',
      'binding',
      'google:iam:binding:projects/acme/projects/acme/roles/r/principal://iam.googleapis.com/a/b/subject/S',
      {},
      'google:iam:binding:projects/acme/projects/acme/roles/r/principal://iam.googleapis.com/a/b/subject/S',
      {
        resource: 'projects/acme',
        role: 'projects/acme/roles/r',
        member: 'principal://iam.googleapis.com/a/b/subject/S',
      },
    ],
    [
      'a fact of a type that is not known',
      'bucket',
      'google:storage:bucket:b',
      { x: 1 },
      'google:storage:bucket:b',
      { x: 1 },
    ],
  ])('%s', (_, type, urn, desired, ourUrn, ourDesired) => {
    const { dropped = [], ...ours } = googleCatalogue.fromForeign(type, urn, desired);
    expect(ours).toEqual({ urn: ourUrn, desired: ourDesired });
    expect(dropped).toEqual(JSON.stringify(desired).includes('"extra"') ? ['extra'] : []);
  });

  it('are as they are when read again', () => {
    const once = googleCatalogue.fromForeign('binding', BINDING, GRANT);
    expect(googleCatalogue.fromForeign('binding', once.urn, once.desired)).toEqual(once);
  });
});

const NAMED = 'google:cloudresourcemanager:project:acme-prod';

it.each([
  ['google:cloudresourcemanager:project:1001', NAMED],
  ['google:serviceusage:service:1001/run.googleapis.com', 'google:serviceusage:service:acme-prod/run.googleapis.com'],
  ['google:cloudbilling:billing-link:1001', 'google:cloudbilling:billing-link:acme-prod'],
  [
    'google:iam:binding:projects/1001/roles/viewer/user:a@b.example',
    'google:iam:binding:projects/acme-prod/roles/viewer/user:a@b.example',
  ],
  ['google:iam:binding:folders/1001/roles/viewer/user:a@b.example', null],
  ['google:cloudbilling:billing-link:1002', null],
  ['google:cloudbilling:billing-link:acme-test', null],
])('%s is one with what its project is called', (urn, one) => {
  const known: Readonly<Record<string, readonly string[]>> = {
    'projects/1001': ['google:cloudresourcemanager:project:1001', NAMED],
  };
  expect(googleCatalogue.oneUrn?.(urn, (id) => known[id] ?? [])).toBe(one ?? urn);
});

const DECLARED: readonly (readonly [action: string, input: Record<string, Json>])[] = [
  ['cloudresourcemanager.folders.ensure', { parent: 'organizations/1', display_name: 'media' }],
  ['cloudresourcemanager.projects.ensure', { project_id: 'acme-prod', parent: 'folders/1', labels: { a: 'b' } }],
  ['cloudbilling.projects.link', { project_id: 'acme-prod', billing_account: '0A1B2C-3D4E5F-6A7B8C' }],
  ['serviceusage.services.enable', { project_id: 'acme-prod', service: 'run.googleapis.com' }],
  [
    'cloudresourcemanager.organizations.iam.ensure_binding',
    { organization: '1', role: 'roles/viewer', member: 'user:a@x.com' },
  ],
  [
    'cloudresourcemanager.folders.iam.ensure_binding',
    { folder: '7', role: 'roles/browser', member: 'user:a@x.com', condition: { title: 't', expression: 'true' } },
  ],
  [
    'cloudresourcemanager.projects.iam.ensure_binding',
    { project_id: 'acme-prod', role: 'roles/viewer', member: 'user:a@x.com' },
  ],
  [
    'cloudbilling.billing_accounts.iam.ensure_binding',
    { billing_account: '0A1B2C-3D4E5F-6A7B8C', role: 'roles/billing.user', member: 'user:a@x.com' },
  ],
];

describe('what a fact describes', () => {
  test.each(DECLARED)('can be declared again and removed: %s', (action, input) => {
    const declaration = declared(stepOf('s', action, input));
    const { urn, desired } = declaration;
    if (urn === null) throw new Error('no URN');
    const type = declaration.action.resourceType;
    const again = googleCatalogue.declarationOf(type, urn, desired as Json);
    expect(again).toMatchObject({ urn, desired, action: declaration.action, batchKey: declaration.batchKey });
    const removal = googleCatalogue.removalOf(type, urn, desired as Json);
    const step = stepOf('d', (removal?.action ?? '').replace('google.', ''), removal?.input ?? {});
    expect(declared(step)).toMatchObject({ urn, action: { kind: 'delete' } });
  });

  it("of another type is nothing of this provider's", () => {
    expect(googleCatalogue.declarationOf('bucket', 'google:storage:bucket:b', {})).toBeNull();
    expect(googleCatalogue.removalOf('bucket', 'google:storage:bucket:b', {})).toBeNull();
  });
});

describe('the guard without a network', () => {
  const guard = guardOf({ requireOrg: '1', requireBillingAccount: '0A1B2C-3D4E5F-6A7B8C' });
  const check = (action: string, input: Record<string, Json>) => {
    const declaration = declared(stepOf('s', action, input));
    return googleCatalogue.checkGuard(guard, declaration, declaration.desired);
  };

  test.each<[string, Record<string, Json>, string]>([
    ['cloudresourcemanager.folders.ensure', { parent: 'organizations/2', display_name: 'media' }, 'parent'],
    [
      'cloudresourcemanager.folders.ensure',
      { parent: 'folders/1', display_name: 'media', was: { parent: 'organizations/2' } },
      'was',
    ],
    [
      'cloudresourcemanager.projects.ensure',
      { parent: 'folders/by-display-name/media', project_id: 'acme-prod', organization: '2' },
      'organization',
    ],
    ['cloudresourcemanager.organizations.get', { organization: '2' }, 'organization'],
    ['cloudresourcemanager.organizations.iam.get_policy', { organization: '2' }, 'resource'],
    [
      'cloudresourcemanager.organizations.iam.ensure_binding',
      { organization: '2', role: 'roles/viewer', member: 'user:a@x.com' },
      'resource',
    ],
    [
      'cloudbilling.projects.link',
      { project_id: 'acme-prod', billing_account: 'AAAAAA-BBBBBB-CCCCCC' },
      'billing_account',
    ],
    [
      'cloudbilling.billing_accounts.iam.ensure_binding',
      { billing_account: 'AAAAAA-BBBBBB-CCCCCC', role: 'roles/viewer', member: 'user:a@x.com' },
      'resource',
    ],
  ])('refuses %s %j', (action, input, key) => {
    expect(check(action, input)).toMatchObject([{ code: 'GUARD', path: [key] }]);
  });

  it.each<[string, Record<string, Json>]>([
    ['cloudresourcemanager.folders.ensure', { parent: 'organizations/1', display_name: 'media' }],
    ['cloudresourcemanager.folders.ensure', { parent: 'folders/9', display_name: 'media' }],
    ['cloudbilling.projects.link', { project_id: 'acme-prod', billing_account: '0A1B2C-3D4E5F-6A7B8C' }],
  ])('lets %s %j pass', (action, input) => {
    expect(check(action, input)).toEqual([]);
  });

  it('does not look into free text', () => {
    expect(
      check('cloudresourcemanager.projects.ensure', { project_id: 'acme-prod', parent: 'organizations/1', labels: {} }),
    ).toEqual([]);
  });
});
