import { canonicalJson, type ExactJson, type Json, sha256Hex } from './json.ts';

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
  return replaceSecrets(value, options, { secret: () => REDACTED }) as Json;
}

/** The same for a row that anyone may have written; `text` gives what stands for each of its texts. */
export function redactRow(row: ExactJson, text: (value: string) => string): ExactJson {
  return replaceSecrets(row, {}, { secret: () => REDACTED, text });
}

/** The same places as hex SHA-256 of their canonical JSON: two secrets differ, and neither can be read. */
export function redactForDigest(value: Json, options: RedactionOptions = {}): Json {
  return replaceSecrets(value, options, { secret: (secret) => sha256Hex(canonicalJson(secret)) }) as Json;
}

interface Replacements {
  secret(value: ExactJson): string;
  text?(value: string): string;
}

type ExactObject = Readonly<Record<string, ExactJson>>;

function isObject(value: ExactJson): value is ExactObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function replaceSecrets(value: ExactJson, options: RedactionOptions, replace: Replacements): ExactJson {
  const publicPaths = (options.publicPaths ?? []).map((path) => path.split('.'));
  const walk = (item: ExactJson, path: readonly string[]): ExactJson => {
    if (typeof item === 'string') return replace.text?.(item) ?? item;
    if (Array.isArray(item)) return item.map((entry: ExactJson, index) => walk(entry, [...path, String(index)]));
    if (!isObject(item)) return item;
    return Object.fromEntries(
      Object.entries(item).map(([key, entry]) => [
        key,
        namesCredential(item, key, path.at(-1)) ? entry : member(key, entry, [...path, key]),
      ]),
    );
  };
  const member = (key: string, entry: ExactJson, path: readonly string[]): ExactJson => {
    if (PUBLIC_SUBTREES.has(key) || publicPaths.some((known) => matches(known, path))) return entry;
    // Nothing is hidden where nothing is said: a null stays a null.
    return isSensitiveKey(key) && entry !== null ? replace.secret(entry) : walk(entry, path);
  };
  return walk(value, []);
}

/** `credential` of an auth block and of a fact is a name that the caller gave it. */
function namesCredential(parent: ExactObject, key: string, parentKey: string | undefined): boolean {
  if (key !== 'credential' || typeof parent[key] !== 'string') return false;
  return parentKey === 'auth' || (typeof parent['urn'] === 'string' && typeof parent['verb'] === 'string');
}

function matches(known: readonly string[], path: readonly string[]): boolean {
  return known.length === path.length && known.every((part, index) => part === '*' || part === path[index]);
}
