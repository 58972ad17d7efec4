import type { ValueObject } from '../../src/core/value.ts';
import type { EmulatorSeed } from '../../src/emulator/google/options.ts';
import { type GoogleEmulator, startGoogleEmulator } from '../../src/emulator/google/server.ts';
import { fixedToken } from '../../src/providers/google/auth.ts';
import { googleCatalogue } from '../../src/providers/google/catalogue.ts';
import { createGoogleClient } from '../../src/providers/google/http-client.ts';
import { createGoogleProvider } from '../../src/providers/google/provider.ts';
import type { Timing } from '../../src/providers/google/timing.ts';
import type { LifecycleProvider } from '../../src/providers/lifecycle-provider.ts';
import { type StepMaker, type StepOverrides, stepOf } from '../support/in-memory/playbooks.ts';
import { type ContractWorld, providerContract } from './provider.contract.ts';

const ORG = 'organizations/100';
const ACCOUNTS = ['billingAccounts/0A1B2C-3D4E5F-6A7B8C', 'billingAccounts/1A1B2C-3D4E5F-6A7B8C'] as const;
const SEED: EmulatorSeed = {
  organizations: [{ id: '100', displayName: 'acme.example' }],
  billingAccounts: ACCOUNTS.map((name) => ({ id: name.slice('billingAccounts/'.length), parent: ORG })),
  folders: [{ id: '200', displayName: 'there', parent: ORG }],
  projects: [{ projectId: 'acme-base', parent: ORG }],
};
const TOKENS = {
  all: { name: 'user:all@example.com', permissions: '*' },
  none: { name: 'user:none@example.com', permissions: [] },
} as const;

/** Waits take no time. */
function hurried(): Timing {
  let now = 0;
  const sleep = async (ms: number) => {
    now += ms;
  };
  return { now: () => now, sleep, random: () => 0.5 };
}

/** The emulator, the provider over it with a token that a test takes away, and a stranger with all permissions. */
class Site {
  readonly emulator: GoogleEmulator;
  #token: 'all' | 'none' = 'all';
  readonly #opened = new Map<string, LifecycleProvider>();

  constructor(emulator: GoogleEmulator) {
    this.emulator = emulator;
  }

  get providers() {
    const open = async () => ({ kind: 'open', provider: this.#provider() }) as const;
    return { catalogues: new Map([['google', googleCatalogue]]), pool: { open, close: async () => undefined } };
  }

  #provider(): LifecycleProvider {
    const known = this.#opened.get(this.#token);
    if (known !== undefined) return known;
    const { url } = this.emulator;
    const timing = hurried();
    const client = createGoogleClient({
      endpoints: { crm: `${url}/v3`, billing: `${url}/v1`, serviceusage: `${url}/v1` },
      credential: fixedToken('anywhere', 'test', this.#token),
      quotaProject: null,
      userAgent: 'infra/test',
      timing,
      limits: {},
    });
    const provider = createGoogleProvider(client, { timing });
    this.#opened.set(this.#token, provider);
    return provider;
  }

  forbid(): void {
    this.#token = 'none';
  }

  /** Someone else's call. */
  async stranger(method: string, path: string, body: unknown = {}): Promise<Readonly<Record<string, unknown>>> {
    const answer = await fetch(`${this.emulator.url}${path}`, {
      method,
      headers: { authorization: 'Bearer all', 'content-type': 'application/json' },
      ...(method === 'GET' ? {} : { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as Readonly<Record<string, unknown>>;
  }

  async close(): Promise<void> {
    for (const provider of this.#opened.values()) await provider.close();
    await this.emulator.close();
  }
}

async function siteOf(): Promise<Site> {
  return new Site(await startGoogleEmulator({ seed: SEED, tokens: TOKENS, operationPolls: 0 }));
}

function google(name: string, action: string, input: ValueObject, overrides: StepOverrides = {}): StepMaker {
  return stepOf(name, `google.${action}`, input, { provider: 'google', ...overrides });
}

type World = Omit<ContractWorld, 'providers' | 'forbid' | 'close'>;

function contract(what: string, worldOf: (site: Site) => World): void {
  providerContract(`google: ${what}`, async () => {
    const site = await siteOf();
    return {
      ...worldOf(site),
      providers: site.providers,
      forbid: () => site.forbid(),
      close: () => site.close(),
    };
  });
}

contract('a folder', (site) => {
  const it = { parent: ORG, display_name: 'It lives' };
  const find = async () => {
    const { folders } = await site.stranger('GET', `/v3/folders?parent=${ORG}`);
    const found = (folders as readonly { name: string; displayName: string }[]).find(
      (item) => item.displayName === 'It lives',
    );
    if (found === undefined) throw new Error('no folder');
    return found.name;
  };
  return {
    ensure: (overrides) => google('it', 'cloudresourcemanager.folders.ensure', it, overrides),
    ensureOther: () =>
      google('it', 'cloudresourcemanager.folders.ensure', {
        parent: 'folders/200',
        display_name: 'It lives',
        was: { parent: ORG },
      }),
    remove: () => google('drop', 'cloudresourcemanager.folders.delete', it),
    list: () => ({ step: google('look', 'cloudresourcemanager.folders.list', { parent: ORG }), names: '"It lives"' }),
    changeOutside: async () => {
      await site.stranger('PATCH', `/v3/${await find()}?updateMask=displayName`, { displayName: 'theirs' });
    },
    makeOutside: async () => {
      await site.stranger('POST', '/v3/folders', { parent: ORG, displayName: 'It lives' });
    },
  };
});

contract('a project', (site) => {
  const it = { project_id: 'acme-it', parent: ORG, display_name: 'Acme It', labels: { team: 'a' } };
  return {
    hidesAbsence: true,
    ensure: (overrides) => google('it', 'cloudresourcemanager.projects.ensure', it, overrides),
    ensureOther: () =>
      google('it', 'cloudresourcemanager.projects.ensure', {
        ...it,
        display_name: 'Acme Other',
        parent: 'folders/200',
      }),
    remove: () => google('drop', 'cloudresourcemanager.projects.delete', { project_id: 'acme-it' }),
    list: () => ({
      step: google('look', 'cloudresourcemanager.projects.describe', { project_id: 'acme-it' }),
      names: '"acme-it"',
    }),
    changeOutside: async () => {
      await site.stranger('PATCH', '/v3/projects/acme-it?updateMask=displayName', { displayName: 'Theirs' });
    },
    makeOutside: async () => {
      const { project_id, display_name, ...rest } = it;
      await site.stranger('POST', '/v3/projects', { ...rest, projectId: project_id, displayName: display_name });
    },
  };
});

contract('a billing link', (site) => {
  const it = { project_id: 'acme-base', billing_account: ACCOUNTS[0] };
  const link = async (billingAccountName: string) => {
    await site.stranger('PUT', '/v1/projects/acme-base/billingInfo', { billingAccountName });
  };
  return {
    ensure: (overrides) => google('it', 'cloudbilling.projects.link', it, overrides),
    ensureOther: () => google('it', 'cloudbilling.projects.link', { ...it, billing_account: ACCOUNTS[1] }),
    remove: () => google('drop', 'cloudbilling.projects.unlink', it),
    list: () => null,
    changeOutside: () => link(ACCOUNTS[1]),
    makeOutside: () => link(ACCOUNTS[0]),
  };
});

contract('a service', (site) => {
  const it = { project_id: 'acme-base', service_name: 'logging.googleapis.com' };
  const path = '/v1/projects/acme-base/services/logging.googleapis.com';
  return {
    ensure: (overrides) => google('it', 'serviceusage.services.enable', it, overrides),
    ensureOther: () => null,
    remove: () => google('drop', 'serviceusage.services.disable', it),
    list: () => ({
      step: google('look', 'serviceusage.services.list_enabled', { project_id: 'acme-base' }),
      names: 'logging.googleapis.com',
    }),
    changeOutside: async () => {
      await site.stranger('POST', `${path}:disable`);
    },
    makeOutside: async () => {
      await site.stranger('POST', `${path}:enable`);
    },
  };
});

for (const [place, prefix, input, resource] of [
  ['a project', 'cloudresourcemanager.projects', { project_id: 'acme-base' }, 'v3/projects/acme-base'],
  ['a folder', 'cloudresourcemanager.folders', { folder: 'folders/200' }, 'v3/folders/200'],
  ['the organisation', 'cloudresourcemanager.organizations', { organization: ORG }, `v3/${ORG}`],
] as const) {
  contract(`a grant on ${place}`, (site) => {
    const it = { ...input, role: 'roles/viewer', member: 'user:it@example.com' };
    const set = async (bindings: readonly unknown[]) => {
      await site.stranger('POST', `/${resource}:setIamPolicy`, { policy: { version: 3, bindings } });
    };
    return {
      ensure: (overrides) => google('it', `${prefix}.iam.ensure_binding`, it, overrides),
      ensureOther: () => null,
      remove: () => google('drop', `${prefix}.iam.remove_binding`, it),
      list: () => ({ step: google('look', `${prefix}.iam.get_policy`, input), names: 'user:it@example.com' }),
      changeOutside: () => set([{ role: 'roles/browser', members: ['user:else@example.com'] }]),
      makeOutside: () => set([{ role: 'roles/viewer', members: ['user:it@example.com'] }]),
    };
  });
}
