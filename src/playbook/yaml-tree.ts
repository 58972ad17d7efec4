import { isAlias, isMap, isNode, isScalar, isSeq, type Pair, type ParsedNode, type YAMLMap, type YAMLSeq } from 'yaml';
import type { Findings } from './findings.ts';
import type { Entry, MapNode, Origin, ScalarNode, TreeNode } from './tree.ts';

/** What aliases may add to a file: the sum of all nodes that are there only because an alias repeats them. */
const MAX_ALIAS_NODES = 200_000;
const MAX_TREE_DEPTH = 64;
/** Would set an object's prototype where a key is assigned; no cloud has such a field. */
const REFUSED_KEY = '__proto__';

const TAG_PREFIX = 'tag:yaml.org,2002:';
/** What JSON can carry; sets, dates and binary data have no meaning here. */
const TAGS: ReadonlySet<string> = new Set(
  ['str', 'int', 'float', 'bool', 'null', 'map', 'seq'].map((name) => TAG_PREFIX + name),
);

/** Turns the library's nodes into ours: keys checked, aliases resolved and bounded. One builder a file, part by part. */
export class TreeBuilder {
  readonly #origin: Origin;
  readonly #findings: Findings;
  readonly #anchors = new Map<string, TreeNode>();
  readonly #told = new Set<string>();
  #aliasNodes = 0;
  #base = 0;

  constructor(origin: Origin, findings: Findings) {
    this.#origin = origin;
    this.#findings = findings;
  }

  /** The part's tree, whose offsets count from `base`. Null when something is refused. */
  build(root: ParsedNode, base: number): TreeNode | null {
    const before = this.#findings.errors;
    this.#base = base;
    const tree = this.#convert(root);
    return this.#findings.errors > before ? null : tree;
  }

  #convert(node: unknown): TreeNode {
    if (isAlias(node)) return this.#resolveAlias(node.source, this.#offsetOf(node));
    if (isNode(node)) this.#checkTag(node.tag, this.#offsetOf(node));
    if (isScalar(node)) {
      const tree = this.#scalar(scalarValue(node.value, node.source), this.#offsetOf(node));
      if (node.anchor !== undefined) this.#anchors.set(node.anchor, tree);
      return tree;
    }
    if (!isMap(node) && !isSeq(node)) return this.#scalar(null, this.#base);
    const tree = isMap(node) ? this.#convertMap(node) : this.#convertList(node);
    // Registered only now: an alias inside its own anchor finds nothing and is refused.
    if (node.anchor !== undefined) this.#anchors.set(node.anchor, tree);
    return tree;
  }

  #checkTag(tag: string | undefined, offset: number): void {
    if (tag === undefined || TAGS.has(tag)) return;
    const detail = `The tag ${tag.replace(TAG_PREFIX, '!!')} is not accepted.`;
    this.#findings.add('YAML_INVALID', detail, { origin: this.#origin, offset });
  }

  #offsetOf(node: { readonly range?: readonly number[] | null | undefined }): number {
    return this.#base + (node.range?.[0] ?? 0);
  }

  #scalar(value: ScalarNode['value'], offset: number): ScalarNode {
    return { kind: 'scalar', value, origin: this.#origin, offset, size: 1, depth: 1 };
  }

  #convertList(node: YAMLSeq): TreeNode {
    const items = node.items.map((item) => this.#convert(item));
    const offset = this.#offsetOf(node);
    const { size, depth } = this.#extent(items, offset);
    return { kind: 'list', items, origin: this.#origin, offset, size, depth };
  }

  #convertMap(node: YAMLMap): MapNode {
    const offset = this.#offsetOf(node);
    const entries = new Map<string, Entry>();
    const values: TreeNode[] = [];
    for (const pair of node.items) {
      const entry = this.#convertPair(pair, offset);
      if (entry === null) continue;
      if (entries.has(entry.key)) {
        this.#findings.add(
          'DUPLICATE_KEY',
          `The key ${JSON.stringify(entry.key)} stands here for the second time.`,
          entry,
        );
      }
      entries.set(entry.key, entry);
      values.push(entry.value);
    }
    const { size, depth } = this.#extent(values, offset);
    return { kind: 'map', entries, origin: this.#origin, offset, size, depth };
  }

  #convertPair(pair: Pair, mapOffset: number): Entry | null {
    const origin = this.#origin;
    const { key } = pair;
    const offset = isScalar(key) ? this.#offsetOf(key) : mapOffset;
    const text = isScalar(key) ? keyText(key.value, key.source) : null;
    const refused = refusalOfKey(text);
    if (refused !== null || text === null) {
      this.#findings.add('YAML_INVALID', refused?.detail ?? '', { origin, offset }, { hint: refused?.hint ?? null });
      return null;
    }
    const value = pair.value === null ? this.#scalar(null, offset) : this.#convert(pair.value);
    return { key: text, origin, offset, value };
  }

  #resolveAlias(name: string, offset: number): TreeNode {
    const target = this.#anchors.get(name);
    if (target === undefined) {
      this.#findings.add('YAML_INVALID', `The alias *${name} has no finished anchor before it.`, {
        origin: this.#origin,
        offset,
      });
      return this.#scalar(null, offset);
    }
    this.#aliasNodes += target.size;
    if (this.#aliasNodes <= MAX_ALIAS_NODES) return target;
    this.#limit(`Aliases expand to more than ${MAX_ALIAS_NODES} nodes.`, offset);
    return this.#scalar(null, offset);
  }

  /** Once is enough: whatever follows goes beyond it, too. */
  #limit(detail: string, offset: number): void {
    if (this.#told.has(detail)) return;
    this.#told.add(detail);
    this.#findings.add('YAML_LIMIT', detail, { origin: this.#origin, offset });
  }

  #extent(children: readonly TreeNode[], offset: number): { readonly size: number; readonly depth: number } {
    let size = 1;
    let depth = 0;
    for (const item of children) {
      size += item.size;
      if (item.depth > depth) depth = item.depth;
    }
    if (depth > MAX_TREE_DEPTH) this.#limit(`The text nests deeper than ${MAX_TREE_DEPTH} levels.`, offset);
    return { size, depth: depth + 1 };
  }
}

function scalarValue(value: unknown, source: string | undefined): ScalarNode['value'] {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value;
  if (typeof value === 'number' && (source === undefined || String(value) === source)) return value;
  return source ?? String(value);
}

function keyText(value: unknown, source: string | undefined): string | null {
  if (value === null || typeof value === 'object') return null;
  return typeof value === 'string' ? value : (source ?? String(value));
}

function refusalOfKey(text: string | null): { readonly detail: string; readonly hint: string | null } | null {
  if (text === null) return { detail: 'A key must be a plain text or number.', hint: null };
  if (text === '<<')
    return { detail: 'Merge keys `<<` are not part of YAML 1.2.', hint: 'use `defaults`, or write the keys out' };
  return text === REFUSED_KEY ? { detail: `The key "${REFUSED_KEY}" is not accepted.`, hint: null } : null;
}
