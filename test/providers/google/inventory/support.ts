import { onTestFinished } from 'vitest';
import type { Discovery } from '../../../../src/core/inventory.ts';
import type { EmulatorSeed } from '../../../../src/emulator/google/options.ts';
import {
  type GoogleEmulator,
  type GoogleEmulatorOptions,
  startGoogleEmulator,
} from '../../../../src/emulator/google/server.ts';
import { fixedToken } from '../../../../src/providers/google/auth.ts';
import { createGoogleClient } from '../../../../src/providers/google/http-client.ts';
import { createGoogleReader } from '../../../../src/providers/google/reader.ts';
import type { InventoryProvider } from '../../../../src/providers/lifecycle-provider.ts';

export const ORG = 'organizations/123456789012';
export const ACCOUNT = 'billingAccounts/0A1B2C-3D4E5F-6A7B8C';

/** Two levels of folders, three projects, one of them deleted, and something of every kind. */
export const SEED: EmulatorSeed = {
  organizations: [{ id: '123456789012', displayName: 'acme.example' }],
  billingAccounts: [
    { id: '0A1B2C-3D4E5F-6A7B8C', parent: ORG },
    { id: 'AAAAAA-BBBBBB-CCCCCC', parent: ORG, open: false },
  ],
  folders: [
    { id: '20', displayName: 'shared', parent: ORG },
    { id: '100', displayName: 'platform', parent: ORG },
    { id: '101', displayName: 'prod', parent: 'folders/100' },
    { id: '300', displayName: 'gone', parent: ORG, state: 'DELETE_REQUESTED' },
  ],
  projects: [
    {
      projectId: 'acme-web-prod',
      parent: 'folders/101',
      displayName: 'Acme Web',
      labels: { env: 'prod' },
      billingAccountName: ACCOUNT,
      services: ['pubsub.googleapis.com', 'dns.googleapis.com'],
    },
    { projectId: 'acme-etl-dev', parent: ORG },
    { projectId: 'acme-old-prod', parent: 'folders/20', state: 'DELETE_REQUESTED' },
    { projectId: 'elsewhere-1' },
  ],
  policies: [
    {
      resource: ORG,
      policy: {
        bindings: [
          { role: 'roles/browser', members: ['user:Ada@example.com'] },
          { role: 'roles/browser', members: ['user:ada@example.com'], condition: { title: 'a', expression: 'true' } },
        ],
      },
    },
    { resource: 'folders/101', policy: { bindings: [{ role: 'roles/viewer', members: ['group:ops@example.com'] }] } },
    {
      resource: 'projects/acme-web-prod',
      policy: { bindings: [{ role: 'roles/editor', members: ['user:ada@example.com', 'user:bob@example.com'] }] },
    },
  ],
};

export interface Surveyed {
  readonly emulator: GoogleEmulator;
  reader(scopeId?: string): InventoryProvider;
}

/** The emulated organisation and readers of it; closed when the test ends. */
export async function survey(options: GoogleEmulatorOptions = {}): Promise<Surveyed> {
  const emulator = await startGoogleEmulator({ seed: SEED, ...options });
  let now = 0;
  const client = createGoogleClient({
    endpoints: { crm: `${emulator.url}/v3`, billing: `${emulator.url}/v1`, serviceusage: `${emulator.url}/v1` },
    credential: fixedToken('anywhere', 'test', 'token-of-the-test'),
    quotaProject: null,
    userAgent: 'infra/test',
    timing: {
      now: () => now,
      sleep: (ms) => {
        now += ms;
        return Promise.resolve();
      },
      random: () => 0.5,
    },
  });
  onTestFinished(async () => {
    await client.close();
    await emulator.close();
  });
  return { emulator, reader: (scopeId = ORG) => createGoogleReader(client, { scopeId }) };
}

export function found<T>(discovery: Discovery<T>): T {
  if (discovery.kind === 'failed') throw new Error(`${discovery.why.code}: ${discovery.why.detail}`);
  return discovery.found;
}

export function failure<T>(discovery: Discovery<T>): { readonly code: string; readonly detail: string } {
  if (discovery.kind === 'complete') throw new Error(`it did not fail: ${JSON.stringify(discovery.found)}`);
  return discovery.why;
}

export function isWrite({ method, path }: GoogleEmulator['requests'][number]): boolean {
  return method !== 'GET' && !path.endsWith(':getIamPolicy');
}
