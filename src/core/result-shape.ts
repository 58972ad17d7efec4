/** What a step's result may hold: one plain value, anything at all, known keys, or a list. */
export type ResultShape =
  | 'value'
  | 'any'
  | { readonly keys: Readonly<Record<string, ResultShape>> }
  | { readonly items: ResultShape };

/** Where a path leaves what a result may hold. */
export interface Misfit {
  /** The part of the path that is there, as keys. */
  readonly before: readonly string[];
  readonly key: string;
  /** What there is instead of something that has the key. */
  readonly within: Exclude<ResultShape, 'any'>;
}

/** The first key of a path that a result of this shape never has; null: it may be there. */
export function misfit(shape: ResultShape, path: readonly string[]): Misfit | null {
  let current = shape;
  for (const [index, key] of path.entries()) {
    if (current === 'any') return null;
    const below = current === 'value' ? undefined : memberOf(current, key);
    if (below === undefined) return { before: path.slice(0, index), key, within: current };
    current = below;
  }
  return null;
}

function memberOf(shape: Exclude<ResultShape, string>, key: string): ResultShape | undefined {
  if ('items' in shape) return /^\d+$/.test(key) ? shape.items : undefined;
  return Object.hasOwn(shape.keys, key) ? shape.keys[key] : undefined;
}
