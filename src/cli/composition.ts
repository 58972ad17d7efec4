import { randomBytes } from 'node:crypto';
import { diagnostic } from '../core/codes.ts';
import type { EngineEvent } from '../core/events.ts';
import type { ProviderFact } from '../core/facts.ts';
import type { ProviderCatalogue } from '../core/resource.ts';
import type { EnginePorts } from '../engine/ports.ts';
import type { EventLog } from '../eventlog/event-log.ts';
import { openJsonlLog } from '../eventlog/jsonl-file.ts';
import { googleCatalogue } from '../providers/google/catalogue.ts';
import type { GoogleClientOptions } from '../providers/google/http-client.ts';
import type { OpenedProvider, ProviderPool, ProviderRequest } from '../providers/lifecycle-provider.ts';
import type { EmulatedCloud } from './emulated-cloud.ts';
import { VERSION } from './version.ts';
import type { Project, WorkflowCall } from './workflow-types.ts';

/** What a provider package offers offline. */
export const CATALOGUES: ReadonlyMap<string, ProviderCatalogue> = new Map([['google', googleCatalogue]]);

export interface Composition {
  readonly ports: EnginePorts;
  close(): Promise<void>;
}

/** The only place that names concrete providers and stores. Nothing is opened, read or loaded before it is used. */
export async function composePorts(
  call: WorkflowCall,
  project: Project,
  emit: (event: EngineEvent) => void,
  abort: AbortSignal,
): Promise<Composition> {
  const { host } = call;
  const pool = project.options.emulator ? emulatorPool(call, project, abort) : cloudPool(call, project, abort);
  return {
    ports: {
      catalogues: CATALOGUES,
      pool,
      log: openLog(call, project),
      clock: { now: () => host.now() },
      randomHex: (bytes) => randomBytes(bytes).toString('hex'),
      emit,
    },
    close: () => pool.close(),
  };
}

function openLog({ host, flags }: WorkflowCall, { eventlog, folder }: Project): EventLog {
  return openJsonlLog({
    path: eventlog,
    infraFolder: eventlog.startsWith(`${folder.root}/`) ? folder.root : null,
    actor: { user: flags.actor ?? host.user, host: host.hostname },
    mapForeign: toOurs,
    skipInvalid: flags.skipInvalid,
    now: () => new Date(host.now()),
  });
}

/** A fact that someone else wrote, with the URN and the keys that ours have. */
function toOurs(fact: ProviderFact): ProviderFact {
  const catalogue = CATALOGUES.get(fact.provider);
  return catalogue === undefined
    ? fact
    : { ...fact, ...catalogue.fromForeign(fact.resource_type, fact.urn, fact.desired) };
}

/** Google itself, or an endpoint that the caller allows: one client for each distinct auth and endpoint. */
function cloudPool({ host, flags }: WorkflowCall, { config, options }: Project, signal: AbortSignal): ProviderPool {
  return googlePool(async ({ auth, endpoint }) => {
    if (options.offline)
      return { kind: 'unusable', why: diagnostic('UNDECIDED', 'Planned offline: nothing was read.') };
    const { resolveCredential } = await import('../providers/google/credentials.ts');
    const credential = await resolveCredential({
      auth,
      endpoint,
      credentials: config.credentials,
      allowedEndpoints: config.allowedEndpoints,
      environment: host.env,
    });
    if (credential.kind === 'unusable') return credential;
    const { tokenSource, quotaProject, endpoints } = credential;
    return openGoogle(
      { endpoints, credential: tokenSource, quotaProject, signal },
      flags.parallelism ?? config.parallelism,
    );
  });
}

/** The embedded emulator, started when something is first read; whatever auth and endpoint the steps have. */
function emulatorPool({ flags }: WorkflowCall, project: Project, signal: AbortSignal): ProviderPool {
  let cloud: Promise<EmulatedCloud> | null = null;
  const pool = googlePool(async () => {
    const [{ startEmulatedCloud }, { fixedToken }] = await Promise.all([
      import('./emulated-cloud.ts'),
      import('../providers/google/auth.ts'),
    ]);
    cloud ??= startEmulatedCloud(project);
    const { endpoints, token } = await cloud;
    const credential = fixedToken('anywhere', 'token of the emulator', token);
    return openGoogle(
      { endpoints, credential, quotaProject: null, signal },
      flags.parallelism ?? project.config.parallelism,
    );
  });
  return {
    open: (request) => pool.open({ ...request, auth: null, endpoint: null }),
    close: async () => {
      await pool.close();
      await (await cloud)?.close();
    },
  };
}

/** Opens each distinct request once. */
function googlePool(openNew: (request: ProviderRequest) => Promise<OpenedProvider>): ProviderPool {
  const opened = new Map<string, Promise<OpenedProvider>>();
  return {
    open: (request) => {
      if (request.provider !== 'google') {
        return Promise.resolve({
          kind: 'unusable',
          why: diagnostic('PROVIDER_NOT_IMPLEMENTED', `The provider ${request.provider} is not part of this version.`),
        });
      }
      const key = JSON.stringify(request);
      const found = opened.get(key) ?? openNew(request);
      opened.set(key, found);
      return found;
    },
    close: async () => {
      for (const result of await Promise.allSettled(opened.values())) {
        if (result.status === 'fulfilled' && result.value.kind === 'open') await result.value.provider.close();
      }
    },
  };
}

async function openGoogle(
  options: Pick<GoogleClientOptions, 'endpoints' | 'credential' | 'quotaProject' | 'signal'>,
  parallelism: number | null,
): Promise<OpenedProvider> {
  const [{ createGoogleClient }, { createGoogleProvider }] = await Promise.all([
    import('../providers/google/http-client.ts'),
    import('../providers/google/provider.ts'),
  ]);
  const client = createGoogleClient({
    ...options,
    userAgent: `infra/${VERSION}`,
    ...(parallelism === null ? {} : { concurrency: parallelism }),
  });
  const { credential, quotaProject } = options;
  return {
    kind: 'open',
    provider: createGoogleProvider(client, { authenticationSource: credential.description, quotaProject }),
  };
}
