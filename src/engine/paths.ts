import { isJsonObject, type Json } from '../core/json.ts';

/** Follows a dotted path with `[n]` for list items; undefined where it leads nowhere. */
export function followPath(data: Json, path: string): Json | undefined {
  return followKeys(data, pathKeys(path));
}

/** The same by keys; undefined where they lead nowhere. */
export function followKeys(data: Json, keys: readonly string[]): Json | undefined {
  let current: Json | undefined = data;
  for (const key of keys) {
    if (Array.isArray(current)) current = (current as readonly Json[])[Number(key)];
    else if (isJsonObject(current) && Object.hasOwn(current, key)) current = current[key];
    else return undefined;
  }
  return current;
}

/** The keys of a dotted path, with those in brackets. */
export function pathKeys(path: string): readonly string[] {
  return [...path.matchAll(/\[(?:'([^']*)'|"([^"]*)"|(\d+))\]|([^.[\]]+)/g)].map(
    (match) => match[1] ?? match[2] ?? match[3] ?? match[4] ?? '',
  );
}
