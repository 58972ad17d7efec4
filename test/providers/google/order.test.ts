import { describe, expect, it } from 'vitest';
import type { Step } from '../../../src/core/step.ts';
import { unknownOf } from '../../../src/core/value.ts';
import { guardOf, linked, stepOf } from './support/steps.ts';

const GUARD = { guard: guardOf({ requireOrg: '1' }) };
const P = { project_id: 'acme-prod' };
const ACCOUNT = '0A1B2C-3D4E5F-6A7B8C';
const GRANT = { role: 'roles/browser', member: 'user:a@example.com' };
const nameOf = (address: string) => unknownOf([{ address, path: 'resource.name' }]);

const project = (more: Partial<Step> = GUARD) =>
  stepOf('project', 'cloudresourcemanager.projects.ensure', { ...P, parent: 'organizations/1' }, more);
const billing = (more: Partial<Step> = GUARD) =>
  stepOf('billing', 'cloudbilling.projects.link', { ...P, billing_account: ACCOUNT }, more);
const api = (name = 'api') =>
  stepOf(name, 'serviceusage.services.enable', { ...P, service: `${name}.googleapis.com` }, GUARD);
const grant = (more: Partial<Step> = GUARD) =>
  stepOf('grant', 'cloudresourcemanager.projects.iam.ensure_binding', { ...P, ...GRANT }, more);
const orgGrant = (more: Partial<Step> = GUARD) =>
  stepOf('org', 'cloudresourcemanager.organizations.iam.ensure_binding', { organization: '1', ...GRANT }, more);

/** Address to what it needs, sorted. */
function needsOf(steps: readonly Step[]): Record<string, readonly string[]> {
  const { declarations, diagnostics } = linked(steps);
  expect(diagnostics).toEqual([]);
  return Object.fromEntries(
    [...declarations.values()].map(({ address, dependsOn }) => [address, [...dependsOn].sort()]),
  );
}

describe('within a project', () => {
  it('come the project, its link, its services, its grants, however they are written', () => {
    expect(needsOf([grant(), api(), api('dns'), billing(), project()])).toEqual({
      project: [],
      billing: ['project'],
      api: ['billing', 'project'],
      dns: ['billing', 'project'],
      grant: ['api', 'dns', 'project'],
    });
  });

  it('the nearest that is there counts', () => {
    expect(needsOf([grant(), project()])).toEqual({ project: [], grant: ['project'] });
    expect(needsOf([grant(), api()])).toEqual({ api: [], grant: ['api'] });
  });

  it('deletes run the other way round', () => {
    const steps = [
      stepOf('project', 'cloudresourcemanager.projects.delete', P),
      stepOf('billing', 'cloudbilling.projects.unlink', P),
      stepOf('api', 'serviceusage.services.disable', { ...P, service: 'a.googleapis.com' }),
      stepOf('grant', 'cloudresourcemanager.projects.iam.remove_binding', { ...P, ...GRANT }),
    ];
    expect(needsOf(steps)).toEqual({ project: ['billing'], billing: ['api'], api: ['grant'], grant: [] });
  });

  it('everything says that it needs the project to exist', () => {
    const { declarations } = linked([project(), billing(), api(), grant()]);
    expect(['billing', 'api', 'grant'].map((address) => declarations.get(address)?.needs)).toEqual([
      ['project'],
      ['project'],
      ['project'],
    ]);
  });

  it('one project has nothing to do with another', () => {
    const other = stepOf(
      'other',
      'serviceusage.services.enable',
      { project_id: 'other-prod', service: 'a.googleapis.com' },
      GUARD,
    );
    expect(needsOf([project(), other])['other']).toEqual([]);
  });
});

describe('folders that go', () => {
  const gone = (address: string, parent: string, name: string) =>
    stepOf(address, 'cloudresourcemanager.folders.delete', { parent, display_name: name }, GUARD);

  it('go after what is inside them', () => {
    const steps = [
      gone('outer', 'organizations/1', 'outer'),
      gone('inner', 'folders/by-display-name/outer', 'inner'),
      stepOf('p', 'cloudresourcemanager.projects.delete', P),
    ];
    expect(needsOf(steps)).toEqual({ outer: ['inner'], inner: ['p'], p: [] });
  });

  it('go before a project of which the playbook says so', () => {
    const steps = [
      gone('f', 'organizations/1', 'fff'),
      stepOf('p', 'cloudresourcemanager.projects.delete', P, { dependsOn: ['f'] }),
    ];
    expect(needsOf(steps)).toEqual({ f: [], p: [] });
  });

  it('go after the grants on them', () => {
    const steps = [
      gone('f', 'organizations/1', 'fff'),
      stepOf(
        'g',
        'cloudresourcemanager.folders.iam.remove_binding',
        { folder: 'folders/by-display-name/fff', ...GRANT },
        GUARD,
      ),
    ];
    expect(needsOf(steps)).toEqual({ f: ['g'], g: [] });
  });
});

describe('a grant on an ancestor', () => {
  it('precedes what is written after it below, once', () => {
    expect(needsOf([project(), orgGrant(), billing(), api()])).toMatchObject({
      project: [],
      org: [],
      billing: ['org', 'project'],
      api: ['billing', 'project'],
    });
    expect(needsOf([orgGrant(), project(), billing(), api()])).toMatchObject({
      project: ['org'],
      billing: ['project'],
      api: ['billing', 'project'],
    });
  });

  it('does not hold up grants on the same resource', () => {
    const second = stepOf(
      'second',
      'cloudresourcemanager.organizations.iam.ensure_binding',
      { organization: '1', ...GRANT, role: 'roles/viewer' },
      GUARD,
    );
    expect(needsOf([orgGrant(), second])).toEqual({ org: [], second: [] });
  });

  it('of another organisation has nothing to do with it', () => {
    const elsewhere = stepOf('org', 'cloudresourcemanager.organizations.iam.ensure_binding', {
      organization: '2',
      ...GRANT,
    });
    expect(needsOf([elsewhere, project()])['project']).toEqual([]);
  });

  it('on a folder comes after the folder and before what is written after it inside', () => {
    const steps = [
      stepOf('f', 'cloudresourcemanager.folders.ensure', { parent: 'organizations/1', display_name: 'fff' }, GUARD),
      stepOf('g', 'cloudresourcemanager.folders.iam.ensure_binding', { folder: nameOf('f'), ...GRANT }, GUARD),
      stepOf('p', 'cloudresourcemanager.projects.ensure', { ...P, parent: nameOf('f') }, GUARD),
    ];
    expect(needsOf(steps)).toEqual({ f: [], g: ['f'], p: ['f', 'g'] });
  });

  it('on a folder by its number counts likewise', () => {
    const steps = [
      stepOf('g', 'cloudresourcemanager.folders.iam.ensure_binding', { folder: '12', ...GRANT }),
      stepOf('p', 'cloudresourcemanager.projects.ensure', { ...P, parent: 'folders/12' }),
    ];
    expect(needsOf(steps)).toEqual({ g: [], p: ['g'] });
  });

  it('on a billing account precedes later links to it', () => {
    const account = stepOf('account', 'cloudbilling.billing_accounts.iam.ensure_binding', {
      billing_account: ACCOUNT,
      ...GRANT,
    });
    expect(needsOf([account, billing({})])['billing']).toEqual(['account']);
    expect(
      needsOf([
        billing({}),
        stepOf('account', 'cloudbilling.billing_accounts.iam.ensure_binding', { billing_account: ACCOUNT, ...GRANT }),
      ])['billing'],
    ).toEqual([]);
  });

  it('yields to a dependency that the playbook spells out', () => {
    expect(needsOf([orgGrant({ ...GUARD, dependsOn: ['project'] }), project()])).toMatchObject({ project: [] });
  });

  it('is taken away after the deletes written before it', () => {
    const steps = [
      stepOf('p', 'cloudresourcemanager.projects.delete', P, GUARD),
      stepOf('g', 'cloudresourcemanager.organizations.iam.remove_binding', { organization: '1', ...GRANT }, GUARD),
    ];
    expect(needsOf(steps)).toEqual({ p: [], g: ['p'] });
  });
});

describe('a read', () => {
  it('comes after the steps written before it that change what it reads', () => {
    const list = stepOf('list', 'serviceusage.services.list_enabled', P);
    const policy = stepOf('policy', 'cloudresourcemanager.projects.iam.get_policy', P);
    const describeIt = stepOf('describe', 'cloudresourcemanager.projects.describe', P);
    const [p, a, g] = [project({}), api(), grant({})];
    const written = [p, a, g, list, policy, describeIt].map((step, index) => ({ ...step, index }));
    expect(needsOf(written)).toMatchObject({
      list: ['api', 'project'],
      policy: ['grant', 'project'],
      describe: ['project'],
    });
  });

  it('does not wait for what is written after it', () => {
    expect(needsOf([stepOf('describe', 'cloudresourcemanager.projects.describe', P), project({})])['describe']).toEqual(
      [],
    );
  });

  it('of a list of folders waits for those in the same place', () => {
    const folder = (address: string, parent: string) =>
      stepOf(address, 'cloudresourcemanager.folders.ensure', { parent, display_name: address });
    const steps = [
      folder('here', 'folders/1'),
      folder('there', 'folders/2'),
      stepOf('list', 'cloudresourcemanager.folders.list', { parent: 'folders/1' }),
    ];
    expect(needsOf(steps)['list']).toEqual(['here']);
  });
});

it('thousands of steps are ordered in no time', () => {
  const steps = Array.from({ length: 2_000 }, (_, index) => [
    stepOf(
      `p${index}`,
      'cloudresourcemanager.projects.ensure',
      { project_id: `acme-${index}-prod`, parent: 'organizations/1' },
      GUARD,
    ),
    stepOf(
      `s${index}`,
      'serviceusage.services.enable',
      { project_id: `acme-${index}-prod`, service: 'a.googleapis.com' },
      GUARD,
    ),
  ]).flat();
  expect(Object.keys(needsOf([orgGrant(), ...steps]))).toHaveLength(4_001);
});
