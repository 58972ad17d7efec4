import type { Folder } from '../world/state.ts';
import type { World } from '../world/world.ts';
import { type FolderViolation, folderViolation } from './violations.ts';

const DEEPEST = 10;
const WIDEST = 300;

/** Refuses a place that is too deep or too full for a folder with `height` active levels (itself included). */
export function checkPlace(world: World, parent: string, subject: string, height: number): void {
  const depth = world.lineage(parent).filter((name) => name.startsWith('folders/')).length;
  if (depth + height > (world.knobs.folderDepth ?? DEEPEST))
    throw folderViolation('ACTIVE_FOLDER_HEIGHT_VIOLATION', subject);
  const siblings = world.childFolders(parent).filter((folder) => folder.state === 'ACTIVE' && folder.name !== subject);
  if (siblings.length >= (world.knobs.folderFanOut ?? WIDEST))
    throw folderViolation('MAX_CHILD_FOLDERS_VIOLATION', subject);
}

/** How many active levels a folder spans, itself included. */
function heightOf(world: World, folder: Folder): number {
  const below = world.childFolders(folder.name).filter((child) => child.state === 'ACTIVE');
  return 1 + Math.max(0, ...below.map((child) => heightOf(world, child)));
}

/** Whether another folder below the parent already goes by the name. */
export function isNameTaken(world: World, parent: string, displayName: string, self?: string): boolean {
  const fold = (name: string) => (world.knobs.caseInsensitiveFolderNames === true ? name.toLowerCase() : name);
  return world
    .childFolders(parent)
    .filter((folder) => folder.state === 'ACTIVE' || world.knobs.deletedFoldersBlockNames === true)
    .some((folder) => folder.name !== self && fold(folder.displayName) === fold(displayName));
}

export function isDeleted(world: World, parent: string): boolean {
  return world.findFolder(parent)?.state === 'DELETE_REQUESTED';
}

/** The rules for a folder to stand below `parent`, now that it moves there or returns. */
export function checkArrival(world: World, folder: Folder, parent: string): void {
  const violation = arrivalViolation(world, folder, parent);
  if (violation !== undefined) throw folderViolation(violation, folder.name);
  checkPlace(world, parent, folder.name, heightOf(world, folder));
}

function arrivalViolation(world: World, folder: Folder, parent: string): FolderViolation | undefined {
  if (isDeleted(world, parent)) return 'PARENT_DELETED_VIOLATION';
  if (world.lineage(parent).includes(folder.name)) return 'CYCLE_INTRODUCED_VIOLATION';
  if (isNameTaken(world, parent, folder.displayName, folder.name)) return 'FOLDER_NAME_UNIQUENESS_VIOLATION';
  return undefined;
}
