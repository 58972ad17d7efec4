import type { Diagnostic } from '../core/diagnostics.ts';
import type { JsonObject } from '../core/json.ts';
import type { Declaration, ProviderCatalogue } from '../core/resource.ts';
import type { Step } from '../core/step.ts';
import type { CloudProvider, ProviderRequest, ReadSession } from '../providers/lifecycle-provider.ts';

export type OpenedReader =
  | { readonly kind: 'open'; readonly provider: CloudProvider }
  | { readonly kind: 'unusable'; readonly why: Diagnostic };

/** Opens providers that have no way to write. */
export interface ReaderPool {
  open(request: ProviderRequest): Promise<OpenedReader>;
}

/** Whose authority is used, where, and with which settings. */
export type OwnAuthority = Pick<ProviderRequest, 'auth' | 'endpoint' | 'settings'>;

/** Who looks at a cloud. */
export interface Looking {
  readonly readers: ReaderPool;
  /** Whose authority a stack's resources are read with in a provider's cloud; `step`: which declares what is read. */
  authOf(stack: string, provider: string, step?: Pick<Step, 'auth' | 'endpoint' | 'settings'>): OwnAuthority;
}

/** One session a provider, so that what several resources need is asked for once. */
export function readSessions(): (provider: CloudProvider) => ReadSession {
  const sessions = new Map<CloudProvider, ReadSession>();
  return (provider) => {
    const session = sessions.get(provider) ?? provider.openSession();
    sessions.set(provider, session);
    return session;
  };
}

/** The settings that a resource is reached with: where it lies stands in its URN, whatever else is said. */
export function settingsFor(
  catalogue: ProviderCatalogue | null | undefined,
  declaration: Declaration | null,
  settings: JsonObject | null | undefined,
): JsonObject | null {
  const own = declaration === null ? undefined : catalogue?.settingsOf?.(declaration);
  return own === undefined ? (settings ?? null) : { ...settings, ...own };
}
