import { describe, expect, it, test } from 'vitest';
import type { Step } from '../../../src/core/step.ts';
import { isUnknown, referencesIn, unknownOf } from '../../../src/core/value.ts';
import { googleCatalogue } from '../../../src/providers/google/catalogue.ts';
import { guardOf, linked, stepOf } from './support/steps.ts';

const ORG = 'organizations/1';
const GUARD = { guard: guardOf({ requireOrg: '1' }) };
const folder = (
  address: string,
  parent: Parameters<typeof stepOf>[2][string],
  name: string,
  more: Partial<Step> = GUARD,
) => stepOf(address, 'cloudresourcemanager.folders.ensure', { parent, display_name: name }, more);
const project = (address: string, parent: Parameters<typeof stepOf>[2][string], more: Partial<Step> = GUARD) =>
  stepOf(address, 'cloudresourcemanager.projects.ensure', { parent, project_id: 'acme-prod' }, more);
const nameOf = (address: string) => unknownOf([{ address, path: 'resource.name' }]);

function declarationOf(address: string, steps: readonly Step[]) {
  const { declarations, diagnostics } = linked(steps);
  expect(diagnostics).toEqual([]);
  const declaration = declarations.get(address);
  if (declaration === undefined) throw new Error(`${address} is not declared`);
  return declaration;
}

describe('the URN of a folder', () => {
  test.each([
    ['by reference', nameOf('outer')],
    ['by display name', 'folders/by-display-name/00-outer'],
  ])('inside a folder of the playbook (%s) has the place of that one', (_, parent) => {
    const inner = declarationOf('inner', [folder('outer', ORG, '00-outer'), folder('inner', parent, '10-inner')]);
    expect(inner.urn).toBe('google:cloudresourcemanager:folder:organizations/1/00-outer/10-inner');
    expect(inner.desired['parent']).toEqual(nameOf('outer'));
    expect(inner.needs).toEqual(['outer']);
  });

  it('goes down through several folders, whatever order they are written in', () => {
    const steps = [
      folder('c', 'folders/by-display-name/aaa/bbb', 'ccc'),
      folder('b', 'aaa/bbb'.split('/')[0] === 'aaa' ? 'folders/by-display-name/aaa' : '', 'bbb'),
      folder('a', ORG, 'aaa'),
    ];
    expect(declarationOf('c', steps).urn).toBe('google:cloudresourcemanager:folder:organizations/1/aaa/bbb/ccc');
  });

  it('has the declared parent where the playbook does not make that one', () => {
    expect(declarationOf('f', [folder('f', 'folders/12', 'aaa')]).urn).toBe(
      'google:cloudresourcemanager:folder:folders/12/aaa',
    );
    const live = declarationOf('f', [folder('f', 'folders/by-display-name/live', 'aaa')]);
    expect(live.urn).toBe('google:cloudresourcemanager:folder:folders/by-display-name/live/aaa');
    expect(live.options).toEqual({ organization: 'organizations/1' });
  });

  it('is one for an ensure and for the delete inside a folder that goes as well', () => {
    const gone = (address: string, parent: string, name: string) =>
      stepOf(address, 'cloudresourcemanager.folders.delete', { parent, display_name: name }, GUARD);
    const inner = declarationOf('inner', [
      gone('outer', ORG, '00-outer'),
      gone('inner', 'folders/by-display-name/00-outer', '10-inner'),
    ]);
    expect(inner.urn).toBe('google:cloudresourcemanager:folder:organizations/1/00-outer/10-inner');
    expect(inner.desired['parent']).toBe('folders/by-display-name/00-outer');
  });

  it('does not go round in circles', () => {
    const { declarations } = linked([folder('a', nameOf('b'), 'aaa'), folder('b', nameOf('a'), 'bbb')]);
    expect(declarations.get('a')?.urn).toBeNull();
  });
});

describe('a folder by its display name', () => {
  it('at the top of the tree goes before one of that name further down', () => {
    const steps = [
      folder('top', ORG, 'dev'),
      folder('team', ORG, 'team'),
      folder('deep', nameOf('team'), 'dev'),
      project('p', 'folders/by-display-name/dev'),
    ];
    expect(declarationOf('p', steps).needs).toEqual(['top']);
  });

  it('is found further down where only one has the name, and by its path', () => {
    const steps = [
      folder('a', ORG, 'aaa'),
      folder('b', ORG, 'bbb'),
      folder('a-dev', nameOf('a'), 'dev'),
      folder('b-dev', nameOf('b'), 'dev'),
      folder('b-ops', nameOf('b'), 'ops'),
    ];
    expect(declarationOf('p', [...steps, project('p', 'folders/by-display-name/ops')]).needs).toEqual(['b-ops']);
    expect(declarationOf('p', [...steps, project('p', 'folders/by-display-name/bbb/dev')]).needs).toEqual(['b-dev']);
    expect(declarationOf('p', [...steps, project('p', 'bbb/dev')]).needs).toEqual(['b-dev']);
  });

  it('that fits several is refused with the candidates', () => {
    const steps = [
      folder('a', ORG, 'aaa'),
      folder('b', ORG, 'bbb'),
      folder('a-dev', nameOf('a'), 'dev'),
      folder('b-dev', nameOf('b'), 'dev'),
      project('p', 'folders/by-display-name/dev'),
    ];
    const { diagnostics } = linked(steps);
    expect(diagnostics).toMatchObject([{ code: 'AMBIGUOUS', address: 'p', severity: 'error' }]);
    expect(diagnostics[0]?.detail).toContain('a-dev, b-dev');
  });

  it('without an organisation to look in is refused', () => {
    const { diagnostics } = linked([folder('a', ORG, 'aaa'), project('p', 'folders/by-display-name/aaa', {})]);
    expect(diagnostics).toMatchObject([{ code: 'MISSING_KEY', address: 'p' }]);
    expect(diagnostics[0]?.hint).toContain('require_org');
  });

  it('in another organisation is not the one that is meant', () => {
    const step = stepOf('p', 'cloudresourcemanager.projects.ensure', {
      parent: 'folders/by-display-name/aaa',
      project_id: 'acme-prod',
      organization: '2',
    });
    const declaration = declarationOf('p', [folder('a', ORG, 'aaa', {}), step]);
    expect(declaration.needs).toEqual([]);
    expect(declaration).toMatchObject({
      desired: { parent: 'folders/by-display-name/aaa' },
      options: { organization: 'organizations/2' },
    });
  });

  it('can be where a grant stands: its URN is known when the folder is', () => {
    const grant = stepOf(
      'g',
      'cloudresourcemanager.folders.iam.ensure_binding',
      { folder: 'folders/by-display-name/aaa', role: 'roles/browser', member: 'user:a@example.com' },
      GUARD,
    );
    const declaration = declarationOf('g', [folder('a', ORG, 'aaa'), grant]);
    expect(declaration.urn).toBeNull();
    expect(isUnknown(declaration.desired['resource'])).toBe(true);
    expect(googleCatalogue.urnOf(declaration, declaration.desired)).toBeNull();
    expect(googleCatalogue.urnOf(declaration, { ...declaration.desired, resource: 'folders/12' })).toBe(
      'google:iam:binding:folders/12/roles/browser/user:a@example.com',
    );
  });
});

it('a project may lie in a place that only a result names', () => {
  const declaration = declarationOf('p', [
    stepOf('r', 'cloudresourcemanager.projects.describe', { project_id: 'other-prod' }),
    project('p', unknownOf([{ address: 'r', path: 'resource.parent' }])),
  ]);
  expect(referencesIn(declaration.desired['parent'] ?? null)).toEqual([{ address: 'r', path: 'resource.parent' }]);
  expect(declaration.needs).toEqual([]);
});

it('steps that are skipped or of others take no part', () => {
  const skipped = folder('a', ORG, 'aaa', { ...GUARD, skip: { kind: 'not_selected', detail: '' } });
  const { declarations } = linked([
    skipped,
    stepOf('y', 'x', {}, { provider: 'yandex' }),
    project('p', 'folders/by-display-name/aaa'),
  ]);
  expect([...declarations.keys()]).toEqual(['p']);
  expect(declarations.get('p')?.needs).toEqual([]);
});
