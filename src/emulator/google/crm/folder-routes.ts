import { PAGING, type ParameterTypes } from '../wire/query-parameters.ts';
import { message } from '../wire/request-decoder.ts';
import type { Route } from '../wire/route.ts';
import { createFolder, deleteFolder, moveFolder, patchFolder, undeleteFolder } from './folder-changes.ts';
import { getFolder, listFolders, searchFolders } from './folders.ts';

const FOLDER = message({
  name: 'string',
  parent: 'string',
  displayName: 'string',
  state: 'string',
  lifecycleState: 'string',
  createTime: 'string',
  updateTime: 'string',
  deleteTime: 'string',
  etag: 'string',
  tags: 'stringMap',
  configuredCapabilities: 'ignored',
  managementProject: 'string',
});
const EMPTY = message({});
const MOVE = message({ destinationParent: 'string' });
const LIST: ParameterTypes = { parent: 'string', showDeleted: 'bool', ...PAGING };
const MASK: ParameterTypes = { updateMask: 'string' };

function folderRoutesOf(version: 'v2' | 'v3'): readonly Route[] {
  const service = 'cloudresourcemanager' as const;
  const rpc = `google.cloud.resourcemanager.${version}.Folders`;
  const folders = `/${version}/folders`;
  const one = `${folders}/{folder}`;
  return [
    { service, method: 'GET', path: one, rpc: `${rpc}.GetFolder`, handle: getFolder },
    { service, method: 'GET', path: folders, rpc: `${rpc}.ListFolders`, query: LIST, handle: listFolders },
    {
      service,
      method: 'POST',
      path: folders,
      rpc: `${rpc}.CreateFolder`,
      query: version === 'v2' ? { parent: 'string' } : {},
      body: FOLDER,
      bodyField: 'folder',
      handle: createFolder,
    },
    {
      service,
      method: 'PATCH',
      path: one,
      rpc: `${rpc}.UpdateFolder`,
      query: MASK,
      body: FOLDER,
      bodyField: 'folder',
      handle: patchFolder,
    },
    { service, method: 'DELETE', path: one, rpc: `${rpc}.DeleteFolder`, handle: deleteFolder },
    { service, method: 'POST', path: `${one}:move`, rpc: `${rpc}.MoveFolder`, body: MOVE, handle: moveFolder },
    {
      service,
      method: 'POST',
      path: `${one}:undelete`,
      rpc: `${rpc}.UndeleteFolder`,
      body: EMPTY,
      handle: undeleteFolder,
    },
    version === 'v3'
      ? {
          service,
          method: 'GET',
          path: `${folders}:search`,
          rpc: `${rpc}.SearchFolders`,
          query: { query: 'string', ...PAGING },
          handle: searchFolders,
        }
      : {
          service,
          method: 'POST',
          path: `${folders}:search`,
          rpc: `${rpc}.SearchFolders`,
          body: message({ query: 'string', pageSize: 'int32', pageToken: 'string' }),
          handle: searchFolders,
        },
  ];
}

/** gcloud speaks version 2 of the folder methods. */
export const folderRoutes: readonly Route[] = [...folderRoutesOf('v3'), ...folderRoutesOf('v2')];
