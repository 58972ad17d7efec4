import type { JsonObject } from '../../core/json.ts';
import { text } from './observing.ts';

export const PROJECT_URN = 'google:cloudresourcemanager:project:';
export const FOLDER_URN = 'google:cloudresourcemanager:folder:';

/** What lies in a project by its id. */
export function inProject(_urn: string, desired: JsonObject): readonly string[] {
  return [`${PROJECT_URN}${text(desired, 'project_id')}`];
}

/** A project, by the folder that the fact names. */
export function inParent(_urn: string, desired: JsonObject): readonly string[] {
  return text(desired, 'parent').startsWith('folders/') ? [text(desired, 'parent')] : [];
}

/** A folder: the outer one stands in its URN, by its own place and name or by its id. */
export function inOuterFolder(urn: string, desired: JsonObject): readonly string[] {
  const place = urn.slice(FOLDER_URN.length);
  const outer = place.slice(0, place.lastIndexOf('/'));
  const isId = outer.split('/').length <= 2;
  return isId ? inParent(urn, { parent: outer }) : [`${FOLDER_URN}${outer}`, ...inParent(urn, desired)];
}

/** A grant, by what it is made on. */
export function onResource(_urn: string, desired: JsonObject): readonly string[] {
  const resource = text(desired, 'resource');
  if (resource.startsWith('projects/')) return [`${PROJECT_URN}${resource.slice('projects/'.length)}`];
  return resource.startsWith('folders/') ? [resource] : [];
}
