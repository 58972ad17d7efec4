import { PAGING } from '../wire/query-parameters.ts';
import { message } from '../wire/request-decoder.ts';
import type { Route } from '../wire/route.ts';
import { createProject, deleteProject, moveProject, patchProject, undeleteProject } from './project-changes.ts';
import { getProject, listProjects, searchProjects } from './projects.ts';

const PROJECT = message({
  name: 'string',
  parent: 'string',
  projectId: 'string',
  state: 'string',
  displayName: 'string',
  createTime: 'string',
  updateTime: 'string',
  deleteTime: 'string',
  etag: 'string',
  labels: 'stringMap',
  tags: 'stringMap',
  configuredCapabilities: 'ignored',
});

const service = 'cloudresourcemanager' as const;
const rpc = 'google.cloud.resourcemanager.v3.Projects';
const one = '/v3/projects/{project}';

export const projectRoutes: readonly Route[] = [
  { service, method: 'GET', path: one, rpc: `${rpc}.GetProject`, handle: getProject },
  {
    service,
    method: 'GET',
    path: '/v3/projects',
    rpc: `${rpc}.ListProjects`,
    query: { parent: 'string', showDeleted: 'bool', ...PAGING },
    handle: listProjects,
  },
  {
    service,
    method: 'GET',
    path: '/v3/projects:search',
    rpc: `${rpc}.SearchProjects`,
    query: { query: 'string', ...PAGING },
    handle: searchProjects,
  },
  {
    service,
    method: 'POST',
    path: '/v3/projects',
    rpc: `${rpc}.CreateProject`,
    body: PROJECT,
    bodyField: 'project',
    handle: createProject,
  },
  {
    service,
    method: 'PATCH',
    path: one,
    rpc: `${rpc}.UpdateProject`,
    query: { updateMask: 'string' },
    body: PROJECT,
    bodyField: 'project',
    handle: patchProject,
  },
  { service, method: 'DELETE', path: one, rpc: `${rpc}.DeleteProject`, handle: deleteProject },
  {
    service,
    method: 'POST',
    path: `${one}:move`,
    rpc: `${rpc}.MoveProject`,
    body: message({ destinationParent: 'string' }),
    handle: moveProject,
  },
  {
    service,
    method: 'POST',
    path: `${one}:undelete`,
    rpc: `${rpc}.UndeleteProject`,
    body: message({}),
    handle: undeleteProject,
  },
];
