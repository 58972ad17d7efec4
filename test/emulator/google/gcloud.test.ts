import { execFile, execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ORG, startEmulator } from './support.ts';

const run = promisify(execFile);
const ACCOUNT_ID = '0A1B2C-3D4E5F-6A7B8C';

function hasGcloud(): boolean {
  try {
    execFileSync('gcloud', ['--version'], { stdio: 'ignore', timeout: 20_000 });
    return true;
  } catch {
    return false;
  }
}

const present = hasGcloud();

const title = `gcloud against the emulator${present ? '' : ' (not run: gcloud is not installed)'}`;

describe.runIf(present)(title, () => {
  let config: string;

  beforeAll(async () => {
    config = await mkdtemp(join(tmpdir(), 'gcloud-'));
    await writeFile(join(config, 'token'), 'a-token');
  });

  afterAll(() => rm(config, { recursive: true, force: true }));

  /** Runs one command; answers what it prints as JSON. */
  async function gcloud(url: string, ...words: string[]): Promise<unknown> {
    const env = {
      PATH: process.env['PATH'],
      HOME: config,
      CLOUDSDK_CONFIG: config,
      CLOUDSDK_AUTH_ACCESS_TOKEN_FILE: join(config, 'token'),
      CLOUDSDK_CORE_DISABLE_PROMPTS: '1',
      CLOUDSDK_CORE_DISABLE_USAGE_REPORTING: 'true',
      CLOUDSDK_COMPONENT_MANAGER_DISABLE_UPDATE_CHECK: 'true',
      CLOUDSDK_API_ENDPOINT_OVERRIDES_CLOUDRESOURCEMANAGER: `${url}/`,
      CLOUDSDK_API_ENDPOINT_OVERRIDES_CLOUDBILLING: `${url}/`,
      CLOUDSDK_API_ENDPOINT_OVERRIDES_SERVICEUSAGE: `${url}/`,
    };
    const { stdout } = await run('gcloud', [...words, '--format=json'], { env, timeout: 60_000 });
    return stdout.trim() === '' ? undefined : JSON.parse(stdout);
  }

  it('builds a project and grants on it', { timeout: 240_000 }, async () => {
    const { emulator } = await startEmulator({ operationPolls: 0 });
    const { url } = emulator;
    await gcloud(url, 'resource-manager', 'folders', 'create', '--display-name=shared', '--organization=123456789012');
    const folders = await gcloud(url, 'resource-manager', 'folders', 'list', '--organization=123456789012');
    expect(folders).toMatchObject([{ displayName: 'shared', parent: ORG, lifecycleState: 'ACTIVE' }]);
    await gcloud(url, 'projects', 'create', 'acme-gcloud', '--organization=123456789012', '--no-enable-cloud-apis');
    const linked = await gcloud(url, 'billing', 'projects', 'link', 'acme-gcloud', `--billing-account=${ACCOUNT_ID}`);
    expect(linked).toMatchObject({ billingEnabled: true });
    await gcloud(url, 'services', 'enable', 'run.googleapis.com', '--project=acme-gcloud');
    const policy = await gcloud(
      url,
      'projects',
      'add-iam-policy-binding',
      'acme-gcloud',
      '--member=user:a@example.com',
      '--role=roles/browser',
      '--condition=None',
    );
    expect(policy).toMatchObject({
      bindings: [{ role: 'roles/browser', members: ['user:a@example.com'] }],
      version: 1,
    });
    const refused = emulator.requests.filter((request) => request.status !== 200);
    expect(refused).toEqual([]);
  });
});
