import { diagnostic } from '../../core/codes.ts';
import type { Diagnostic } from '../../core/diagnostics.ts';
import type { JsonObject } from '../../core/json.ts';
import { isActive, text } from './observing.ts';
import type { Reads } from './reads.ts';

export type FolderLookup =
  | { readonly kind: 'found'; readonly name: string }
  | { readonly kind: 'failed'; readonly why: Diagnostic };

/** Folders nest ten deep, twenty with deleted ones. */
const MAX_DEPTH = 24;
const MAX_CANDIDATES = 20;

/**
 * Finds the folder that a path of display names means, from the organisation down by lists (which never lag); a path
 * that does not start there may end anywhere below the organisation, as long as only one does.
 */
export async function lookUpFolder(tree: string, names: readonly string[], reads: Reads): Promise<FolderLookup> {
  let parent = tree;
  for (const [depth, name] of names.entries()) {
    const listed = await reads.foldersIn(parent);
    if (listed.kind === 'failed') return listed;
    const matches = listed.value.filter((item) => isActive(item) && text(item, 'displayName') === name);
    const [match] = matches;
    if (matches.length > 1) return failed(ambiguous(names, matches));
    if (match === undefined)
      return depth === 0 ? anywhere(tree, names, listed.value, reads) : failed(missing(names, parent, listed.value));
    parent = text(match, 'name');
  }
  return { kind: 'found', name: parent };
}

async function anywhere(
  tree: string,
  names: readonly string[],
  atTop: readonly JsonObject[],
  reads: Reads,
): Promise<FolderLookup> {
  const named = await reads.foldersNamed(names.at(-1) ?? '');
  if (named.kind === 'failed') return failed(missing(names, tree, atTop));
  const candidates = named.value.filter((item) => text(item, 'displayName') === names.at(-1) && isActive(item));
  const fitting: JsonObject[] = [];
  for (const candidate of candidates) if (await liesAlong(candidate, names, tree, reads)) fitting.push(candidate);
  const [only] = fitting;
  if (only === undefined) return failed(missing(names, tree, atTop));
  return fitting.length === 1 ? { kind: 'found', name: text(only, 'name') } : failed(ambiguous(names, fitting));
}

/** Whether the names lead down to the folder, and the organisation is above it. */
async function liesAlong(folder: JsonObject, names: readonly string[], tree: string, reads: Reads): Promise<boolean> {
  let above = text(folder, 'parent');
  for (let depth = names.length - 2; depth > -MAX_DEPTH; depth -= 1) {
    if (above === tree) return depth < 0;
    if (!above.startsWith('folders/')) return false;
    const answer = await reads.folder(above);
    if (answer.kind === 'failed') return false;
    if (depth >= 0 && text(answer.value, 'displayName') !== names[depth]) return false;
    above = text(answer.value, 'parent');
  }
  return false;
}

function failed(why: Diagnostic): FolderLookup {
  return { kind: 'failed', why };
}

function ambiguous(names: readonly string[], matches: readonly JsonObject[]): Diagnostic {
  return diagnostic('AMBIGUOUS', `Several folders fit "${names.join('/')}": ${listing(matches)}.`, {
    hint: "Write the path from the organisation down, or the folder's number.",
  });
}

function missing(names: readonly string[], parent: string, children: readonly JsonObject[]): Diagnostic {
  const active = children.filter(isActive);
  const there = active.length === 0 ? 'no folder that the caller may see' : listing(active);
  return diagnostic(
    'NOT_FOUND',
    `No active folder "${names.join('/')}" was found; below ${parent} there is ${there}.`,
    { hint: 'Mend the name, or add a step that ensures the folder.' },
  );
}

function listing(folders: readonly JsonObject[]): string {
  const shown = folders
    .slice(0, MAX_CANDIDATES)
    .map((item) => `"${text(item, 'displayName')}" (${text(item, 'name')} in ${text(item, 'parent')})`);
  return folders.length > MAX_CANDIDATES
    ? `${shown.join(', ')} and ${folders.length - MAX_CANDIDATES} more`
    : shown.join(', ');
}
