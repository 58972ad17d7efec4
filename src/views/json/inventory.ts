import type { Inventory, ProviderResource } from '../../core/inventory.ts';
import { FORMAT_VERSION } from '../../core/plan.ts';

/** The JSON of inventory: the contract's keys in its order, and nothing else. */
export function inventoryDocument({ resources }: Inventory): object {
  return { format_version: FORMAT_VERSION, command: 'inventory', resources: resources.map(resourceDocument) };
}

function resourceDocument(resource: ProviderResource): object {
  return {
    provider_id: resource.provider_id,
    scope_id: resource.scope_id,
    kind: resource.kind,
    id: resource.id,
    name: resource.name,
    status: resource.status,
    zone_id: resource.zone_id,
    labels: { ...resource.labels },
    public_addresses: [...resource.public_addresses],
  };
}
