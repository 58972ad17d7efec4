import { diagnostic } from '../../core/codes.ts';
import type { InventoryProvider } from '../lifecycle-provider.ts';
import { openReads } from './cached-reads.ts';
import type { ApiCall, GoogleClient } from './client.ts';
import { discoverer } from './inventory.ts';
import { createGoogleProvider, type GoogleProviderOptions } from './provider.ts';
import { openGoogleSession } from './session.ts';

export interface GoogleReaderOptions extends Pick<GoogleProviderOptions, 'authenticationSource' | 'scopeId'> {
  readonly signal?: AbortSignal;
}

/** POSTs that only read. */
const READING_POST = /^[^?#]+:(?:getIamPolicy|testIamPermissions)$/;

/**
 * The read half of the Google provider, for drift, inventory, import and adopt: it has no method that writes, and its
 * client lets nothing out that could. `scopeId` is what `discoverInventory` is about; the rest needs none.
 */
export function createGoogleReader(client: GoogleClient, options: GoogleReaderOptions = {}): InventoryProvider {
  const { signal, ...about } = options;
  const readOnly = readOnlyClient(client);
  const open = () => openReads(readOnly, { looksAtProjects: true, ...(signal === undefined ? {} : { signal }) });
  const { identity, checkAvailability, checkAuthentication, close } = createGoogleProvider(readOnly, about);
  return {
    identity,
    capabilities: ['inventory', 'resource_lookup'],
    checkAvailability,
    checkAuthentication,
    openSession: () => openGoogleSession(open()),
    ...discoverer(identity.scopeId, open),
    close,
  };
}

/** A client through which only reads pass; a write is refused here, whoever asks for it. */
export function readOnlyClient(client: GoogleClient): GoogleClient {
  return {
    call: async (call) => {
      if (isRead(call)) return client.call(call);
      const detail = `${call.method} ${call.path} was refused: what only reads never sends a write.`;
      return { kind: 'unsent', diagnostic: diagnostic('BUG', detail, { retryable: false }) };
    },
    close: () => client.close(),
  };
}

function isRead({ method, path }: ApiCall): boolean {
  return method === 'GET' || (method === 'POST' && READING_POST.test(path));
}
