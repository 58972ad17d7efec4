import { describe, expect, it } from 'vitest';
import { failure, found, ORG, survey } from './support.ts';

const reference = (kind: string, id: string) => ({ provider_id: 'google', scope_id: ORG, kind, id });

describe('a lookup', () => {
  it('finds by its reference whatever an inventory lists', async () => {
    const { reader } = await survey();
    for (const resource of found(await reader().discoverInventory()))
      expect(found(await reader().getResource(resource))).toEqual(resource);
  });

  it.each([
    ['another provider', { ...reference('project', 'acme-web-prod'), provider_id: 'yandex-cloud' }],
    ['another scope', { ...reference('project', 'acme-web-prod'), scope_id: 'folders/100' }],
  ])('refuses a reference to %s before anything is sent', async (_what, foreign) => {
    const { reader, emulator } = await survey();
    expect(failure(await reader().getResource(foreign)).code).toBe('SCOPE_MISMATCH');
    expect(emulator.requests).toEqual([]);
  });

  it.each([
    ['project', 'acme-etl-dev'],
    ['folder', 'folders/20'],
    ['binding', `${ORG}/roles/browser/user:ada@example.com`],
    ['service', 'elsewhere-1/dns.googleapis.com'],
  ])('refuses a %s that lies outside of the scope', async (kind, id) => {
    const { reader } = await survey();
    const wanted = { provider_id: 'google', scope_id: 'folders/100', kind, id };
    expect(['SCOPE_MISMATCH', 'INVALID_VALUE']).toContain(
      failure(await reader('folders/100').getResource(wanted)).code,
    );
  });

  it.each([
    ['billing_link', 'acme-etl-dev', 'NOT_FOUND'],
    ['service', 'acme-etl-dev/dns.googleapis.com', 'NOT_FOUND'],
    ['binding', 'projects/acme-web-prod/roles/owner/user:ada@example.com', 'NOT_FOUND'],
    ['folder', 'folders/404', 'NOT_VISIBLE'],
    ['folder', '20', 'INVALID_VALUE'],
    ['project', '../x', 'INVALID_VALUE'],
    ['disk', 'x', 'UNSUPPORTED'],
  ])('of the %s %s is %s', async (kind, id, code) => {
    const { reader } = await survey();
    expect(failure(await reader().getResource(reference(kind, id))).code).toBe(code);
  });
});
