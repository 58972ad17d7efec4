import type { Json } from '../core/json.ts';
import type { Segment } from './evaluator.ts';

const PLAIN = /^[A-Za-z_][A-Za-z0-9_-]*$/;

/** A path as references carry it: `resource.labels["a.b"][0]`. */
export function formatPath(segments: readonly Segment[]): string {
  return segments
    .map((segment, index) => {
      if (typeof segment === 'number') return `[${segment}]`;
      if (!PLAIN.test(segment)) return `[${JSON.stringify(segment)}]`;
      return index === 0 ? segment : `.${segment}`;
    })
    .join('');
}

const STEP = /\.?([A-Za-z_][A-Za-z0-9_-]*)|\[(-?\d+)\]|\[("(?:[^"\\]|\\.)*")\]/y;

/** The inverse of `formatPath`; null for a text that is no path. */
export function parseReferencePath(path: string): readonly Segment[] | null {
  const segments: Segment[] = [];
  STEP.lastIndex = 0;
  while (STEP.lastIndex < path.length) {
    const match = STEP.exec(path);
    if (match === null) return null;
    const [, name, index, quoted] = match;
    if (name !== undefined) segments.push(name);
    else if (index !== undefined) segments.push(Number(index));
    else segments.push(String(JSON.parse(quoted ?? '""')));
  }
  return segments;
}

/** What stands at a reference's path in a step's result; undefined where nothing does. Own keys only. */
export function valueAtPath(result: Json, path: string): Json | undefined {
  let current: Json | undefined = result;
  for (const segment of parseReferencePath(path) ?? [path]) {
    current = step(current, segment);
    if (current === undefined) return undefined;
  }
  return current;
}

function step(value: Json, segment: Segment): Json | undefined {
  if (Array.isArray(value)) return Number.isInteger(Number(segment)) ? (value.at(Number(segment)) as Json | undefined) : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  const key = String(segment);
  return Object.hasOwn(value, key) ? (value as Readonly<Record<string, Json>>)[key] : undefined;
}
