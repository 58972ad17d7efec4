import { isJsonObject, type Json, type JsonObject } from '../core/json.ts';
import { Findings } from './findings.ts';
import { asMap, literalValue } from './shape.ts';
import type { MapNode } from './tree.ts';
import { readYaml } from './yaml-text.ts';

export interface WorkloadSources {
  readonly playbook: MapNode | null;
  /** What `workload.action` is unless a file or a `--set` says otherwise; null: the playbook's own. */
  readonly action: string | null;
  readonly file: { readonly path: string; readonly text: string } | null;
  readonly sets: readonly string[];
}

/** The workload: the playbook's, then the verb's action, then `--workload`, then each `--set`. */
export function readWorkload(sources: WorkloadSources, findings: Findings): JsonObject {
  let workload: Json = sources.playbook === null ? {} : literalValue(sources.playbook);
  if (sources.action !== null) workload = mergeJson(workload, { action: sources.action });
  if (sources.file !== null) workload = mergeJson(workload, readWorkloadFile(sources.file, findings));
  for (const set of sources.sets) workload = applySet(workload, set, findings);
  return isJsonObject(workload) ? workload : {};
}

function readWorkloadFile(file: { readonly path: string; readonly text: string }, findings: Findings): JsonObject {
  const tree = readYaml(file.text, file.path, findings);
  const map = tree === null ? null : asMap(tree, 'A workload file', findings);
  if (map === null) return {};
  return literalValue(map) as JsonObject;
}

/** Maps merge, everything else is replaced. */
function mergeJson(under: Json, over: Json): Json {
  if (!isJsonObject(under) || !isJsonObject(over)) return over;
  const merged: Record<string, Json> = { ...under };
  for (const [key, value] of Object.entries(over)) {
    merged[key] = Object.hasOwn(merged, key) ? mergeJson(merged[key] ?? null, value) : value;
  }
  return merged;
}

const SEGMENT = /([^.[\]]+)|\[(\d{1,6})\]/y;

function applySet(workload: Json, set: string, findings: Findings): Json {
  const equals = set.indexOf('=');
  const path = equals === -1 ? null : parsePath(set.slice(0, equals).trim());
  if (path === null || path.length === 0)
    return refuse(set, 'is not path=value, such as projects[0].id=acme', workload, findings);
  const inside = path[0] === 'workload' ? path.slice(1) : path;
  if (inside.length === 0) return refuse(set, 'names no key of the workload', workload, findings);
  const value = setValue(set.slice(equals + 1), set, findings);
  if (value === undefined) return workload;
  const result = put(workload, inside, value);
  return result ?? refuse(set, 'leads through something that is no map, or past the end of a list', workload, findings);
}

function refuse(set: string, why: string, workload: Json, findings: Findings): Json {
  findings.add('USAGE', `--set ${set} ${why}.`, null);
  return workload;
}

function setValue(text: string, set: string, findings: Findings): Json | undefined {
  if (text.trim() === '') return null;
  const own = new Findings();
  const tree = readYaml(text, '--set', own);
  if (tree !== null && !own.failed) return literalValue(tree);
  const [first] = own.list();
  findings.add('USAGE', `--set ${set}: the value is not valid YAML. ${first?.detail ?? ''}`.trim(), null, {
    hint: 'quote it as YAML wants it: --set \'a="x: y"\'',
  });
  return undefined;
}

/** `a.b`, `list[0].c`; null when it is no path. */
function parsePath(text: string): readonly (string | number)[] | null {
  const segments: (string | number)[] = [];
  let position = 0;
  while (position < text.length) {
    if (text[position] === '.') {
      if (segments.length === 0) return null;
      position += 1;
    } else if (segments.length > 0 && text[position] !== '[') return null;
    SEGMENT.lastIndex = position;
    const match = SEGMENT.exec(text);
    if (match === null || match[1] === '__proto__') return null;
    segments.push(match[1] ?? Number(match[2]));
    position = SEGMENT.lastIndex;
  }
  return segments;
}

/** A copy with one place replaced; undefined when the path can't be followed. */
function put(target: Json, path: readonly (string | number)[], value: Json): Json | undefined {
  const [head, ...rest] = path;
  if (head === undefined) return value;
  if (Array.isArray(target)) {
    const list = target as readonly Json[];
    if (typeof head !== 'number' || head >= list.length) return undefined;
    const item = put(list[head] ?? null, rest, value);
    return item === undefined ? undefined : list.with(head, item);
  }
  if (typeof head === 'number' || (target !== null && !isJsonObject(target))) return undefined;
  const map = target ?? {};
  const item = put(Object.hasOwn(map, head) ? (map[head] ?? null) : null, rest, value);
  return item === undefined ? undefined : { ...map, [head]: item };
}
