import type { Placed } from '../../core/resource.ts';
import { definitionOf } from './actions.ts';
import { displayPath } from './folder-path.ts';
import { objectOf } from './inputs.ts';
import { folderTail } from './resources/folder.ts';

const IN_FOLDERS: ReadonlySet<string> = new Set(['project', 'folder']);

/** By the path of a folder's URN, by its display name, and where nothing tells another place. */
export function mayLieIn(inner: Placed, outer: Placed & { readonly resourceId: string | null }): boolean {
  if (outer.resourceType !== 'folder' || !IN_FOLDERS.has(inner.resourceType)) return false;
  const place = folderTail(outer.urn);
  if (inner.resourceType === 'folder' && folderTail(inner.urn).startsWith(`${place}/`)) return true;
  const parent = parentOf(inner);
  if (/^organizations\/\d+$/.test(parent)) return false;
  if (/^folders\/\d+$/.test(parent)) return outer.resourceId === null;
  const names = displayPath(parent) ?? (parent.includes('/') ? parent.split('/') : null);
  return names === null || names.at(-1) === nameOf(outer);
}

/** Empty where nothing tells it. */
function parentOf({ resourceType, urn, lastDesired }: Placed): string {
  const parent = definitionOf(resourceType, urn)?.fromForeign(urn, objectOf(lastDesired))?.desired['parent'];
  return typeof parent === 'string' ? parent : '';
}

function nameOf({ urn }: Placed): string {
  return urn.slice(urn.lastIndexOf('/') + 1);
}
