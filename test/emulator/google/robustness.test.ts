import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ACCOUNT, ORG, PEOPLED, startEmulator } from './support.ts';

const PATHS = [
  '/v3/projects',
  '/v3/projects/acme-web',
  '/v3/projects/acme-web:move',
  '/v3/projects/acme-web:undelete',
  '/v3/projects:search',
  '/v3/folders',
  '/v3/folders/1001',
  '/v3/folders/1001:move',
  '/v3/folders:search',
  '/v3/liens',
  `/v3/${ORG}:getIamPolicy`,
  `/v3/${ORG}:setIamPolicy`,
  '/v3/projects/acme-web:testIamPermissions',
  '/v1/projects',
  '/v1/projects/acme-web',
  '/v1/projects/acme-web/billingInfo',
  `/v1/${ACCOUNT}`,
  `/v1/${ACCOUNT}:setIamPolicy`,
  '/v1/projects/acme-web/services',
  '/v1/projects/acme-web/services:batchEnable',
  '/v1/projects/acme-web/services:batchGet',
  '/v1/projects/acme-web/services/dns.googleapis.com:enable',
  '/v1/projects/acme-web/services/dns.googleapis.com:disable',
  '/v3/operations/constructor',
  '/v3/folders/__proto__',
  '/v1/projects/constructor',
  '/v1/projects/%zz',
  '/v3/liens/toString',
];
const NAMES = [
  'displayName',
  'projectId',
  'parent',
  'labels',
  'etag',
  'policy',
  'bindings',
  'members',
  'role',
  'condition',
  'version',
  'updateMask',
  'permissions',
  'destinationParent',
  'billingAccountName',
  'serviceIds',
  'name',
  'options',
  '__proto__',
  'constructor',
];

const value = fc.letrec((tie) => ({
  leaf: fc.oneof(
    fc.string(),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.constantFrom(ORG, ACCOUNT, 'folders/1001', 'user:a@b.c'),
  ),
  any: fc.oneof(
    { maxDepth: 4 },
    tie('leaf'),
    fc.array(tie('any'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...NAMES), tie('any'), { maxKeys: 4 }),
  ),
})).any;

const request = fc.record({
  method: fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE'),
  path: fc.constantFrom(...PATHS),
  query: fc.dictionary(
    fc.constantFrom('parent', 'query', 'filter', 'pageSize', 'pageToken', 'updateMask', 'fields', 'names'),
    fc.string(),
    { maxKeys: 2 },
  ),
  body: value,
});

it('refuses nonsense without an internal error', { timeout: 60_000 }, async () => {
  const client = await startEmulator({ seed: PEOPLED });
  await fc.assert(
    fc.asyncProperty(request, async ({ method, path, query, body }) => {
      const response = await fetch(`${client.emulator.url}${path}?${new URLSearchParams(query)}`, {
        method,
        headers: { authorization: 'Bearer t' },
        ...(method === 'GET' ? {} : { body: JSON.stringify(body) }),
      });
      await response.arrayBuffer();
      expect(response.status).toBeLessThan(500);
    }),
    { numRuns: 1500 },
  );
});
