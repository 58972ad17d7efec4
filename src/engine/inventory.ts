import { DiagnosticError } from '../core/diagnostics.ts';
import type { Inventory } from '../core/inventory.ts';
import type { InventoryProvider } from '../providers/lifecycle-provider.ts';

export interface InventoryRequest {
  /** Opened on the scope. */
  readonly reader: InventoryProvider;
}

/** All that is in a scope. Throws DiagnosticError where any of it can't be read: there is no partial inventory. */
export async function runInventory({ reader }: InventoryRequest): Promise<Inventory> {
  const discovered = await reader.discoverInventory();
  if (discovered.kind === 'failed') throw new DiagnosticError([discovered.why]);
  const { providerId, scopeId } = reader.identity;
  return { provider: providerId, scope: scopeId, resources: discovered.found };
}
