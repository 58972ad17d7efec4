import { requirePermission } from '../access.ts';
import { lockedAmong, startOperation, statusJson } from '../operations.ts';
import { type Json, type JsonObject, stringAt } from '../wire/json.ts';
import { parameter } from '../wire/query-parameters.ts';
import type { Call } from '../wire/route.ts';
import type { Folder } from '../world/state.ts';
import { checkResourceEtag } from './concurrency.ts';
import { folderV2, folderV3, requireFolder } from './folders.ts';
import { checkArrival, checkPlace, isDeleted, isNameTaken } from './hierarchy.ts';
import { checkFolderName, checkParent, parseUpdateMask } from './validation.ts';
import { folderOperationError, folderViolation } from './violations.ts';

function metadata(kind: string): JsonObject {
  return { '@type': `type.googleapis.com/google.cloud.resourcemanager.v3.${kind}FolderMetadata` };
}

function folderResponse(call: Call, folder: Folder): JsonObject {
  return call.version === 'v2'
    ? { '@type': 'type.googleapis.com/google.cloud.resourcemanager.v2.Folder', ...folderV2(folder) }
    : { '@type': 'type.googleapis.com/google.cloud.resourcemanager.v3.Folder', ...folderV3(folder) };
}

/** v2 answers some changes with the folder itself, without an operation. */
function plainV2(call: Call, folder: Folder): Json | undefined {
  return call.version === 'v2' ? folderV2(folder) : undefined;
}

export function createFolder(call: Call): Json {
  const { world } = call;
  const displayName = checkFolderName(stringAt(call.body, 'displayName'));
  const parent = checkParent(call.version === 'v2' ? parameter(call.query, 'parent') : stringAt(call.body, 'parent'));
  requirePermission(call, parent, 'resourcemanager.folders.create');
  checkPlace(world, parent, parent, 1);
  return startOperation(call, {
    name: `operations/fc.${world.nextOperationNumber()}`,
    service: 'cloudresourcemanager',
    pendingMetadata: { ...metadata('Create'), displayName, parent },
    quietStart: true,
    apply: () => {
      if (isDeleted(world, parent)) {
        return {
          error: folderOperationError(
            'PARENT_DELETED_VIOLATION',
            parent,
            `Folder reservation failed for parent [${parent}], folder [] due to constraint: The destination resource has been deleted.`,
          ),
        };
      }
      if (isNameTaken(world, parent, displayName)) {
        return {
          error: folderOperationError(
            'FOLDER_NAME_UNIQUENESS_VIOLATION',
            parent,
            'The folder operation violates display name uniqueness within the parent.',
          ),
        };
      }
      return { response: folderResponse(call, insertFolder(call, parent, displayName)) };
    },
  });
}

function insertFolder(call: Call, parent: string, displayName: string): Folder {
  const { world } = call;
  const time = world.now();
  const name = `folders/${world.nextNumber()}`;
  const folder: Folder = { name, parent, displayName, state: 'ACTIVE', createTime: time, updateTime: time, etag: '' };
  world.state.folders[name] = folder;
  world.stamp(folder);
  folder.updateTime = time;
  return folder;
}

export function patchFolder(call: Call): Json {
  const { world } = call;
  const folder = requireFolder(call, 'resourcemanager.folders.update');
  checkResourceEtag(call, folder.etag);
  const mask = parseUpdateMask(parameter(call.query, 'updateMask'), ['displayName']);
  const sent = stringAt(call.body, 'displayName');
  const displayName = mask !== undefined || sent !== undefined ? checkFolderName(sent) : folder.displayName;
  if (folder.state !== 'ACTIVE') throw folderViolation('RESOURCE_DELETED_VIOLATION', folder.name);
  if (isNameTaken(world, folder.parent, displayName, folder.name)) {
    throw folderViolation('FOLDER_NAME_UNIQUENESS_VIOLATION', folder.name);
  }
  const apply = () => {
    folder.displayName = displayName;
    world.stamp(folder);
    return { response: folderResponse(call, folder) };
  };
  if (call.version === 'v2') {
    apply();
    return folderV2(folder);
  }
  return startOperation(call, {
    name: `operations/fc.${world.nextOperationNumber()}`,
    service: 'cloudresourcemanager',
    pendingMetadata: metadata('Update'),
    doneMetadata: metadata('Update'),
    apply,
  });
}

export function moveFolder(call: Call): Json {
  const { world } = call;
  const folder = requireFolder(call, 'resourcemanager.folders.move');
  const destination = checkParent(stringAt(call.body, 'destinationParent'));
  requirePermission(call, folder.parent, 'resourcemanager.folders.move');
  requirePermission(call, destination, 'resourcemanager.folders.move');
  if (lockedAmong(world, [folder.name]).length > 0) throw folderViolation('FOLDER_BEING_MOVED_VIOLATION', folder.name);
  if (folder.state !== 'ACTIVE') throw folderViolation('RESOURCE_DELETED_VIOLATION', folder.name);
  if (destination !== folder.parent) checkArrival(world, folder, destination);
  return startOperation(call, {
    name: `operations/fm.${world.nextOperationNumber()}`,
    service: 'cloudresourcemanager',
    pendingMetadata: metadata('Move'),
    doneMetadata: metadata('Move'),
    locks: [folder.name],
    apply: () => {
      folder.parent = destination;
      world.stamp(folder);
      return { response: folderResponse(call, folder) };
    },
  });
}

function isOccupied(call: Call, folder: Folder): boolean {
  const children = [...call.world.childFolders(folder.name), ...call.world.childProjects(folder.name)];
  return children.some((child) => child.state === 'ACTIVE');
}

/** Done at once, and its answer names no operation. Deleting twice succeeds. */
export function deleteFolder(call: Call): Json {
  const folder = requireFolder(call, 'resourcemanager.folders.delete');
  if (call.lroError !== undefined) return { done: true, error: statusJson(call.lroError) };
  if (folder.state === 'ACTIVE') {
    if (isOccupied(call, folder)) throw folderViolation('FOLDER_TO_DELETE_NON_EMPTY_VIOLATION', folder.name);
    folder.state = 'DELETE_REQUESTED';
    call.world.stamp(folder);
    folder.deleteTime = folder.updateTime;
  }
  // Recorded without the time of deletion, which later reads do show.
  const { deleteTime: _, ...response } = folderResponse(call, folder);
  return plainV2(call, folder) ?? { done: true, response };
}

export function undeleteFolder(call: Call): Json {
  const { world } = call;
  const folder = requireFolder(call, 'resourcemanager.folders.undelete');
  if (folder.state !== 'ACTIVE') checkArrival(world, folder, folder.parent);
  const apply = () => {
    if (folder.state !== 'ACTIVE') {
      folder.state = 'ACTIVE';
      delete folder.deleteTime;
      world.stamp(folder);
    }
    return { response: folderResponse(call, folder) };
  };
  if (call.version === 'v2') {
    apply();
    return folderV2(folder);
  }
  return startOperation(call, {
    name: `operations/fu.${world.nextOperationNumber()}`,
    service: 'cloudresourcemanager',
    pendingMetadata: metadata('Undelete'),
    doneMetadata: metadata('Undelete'),
    apply,
  });
}
