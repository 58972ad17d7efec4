import { isUnknown, type Unknown, unknownOf, type Value } from '../../core/value.ts';
import { isResource } from './actions.ts';
import type { Draft } from './drafts.ts';
import { displayPath } from './folder-path.ts';
import { type LinkProblem, notStatic, problemAt, textAt } from './inputs.ts';

/** Where a step's resource lies, as far as the playbook itself tells. */
export interface Place {
  /** What desired holds: a reference to the folder's step, or what was written. */
  readonly value: Value;
  /** The step that makes it. */
  readonly container: Draft | null;
  /** The step that deletes it: names the place in URNs and orders deletes. */
  readonly leaving: Draft | null;
  readonly problem: LinkProblem | null;
}

const FOLDER_PATHS = new Set(['resource.name', 'resource_id']);

/** Resolves references to folders through the playbook's own folder steps; what it does not have is left for a live look. */
export class Places {
  private readonly byAddress: ReadonlyMap<string, Draft>;
  private readonly folders = new Map<string, Draft[]>();
  private readonly places = new Map<Draft, Place | null>();

  constructor(drafts: readonly Draft[]) {
    this.byAddress = new Map(drafts.map((draft) => [draft.address, draft]));
    for (const draft of drafts) {
      if (!isFolder(draft)) continue;
      const name = textAt(draft.desired, 'display_name');
      this.folders.set(name, [...(this.folders.get(name) ?? []), draft]);
    }
  }

  /** Null where the step lies nowhere that a folder reference could name, and inside a circle of folders. */
  of(draft: Draft): Place | null {
    const known = this.places.get(draft);
    if (known !== undefined) return known;
    this.places.set(draft, null);
    const key = placeKey(draft);
    const place = key === null ? null : this.resolve(draft, draft.desired[key] ?? null, key);
    this.places.set(draft, place);
    return place;
  }

  /** The folder steps around a step, the nearest first. Folders that lie in one another in a circle end it. */
  around(draft: Draft): readonly Draft[] {
    const found: Draft[] = [];
    for (let at = this.within(draft); at !== null && at !== draft && !found.includes(at); at = this.within(at))
      found.push(at);
    return found;
  }

  /** The place of a step as one name: the step that makes or deletes it, else what is written; null: it has none. */
  nameOf(draft: Draft): string | null {
    const step = this.within(draft);
    if (step !== null) return `step:${step.address}`;
    const value = this.of(draft)?.value;
    return typeof value === 'string' ? value : null;
  }

  private within(draft: Draft): Draft | null {
    const place = this.of(draft);
    return place?.container ?? place?.leaving ?? null;
  }

  /** `organizations/N` at the top of where the step lies; null where the playbook and the guard don't tell. */
  treeOf(draft: Draft): string | null {
    const outermost = this.around(draft).at(-1) ?? draft;
    const above = this.of(outermost)?.value;
    return typeof above === 'string' && above.startsWith('organizations/') ? above : declaredTree(outermost);
  }

  private resolve(draft: Draft, value: Value, key: string): Place {
    const as = (found: Partial<Place>): Place => ({ value, container: null, leaving: null, problem: null, ...found });
    if (isUnknown(value)) return as(this.byReference(draft, value, key));
    const names = typeof value === 'string' ? displayPath(value) : null;
    if (names === null) return as({});
    const tree = declaredTree(draft);
    if (tree === null) return as({ problem: noTree(key, String(value)) });
    const matches = this.matching(draft, names, tree);
    const [match] = matches;
    if (match === undefined) return as({});
    if (matches.length > 1) return as({ problem: ambiguous(key, String(value), matches) });
    if (match.spec.kind === 'delete') return as({ leaving: match });
    return as({ value: unknownOf([{ address: match.address, path: 'resource.name' }]), container: match });
  }

  private byReference(draft: Draft, value: Unknown, key: string): Partial<Place> {
    const [only, ...more] = value.refs;
    const target = only === undefined ? undefined : this.byAddress.get(only.address);
    const isFolderName =
      value.parts?.length === 1 && more.length === 0 && only !== undefined && FOLDER_PATHS.has(only.path);
    if (target !== undefined && isFolder(target) && target.spec.kind === 'ensure' && isFolderName)
      return { container: target };
    // Only a project is named without its parent; what else hangs on an unknown place would have no URN.
    return draft.spec.resourceType === 'project' || draft.spec.kind === 'read'
      ? {}
      : { problem: problemAt([key], notStatic(key)) };
  }

  /** The folder steps that a path of display names can mean: one at the top of the tree, else those that end in it. */
  private matching(draft: Draft, names: readonly string[], tree: string): readonly Draft[] {
    const last = names.at(-1) ?? '';
    const candidates = (this.folders.get(last) ?? []).filter(
      (folder) => folder !== draft && this.isWithin(folder, tree) && this.endsWith(folder, names),
    );
    const distinct = onePerFolder(candidates);
    const atTop = distinct.filter((folder) => this.depthOf(folder) === names.length);
    return atTop.length > 0 ? atTop : distinct;
  }

  private isWithin(folder: Draft, tree: string): boolean {
    const own = this.treeOf(folder);
    return own === null || own === tree;
  }

  private endsWith(folder: Draft, names: readonly string[]): boolean {
    const path = this.pathOf(folder);
    return (
      names.length <= path.length && names.every((name, index) => path[path.length - names.length + index] === name)
    );
  }

  private depthOf(folder: Draft): number | null {
    const around = this.around(folder);
    const above = this.of(around.at(-1) ?? folder)?.value;
    return typeof above === 'string' && above.startsWith('organizations/') ? around.length + 1 : null;
  }

  /** Display names down to the folder, from as far up as the playbook tells. */
  private pathOf(folder: Draft): readonly string[] {
    const around = this.around(folder);
    const above = this.of(around.at(-1) ?? folder)?.value;
    const live = typeof above === 'string' ? displayPath(above) : null;
    return [...(live ?? []), ...[...around].reverse().map(displayName), displayName(folder)];
  }
}

function displayName(folder: Draft): string {
  return textAt(folder.desired, 'display_name');
}

export function isFolder(draft: Draft): boolean {
  return draft.spec.resourceType === 'folder' && draft.spec.kind !== 'read';
}

export function placeKey(draft: Draft): string | null {
  const key = isResource(draft.definition) ? draft.definition.placeKey : undefined;
  return key !== undefined && draft.desired[key] !== undefined ? key : null;
}

/** The organisation that the step itself or its guard names. */
export function declaredTree(draft: Draft): string | null {
  const own = textAt(draft.options, 'organization');
  const pinned = draft.step.guard?.requireOrg ?? null;
  return own !== '' ? own : pinned === null ? null : `organizations/${pinned}`;
}

/** Two steps may speak of one folder (one of them held); an ensure speaks for it. */
function onePerFolder(candidates: readonly Draft[]): readonly Draft[] {
  const seen = new Map<string, Draft>();
  for (const folder of candidates) {
    const key = JSON.stringify(folder.desired['parent'] ?? null) + textAt(folder.desired, 'display_name');
    const other = seen.get(key);
    if (other === undefined || (other.spec.kind === 'delete' && folder.spec.kind === 'ensure')) seen.set(key, folder);
  }
  return [...seen.values()];
}

function noTree(key: string, value: string): LinkProblem {
  return problemAt([key], {
    code: 'MISSING_KEY',
    detail: `"${value}" is looked up below an organisation, and none is named.`,
    hint: 'Add "organization" to the input, or pin one with guard.require_org.',
  });
}

function ambiguous(key: string, value: string, matches: readonly Draft[]): LinkProblem {
  const candidates = matches.map((match) => match.address).join(', ');
  return problemAt([key], {
    code: 'AMBIGUOUS',
    detail: `"${value}" fits several folders of this playbook: ${candidates}.`,
    hint: 'Write the path from the organisation down, or refer to the step.',
  });
}
