import { realpath, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as z from 'zod/mini';
import { diagnostic } from '../core/codes.ts';
import type { Diagnostic } from '../core/diagnostics.ts';
import { readTextFile, saysNothing } from './files.ts';
import { Findings } from './findings.ts';
import { type GuardLevel, readGuard } from './guard.ts';
import type { ProjectDefaults } from './load.ts';
import { asMap, checkKeys, checkShape, literalValue } from './shape.ts';
import { checkDefaultsKeys } from './tool-keys.ts';
import { child, type MapNode, type TreeNode } from './tree.ts';
import { readYaml } from './yaml-text.ts';

export const CONFIG_NAME = 'infra.yaml';

/** A known deviation that drift shows as ignored. */
export interface DriftIgnore {
  /** A URN, `*` for any run of characters. */
  readonly urn: string;
  /** Null: every field. */
  readonly field: string | null;
  readonly reason: string;
  /** A date, or null for no end. */
  readonly until: string | null;
}

/** infra.yaml, read and checked. It may be a stranger's: nothing in it says whose authority is used. */
export interface ProjectConfig extends ProjectDefaults {
  /** Absolute. */
  readonly path: string;
  /** The folder that `.infra` and relative paths belong to; absolute. */
  readonly folder: string;
  readonly playbooks: readonly string[];
  readonly stack: string | null;
  readonly ignore: readonly DriftIgnore[];
  readonly parallelism: number | null;
  /** An absolute path inside the folder. */
  readonly eventlog: string | null;
}

export interface ProjectConfigRequest {
  /** Absolute. */
  readonly cwd: string;
  /** The playbook that the configuration is looked for beside; null: in the current folder. */
  readonly playbook: string | null;
  /** `--config`: this file, wherever it lies. */
  readonly override: string | null;
}

export interface ProjectConfigResult {
  /** Null when there is none, or when a diagnostic is an error. */
  readonly config: ProjectConfig | null;
  readonly diagnostics: readonly Diagnostic[];
}

/** Finds and reads infra.yaml: beside the playbook or above it, up to the repository's root. */
export async function loadProjectConfig(request: ProjectConfigRequest): Promise<ProjectConfigResult> {
  const named = request.override === null ? null : resolve(request.cwd, request.override);
  const path = named ?? (await findConfig(startOf(request)));
  if (path === null) return { config: null, diagnostics: [] };
  const foreign = named === null ? await refuseForeign(path, request) : null;
  if (foreign !== null) return { config: null, diagnostics: [foreign] };
  const file = await readTextFile(path);
  if (file.kind === 'unreadable') return { config: null, diagnostics: [file.why] };
  return parseProjectConfig(path, file.text);
}

function startOf({ cwd, playbook }: ProjectConfigRequest): string {
  return playbook === null ? cwd : dirname(resolve(cwd, playbook));
}

/** Without a repository only the folder itself counts: what lies above may be anyone's. */
async function findConfig(start: string): Promise<string | null> {
  const found: string[] = [];
  for (let folder = start; ; folder = dirname(folder)) {
    if (await exists(join(folder, CONFIG_NAME))) found.push(join(folder, CONFIG_NAME));
    if (await exists(join(folder, '.git'))) return found[0] ?? null;
    if (folder === dirname(folder)) return found.find((path) => dirname(path) === start) ?? null;
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

async function refuseForeign(path: string, request: ProjectConfigRequest): Promise<Diagnostic | null> {
  const beside = request.playbook === null ? request.cwd : resolve(request.cwd, request.playbook);
  const [config, owner] = await Promise.all([stat(path), stat(beside).catch(() => null)]);
  if (owner === null || owner.uid === config.uid) return null;
  const what = request.playbook === null ? 'the current folder' : 'the playbook';
  return diagnostic('CONFIG_INVALID', `${path} belongs to another user than ${what}.`, {
    hint: 'name it with --config if it is meant',
  });
}

const KEYS = new Set(['playbooks', 'stack', 'defaults', 'ignore', 'guard', 'parallelism', 'eventlog']);
const IGNORE_KEYS = ['urn', 'field', 'reason', 'until'];
const text = z.string().check(z.minLength(1));
const date = z.string().check(z.regex(/^\d{4}-\d{2}-\d{2}(T[\d:.]{5,15}Z)?$/, 'must be a date such as 2030-12-31'));
const ignoreSchema = z.array(
  z.strictObject({ urn: text, field: z.optional(text), reason: text, until: z.optional(date) }),
);

/** Parses infra.yaml; any other key than its own is refused. */
export async function parseProjectConfig(path: string, content: string): Promise<ProjectConfigResult> {
  const findings = new Findings();
  const tree = readYaml(saysNothing(content) ? '{}' : content, path, findings);
  const root = tree === null ? null : asMap(tree, CONFIG_NAME, findings, 'CONFIG_INVALID');
  if (root === null) return { config: null, diagnostics: findings.list() };
  checkKeys(root, KEYS, CONFIG_NAME, findings, 'CONFIG_INVALID');
  const folder = dirname(path);
  const config: ProjectConfig = {
    path,
    folder,
    playbooks: read(root, 'playbooks', z.array(text), findings) ?? [],
    stack: read(root, 'stack', text, findings),
    defaults: readDefaults(child(root, 'defaults'), findings),
    ignore: readIgnores(root, findings),
    guard: readProjectGuard(child(root, 'guard'), findings),
    parallelism: read(root, 'parallelism', z.int().check(z.gte(1), z.lte(1000)), findings),
    eventlog: await readEventlog(child(root, 'eventlog'), folder, findings),
  };
  return { config: findings.failed ? null : config, diagnostics: findings.list() };
}

interface Schema<T> {
  safeParse(
    value: unknown,
  ): { success: true; data: T } | { success: false; error: { readonly issues: readonly unknown[] } };
}

function read<T>(
  root: MapNode,
  key: string,
  schema: Schema<T>,
  findings: Findings,
  keys: readonly string[] = [],
): T | null {
  const node = child(root, key);
  return node === null ? null : checkShape(schema, literalValue(node), node, keys, key, findings, 'CONFIG_INVALID');
}

function readIgnores(root: MapNode, findings: Findings): readonly DriftIgnore[] {
  const ignores = read(root, 'ignore', ignoreSchema, findings, IGNORE_KEYS) ?? [];
  return ignores.map(({ urn, field, reason, until }) => ({ urn, field: field ?? null, reason, until: until ?? null }));
}

/** Neither auth nor endpoint: a file that lies around must not say where credentials go. */
function readDefaults(node: TreeNode | null, findings: Findings): MapNode | null {
  const defaults = node === null ? null : asMap(node, 'defaults', findings, 'CONFIG_INVALID');
  if (defaults === null) return null;
  for (const key of ['auth', 'endpoint']) {
    const entry = defaults.entries.get(key);
    if (entry === undefined) continue;
    findings.add('CONFIG_INVALID', `defaults.${key} is not accepted in ${CONFIG_NAME}.`, entry, {
      hint: 'it belongs in the playbook or in your own config.yaml',
    });
  }
  checkDefaultsKeys(defaults, findings);
  return defaults;
}

function readProjectGuard(node: TreeNode | null, findings: Findings): GuardLevel | null {
  return node === null ? null : readGuard(node, CONFIG_NAME, findings);
}

/** A file inside the folder: anything else would send what is recorded to wherever the file's author likes. */
async function readEventlog(node: TreeNode | null, folder: string, findings: Findings): Promise<string | null> {
  if (node === null) return null;
  const value = checkShape(text, literalValue(node), node, [], 'eventlog', findings, 'CONFIG_INVALID');
  if (value === null) return null;
  const path = eventlogPath(value, folder);
  if (path !== null && isInside(path, folder) && (await staysInside(path, folder))) return path;
  const detail = `eventlog in ${CONFIG_NAME} must be a file inside its folder.`;
  findings.add('CONFIG_INVALID', detail, node, {
    hint: 'give other logs with --eventlog, INFRA_EVENTLOG or your own config.yaml',
  });
  return null;
}

function eventlogPath(value: string, folder: string): string | null {
  if (value.startsWith('file:')) {
    if (!URL.canParse(value) || new URL(value).host !== '') return null;
    return fileURLToPath(value);
  }
  return /^[a-z][a-z0-9+.-]*:/i.test(value) || value === '-' ? null : resolve(folder, value);
}

function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** No symbolic link on the way leads out; what does not exist yet can't. */
async function staysInside(path: string, folder: string): Promise<boolean> {
  const root = await realpath(folder).catch(() => folder);
  for (let part = path; isInside(part, folder); part = dirname(part)) {
    const real = await realpath(part).catch(() => null);
    if (real !== null) return isInside(real, root);
  }
  return true;
}
