import { diagnostic } from '../../core/codes.ts';
import type { Discovery, ProviderResource } from '../../core/inventory.ts';
import type { InventoryProvider } from '../lifecycle-provider.ts';
import { SERVICE_AGENTS } from './inventory-agents.ts';
import { lookUp } from './inventory-lookup.ts';
import { isKind, KINDS, PROVIDER_ID, resourcesOf } from './inventory-resources.ts';
import { parseScope, type Scope } from './inventory-scope.ts';
import { ReadFailed, readGrants, readLinks, readServices, readTree } from './inventory-snapshot.ts';
import { draftScope } from './inventory-steps.ts';
import type { Reads } from './reads.ts';

type Discovering = Pick<
  InventoryProvider,
  'kinds' | 'listResources' | 'getResource' | 'discoverInventory' | 'draftSteps'
>;

/** Discovery of one scope. Each question opens its own reads: an answer is never older than its question. */
export function discoverer(scopeId: string, open: () => Reads): Discovering {
  const discover = <T>(work: (scope: Scope, reads: Reads) => Promise<T>) =>
    complete(() => work(parseScope(scopeId), open()));
  return {
    kinds: KINDS,
    listResources: async (kind) =>
      isKind(kind)
        ? discover(async (scope, reads) => resourcesOf(kind, await readTree(scope, reads), reads))
        : { kind: 'failed', why: unknownKind(kind) },
    getResource: (reference) => discover((scope, reads) => lookUp(reference, scope, reads)),
    discoverInventory: () => discover(readAll),
    draftSteps: ({ stack, leaveOut, isElsewhere }) =>
      discover(async (scope, reads) => {
        const tree = await readTree(scope, reads);
        const [links, services, grants] = await Promise.all([
          readLinks(tree, reads),
          readServices(tree, reads),
          readGrants(tree, reads),
        ]);
        return {
          provider: PROVIDER_ID,
          scope: scope.name,
          stack,
          defaults: {},
          remarks: [],
          unmarked: 0,
          ...draftScope({ tree, links, services, grants }, leaveOut ?? SERVICE_AGENTS, isElsewhere),
        };
      }),
  };
}

async function readAll(scope: Scope, reads: Reads): Promise<readonly ProviderResource[]> {
  const tree = await readTree(scope, reads);
  return (await Promise.all(KINDS.map((kind) => resourcesOf(kind, tree, reads)))).flat();
}

async function complete<T>(work: () => Promise<T>): Promise<Discovery<T>> {
  try {
    return { kind: 'complete', found: await work() };
  } catch (error) {
    if (error instanceof ReadFailed) return { kind: 'failed', why: error.why };
    throw error;
  }
}

function unknownKind(kind: string) {
  return diagnostic('UNSUPPORTED', `There is no kind "${kind}" of Google; the kinds are ${KINDS.join(', ')}.`, {
    retryable: false,
  });
}
