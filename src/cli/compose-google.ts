import { diagnostic } from '../core/codes.ts';
import type { Diagnostic } from '../core/diagnostics.ts';
import type { GoogleClient } from '../providers/google/client.ts';
import type { ProviderRequest } from '../providers/lifecycle-provider.ts';
import type { EmulatedCloud } from './emulated-cloud.ts';
import type { FamilyContext, ProviderFamily } from './provider-family.ts';
import { AGENT } from './version.ts';

/** A client of Google's APIs, with what is known of whose authority it uses. */
export type OpenedClient =
  | {
      readonly kind: 'open';
      readonly client: GoogleClient;
      readonly about: { readonly authenticationSource: string; readonly quotaProject: string | null };
    }
  | { readonly kind: 'unusable'; readonly why: Diagnostic };

export interface GoogleFamily extends ProviderFamily {
  openClient(request: ProviderRequest): Promise<OpenedClient>;
}

/** The name of the scope that a person wrote. Throws DiagnosticError (USAGE) for what is none. */
export async function googleScopeName(written: string): Promise<string> {
  const { parseScope } = await import('../providers/google/inventory-scope.ts');
  return parseScope(written).name;
}

/** The token that a file of the caller's holds; null where it can't be read. */
export async function tokenInFile(path: string): Promise<string | null> {
  const { readTokenFile } = await import('../providers/google/credential-files.ts');
  return readTokenFile(path);
}

/** Google's APIs: one client for each distinct auth and endpoint. */
export function googleFamily(context: FamilyContext): GoogleFamily {
  const { readOnly, signal } = context;
  const clients = context.emulator && !context.offline ? emulatorClients(context) : cloudClients(context);
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
    openReader: async (scopeId, request) => {
      const opened = await clients.open(request);
      if (opened.kind === 'unusable') return opened;
      const { createGoogleReader } = await import('../providers/google/reader.ts');
      const { authenticationSource } = opened.about;
      return { kind: 'open', provider: createGoogleReader(opened.client, { authenticationSource, scopeId, signal }) };
    },
    openClient: (request) => clients.open(request),
    close: () => clients.close(),
  };
}

interface Clients {
  open(request: ProviderRequest): Promise<OpenedClient>;
  close(): Promise<void>;
}

/** Google itself, or an endpoint that the caller allows. */
function cloudClients({ call, place, offline, signal }: FamilyContext): Clients {
  const { config } = place;
  return eachOnce(async ({ auth, endpoint }) => {
    if (offline) return { kind: 'unusable', why: diagnostic('UNDECIDED', 'offline: nothing was read.') };
    const { resolveCredential } = await import('../providers/google/credentials.ts');
    const credential = await resolveCredential({
      auth,
      endpoint,
      credentials: config.credentials,
      allowedEndpoints: config.allowedEndpoints,
      environment: call.host.env,
    });
    if (credential.kind === 'unusable') return credential;
    const { tokenSource, quotaProject, endpoints } = credential;
    const concurrency = call.flags.parallelism ?? config.parallelism;
    const onWait = (service: string, ms: number, limited: boolean): void =>
      call.output.log.note(
        `${service}: ${limited ? 'the cloud limits the rate' : 'no usable answer'}, trying again in ${Math.round(ms / 1000)} s`,
      );
    return openClient({ endpoints, credential: tokenSource, quotaProject, signal, onWait }, concurrency);
  });
}

/** The embedded emulator, started when something is first read; whatever auth and endpoint the steps have. */
function emulatorClients({ call, place, project, mayWrite, signal }: FamilyContext): Clients {
  let cloud: Promise<EmulatedCloud> | null = null;
  const clients = eachOnce(async () => {
    const [{ startEmulatedCloud }, { fixedToken }] = await Promise.all([
      import('./emulated-cloud.ts'),
      import('../providers/google/auth.ts'),
    ]);
    cloud ??= startEmulatedCloud({ folder: place.folder, playbook: project?.playbook ?? null, mayWrite });
    const { endpoints, token } = await cloud;
    const credential = fixedToken('anywhere', 'token of the emulator', token);
    const concurrency = call.flags.parallelism ?? place.config.parallelism;
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

/** Opens each distinct request once; settings are of no meaning here. */
function eachOnce(openNew: (request: ProviderRequest) => Promise<OpenedClient>): Clients {
  const opened = new Map<string, Promise<OpenedClient>>();
  return {
    open: (request) => {
      const key = JSON.stringify([request.auth, request.endpoint]);
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
  options: Pick<ClientOptions, 'endpoints' | 'credential' | 'quotaProject' | 'signal' | 'onWait'>,
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

/** Makes one thing for each client. */
function perClient<C extends object, T>(make: (client: C) => Promise<T>): (client: C) => Promise<T> {
  const made = new Map<C, Promise<T>>();
  return (client) => {
    const found = made.get(client) ?? make(client);
    made.set(client, found);
    return found;
  };
}
