import { describe, expect, it } from 'vitest';
import type { ApiCall, GoogleClient } from '../../../../src/providers/google/client.ts';
import { memberMatcher, SERVICE_AGENTS } from '../../../../src/providers/google/inventory-agents.ts';
import { readOnlyClient } from '../../../../src/providers/google/reader.ts';
import { survey } from './support.ts';

const call = (method: ApiCall['method'], path: string): ApiCall => ({
  service: 'crm',
  method,
  path,
  repeatability: 'once',
});

describe('what only reads', () => {
  it.each([
    call('POST', 'folders'),
    call('POST', 'projects/p:setIamPolicy'),
    call('POST', 'projects/p:move'),
    call('POST', 'projects/p:undelete'),
    call('POST', 'folders?x=:getIamPolicy'),
    call('POST', 'projects/p/services:batchEnable'),
    call('PUT', 'projects/p/billingInfo'),
    call('PATCH', 'folders/1'),
    call('DELETE', 'projects/p:getIamPolicy'),
  ])('has no $method of $path', async (refused) => {
    const sent: ApiCall[] = [];
    const client: GoogleClient = {
      call: async (some) => {
        sent.push(some);
        return { kind: 'ok', body: {} };
      },
      close: () => Promise.resolve(),
    };
    expect((await readOnlyClient(client).call(refused)).kind).toBe('unsent');
    expect(sent).toEqual([]);
  });

  it.each([
    call('GET', 'folders/1'),
    call('POST', 'folders/1:getIamPolicy'),
    call('POST', 'projects/p:testIamPermissions'),
  ])('sends $method of $path', async (allowed) => {
    const client: GoogleClient = { call: async () => ({ kind: 'ok', body: { a: 1 } }), close: () => Promise.resolve() };
    expect(await readOnlyClient(client).call(allowed)).toEqual({ kind: 'ok', body: { a: 1 } });
  });

  it('has no way to write, and says so', async () => {
    const { reader } = await survey();
    expect(reader()).not.toHaveProperty('write');
    expect(reader().capabilities).toEqual(['inventory', 'resource_lookup']);
    expect(await reader().checkAuthentication()).toMatchObject({ authenticated: true });
  });
});

describe("Google's service agents", () => {
  const isAgent = memberMatcher(SERVICE_AGENTS);
  it.each([
    'serviceAccount:service-123@compute-system.iam.gserviceaccount.com',
    'serviceAccount:service-123@gcp-sa-pubsub.iam.gserviceaccount.com',
    'serviceAccount:service-org-123@security-center-api.iam.gserviceaccount.com',
    'serviceAccount:service-folder-9@gcp-sa-logging.iam.gserviceaccount.com',
    'serviceAccount:123@cloudservices.gserviceaccount.com',
    'serviceAccount:Service-123@Compute-System.iam.gserviceaccount.com',
  ])('include %s', (member) => expect(isAgent(member)).toBe(true));

  it.each([
    'serviceAccount:123-compute@developer.gserviceaccount.com',
    'serviceAccount:acme@appspot.gserviceaccount.com',
    'serviceAccount:service-account@acme.iam.gserviceaccount.com',
    'serviceAccount:ci@acme.iam.gserviceaccount.com',
    'user:service-123@compute-system.iam.gserviceaccount.com',
    'serviceAccount:service-123@evil@x.gserviceaccount.com',
    'allUsers',
  ])('do not include %s', (member) => expect(isAgent(member)).toBe(false));
});
