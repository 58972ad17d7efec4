import { canonicalJson, isJsonObject, type Json, type JsonObject, sha256Hex } from './json.ts';

/** What stands in place of a secret in everything echoed or stored. */
export const REDACTED = '***redacted***';

const SENSITIVE = [
  'token',
  'authorization',
  'secret',
  'password',
  'passwd',
  'credential',
  'private_key',
  'client_secret',
  'api_key',
  'apikey',
  'access_key',
];
/** Below these keys stand public texts, whatever they are called. */
const PUBLIC_SUBTREES: ReadonlySet<string> = new Set(['labels', 'condition', 'conditions', 'description', 'desc']);

export interface RedactionOptions {
  /** Dotted paths from the top (`auth.credential`), `*` for any one key or index, that are public with all below them. */
  readonly publicPaths?: readonly string[];
}

/** Whether a key says by its name that its value is a secret. */
export function isSensitiveKey(key: string): boolean {
  const name = key.toLowerCase();
  return SENSITIVE.some((part) => name.includes(part));
}

/** The value with `***redacted***` in place of every value whose key names a secret. */
export function redact(value: Json, options: RedactionOptions = {}): Json {
  return replaceSecrets(value, options, () => REDACTED);
}

/** The same places as hex SHA-256 of their canonical JSON: two secrets differ, and neither can be read. */
export function redactForDigest(value: Json, options: RedactionOptions = {}): Json {
  return replaceSecrets(value, options, (secret) => sha256Hex(canonicalJson(secret)));
}

function replaceSecrets(value: Json, options: RedactionOptions, replace: (secret: Json) => Json): Json {
  const publicPaths = (options.publicPaths ?? []).map((path) => path.split('.'));
  const walk = (item: Json, path: readonly string[]): Json => {
    if (Array.isArray(item)) return item.map((entry: Json, index) => walk(entry, [...path, String(index)]));
    if (!isJsonObject(item)) return item;
    return Object.fromEntries(
      Object.entries(item).map(([key, entry]) => [
        key,
        namesCredential(item, key, path.at(-1)) ? entry : member(key, entry, [...path, key]),
      ]),
    );
  };
  const member = (key: string, entry: Json, path: readonly string[]): Json => {
    if (PUBLIC_SUBTREES.has(key) || publicPaths.some((known) => matches(known, path))) return entry;
    // Nothing is hidden where nothing is said: a null stays a null.
    return isSensitiveKey(key) && entry !== null ? replace(entry) : walk(entry, path);
  };
  return walk(value, []);
}

/** `credential` of an auth block and of a fact is a name that the caller gave it. */
function namesCredential(parent: JsonObject, key: string, parentKey: string | undefined): boolean {
  if (key !== 'credential' || typeof parent[key] !== 'string') return false;
  return parentKey === 'auth' || (typeof parent['urn'] === 'string' && typeof parent['verb'] === 'string');
}

function matches(known: readonly string[], path: readonly string[]): boolean {
  return known.length === path.length && known.every((part, index) => part === '*' || part === path[index]);
}
