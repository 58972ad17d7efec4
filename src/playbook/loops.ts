import { isJsonObject, type Json, type JsonObject } from '../core/json.ts';
import type { Findings } from './findings.ts';
import type { Renderer } from './render.ts';
import { asMap, checkKeys, literalText, missingKey } from './shape.ts';
import { child, type MapNode, type TreeNode } from './tree.ts';

const KEYS = new Set(['in', 'iterator', 'mode', 'spec']);
const IGNORED = ['mode', 'spec'];
const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;
const KEY_FIELDS = ['key', 'id', 'name'];
const MAX_KEY = 300;

/** One pass of a loop, or the only one of a step without: its key and the variables under `iter`. */
export interface Iteration {
  readonly key: string | null;
  readonly iter: JsonObject | null;
}

export const ONCE: readonly Iteration[] = [{ key: null, iter: null }];

/** Works out a loop's iterations; null when it is not valid. The renderer must not be inside of a loop. */
export function readLoop(
  node: TreeNode,
  step: string,
  renderer: Renderer,
  findings: Findings,
): readonly Iteration[] | null {
  const loop = asMap(node, `The loop of step "${step}"`, findings);
  if (loop === null) return null;
  checkKeys(loop, KEYS, `The loop of step "${step}"`, findings);
  for (const key of IGNORED) {
    const entry = loop.entries.get(key);
    if (entry !== undefined)
      findings.add('KEY_IGNORED', `\`loop.${key}\` belongs to NoETL and has no effect here.`, entry, { address: step });
  }
  const iterator = readIterator(loop, step, findings);
  const elements = readElements(loop, step, renderer, findings);
  return iterator === null || elements === null
    ? null
    : iterations(elements.list, iterator, step, elements.node, findings);
}

function readIterator(loop: MapNode, step: string, findings: Findings): string | null {
  const node = child(loop, 'iterator');
  if (node === null) {
    missingKey(findings, `The loop of step "${step}"`, 'iterator', loop, 'iterator: <name>, used as {{ iter.<name> }}');
    return null;
  }
  const name = literalText(node, 'loop.iterator', findings);
  if (name === null) return null;
  if (IDENTIFIER.test(name) && name !== 'index') return name;
  findings.add(
    'INVALID_VALUE',
    `loop.iterator must be a name of letters, digits and _ (and not "index"), not ${JSON.stringify(name.slice(0, 60))}.`,
    node,
  );
  return null;
}

function readElements(
  loop: MapNode,
  step: string,
  renderer: Renderer,
  findings: Findings,
): { list: readonly Json[]; node: TreeNode } | null {
  const node = child(loop, 'in');
  if (node === null) {
    missingKey(findings, `The loop of step "${step}"`, 'in', loop, 'in: "{{ workload.<list> }}"');
    return null;
  }
  const value = renderer.static(node, "A loop's list");
  if (value === undefined) return null;
  if (Array.isArray(value)) return { list: value as readonly Json[], node };
  const hint = isJsonObject(value) ? 'use `| items` to go through a map' : null;
  findings.add(
    'INVALID_VALUE',
    `loop.in must be a list, not ${isJsonObject(value) ? 'a map' : JSON.stringify(value)?.slice(0, 60)}.`,
    node,
    { hint },
  );
  return null;
}

function iterations(
  list: readonly Json[],
  iterator: string,
  step: string,
  node: TreeNode,
  findings: Findings,
): readonly Iteration[] | null {
  const seen = new Map<string, number>();
  const result: Iteration[] = [];
  for (const [index, element] of list.entries()) {
    const place = node.kind === 'list' ? (node.items[index] ?? node) : node;
    const key = keyOf(element, index);
    const earlier = seen.get(key);
    if (!isKey(key)) {
      findings.add(
        'INVALID_VALUE',
        `Element ${index} of the loop has the key ${JSON.stringify(key.slice(0, 60))}: a key has 1 to ${MAX_KEY} characters, none of them invisible.`,
        place,
      );
      return null;
    }
    if (earlier !== undefined) {
      const hint = 'give the elements distinct `key`, `id` or `name`';
      findings.add(
        'DUPLICATE_STEP',
        `Elements ${earlier} and ${index} of the loop of "${step}" have the same key "${key}".`,
        place,
        { hint, address: step },
      );
      return null;
    }
    seen.set(key, index);
    result.push({ key, iter: { [iterator]: element, index } });
  }
  return result;
}

function isKey(key: string): boolean {
  return key !== '' && key.length <= MAX_KEY && !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(key);
}

/** The element if it is a scalar, else its `key`, `id` or `name`, else its index. */
function keyOf(element: Json, index: number): string {
  if (isScalar(element)) return String(element);
  if (!isJsonObject(element)) return String(index);
  for (const field of KEY_FIELDS) {
    const value = Object.hasOwn(element, field) ? (element[field] ?? null) : null;
    if (isScalar(value)) return String(value);
  }
  return String(index);
}

function isScalar(value: Json): value is string | number | boolean {
  return value !== null && typeof value !== 'object';
}
