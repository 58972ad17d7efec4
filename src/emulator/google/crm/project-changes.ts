import { denied, exists, holds, requirePermission, requireProject } from '../access.ts';
import { startOperation } from '../operations.ts';
import type { RpcStatus } from '../options.ts';
import { ApiError, fieldIssue, help, precondition, preconditionFailure } from '../wire/errors.ts';
import { type Json, type JsonObject, stringAt, stringMapAt } from '../wire/json.ts';
import { parameter } from '../wire/query-parameters.ts';
import { type Call, param } from '../wire/route.ts';
import type { Project } from '../world/state.ts';
import { checkResourceEtag } from './concurrency.ts';
import { isDeleted } from './hierarchy.ts';
import { projectV3 } from './projects.ts';
import { checkLabels, checkParent, checkProjectId, checkProjectName, parseUpdateMask } from './validation.ts';
import { lienFailure } from './violations.ts';

const CREATE = 'resourcemanager.projects.create';

export interface ProjectDraft {
  readonly projectId: string;
  readonly displayName: string;
  readonly parent: string | undefined;
  readonly labels: Readonly<Record<string, string>>;
}

function metadata(kind: string): JsonObject {
  return { '@type': `type.googleapis.com/google.cloud.resourcemanager.v3.${kind}ProjectMetadata` };
}

function projectResponse(project: Project): JsonObject {
  return { '@type': 'type.googleapis.com/google.cloud.resourcemanager.v3.Project', ...projectV3(project) };
}

/** The checks that both versions of the method make before any operation starts. */
export function acceptDraft(
  call: Call,
  sent: { projectId: string | undefined; displayName: string | undefined; parent: string | undefined },
): ProjectDraft {
  const projectId = checkProjectId(sent.projectId);
  const displayName = checkProjectName(sent.displayName ?? projectId);
  const labels = checkLabels(stringMapAt(call.body, 'labels') ?? {});
  const parent = sent.parent === undefined || sent.parent === '' ? ownOrganization(call) : checkParent(sent.parent);
  if (parent !== undefined) requireActiveParent(call, parent);
  if (Object.hasOwn(call.world.state.projectIds, projectId))
    throw new ApiError('ALREADY_EXISTS', 'Requested entity already exists');
  return { projectId, displayName, parent, labels };
}

/** A caller that belongs to an organisation creates in it when no parent is given. */
function ownOrganization(call: Call): string | undefined {
  const organizations = Object.keys(call.world.state.organizations);
  return organizations.length === 1 ? organizations[0] : undefined;
}

function requireActiveParent(call: Call, parent: string): void {
  requirePermission(call, parent, CREATE);
  if (isDeleted(call.world, parent)) throw denied(call, parent, CREATE);
}

/** Both versions of the method: only the wire form of the operation differs. */
export function insertProject(call: Call, draft: ProjectDraft): Project | { readonly error: RpcStatus } {
  const { world } = call;
  if (Object.keys(world.state.projects).length >= (world.knobs.projectQuota ?? Number.POSITIVE_INFINITY)) {
    return {
      error: {
        code: 8,
        message: 'The project cannot be created because you have exceeded your allotted project quota.',
      },
    };
  }
  const time = world.now();
  const name = `projects/${world.nextNumber()}`;
  const project: Project = {
    name,
    projectId: draft.projectId,
    ...(draft.parent === undefined ? {} : { parent: draft.parent }),
    displayName: draft.displayName,
    labels: draft.labels,
    state: 'ACTIVE',
    createTime: time,
    updateTime: time,
    etag: '',
    billingAccountName: '',
    services: {},
  };
  world.state.projects[name] = project;
  world.state.projectIds[draft.projectId] = name;
  world.stamp(project);
  project.updateTime = time;
  return project;
}

export function createProject(call: Call): Json {
  const draft = acceptDraft(call, {
    projectId: stringAt(call.body, 'projectId'),
    displayName: stringAt(call.body, 'displayName'),
    parent: stringAt(call.body, 'parent'),
  });
  const createMetadata = { ...metadata('Create'), createTime: call.world.now() };
  return startOperation(call, {
    name: `operations/cp.${call.world.nextOperationNumber()}`,
    service: 'cloudresourcemanager',
    pendingMetadata: { ...createMetadata, gettable: true },
    doneMetadata: { ...createMetadata, gettable: true, ready: true },
    quietStart: true,
    apply: () => {
      const created = insertProject(call, draft);
      return 'error' in created ? created : { response: projectResponse(created) };
    },
  });
}

function requireActiveProject(call: Call, permission: string): Project {
  const project = requireProject(call, param(call, 'project'), permission);
  if (project.state !== 'ACTIVE') throw precondition();
  return project;
}

/** Without a mask, the populated fields; with one, its fields, absent ones cleared. */
function patchedFields(call: Call): Partial<Pick<Project, 'displayName' | 'labels'>> {
  const mask = parseUpdateMask(parameter(call.query, 'updateMask'), ['displayName', 'labels']);
  const displayName = stringAt(call.body, 'displayName');
  const labels = stringMapAt(call.body, 'labels');
  const takesName = mask === undefined ? Boolean(displayName) : mask.has('displayName');
  const takesLabels = mask === undefined ? Object.keys(labels ?? {}).length > 0 : mask.has('labels');
  return {
    ...(takesName ? { displayName: checkProjectName(displayName ?? '') } : {}),
    ...(takesLabels ? { labels: checkLabels(labels ?? {}) } : {}),
  };
}

export function patchProject(call: Call): Json {
  const { world } = call;
  const project = requireProject(call, param(call, 'project'), 'resourcemanager.projects.update');
  const fields = patchedFields(call);
  if (project.state !== 'ACTIVE') throw precondition();
  checkResourceEtag(call, project.etag);
  return projectOperation(call, 'Update', () => {
    Object.assign(project, fields);
    world.stamp(project);
    return project;
  });
}

function projectOperation(call: Call, kind: 'Update' | 'Move' | 'Delete' | 'Undelete', apply: () => Project): Json {
  const prefix = { Update: 'up', Move: 'mp', Delete: 'dp', Undelete: 'udp' }[kind];
  return startOperation(call, {
    name: `operations/${prefix}.${call.world.nextOperationNumber()}`,
    service: 'cloudresourcemanager',
    pendingMetadata: metadata(kind),
    doneMetadata: metadata(kind),
    apply: () => ({ response: projectResponse(apply()) }),
  });
}

export function checkProjectMove(call: Call, project: Project, destination: string): void {
  const permission = 'resourcemanager.projects.move';
  if (project.parent !== undefined) requirePermission(call, project.parent, permission);
  else if (!holds(call.world, call.principal, project.name, 'resourcemanager.projects.setIamPolicy')) {
    throw denied(call, project.name, 'resourcemanager.projects.setIamPolicy');
  }
  requirePermission(call, destination, permission);
  if (isDeleted(call.world, destination)) {
    throw precondition([
      preconditionFailure('PARENT_DELETED_VIOLATION', destination, 'The destination resource has been deleted.'),
    ]);
  }
}

export function moveProject(call: Call): Json {
  const project = requireActiveProject(call, 'resourcemanager.projects.move');
  const destination = checkParent(stringAt(call.body, 'destinationParent'));
  checkProjectMove(call, project, destination);
  return projectOperation(call, 'Move', () => {
    project.parent = destination;
    call.world.stamp(project);
    return project;
  });
}

/** Refused while a lien stands; unlinks billing; a second deletion changes nothing. */
export function markDeleted(call: Call, project: Project): Project {
  if (project.state !== 'ACTIVE') return project;
  project.state = 'DELETE_REQUESTED';
  project.billingAccountName = '';
  call.world.stamp(project);
  project.deleteTime = project.updateTime;
  return project;
}

export function checkLiens(call: Call, project: Project): void {
  if (project.state !== 'ACTIVE') return;
  const liens = Object.values(call.world.state.liens).filter(
    (lien) => lien.parent === project.name && lien.restrictions.includes('resourcemanager.projects.delete'),
  );
  if (liens.length === 0) return;
  throw precondition([
    ...liens.map(lienFailure),
    help('Understanding liens', 'https://cloud.google.com/resource-manager/docs/project-liens'),
  ]);
}

export function deleteProject(call: Call): Json {
  const project = requireProject(call, param(call, 'project'), 'resourcemanager.projects.delete');
  checkLiens(call, project);
  return projectOperation(call, 'Delete', () => markDeleted(call, project));
}

/** Only from DELETE_REQUESTED, below a parent that still stands; billing does not return. */
export function requireUndeletable(call: Call): Project {
  const project = requireProject(call, param(call, 'project'), 'resourcemanager.projects.undelete');
  if (project.state === 'ACTIVE') throw precondition();
  if (project.parent !== undefined && isDeleted(call.world, project.parent)) {
    throw precondition([
      preconditionFailure('PARENT_DELETED_VIOLATION', project.parent, 'The destination resource has been deleted.'),
    ]);
  }
  if (project.parent !== undefined && !exists(call.world, project.parent))
    throw fieldIssue('parent', 'parent does not exist');
  return project;
}

export function restore(call: Call, project: Project): Project {
  project.state = 'ACTIVE';
  delete project.deleteTime;
  call.world.stamp(project);
  return project;
}

export function undeleteProject(call: Call): Json {
  const project = requireUndeletable(call);
  return projectOperation(call, 'Undelete', () => restore(call, project));
}
