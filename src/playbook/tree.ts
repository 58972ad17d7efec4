import type { SourcePosition } from '../core/diagnostics.ts';
import type { Json } from '../core/json.ts';

/** A file that nodes come from; turns offsets into lines and columns. */
export interface Origin {
  readonly file: string;
  position(offset: number): SourcePosition;
}

interface NodeBase {
  readonly origin: Origin;
  readonly offset: number;
  /** Nodes below and with this one, aliases written out. */
  readonly size: number;
  readonly depth: number;
}

/**
 * A scalar. Numbers whose canonical text is not what stands in the file (0123, 1e3, 1.0, integers above 2^53) are the
 * string that stands there: what a person wrote is never changed on its way to a cloud.
 */
export interface ScalarNode extends NodeBase {
  readonly kind: 'scalar';
  readonly value: string | number | boolean | null;
}

/** A key of a mapping with the place of the key. */
export interface Entry {
  readonly key: string;
  readonly origin: Origin;
  readonly offset: number;
  readonly value: TreeNode;
}

export interface MapNode extends NodeBase {
  readonly kind: 'map';
  readonly entries: ReadonlyMap<string, Entry>;
}

export interface ListNode extends NodeBase {
  readonly kind: 'list';
  readonly items: readonly TreeNode[];
}

/** YAML as the rest of the playbook code sees it: checked keys, aliases resolved, a place for everything. */
export type TreeNode = ScalarNode | MapNode | ListNode;

/** Where a node or a key stands. */
export function positionOf(place: { readonly origin: Origin; readonly offset: number }): SourcePosition {
  return place.origin.position(place.offset);
}

export function child(map: MapNode | null, key: string): TreeNode | null {
  return map?.entries.get(key)?.value ?? null;
}

/** What a node is, for messages: `a list`, `the text "x"`. */
export function describe(node: TreeNode): string {
  if (node.kind === 'scalar') return describeValue(node.value);
  return node.kind === 'map' ? 'a mapping' : 'a list';
}

/** The same of a value that a template gave. */
export function describeValue(value: Json): string {
  if (value === null) return 'nothing';
  if (typeof value === 'object') return Array.isArray(value) ? 'a list' : 'a mapping';
  return typeof value === 'string' ? `the text ${JSON.stringify(shorten(value))}` : `${value}`;
}

const SHOWN = 60;

function shorten(text: string): string {
  return text.length <= SHOWN ? text : `${text.slice(0, SHOWN)}...`;
}

/** Lays a mapping over another: maps merge, everything else (and what `whole` names, at the top) is replaced. */
export function mergeMaps(under: MapNode, over: MapNode, whole: ReadonlySet<string> = new Set()): MapNode {
  const entries = new Map(under.entries);
  for (const [key, entry] of over.entries) {
    const below = entries.get(key)?.value;
    const merges = below?.kind === 'map' && entry.value.kind === 'map' && !whole.has(key);
    entries.set(key, merges ? { ...entry, value: mergeMaps(below, entry.value) } : entry);
  }
  return { ...over, entries };
}
