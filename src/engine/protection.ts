import type { Owned, OwnershipModel } from '../core/fold.ts';
import type { EnginePorts } from './ports.ts';

/** Whether what is owned is protected: the newest word of the facts, else what its type says (projects and folders are). */
export function protectionOf(
  { catalogues }: Pick<EnginePorts, 'catalogues'>,
  { protection }: OwnershipModel,
): (owned: Pick<Owned, 'urn' | 'provider' | 'resourceType'>) => boolean {
  return ({ urn, provider, resourceType }) =>
    protection.get(urn) ?? catalogues.get(provider)?.traitsOf(resourceType).protectedByDefault ?? false;
}
