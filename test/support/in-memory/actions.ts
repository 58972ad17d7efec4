import type { ActionSpec, FieldRule } from '../../../src/core/resource.ts';

export const PROVIDER = 'mem';

/** A type of the in-memory cloud. */
export interface MemoryType {
  readonly name: 'box' | 'shelf' | 'grant';
  readonly plural: string;
  readonly fields: Readonly<Record<string, FieldRule>>;
  readonly required: readonly string[];
  readonly options: readonly string[];
}

/**
 * `box` is named once and for all, like a project; `shelf` is known by its parent and title, like a folder, so that its
 * URN may be late and may change; `grant` has no id and is written one batch a box, like a binding.
 */
export const TYPES: readonly MemoryType[] = [
  {
    name: 'box',
    plural: 'boxes',
    fields: {
      name: 'identity',
      parent: 'movable',
      title: 'mutable',
      labels: 'merged',
      color: 'fixed',
      secret: 'mutable',
    },
    required: ['name', 'parent'],
    options: ['undelete'],
  },
  {
    name: 'shelf',
    plural: 'shelves',
    fields: { parent: 'movable', title: 'mutable', note: 'mutable' },
    required: ['parent', 'title'],
    options: [],
  },
  {
    name: 'grant',
    plural: 'grants',
    fields: { box: 'identity', role: 'identity', member: 'identity' },
    required: ['box', 'role', 'member'],
    options: [],
  },
];

export interface MemoryAction {
  readonly spec: ActionSpec;
  readonly type: MemoryType;
}

function actionOf(type: MemoryType, verb: 'ensure' | 'delete' | 'describe'): MemoryAction {
  const kind = verb === 'describe' ? 'read' : verb;
  return {
    type,
    spec: {
      name: `mem.store.${type.plural}.${verb}`,
      provider: PROVIDER,
      kind,
      service: 'store',
      resourceType: kind === 'read' ? 'read' : type.name,
      converge: kind === 'ensure' ? `ensure_${type.name}` : kind === 'delete' ? 'destroy' : 'single',
      inputKeys: [...Object.keys(type.fields), ...type.options],
    },
  };
}

export const ACTIONS: ReadonlyMap<string, MemoryAction> = new Map(
  TYPES.flatMap((type) => [actionOf(type, 'ensure'), actionOf(type, 'delete'), actionOf(type, 'describe')]).map(
    (action) => [action.spec.name, action],
  ),
);

export function actionNamed(name: string): MemoryAction {
  const found = ACTIONS.get(name);
  if (found === undefined) throw new TypeError(`the in-memory cloud has no action ${name}`);
  return found;
}
