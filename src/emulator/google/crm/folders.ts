import { denied, holds, isHidden, requirePermission } from '../access.ts';
import { type Json, type JsonObject, numberAt, stringAt } from '../wire/json.ts';
import { compareText } from '../wire/paging.ts';
import { parameter } from '../wire/query-parameters.ts';
import { type Call, param } from '../wire/route.ts';
import { type FieldReader, parseSearchQuery } from '../wire/search-query.ts';
import type { Folder } from '../world/state.ts';
import { crmPage, displayOrder, isSearchable, pagingOf, requireParentParameter } from './collection.ts';
import { checkNumber } from './validation.ts';

const GET = 'resourcemanager.folders.get';

export function folderV3(folder: Folder): JsonObject {
  const { searchLag: _, ...shown } = folder;
  return shown;
}

export function folderV2(folder: Folder): JsonObject {
  const { name, parent, displayName, state, createTime } = folder;
  return { name, parent, displayName, lifecycleState: state, createTime };
}

function folderJson(call: Call): (folder: Folder) => JsonObject {
  return call.version === 'v2' ? folderV2 : folderV3;
}

/** The folder that the path names, or the 403. */
export function requireFolder(call: Call, permission: string): Folder {
  const name = `folders/${checkNumber(param(call, 'folder'))}`;
  requirePermission(call, name, permission);
  const folder = call.world.findFolder(name);
  if (folder === undefined) throw denied(call, name, permission);
  return folder;
}

export function getFolder(call: Call): Json {
  return folderJson(call)(requireFolder(call, GET));
}

/** Direct children, strongly consistent. */
export function listFolders(call: Call): Json {
  const parent = requireParentParameter(call);
  requirePermission(call, parent, 'resourcemanager.folders.list');
  const showDeleted = parameter(call.query, 'showDeleted') === 'true';
  const folders = call.world
    .childFolders(parent)
    .filter(
      (folder) => (showDeleted || folder.state === 'ACTIVE') && !isHidden(call.world, call.principal, folder.name),
    )
    .sort((left, right) => compareText(displayOrder(left), displayOrder(right)));
  return crmPage(call, folders, {
    member: 'folders',
    keyOf: displayOrder,
    toJson: folderJson(call),
    scope: ['list', parent, String(showDeleted)],
    ...pagingOf(call),
  });
}

function fieldsOf(folder: Folder): FieldReader {
  return (field) => {
    switch (field) {
      case 'displayName':
        return [folder.displayName];
      case 'parent':
        return [folder.parent];
      case 'state':
      case 'lifecycleState':
        return [folder.state];
      default:
        return undefined;
    }
  };
}

export function searchFolders(call: Call): Json {
  const posted = call.version === 'v2';
  const query = (posted ? stringAt(call.body, 'query') : parameter(call.query, 'query')) ?? '';
  const matches = parseSearchQuery(query, 'AND');
  const found = Object.values(call.world.state.folders)
    .filter((folder) => holds(call.world, call.principal, folder.name, GET) && matches(fieldsOf(folder)))
    .filter((folder) => isSearchable(call, folder))
    .sort((left, right) => compareText(left.name, right.name));
  const paging = posted
    ? { pageSize: numberAt(call.body, 'pageSize'), pageToken: stringAt(call.body, 'pageToken') }
    : pagingOf(call);
  return crmPage(call, found, {
    member: 'folders',
    keyOf: (folder) => folder.name,
    toJson: folderJson(call),
    scope: ['search', query],
    ...paging,
  });
}
