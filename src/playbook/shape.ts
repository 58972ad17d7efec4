import type { Code } from '../core/codes.ts';
import type { Json } from '../core/json.ts';
import { didYouMean } from '../core/nearest.ts';
import type { Findings, Place } from './findings.ts';
import { describe, type MapNode, type TreeNode } from './tree.ts';

/** What a zod schema says is wrong, as far as it is used here. */
interface Issue {
  readonly code?: string;
  readonly message: string;
  readonly path: readonly PropertyKey[];
  readonly keys?: readonly string[];
}

interface Schema<T> {
  safeParse(
    value: unknown,
  ): { success: true; data: T } | { success: false; error: { readonly issues: readonly unknown[] } };
}

/** Checks a value against a schema; every issue becomes a diagnostic at the place of what it is about. */
export function checkShape<T>(
  schema: Schema<T>,
  value: Json,
  node: TreeNode,
  keys: readonly string[],
  what: string,
  findings: Findings,
  code: Code = 'INVALID_VALUE',
): T | null {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  for (const issue of result.error.issues as readonly Issue[]) addIssue(issue, node, keys, what, findings, code);
  return null;
}

function addIssue(
  issue: Issue,
  node: TreeNode,
  keys: readonly string[],
  what: string,
  findings: Findings,
  code: Code,
): void {
  const path = issue.path.map(String);
  const place = nodeAt(node, path);
  if (issue.code === 'unrecognized_keys') {
    for (const key of issue.keys ?? []) {
      const entry = place.kind === 'map' ? place.entries.get(key) : undefined;
      const hint = didYouMean(key, keys) ?? (path.length === 0 ? `keys: ${keys.join(', ')}` : null);
      findings.add(
        code === 'INVALID_VALUE' ? 'UNKNOWN_KEY' : code,
        `${[what, ...path].join('.')} has no key "${key}".`,
        entry ?? place,
        { hint },
      );
    }
    return;
  }
  findings.add(code, `${[what, ...path].join('.')}: ${lowerFirst(issue.message)}.`, place);
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1).replace(/\.$/, '');
}

/** The deepest node that still exists on the way along a path. */
function nodeAt(node: TreeNode, path: readonly string[]): TreeNode {
  let current = node;
  for (const key of path) {
    const next =
      current.kind === 'map'
        ? current.entries.get(key)?.value
        : current.kind === 'list'
          ? current.items[Number(key)]
          : undefined;
    if (next === undefined) return current;
    current = next;
  }
  return current;
}

/** Complains about every key that is not known, naming the nearest one. */
export function checkKeys(
  map: MapNode,
  known: ReadonlySet<string>,
  what: string,
  findings: Findings,
  code: Code = 'UNKNOWN_KEY',
): void {
  for (const [key, entry] of map.entries) {
    if (known.has(key)) continue;
    const hint = didYouMean(key, known) ?? `keys: ${[...known].join(', ')}`;
    findings.add(code, `${what} has no key "${key}".`, entry, { hint });
  }
}

/** The node as a mapping; a complaint and null otherwise. */
export function asMap(node: TreeNode, what: string, findings: Findings, code: Code = 'INVALID_VALUE'): MapNode | null {
  if (node.kind === 'map') return node;
  findings.add(code, `${what} must be a mapping, not ${describe(node)}.`, node);
  return null;
}

/** A literal text (a number or boolean as it is written); a complaint and null otherwise. */
export function literalText(node: TreeNode, what: string, findings: Findings): string | null {
  if (node.kind === 'scalar' && node.value !== null && node.value !== '') return String(node.value);
  findings.add('INVALID_VALUE', `${what} must be a text, not ${describe(node)}.`, node);
  return null;
}

/** The value of a node whose texts are taken as they are. */
export function literalValue(node: TreeNode): Json {
  if (node.kind === 'scalar') return node.value;
  if (node.kind === 'list') return node.items.map(literalValue);
  return Object.fromEntries([...node.entries].map(([key, entry]) => [key, literalValue(entry.value)]));
}

export function missingKey(
  findings: Findings,
  what: string,
  key: string,
  place: Place,
  hint: string | null = null,
): void {
  findings.add('MISSING_KEY', `${what} lacks the key "${key}".`, place, { hint });
}
