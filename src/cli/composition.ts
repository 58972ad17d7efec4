import { randomBytes } from 'node:crypto';
import { diagnostic } from '../core/codes.ts';
import { type Diagnostic, DiagnosticError } from '../core/diagnostics.ts';
import type { EngineEvent } from '../core/events.ts';
import type { Playbook } from '../core/step.ts';
import type { EnginePorts } from '../engine/ports.ts';
import type { ReaderPool } from '../engine/readers.ts';
import type { GoogleClient } from '../providers/google/client.ts';
import type { GrantsFound, GrantsRequest } from '../providers/google/uncovered-grants.ts';
import type { InventoryProvider, ProviderPool, ProviderRequest } from '../providers/lifecycle-provider.ts';
import { CATALOGUES } from './catalogues.ts';
import { openLogs } from './compose-logs.ts';
import type { EmulatedCloud } from './emulated-cloud.ts';
import type { Place } from './place.ts';
import { AGENT } from './version.ts';
import type { Project, WorkflowCall } from './workflow-types.ts';

export interface Composition {
  readonly ports: EnginePorts;
  close(): Promise<void>;
}

/** Providers that have no way to write. */
export interface Readers extends ReaderPool {
  /** One that is opened on a scope. */
  openOn(scope: string, request: ProviderRequest): Promise<OpenedInventory>;
  /** Grants on what a stack owns that no fact covers. Throws DiagnosticError without usable auth. */
  findGrants(request: GrantsRequest & Pick<ProviderRequest, 'auth' | 'endpoint'>): Promise<GrantsFound>;
  close(): Promise<void>;
}

export type OpenedInventory =
  | { readonly kind: 'open'; readonly provider: InventoryProvider }
  | { readonly kind: 'unusable'; readonly why: Diagnostic };

/** The only place that names concrete providers and stores. Nothing is opened, read or loaded before it is used. */
export async function composePorts(
  call: WorkflowCall,
  project: Project,
  emit: (event: EngineEvent) => void,
  abort: AbortSignal,
): Promise<Composition> {
  const { host } = call;
  const { offline, emulator } = project.options;
  const clients = emulator ? emulatorClients(call, project, abort) : cloudClients(call, project, offline, abort);
  const pool = providerPool(clients, call.command === 'adopt');
  const logs = await openLogs(call, project);
  return {
    ports: {
      catalogues: CATALOGUES,
      pool,
      log: logs.log,
      clock: { now: () => host.now() },
      randomHex: (bytes) => randomBytes(bytes).toString('hex'),
      emit,
    },
    close: async () => {
      await pool.close();
      await logs.close();
    },
  };
}

/** A client of Google's APIs, with what is known of whose authority it uses. */
type OpenedClient =
  | {
      readonly kind: 'open';
      readonly client: GoogleClient;
      readonly about: { readonly authenticationSource: string; readonly quotaProject: string | null };
    }
  | { readonly kind: 'unusable'; readonly why: Diagnostic };

interface Clients {
  open(request: ProviderRequest): Promise<OpenedClient>;
  close(): Promise<void>;
}

/** Google itself, or an endpoint that the caller allows: one client for each distinct auth and endpoint. */
function cloudClients(
  { host, flags }: WorkflowCall,
  { config }: Place,
  offline: boolean,
  signal: AbortSignal,
): Clients {
  return eachOnce(async ({ auth, endpoint }) => {
    if (offline) return { kind: 'unusable', why: diagnostic('UNDECIDED', 'Planned offline: nothing was read.') };
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
    const concurrency = flags.parallelism ?? config.parallelism;
    return openClient({ endpoints, credential: tokenSource, quotaProject, signal }, concurrency);
  });
}

/** The embedded emulator, started when something is first read; whatever auth and endpoint the steps have. */
function emulatorClients(
  { flags }: WorkflowCall,
  place: Place & { readonly playbook: Playbook | null; readonly mayWrite: boolean },
  signal: AbortSignal,
): Clients {
  let cloud: Promise<EmulatedCloud> | null = null;
  const clients = eachOnce(async () => {
    const [{ startEmulatedCloud }, { fixedToken }] = await Promise.all([
      import('./emulated-cloud.ts'),
      import('../providers/google/auth.ts'),
    ]);
    cloud ??= startEmulatedCloud(place);
    const { endpoints, token } = await cloud;
    const credential = fixedToken('anywhere', 'token of the emulator', token);
    const concurrency = flags.parallelism ?? place.config.parallelism;
    return openClient({ endpoints, credential, quotaProject: null, signal }, concurrency);
  });
  return {
    open: (request) => clients.open({ ...request, auth: null, endpoint: null }),
    close: async () => {
      await clients.close();
      await (await cloud)?.close();
    },
  };
}

/** Opens each distinct request once. */
function eachOnce(openNew: (request: ProviderRequest) => Promise<OpenedClient>): Clients {
  const opened = new Map<string, Promise<OpenedClient>>();
  return {
    open: (request) => {
      if (request.provider !== 'google') {
        const detail = `The provider ${request.provider} is not part of this version.`;
        return Promise.resolve({ kind: 'unusable', why: diagnostic('PROVIDER_NOT_IMPLEMENTED', detail) });
      }
      const key = JSON.stringify(request);
      const found = opened.get(key) ?? openNew(request);
      opened.set(key, found);
      return found;
    },
    close: async () => {
      for (const result of await Promise.allSettled(opened.values()))
        if (result.status === 'fulfilled' && result.value.kind === 'open') await result.value.client.close();
    },
  };
}

type ClientOptions = Parameters<typeof import('../providers/google/http-client.ts').createGoogleClient>[0];

async function openClient(
  options: Pick<ClientOptions, 'endpoints' | 'credential' | 'quotaProject' | 'signal'>,
  concurrency: number | null,
): Promise<OpenedClient> {
  const { createGoogleClient } = await import('../providers/google/http-client.ts');
  const client = createGoogleClient({
    ...options,
    userAgent: AGENT,
    ...(concurrency === null ? {} : { concurrency }),
  });
  const { credential, quotaProject } = options;
  return { kind: 'open', client, about: { authenticationSource: credential.description, quotaProject } };
}

/** `readOnly`: through their clients nothing gets out that could write. */
function providerPool(clients: Clients, readOnly: boolean): ProviderPool {
  const providers = perClient(async ({ client, about }: Extract<OpenedClient, { kind: 'open' }>) => {
    const { createGoogleProvider } = await import('../providers/google/provider.ts');
    if (!readOnly) return createGoogleProvider(client, about);
    const { readOnlyClient } = await import('../providers/google/reader.ts');
    return createGoogleProvider(readOnlyClient(client), about);
  });
  return {
    open: async (request) => {
      const opened = await clients.open(request);
      return opened.kind === 'unusable' ? opened : { kind: 'open', provider: await providers(opened) };
    },
    close: () => clients.close(),
  };
}

/** Readers for a verb that changes nothing anywhere; `playbook` is what an emulator that starts empty is made from. */
export function composeReaders(
  call: WorkflowCall,
  place: Place,
  playbook: Playbook | null,
  signal: AbortSignal,
): Readers {
  const clients = call.flags.emulator
    ? emulatorClients(call, { ...place, playbook, mayWrite: false }, signal)
    : cloudClients(call, place, false, signal);
  const openOn = async (scopeId: string, request: ProviderRequest): Promise<OpenedInventory> => {
    const opened = await clients.open(request);
    if (opened.kind === 'unusable') return opened;
    const { createGoogleReader } = await import('../providers/google/reader.ts');
    const { authenticationSource } = opened.about;
    return { kind: 'open', provider: createGoogleReader(opened.client, { authenticationSource, scopeId, signal }) };
  };
  const readers = new Map<string, Promise<OpenedInventory>>();
  return {
    openOn,
    open: (request) => {
      const key = JSON.stringify(request);
      const found = readers.get(key) ?? openOn('', request);
      readers.set(key, found);
      return found;
    },
    findGrants: async ({ auth, endpoint, ...about }) => {
      const opened = await clients.open({ provider: 'google', auth, endpoint });
      if (opened.kind === 'unusable') throw new DiagnosticError([{ ...opened.why, severity: 'error' }]);
      const { findUncoveredGrants } = await import('../providers/google/uncovered-grants.ts');
      return findUncoveredGrants(opened.client, about);
    },
    close: () => clients.close(),
  };
}

/** Makes one thing for each client. */
function perClient<C extends object, T>(make: (client: C) => Promise<T>): (client: C) => Promise<T> {
  const made = new Map<C, Promise<T>>();
  return (client) => {
    const found = made.get(client) ?? make(client);
    made.set(client, found);
    return found;
  };
}
