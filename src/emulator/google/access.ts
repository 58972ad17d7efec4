import type { Principal } from './options.ts';
import { ApiError, errorInfo } from './wire/errors.ts';
import type { Call } from './wire/route.ts';
import type { Project } from './world/state.ts';
import type { World } from './world/world.ts';

/** Whether the principal holds the permission on an existing resource (canonical name). */
export function holds(world: World, principal: Principal, resource: string, permission: string): boolean {
  if (isHidden(world, principal, resource)) return false;
  return grants(permissionsOn(world, principal, resource), permission);
}

function permissionsOn(world: World, principal: Principal, resource: string): readonly string[] | '*' {
  for (const name of world.lineage(resource)) {
    for (const spelling of spellings(world, name)) {
      const granted = principal.resources?.[spelling];
      if (granted !== undefined) return granted;
    }
  }
  return principal.permissions;
}

export function isHidden(world: World, principal: Principal, resource: string): boolean {
  return spellings(world, resource).some((name) => principal.hidden?.includes(name) === true);
}

/** A project goes by its number and by its id. */
function spellings(world: World, resource: string): readonly string[] {
  if (!resource.startsWith('projects/')) return [resource];
  const project = world.findProject(resource.slice('projects/'.length));
  return project === undefined ? [resource] : [project.name, `projects/${project.projectId}`];
}

function grants(granted: readonly string[] | '*', permission: string): boolean {
  if (granted === '*') return true;
  return granted.some((entry) =>
    entry.endsWith('*') ? permission.startsWith(entry.slice(0, -1)) : entry === permission,
  );
}

/** The 403 for "no such resource" and for "not yours": one text for both, so that ids cannot be probed. */
export function denied(call: Call, resource: string, permission: string): ApiError {
  if (call.service !== 'cloudresourcemanager' || call.version === 'v1') {
    return new ApiError('PERMISSION_DENIED', 'The caller does not have permission');
  }
  const domain = 'cloudresourcemanager.googleapis.com';
  return new ApiError(
    'PERMISSION_DENIED',
    `Permission '${permission}' denied on resource '//${domain}/${resource}' (or it may not exist).`,
    [errorInfo('IAM_PERMISSION_DENIED', domain, { permission, resource })],
  );
}

/** The project as asked for (id or number), or the 403. */
export function requireProject(call: Call, idOrNumber: string, permission: string): Project {
  const project = call.world.findProject(idOrNumber);
  if (project === undefined || !holds(call.world, call.principal, project.name, permission)) {
    throw denied(call, `projects/${idOrNumber}`, permission);
  }
  return project;
}

/** Organisations, folders and billing accounts, whose asked-for name is the canonical one. */
export function requirePermission(call: Call, resource: string, permission: string): void {
  if (!exists(call.world, resource) || !holds(call.world, call.principal, resource, permission)) {
    throw denied(call, resource, permission);
  }
}

export function exists(world: World, resource: string): boolean {
  return (
    world.hasOrganization(resource) ||
    world.findFolder(resource) !== undefined ||
    Object.hasOwn(world.state.billingAccounts, resource) ||
    (resource.startsWith('projects/') && world.findProject(resource.slice('projects/'.length)) !== undefined)
  );
}
