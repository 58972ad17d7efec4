import { byId, type ProviderResource, UNKNOWN_STATUS } from '../../core/inventory.ts';
import { canonicalJson, type JsonObject, sha256Hex } from '../../core/json.ts';
import { objectOf } from './inputs.ts';
import type { Scope } from './inventory-scope.ts';
import {
  accountOf,
  type EnabledService,
  type PlacedGrant,
  readGrants,
  readLinks,
  readServices,
  type Tree,
} from './inventory-snapshot.ts';
import { normalizeMember } from './members.ts';
import { stateOf, text } from './observing.ts';
import type { Reads } from './reads.ts';

/** The id that this provider goes by in references. */
export const PROVIDER_ID = 'google';

/** In the order of a full inventory. */
export const KINDS = ['folder', 'project', 'billing_link', 'service', 'binding'] as const;
export type Kind = (typeof KINDS)[number];

export function isKind(kind: string): kind is Kind {
  return (KINDS as readonly string[]).includes(kind);
}

/** One kind of what is in a tree, sorted by id. Throws ReadFailed. */
export async function resourcesOf(kind: Kind, tree: Tree, reads: Reads): Promise<readonly ProviderResource[]> {
  return (await unsorted(kind, tree, reads)).toSorted(byId);
}

async function unsorted(kind: Kind, tree: Tree, reads: Reads): Promise<readonly ProviderResource[]> {
  const { scope } = tree;
  switch (kind) {
    case 'folder':
      return tree.folders.map((folder) => folderResource(scope, folder));
    case 'project':
      return tree.projects.map((project) => projectResource(scope, project));
    case 'billing_link':
      return [...(await readLinks(tree, reads))].map(([projectId, link]) => linkResource(scope, projectId, link));
    case 'service':
      return (await readServices(tree, reads)).map((service) => serviceResource(scope, service));
    case 'binding':
      return (await readGrants(tree, reads)).map((grant) => grantResource(scope, grant));
  }
}

function resource(
  scope: Scope,
  kind: Kind,
  about: Pick<ProviderResource, 'id' | 'name'> & Partial<Pick<ProviderResource, 'status' | 'labels'>>,
): ProviderResource {
  return {
    provider_id: PROVIDER_ID,
    scope_id: scope.name,
    kind,
    id: about.id,
    name: about.name,
    status: about.status ?? UNKNOWN_STATUS,
    zone_id: null,
    labels: about.labels ?? {},
    public_addresses: [],
  };
}

/** `folders/1`: a folder's only name that never changes. */
export function folderResource(scope: Scope, folder: JsonObject): ProviderResource {
  return resource(scope, 'folder', {
    id: text(folder, 'name'),
    name: text(folder, 'displayName'),
    status: stateOf(folder),
  });
}

export function projectResource(scope: Scope, project: JsonObject): ProviderResource {
  const labels = Object.entries(objectOf(project['labels'])).map(([key, value]) => [key, String(value)]);
  return resource(scope, 'project', {
    id: text(project, 'projectId'),
    name: text(project, 'displayName'),
    status: stateOf(project),
    labels: Object.fromEntries(labels) as Record<string, string>,
  });
}

/** By its project; the name is the account. */
export function linkResource(scope: Scope, projectId: string, link: JsonObject): ProviderResource {
  const { billingEnabled } = link;
  return resource(scope, 'billing_link', {
    id: projectId,
    name: accountOf(link),
    ...(typeof billingEnabled === 'boolean' ? { status: billingEnabled ? 'ENABLED' : 'DISABLED' } : {}),
  });
}

/** `<project>/<service>`. */
export function serviceResource(scope: Scope, { projectId, service, state }: EnabledService): ProviderResource {
  return resource(scope, 'service', { id: `${projectId}/${service}`, name: service, status: state });
}

/** `<resource>/<role>/<member>`, a conditional one closed by a hash of its condition, as in its URN; no vendor state. */
export function grantResource(scope: Scope, grant: PlacedGrant): ProviderResource {
  return resource(scope, 'binding', { id: grantId(grant), name: `${grant.role} ${grant.member}` });
}

export function grantId({ resource: holder, role, member, condition }: PlacedGrant): string {
  const plain = `${holder}/${role}/${normalizeMember(member)}`;
  if (condition === null) return plain;
  const parts = Object.fromEntries(
    ['title', 'description', 'expression'].map((key) => [key, text(condition, key)] as const),
  );
  return `${plain}/condition:${sha256Hex(canonicalJson(parts)).slice(0, 32)}`;
}
