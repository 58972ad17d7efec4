import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Inventory, ProviderResource } from '../../src/core/inventory.ts';
import { renderInventory } from '../../src/views/human/inventory.ts';
import { inventoryDocument } from '../../src/views/json/inventory.ts';
import { renderJson } from '../../src/views/json/render.ts';
import { anyName, HOSTILE_NAMES, whyUnprintable } from './support/hostile.ts';

const resource = (more: Partial<ProviderResource>): ProviderResource => ({
  provider_id: 'google',
  scope_id: 'organizations/1',
  kind: 'folder',
  id: 'folders/10',
  name: '10-platform',
  status: 'ACTIVE',
  zone_id: null,
  labels: {},
  public_addresses: [],
  ...more,
});

const inventory: Inventory = {
  provider: 'google',
  scope: 'organizations/1',
  resources: [
    resource({}),
    resource({ id: 'folders/2', name: 'data' }),
    resource({ kind: 'project', id: 'acme-dns-prod', name: 'Acme DNS', labels: { env: 'prod', team: 'dns' } }),
    resource({ kind: 'project', id: 'acme-old', name: 'Old', status: 'DELETE_REQUESTED' }),
    resource({ kind: 'billing_link', id: 'acme-dns-prod', name: 'billingAccounts/X', status: 'ENABLED' }),
    resource({
      kind: 'address',
      id: 'e9b',
      name: 'vpn',
      status: 'UNKNOWN',
      zone_id: 'ru-central1-a',
      public_addresses: ['192.0.2.1'],
    }),
  ],
};

describe('the table of an inventory', () => {
  it('lines up what there is, kind by kind', () => {
    expect(renderInventory(inventory, { color: false })).toBe(
      [
        'FOLDER',
        '  ID          NAME         STATUS',
        '  folders/10  10-platform  ACTIVE',
        '  folders/2   data         ACTIVE',
        '',
        'PROJECT',
        '  ID             NAME      STATUS',
        '  acme-dns-prod  Acme DNS  ACTIVE            env=prod team=dns',
        '  acme-old       Old       DELETE_REQUESTED',
        '',
        'BILLING LINK',
        '  ID             NAME               STATUS',
        '  acme-dns-prod  billingAccounts/X  ENABLED',
        '',
        'ADDRESS',
        '  ID   NAME  STATUS',
        '  e9b  vpn   UNKNOWN  ru-central1-a 192.0.2.1',
        '',
        '2 folders, 2 projects, 1 billing link, 1 address in organizations/1.',
        '',
      ].join('\n'),
    );
  });

  it('says that there is nothing', () => {
    expect(renderInventory({ ...inventory, resources: [] }, { color: false })).toBe('Nothing in organizations/1.\n');
  });

  it('acts on no terminal', () => {
    fc.assert(
      fc.property(fc.oneof(fc.constantFrom(...HOSTILE_NAMES), anyName), (name) => {
        const hostile = resource({
          kind: name,
          id: name,
          name,
          status: name,
          zone_id: name,
          labels: { [name]: name },
          public_addresses: [name],
        });
        const text = renderInventory({ provider: name, scope: name, resources: [hostile] }, { color: false });
        expect(whyUnprintable(text)).toBeNull();
      }),
    );
  });
});

describe('the JSON of an inventory', () => {
  it('has the keys of the contract and no others', () => {
    const document = JSON.parse(renderJson(inventoryDocument(inventory))) as Record<string, unknown>;
    expect(Object.keys(document)).toEqual(['format_version', 'command', 'resources']);
    expect(document['command']).toBe('inventory');
    expect(document['resources']).toEqual(inventory.resources);
    expect(Object.keys((document['resources'] as object[])[0] ?? {})).toEqual([
      'provider_id',
      'scope_id',
      'kind',
      'id',
      'name',
      'status',
      'zone_id',
      'labels',
      'public_addresses',
    ]);
  });
});
