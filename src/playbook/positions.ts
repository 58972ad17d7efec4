import type { SourcePosition } from '../core/diagnostics.ts';
import { positionOf, type TreeNode } from './tree.ts';

/**
 * Where the values below a node stand, by dotted path (`input.rules.0.cidr`). Made when first asked for: ten thousand
 * valid steps ask for none of their hundred thousand positions.
 */
export class Positions implements ReadonlyMap<string, SourcePosition> {
  readonly #node: TreeNode;
  #known: ReadonlyMap<string, SourcePosition> | null = null;

  constructor(node: TreeNode) {
    this.#node = node;
  }

  get #map(): ReadonlyMap<string, SourcePosition> {
    if (this.#known !== null) return this.#known;
    const positions = new Map<string, SourcePosition>();
    notePositions(this.#node, '', positions);
    this.#known = positions;
    return positions;
  }

  get size(): number {
    return this.#map.size;
  }

  get(key: string): SourcePosition | undefined {
    return this.#map.get(key);
  }

  has(key: string): boolean {
    return this.#map.has(key);
  }

  forEach(callback: (value: SourcePosition, key: string, map: ReadonlyMap<string, SourcePosition>) => void): void {
    for (const [key, value] of this.#map) callback(value, key, this);
  }

  entries(): MapIterator<[string, SourcePosition]> {
    return this.#map.entries();
  }

  keys(): MapIterator<string> {
    return this.#map.keys();
  }

  values(): MapIterator<SourcePosition> {
    return this.#map.values();
  }

  [Symbol.iterator](): MapIterator<[string, SourcePosition]> {
    return this.#map.entries();
  }
}

function notePositions(node: TreeNode, prefix: string, positions: Map<string, SourcePosition>): void {
  if (node.kind === 'scalar') return;
  const children: Iterable<readonly [string | number, TreeNode]> =
    node.kind === 'list' ? node.items.entries() : [...node.entries].map(([key, entry]) => [key, entry.value] as const);
  for (const [key, value] of children) {
    const path = prefix === '' ? String(key) : `${prefix}.${key}`;
    positions.set(path, positionOf(value));
    notePositions(value, path, positions);
  }
}
