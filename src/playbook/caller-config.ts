import { stat } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import * as z from 'zod/mini';
import { diagnostic } from '../core/codes.ts';
import type { Diagnostic } from '../core/diagnostics.ts';
import type { JsonObject } from '../core/json.ts';
import type { GuardSpec } from '../core/step.ts';
import { readTextFile, saysNothing } from './files.ts';
import { Findings } from './findings.ts';
import { readGuard } from './guard.ts';
import { asMap, checkKeys, checkShape, literalValue } from './shape.ts';
import { child, type MapNode, type TreeNode } from './tree.ts';
import { readYaml } from './yaml-text.ts';

/**
 * One of the caller's credentials: whose authority a step's `credential: NAME` stands for. Keys as they stand in the file;
 * paths are absolute.
 */
export interface CallerCredential {
  readonly type: 'gcp_adc' | 'service_account' | 'bearer' | 'yc_profile';
  readonly scopes?: readonly string[] | undefined;
  readonly quota_project?: string | undefined;
  readonly impersonate?: string | undefined;
  readonly key_file?: string | undefined;
  readonly token_file?: string | undefined;
  readonly token_env?: string | undefined;
  readonly profile?: string | undefined;
}

/** What verbs without a playbook use for a stack. */
export interface CallerStack {
  readonly credential: string | null;
  readonly settings: JsonObject | null;
}

/** What the caller alone decides. */
export interface CallerConfig {
  /** The file that was read; null: there is none. */
  readonly path: string | null;
  /** By name, without a prototype: a playbook's `credential: constructor` finds nothing. */
  readonly credentials: Readonly<Record<string, CallerCredential>>;
  readonly stacks: ReadonlyMap<string, CallerStack>;
  readonly eventlog: string | null;
  readonly exposeEnv: readonly string[];
  /** Origins such as http://127.0.0.1:8089. */
  readonly allowEndpoints: readonly string[];
  readonly guard: GuardSpec | null;
}

export const NO_CALLER_CONFIG: CallerConfig = {
  path: null,
  credentials: {},
  stacks: new Map(),
  eventlog: null,
  exposeEnv: [],
  allowEndpoints: [],
  guard: null,
};

export interface CallerConfigRequest {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The caller's home folder. */
  readonly home: string;
  /** The caller's user id; null where the system has none. */
  readonly uid: number | null;
}

export interface CallerConfigResult {
  /** Null when a diagnostic is an error; without a file, `NO_CALLER_CONFIG`. */
  readonly config: CallerConfig | null;
  readonly diagnostics: readonly Diagnostic[];
}

/** Where the caller's own configuration lies. A relative XDG_CONFIG_HOME counts as not set, as its specification says. */
export function callerConfigPath({ env, home }: Pick<CallerConfigRequest, 'env' | 'home'>): string {
  const base = env['XDG_CONFIG_HOME'];
  return join(base !== undefined && isAbsolute(base) ? base : join(home, '.config'), 'infra', 'config.yaml');
}

/** Reads the caller's own configuration. A file that others could have written is refused. */
export async function loadCallerConfig(request: CallerConfigRequest): Promise<CallerConfigResult> {
  const path = callerConfigPath(request);
  const info = await stat(path).catch((error: unknown) => error);
  if (info instanceof Error) {
    if ('code' in info && (info.code === 'ENOENT' || info.code === 'ENOTDIR'))
      return { config: NO_CALLER_CONFIG, diagnostics: [] };
  } else {
    const unsafe = refuseUnsafe(path, info as { readonly uid: number; readonly mode: number }, request.uid);
    if (unsafe !== null) return { config: null, diagnostics: [unsafe] };
  }
  const file = await readTextFile(path);
  return file.kind === 'unreadable' ? { config: null, diagnostics: [file.why] } : parseCallerConfig(path, file.text);
}

const OTHERS_WRITE = 0o022;

function refuseUnsafe(
  path: string,
  info: { readonly uid: number; readonly mode: number },
  uid: number | null,
): Diagnostic | null {
  if (uid === null) return null;
  if (info.uid !== uid && info.uid !== 0) return diagnostic('UNSAFE_PATH', `${path} belongs to another user.`);
  if ((info.mode & OTHERS_WRITE) === 0) return null;
  return diagnostic('UNSAFE_PATH', `${path} may be written by others.`, { hint: `chmod go-w ${path}` });
}

const KEYS = new Set(['credentials', 'stacks', 'eventlog', 'expose_env', 'allow_endpoints', 'guard']);

/** Parses config.yaml. */
export function parseCallerConfig(path: string, content: string): CallerConfigResult {
  const findings = new Findings();
  const tree = readYaml(saysNothing(content) ? '{}' : content, path, findings);
  const root = tree === null ? null : asMap(tree, 'config.yaml', findings, 'CONFIG_INVALID');
  if (root === null) return { config: null, diagnostics: findings.list() };
  checkKeys(root, KEYS, 'config.yaml', findings, 'CONFIG_INVALID');
  const guard = child(root, 'guard');
  const config: CallerConfig = {
    path,
    credentials: readCredentials(child(root, 'credentials'), findings),
    stacks: readStacks(child(root, 'stacks'), findings),
    eventlog: read(root, 'eventlog', eventlogSchema, findings),
    exposeEnv: read(root, 'expose_env', z.array(variableName), findings) ?? [],
    allowEndpoints: (read(root, 'allow_endpoints', z.array(origin), findings) ?? []).map((url) => new URL(url).origin),
    guard: guard === null ? null : (readGuard(guard, 'config.yaml', findings)?.spec ?? null),
  };
  return { config: findings.failed ? null : config, diagnostics: findings.list() };
}

const text = z.string().check(z.minLength(1));
const variableName = z.string().check(z.regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be the name of a variable'));
const origin = z
  .string()
  .check(z.refine(isOrigin, 'must be an origin such as http://127.0.0.1:8089, without user and path'));
const eventlogSchema = z
  .string()
  .check(z.minLength(1), z.refine(hasNoPassword, 'must have no password in it: use PGPASSWORD or a pgpass file'));
const absolute = z.string().check(z.refine(isAbsolute, 'must be an absolute path'));

function isOrigin(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const url = new URL(value);
  const plain = url.username === '' && url.password === '' && url.search === '' && url.hash === '';
  return plain && (url.protocol === 'http:' || url.protocol === 'https:') && url.pathname === '/';
}

function hasNoPassword(value: string): boolean {
  return !URL.canParse(value) || (new URL(value).password === '' && !/[?&]password=/i.test(value));
}

interface Schema<T> {
  safeParse(
    value: unknown,
  ): { success: true; data: T } | { success: false; error: { readonly issues: readonly unknown[] } };
}

function read<T>(root: MapNode, key: string, schema: Schema<T>, findings: Findings): T | null {
  const node = child(root, key);
  return node === null ? null : checkShape(schema, literalValue(node), node, [], key, findings, 'CONFIG_INVALID');
}

const google = { scopes: z.optional(z.array(text)), quota_project: z.optional(text), impersonate: z.optional(text) };
const CREDENTIALS = {
  gcp_adc: z.strictObject({ type: z.literal('gcp_adc'), ...google }),
  service_account: z.strictObject({ type: z.literal('service_account'), key_file: absolute, ...google }),
  bearer: z.strictObject({
    type: z.literal('bearer'),
    token_file: z.optional(absolute),
    token_env: z.optional(variableName),
    scopes: google.scopes,
    quota_project: google.quota_project,
  }),
  yc_profile: z.strictObject({ type: z.literal('yc_profile'), profile: z.optional(text) }),
} as const;
const CREDENTIAL_KEYS = [
  'type',
  'scopes',
  'quota_project',
  'impersonate',
  'key_file',
  'token_file',
  'token_env',
  'profile',
];
const NAME = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}$/;

function* namedMaps(node: TreeNode | null, what: string, findings: Findings): Generator<readonly [string, MapNode]> {
  const map = node === null ? null : asMap(node, what, findings, 'CONFIG_INVALID');
  for (const [name, entry] of map?.entries ?? []) {
    if (!NAME.test(name))
      findings.add(
        'CONFIG_INVALID',
        `${what}: ${JSON.stringify(name.slice(0, 60))} is no name of letters, digits, "_", "." and "-".`,
        entry,
      );
    const value = asMap(entry.value, `${what}.${name}`, findings, 'CONFIG_INVALID');
    if (value !== null) yield [name, value];
  }
}

function readCredentials(node: TreeNode | null, findings: Findings): CallerConfig['credentials'] {
  const credentials: Record<string, CallerCredential> = Object.create(null);
  for (const [name, map] of namedMaps(node, 'credentials', findings)) {
    const credential = readCredential(name, map, findings);
    if (credential !== null) credentials[name] = credential;
  }
  return credentials;
}

function readCredential(name: string, map: MapNode, findings: Findings): CallerCredential | null {
  const what = `credentials.${name}`;
  const type = child(map, 'type');
  const typeName = type?.kind === 'scalar' ? String(type.value) : '';
  if (!isType(typeName)) {
    findings.add('CONFIG_INVALID', `${what}.type must be one of ${Object.keys(CREDENTIALS).join(', ')}.`, type ?? map);
    return null;
  }
  const schema: Schema<CallerCredential> = CREDENTIALS[typeName];
  const credential = checkShape(schema, literalValue(map), map, CREDENTIAL_KEYS, what, findings, 'CONFIG_INVALID');
  if (credential?.type === 'bearer' && (credential.token_file === undefined) === (credential.token_env === undefined)) {
    findings.add('CONFIG_INVALID', `${what}: a bearer has either a token_file or a token_env.`, map);
    return null;
  }
  return credential;
}

type CredentialType = keyof typeof CREDENTIALS;

function isType(name: string): name is CredentialType {
  return Object.hasOwn(CREDENTIALS, name);
}

const stackSchema = z.strictObject({
  credential: z.optional(text),
  settings: z.optional(z.record(z.string(), z.unknown())),
});

function readStacks(node: TreeNode | null, findings: Findings): ReadonlyMap<string, CallerStack> {
  const stacks = new Map<string, CallerStack>();
  for (const [name, map] of namedMaps(node, 'stacks', findings)) {
    const value = checkShape(
      stackSchema,
      literalValue(map),
      map,
      ['credential', 'settings'],
      `stacks.${name}`,
      findings,
      'CONFIG_INVALID',
    );
    if (value === null) continue;
    stacks.set(name, {
      credential: value.credential ?? null,
      settings: (value.settings as JsonObject | undefined) ?? null,
    });
  }
  return stacks;
}
