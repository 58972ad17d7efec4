import { requireProject } from '../access.ts';
import { startOperation } from '../operations.ts';
import { invalidArgument, precondition } from '../wire/errors.ts';
import { type Json, type JsonObject, objectAt, stringAt, stringMapAt } from '../wire/json.ts';
import { PAGING, parameter } from '../wire/query-parameters.ts';
import { message } from '../wire/request-decoder.ts';
import { type Call, param, type Route } from '../wire/route.ts';
import type { Project } from '../world/state.ts';
import { crmPage, pagingOf } from './collection.ts';
import {
  acceptDraft,
  checkLiens,
  checkProjectMove,
  insertProject,
  markDeleted,
  requireUndeletable,
  restore,
} from './project-changes.ts';
import { findProjects, GET_PROJECT } from './projects.ts';
import { checkLabels, checkParent, checkProjectName } from './validation.ts';

const TYPE = 'type.googleapis.com/google.cloudresourcemanager.v1';

/** Version 1 splits the parent and calls the display name `name`; it has neither etag nor update time. */
function projectV1(project: Project): JsonObject {
  return {
    projectNumber: project.name.slice('projects/'.length),
    projectId: project.projectId,
    lifecycleState: project.state,
    name: project.displayName,
    ...(Object.keys(project.labels).length > 0 ? { labels: project.labels } : {}),
    createTime: project.createTime,
    ...(project.parent === undefined ? {} : { parent: resourceId(project.parent) }),
  };
}

function resourceId(name: string): JsonObject {
  const [collection = '', id = ''] = name.split('/');
  return { type: collection.replace(/s$/, ''), id };
}

function parentName(call: Call): string | undefined {
  const parent = objectAt(call.body, 'parent');
  if (parent === undefined) return undefined;
  const type = stringAt(parent, 'type');
  if (type !== 'organization' && type !== 'folder') throw invalidArgument();
  return checkParent(`${type}s/${stringAt(parent, 'id') ?? ''}`);
}

function get(call: Call): Json {
  return projectV1(requireProject(call, param(call, 'project'), GET_PROJECT));
}

function listAll(call: Call): Json {
  const filter = parameter(call.query, 'filter') ?? '';
  return crmPage(call, findProjects(call, filter, 'AND'), {
    member: 'projects',
    keyOf: (project) => project.name,
    toJson: projectV1,
    scope: ['v1', filter],
    ...pagingOf(call),
  });
}

function create(call: Call): Json {
  const draft = acceptDraft(call, {
    projectId: stringAt(call.body, 'projectId'),
    displayName: stringAt(call.body, 'name'),
    parent: parentName(call),
  });
  const status = { '@type': `${TYPE}.ProjectCreationStatus`, gettable: true };
  return startOperation(call, {
    name: `operations/cp.${call.world.nextOperationNumber()}`,
    service: 'cloudresourcemanager',
    pendingMetadata: status,
    doneMetadata: { ...status, ready: true },
    quietStart: true,
    apply: () => {
      const created = insertProject(call, draft);
      return 'error' in created ? created : { response: { '@type': `${TYPE}.Project`, ...projectV1(created) } };
    },
  });
}

/** PUT replaces name and labels whole; another parent moves the project. */
function update(call: Call): Json {
  const project = requireProject(call, param(call, 'project'), 'resourcemanager.projects.update');
  const displayName = checkProjectName(stringAt(call.body, 'name') ?? project.displayName);
  const labels = checkLabels(stringMapAt(call.body, 'labels') ?? {});
  const parent = parentName(call) ?? project.parent;
  if (project.state !== 'ACTIVE') throw precondition();
  if (parent !== undefined && parent !== project.parent) checkProjectMove(call, project, parent);
  Object.assign(project, { displayName, labels }, parent === undefined ? {} : { parent });
  call.world.stamp(project);
  return projectV1(project);
}

function remove(call: Call): Json {
  const project = requireProject(call, param(call, 'project'), 'resourcemanager.projects.delete');
  checkLiens(call, project);
  markDeleted(call, project);
  return {};
}

function undelete(call: Call): Json {
  restore(call, requireUndeletable(call));
  return {};
}

function ancestry(call: Call): Json {
  const project = requireProject(call, param(call, 'project'), GET_PROJECT);
  const [, ...above] = call.world.lineage(project.name);
  const own = { type: 'project', id: project.projectId };
  return { ancestor: [own, ...above.map(resourceId)].map((id) => ({ resourceId: id })) };
}

const PROJECT = message({
  projectNumber: 'string',
  projectId: 'string',
  lifecycleState: 'string',
  name: 'string',
  createTime: 'string',
  labels: 'stringMap',
  parent: message({ type: 'string', id: 'string' }),
  tags: 'stringMap',
  configuredCapabilities: 'ignored',
});
const EMPTY = message({});
const service = 'cloudresourcemanager' as const;
const rpc = 'google.cloudresourcemanager.v1.Projects';
const one = '/v1/projects/{project}';

/** What gcloud and older clients use. */
export const projectV1Routes: readonly Route[] = [
  { service, method: 'GET', path: one, rpc: `${rpc}.GetProject`, handle: get },
  {
    service,
    method: 'GET',
    path: '/v1/projects',
    rpc: `${rpc}.ListProjects`,
    query: { filter: 'string', ...PAGING },
    handle: listAll,
  },
  {
    service,
    method: 'POST',
    path: '/v1/projects',
    rpc: `${rpc}.CreateProject`,
    body: PROJECT,
    bodyField: 'project',
    handle: create,
  },
  {
    service,
    method: 'PUT',
    path: one,
    rpc: `${rpc}.UpdateProject`,
    body: PROJECT,
    bodyField: 'project',
    handle: update,
  },
  { service, method: 'DELETE', path: one, rpc: `${rpc}.DeleteProject`, handle: remove },
  { service, method: 'POST', path: `${one}:undelete`, rpc: `${rpc}.UndeleteProject`, body: EMPTY, handle: undelete },
  { service, method: 'POST', path: `${one}:getAncestry`, rpc: `${rpc}.GetAncestry`, body: EMPTY, handle: ancestry },
];
