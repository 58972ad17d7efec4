import { type Code, diagnostic } from '../../core/codes.ts';
import type { ProviderResource, ResourceReference } from '../../core/inventory.ts';
import type { JsonObject } from '../../core/json.ts';
import {
  folderResource,
  grantId,
  grantResource,
  linkResource,
  PROVIDER_ID,
  projectResource,
  serviceResource,
} from './inventory-resources.ts';
import { idOf, type Scope } from './inventory-scope.ts';
import { accountOf, given, grantsIn, ReadFailed } from './inventory-snapshot.ts';
import { text } from './observing.ts';
import type { Answer, Reads } from './reads.ts';

/** Folders nest 10 deep, 20 with deleted ones. */
const MOST_LEVELS = 25;

/** One resource by its reference; in another scope it is refused, whatever the cloud would answer. Throws ReadFailed. */
export async function lookUp(reference: ResourceReference, scope: Scope, reads: Reads): Promise<ProviderResource> {
  const { provider_id, scope_id, kind, id } = reference;
  if (provider_id !== PROVIDER_ID || scope_id !== scope.name)
    throw refused(reference, 'SCOPE_MISMATCH', `it names ${scope_id} of ${provider_id}, and this is ${scope.name}.`);
  switch (kind) {
    case 'folder':
      return folderResource(scope, await folderIn(reference, id, scope, reads));
    case 'project':
      return projectResource(scope, await projectIn(reference, id, scope, reads));
    case 'billing_link':
      return link(reference, scope, reads);
    case 'service':
      return service(reference, scope, reads);
    case 'binding':
      return grant(reference, scope, reads);
    default:
      throw refused(reference, 'UNSUPPORTED', 'there is no such kind.');
  }
}

function refused({ kind, id }: ResourceReference, code: Code, detail: string): ReadFailed {
  return new ReadFailed(diagnostic(code, `The ${kind} "${id}": ${detail}`, { retryable: false }));
}

function existing<T>(reference: ResourceReference, answer: Answer<T>): T {
  if (answer.kind === 'failed' && answer.status === 404) throw refused(reference, 'NOT_FOUND', answer.why.detail);
  return given(answer, `The ${reference.kind} "${reference.id}"`);
}

async function folderIn(reference: ResourceReference, name: string, scope: Scope, reads: Reads): Promise<JsonObject> {
  if (!/^folders\/[0-9]+$/.test(name)) throw refused(reference, 'INVALID_VALUE', 'expected folders/<number>.');
  const folder = existing(reference, await reads.folder(name));
  await checkWithin(reference, text(folder, 'parent'), scope, reads);
  return folder;
}

async function projectIn(reference: ResourceReference, id: string, scope: Scope, reads: Reads): Promise<JsonObject> {
  if (!/^[a-z0-9.:-]+$/.test(id)) throw refused(reference, 'INVALID_VALUE', 'expected a project id.');
  const project = existing(reference, await reads.project(id));
  const names = [`projects/${text(project, 'projectId')}`, text(project, 'name')];
  if (!names.includes(scope.name)) await checkWithin(reference, text(project, 'parent'), scope, reads);
  return project;
}

/** Goes up from where a resource lies until the scope is met. */
async function checkWithin(reference: ResourceReference, parent: string, scope: Scope, reads: Reads): Promise<void> {
  let above = parent;
  for (let level = 0; level < MOST_LEVELS && above !== scope.name; level += 1) {
    if (!above.startsWith('folders/')) break;
    above = text(given(await reads.folder(above), above), 'parent');
  }
  if (above !== scope.name) throw refused(reference, 'SCOPE_MISMATCH', `it does not lie in ${scope.name}.`);
}

async function link(reference: ResourceReference, scope: Scope, reads: Reads): Promise<ProviderResource> {
  await projectIn(reference, reference.id, scope, reads);
  const found = existing(reference, await reads.billingInfo(reference.id));
  if (accountOf(found) === '') throw refused(reference, 'NOT_FOUND', 'the project is linked to no account.');
  return linkResource(scope, reference.id, found);
}

async function service(reference: ResourceReference, scope: Scope, reads: Reads): Promise<ProviderResource> {
  const [projectId = '', name = ''] = reference.id.split('/');
  await projectIn(reference, projectId, scope, reads);
  const found = existing(reference, await reads.enabledServices(projectId)).get(name);
  if (found === undefined) throw refused(reference, 'NOT_FOUND', 'the service is not enabled.');
  return serviceResource(scope, { projectId, service: name, state: text(found, 'state') || 'ENABLED' });
}

async function grant(reference: ResourceReference, scope: Scope, reads: Reads): Promise<ProviderResource> {
  const holder = reference.id.split('/').slice(0, 2).join('/');
  if (holder.startsWith('projects/')) await projectIn(reference, idOf(holder), scope, reads);
  else if (holder !== scope.name) await folderIn(reference, holder, scope, reads);
  const grants = grantsIn(holder, await reads.policy(holder));
  const found = grants.find((placed) => grantId(placed) === reference.id);
  if (found === undefined) throw refused(reference, 'NOT_FOUND', 'the policy has no such grant.');
  return grantResource(scope, found);
}
