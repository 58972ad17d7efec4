import { diagnostic } from '../../../core/codes.ts';
import type { JsonObject } from '../../../core/json.ts';
import type { Observation } from '../../../core/resource.ts';
import type { Target } from '../../lifecycle-provider.ts';
import { displayPath } from '../folder-path.ts';
import { isMap, textAt } from '../inputs.ts';
import { lookUpFolder } from '../live-folders.ts';
import { isActive, knownPlace, text, unreadable } from '../observing.ts';
import type { Reads } from '../reads.ts';

/** A folder by what it was called or where it lay; null: there is none. */
export type FormerFolder = { readonly folder: JsonObject } | { readonly unclear: Observation } | null;

/** The folder under the name or the parent that `was` says it had. */
export async function formerFolder(target: Target, reads: Reads): Promise<FormerFolder> {
  const was = target.declaration.options['was'];
  if (!isMap(was)) return null;
  const parent = await formerParent(textAt(was, 'parent') || (knownPlace(target, 'parent') ?? ''), target, reads);
  if (parent === '') return null;
  const listed = await reads.foldersIn(parent);
  if (listed.kind === 'failed') return { unclear: unreadable(listed, target) };
  const name = textAt(was, 'display_name') || textAt(target.desired, 'display_name');
  const matches = listed.value.filter((item) => isActive(item) && text(item, 'displayName') === name);
  const [match] = matches;
  if (matches.length > 1) return { unclear: ambiguousFolder(target, matches) };
  return match === undefined ? null : { folder: match };
}

/**
 * A folder that got its new name and was not moved, or was moved and kept its name: an earlier run may have been cut
 * between the two. Without a word of the log it may as well be another folder, so a person has to say.
 */
export async function halfWayFolder(target: Target, reads: Reads): Promise<Observation | null> {
  const was = target.declaration.options['was'];
  const parent = knownPlace(target, 'parent');
  if (!isMap(was) || parent === null || textAt(was, 'parent') === '' || textAt(was, 'display_name') === '') return null;
  const former = await formerParent(textAt(was, 'parent'), target, reads);
  const places = [
    { parent: former, display_name: textAt(target.desired, 'display_name') },
    { parent, display_name: textAt(was, 'display_name') },
  ];
  for (const place of places) {
    const listed = place.parent === '' ? null : await reads.foldersIn(place.parent);
    const match =
      listed?.kind === 'ok'
        ? listed.value.find((item) => isActive(item) && text(item, 'displayName') === place.display_name)
        : undefined;
    if (match !== undefined) return halfWay(match, place, target);
  }
  return null;
}

function halfWay(resource: JsonObject, place: JsonObject, target: Target): Observation {
  const detail = `${text(resource, 'name')} "${text(resource, 'displayName')}" may be this folder, renamed or moved half-way, or another one.`;
  const { address, urn } = target.declaration;
  const was = `was: { parent: ${String(place['parent'])}, display_name: ${JSON.stringify(place['display_name'])} }`;
  const hint = `If it is this one, say ${was}; if not, leave was out.`;
  return { kind: 'unreadable', why: diagnostic('AMBIGUOUS', detail, { address, urn, hint }) };
}

/** A former parent may itself be named by its path; one that is gone leads nowhere. */
async function formerParent(written: string, target: Target, reads: Reads): Promise<string> {
  const names = displayPath(written);
  if (names === null) return written;
  const found = await lookUpFolder(textAt(target.declaration.options, 'organization'), names, reads);
  return found.kind === 'found' ? found.name : '';
}

export function ambiguousFolder(target: Target, matches: readonly JsonObject[]): Observation {
  const names = matches.map((item) => text(item, 'name')).join(', ');
  const { address, urn } = target.declaration;
  const why = diagnostic(
    'AMBIGUOUS',
    `More than one active folder has the display name "${textAt(target.desired, 'display_name')}" there: ${names}.`,
    { address, urn },
  );
  return { kind: 'unreadable', why };
}
