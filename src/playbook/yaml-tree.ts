import { isAlias, isMap, isScalar, isSeq, type Pair, type ParsedNode, type YAMLMap, type YAMLSeq } from 'yaml';
import type { Findings } from './findings.ts';
import type { Entry, MapNode, Origin, ScalarNode, TreeNode } from './tree.ts';

/** What aliases may add to a file: the sum of all nodes that are there only because an alias repeats them. */
const MAX_ALIAS_NODES = 200_000;
const MAX_TREE_DEPTH = 64;
/** Would set an object's prototype where a key is assigned; no cloud has such a field. */
const REFUSED_KEY = '__proto__';

interface Conversion {
  readonly origin: Origin;
  readonly findings: Findings;
  readonly anchors: Map<string, TreeNode>;
  aliasNodes: number;
}

/** Turns the library's nodes into ours: keys checked, aliases resolved and bounded. Null when something is refused. */
export function toTree(root: ParsedNode, origin: Origin, findings: Findings): TreeNode | null {
  const before = findings.errors;
  const conversion: Conversion = { origin, findings, anchors: new Map(), aliasNodes: 0 };
  const tree = convert(root, conversion);
  return findings.errors > before ? null : tree;
}

function convert(node: unknown, conversion: Conversion): TreeNode {
  if (isAlias(node)) return resolveAlias(node.source, node.range?.[0] ?? 0, conversion);
  const tree = convertNode(node, conversion);
  const anchor = isMap(node) || isSeq(node) || isScalar(node) ? node.anchor : undefined;
  // Registered only now: an alias inside its own anchor finds nothing and is refused.
  if (anchor !== undefined) conversion.anchors.set(anchor, tree);
  return tree;
}

function convertNode(node: unknown, conversion: Conversion): TreeNode {
  if (isMap(node)) return convertMap(node, conversion);
  if (isSeq(node)) return convertList(node, conversion);
  if (isScalar(node)) {
    return scalar(scalarValue(node.value, node.source), node.range?.[0] ?? 0, conversion.origin);
  }
  return scalar(null, 0, conversion.origin);
}

function scalar(value: ScalarNode['value'], offset: number, origin: Origin): ScalarNode {
  return { kind: 'scalar', value, origin, offset, size: 1, depth: 1 };
}

function scalarValue(value: unknown, source: string | undefined): ScalarNode['value'] {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value;
  if (typeof value === 'number' && (source === undefined || String(value) === source)) return value;
  return source ?? String(value);
}

function convertList(node: YAMLSeq, conversion: Conversion): TreeNode {
  const items = node.items.map((item) => convert(item, conversion));
  return { kind: 'list', items, origin: conversion.origin, offset: node.range?.[0] ?? 0, ...extent(items, conversion, node) };
}

function convertMap(node: YAMLMap, conversion: Conversion): MapNode {
  const entries = new Map<string, Entry>();
  const values: TreeNode[] = [];
  for (const pair of node.items) {
    const entry = convertPair(pair, node.range?.[0] ?? 0, conversion);
    if (entry === null) continue;
    if (entries.has(entry.key)) {
      conversion.findings.add('DUPLICATE_KEY', `The key ${JSON.stringify(entry.key)} stands here for the second time.`, entry);
    }
    entries.set(entry.key, entry);
    values.push(entry.value);
  }
  return { kind: 'map', entries, origin: conversion.origin, offset: node.range?.[0] ?? 0, ...extent(values, conversion, node) };
}

function convertPair(pair: Pair, mapOffset: number, conversion: Conversion): Entry | null {
  const { origin, findings } = conversion;
  const key = pair.key;
  const offset = isScalar(key) ? (key.range?.[0] ?? mapOffset) : mapOffset;
  const text = isScalar(key) ? keyText(key.value, key.source) : null;
  if (text === null) {
    findings.add('YAML_INVALID', 'A key must be a plain text or number.', { origin, offset });
    return null;
  }
  if (text === '<<') {
    findings.add('YAML_INVALID', 'Merge keys `<<` are not part of YAML 1.2.', { origin, offset }, { hint: 'use `defaults`, or write the keys out' });
    return null;
  }
  if (text === REFUSED_KEY) {
    findings.add('INVALID_VALUE', `The key "${REFUSED_KEY}" is not accepted.`, { origin, offset });
    return null;
  }
  const value = pair.value === null ? scalar(null, offset, origin) : convert(pair.value, conversion);
  return { key: text, origin, offset, value };
}

function keyText(value: unknown, source: string | undefined): string | null {
  if (value === null || typeof value === 'object') return null;
  return typeof value === 'string' ? value : (source ?? String(value));
}

function resolveAlias(name: string, offset: number, conversion: Conversion): TreeNode {
  const { origin, findings } = conversion;
  const target = conversion.anchors.get(name);
  if (target === undefined) {
    findings.add('YAML_INVALID', `The alias *${name} has no finished anchor before it.`, { origin, offset });
    return scalar(null, offset, origin);
  }
  conversion.aliasNodes += target.size;
  if (conversion.aliasNodes <= MAX_ALIAS_NODES) return target;
  findings.add('YAML_LIMIT', `Aliases expand to more than ${MAX_ALIAS_NODES} nodes.`, { origin, offset });
  return scalar(null, offset, origin);
}

function extent(children: readonly TreeNode[], conversion: Conversion, node: YAMLMap | YAMLSeq): { size: number; depth: number } {
  let size = 1;
  let depth = 0;
  for (const item of children) {
    size += item.size;
    if (item.depth > depth) depth = item.depth;
  }
  if (depth + 1 > MAX_TREE_DEPTH + 1) {
    const place = { origin: conversion.origin, offset: node.range?.[0] ?? 0 };
    conversion.findings.add('YAML_LIMIT', `The text nests deeper than ${MAX_TREE_DEPTH} levels.`, place);
  }
  return { size, depth: depth + 1 };
}
