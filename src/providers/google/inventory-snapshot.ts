import { diagnostic } from '../../core/codes.ts';
import type { Diagnostic } from '../../core/diagnostics.ts';
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts';
import { type Grant, grantKey, isDowngraded, policyDowngraded } from './iam-policy.ts';
import { idOf, type Scope } from './inventory-scope.ts';
import { isActive, text } from './observing.ts';
import type { Answer, Reads } from './reads.ts';

/** Reads that one walk has under way; the client bounds what is on the wire. */
const AT_ONCE = 20;
/** Projects whose link is asked for one by one before whole accounts are listed. */
const PROBES = 5;

/** A grant with the resource in whose policy it stands. */
export interface PlacedGrant extends Grant {
  readonly resource: string;
}

/** A service that a project has enabled. */
export interface EnabledService {
  readonly projectId: string;
  readonly service: string;
  readonly state: string;
}

/** The folders and projects in a scope. */
export interface Tree {
  readonly scope: Scope;
  /** Active, each after the one that it lies in. */
  readonly folders: readonly JsonObject[];
  /** Those pending deletion included: their ids are taken. */
  readonly projects: readonly JsonObject[];
}

/** Carries why a read failed out of a walk: one failure ends it all. */
export class ReadFailed extends Error {
  readonly why: Diagnostic;
  constructor(why: Diagnostic) {
    super(why.detail);
    this.name = 'ReadFailed';
    this.why = { ...why, severity: 'error' };
  }
}

export function given<T>(answer: Answer<T>, what: string): T {
  if (answer.kind === 'failed') throw unreadable(what, answer.why);
  return answer.value;
}

function unreadable(what: string, why: Diagnostic): ReadFailed {
  return new ReadFailed({ ...why, detail: `${what} can't be read, so nothing is listed: ${why.detail}` });
}

/** Works on all items, some at once, results in order; the first failure starts nothing new. */
async function forEach<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = [];
  const entries = items.entries();
  let stopped = false;
  const worker = async (): Promise<void> => {
    for (const [index, item] of entries) {
      if (stopped) return;
      try {
        results[index] = await work(item);
      } catch (error) {
        stopped = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, items.length) }, worker));
  return results;
}

/** The folders and projects in a scope, level by level. The scope itself is no part of it, unless it is a project. */
export async function readTree(scope: Scope, reads: Reads): Promise<Tree> {
  if (scope.kind === 'project')
    return { scope, folders: [], projects: [given(await reads.project(idOf(scope.name)), scope.name)] };
  const folders: JsonObject[] = [];
  const projects: JsonObject[] = [];
  const seen = new Set<string>();
  for (let level: readonly string[] = [scope.name]; level.length > 0; ) {
    const children = await forEach(level, (parent) => readChildren(parent, reads));
    const inner = children.flatMap((found) => found.folders).filter((folder) => isNew(text(folder, 'name'), seen));
    const outer = children.flatMap((found) => found.projects).filter((project) => isNew(text(project, 'name'), seen));
    for (const folder of inner) folders.push(folder);
    for (const project of outer) projects.push(project);
    level = inner.map((folder) => text(folder, 'name'));
  }
  return { scope, folders, projects };
}

/** What is moved while a walk is under way may show in two places: it counts once. */
function isNew(name: string, seen: Set<string>): boolean {
  if (seen.has(name)) return false;
  seen.add(name);
  return true;
}

async function readChildren(parent: string, reads: Reads) {
  const [folders, projects] = await Promise.all([reads.foldersIn(parent), reads.projectsIn(parent)]);
  return {
    folders: given(folders, `The list of folders in ${parent}`).filter(isActive),
    projects: given(projects, `The list of projects in ${parent}`),
  };
}

/** Ids of the projects that are alive, sorted. */
export function activeProjects(tree: Tree): readonly string[] {
  return tree.projects
    .filter(isActive)
    .map((project) => text(project, 'projectId'))
    .sort();
}

/**
 * ProjectBillingInfo of every linked project, by project id: a few are asked one by one, the accounts that they show
 * are listed whole, and only what those lists don't have is asked again.
 */
export async function readLinks(tree: Tree, reads: Reads): Promise<ReadonlyMap<string, JsonObject>> {
  const projects = activeProjects(tree);
  const links = new Map<string, JsonObject>();
  const ask = async (some: readonly string[]): Promise<void> => {
    const answers = await forEach(some, (projectId) => reads.billingInfo(projectId));
    for (const [index, projectId] of some.entries()) {
      const answer = answers[index];
      if (answer !== undefined) links.set(projectId, given(answer, `The billing link of ${projectId}`));
    }
  };
  await ask(projects.slice(0, PROBES));
  if (projects.length > PROBES) {
    const accounts = [...new Set([...links.values()].map(accountOf))].filter((account) => account !== '');
    for (const listed of await forEach(accounts, (account) => reads.linkedTo(account))) {
      if (listed.kind === 'ok') for (const [projectId, link] of listed.value) links.set(projectId, link);
    }
    await ask(projects.filter((projectId) => !links.has(projectId)));
  }
  const isLinked = (projectId: string) => accountOf(links.get(projectId) ?? {}) !== '';
  return new Map(projects.filter(isLinked).map((projectId) => [projectId, links.get(projectId) ?? {}]));
}

export function accountOf(link: JsonObject): string {
  return text(link, 'billingAccountName');
}

/** What every active project has enabled, sorted. */
export async function readServices(tree: Tree, reads: Reads): Promise<readonly EnabledService[]> {
  const found = await forEach(activeProjects(tree), async (projectId) => {
    const enabled = given(await reads.enabledServices(projectId), `The list of services of ${projectId}`);
    return [...enabled].map(([service, resource]) => ({
      projectId,
      service,
      state: text(resource, 'state') || 'ENABLED',
    }));
  });
  return found.flatMap((services) => services.sort((a, b) => (a.service < b.service ? -1 : 1)));
}

/** Every grant on the scope and on what is in it, once each, in the order of the policies. */
export async function readGrants(tree: Tree, reads: Reads): Promise<readonly PlacedGrant[]> {
  const holders = [
    ...(tree.scope.kind === 'project' ? [] : [tree.scope.name]),
    ...tree.folders.map((folder) => text(folder, 'name')),
    ...activeProjects(tree).map((projectId) => `projects/${projectId}`),
  ];
  const found = await forEach(holders, async (resource) => grantsIn(resource, await reads.policy(resource)));
  return found.flat();
}

/** The grants of one policy; a policy that can't be understood whole is none. */
export function grantsIn(resource: string, answer: Answer<JsonObject>): readonly PlacedGrant[] {
  const what = `The policy of ${resource}`;
  const policy = given(answer, what);
  if (isDowngraded(policy)) throw new ReadFailed(policyDowngraded(resource));
  const grants = new Map<string, PlacedGrant>();
  const bindings = policy['bindings'] ?? [];
  for (const binding of Array.isArray(bindings) ? (bindings as readonly Json[]) : [null]) {
    for (const grant of grantsOf(binding, what)) grants.set(grantKey(grant), { ...grant, resource });
  }
  return [...grants.values()];
}

function grantsOf(binding: Json, what: string): readonly Grant[] {
  if (!isJsonObject(binding)) throw broken(what);
  const { role, members = [], condition = null } = binding;
  if (typeof role !== 'string' || !Array.isArray(members)) throw broken(what);
  if (condition !== null && !isJsonObject(condition)) throw broken(what);
  return members.map((member: Json) => {
    if (typeof member !== 'string') throw broken(what);
    return { role, member, condition };
  });
}

function broken(what: string): ReadFailed {
  return unreadable(what, diagnostic('INVALID_RESPONSE', 'a binding in it is none.', { retryable: false }));
}
