import { byId, type DraftedScope, type DraftLink, type LeftOut, type StepDraft } from '../../core/inventory.ts';
import type { JsonObject } from '../../core/json.ts';
import { findAction } from './actions.ts';
import { objectOf, readInput } from './inputs.ts';
import { memberMatcher } from './inventory-agents.ts';
import { ScopeNames } from './inventory-names.ts';
import { grantId } from './inventory-resources.ts';
import { idOf } from './inventory-scope.ts';
import { accountOf, type EnabledService, type PlacedGrant, type Tree } from './inventory-snapshot.ts';
import { isActive, text } from './observing.ts';

/** All that is live in a scope. */
export interface Snapshot {
  readonly tree: Tree;
  readonly links: ReadonlyMap<string, JsonObject>;
  readonly services: readonly EnabledService[];
  readonly grants: readonly PlacedGrant[];
}

/** Fields without which a step still says what it is about. */
const LEAVABLE = new Set(['display_name', 'labels']);
const FOLDERS = 'Folders';

/** A scope as steps: folders from the top down, project by project, then the grants above projects. */
export function draftScope(
  snapshot: Snapshot,
  leaveOut: readonly string[],
  isElsewhere: boolean,
): Pick<DraftedScope, 'steps' | 'leftOut'> {
  return new Drafting(snapshot, memberMatcher(leaveOut), isElsewhere).draft();
}

type Draft = Omit<StepDraft, 'notes' | 'tool' | 'within'> & Partial<Pick<StepDraft, 'within'>>;

class Drafting {
  private readonly snapshot: Snapshot;
  private readonly isAgent: (member: string) => boolean;
  private readonly isElsewhere: boolean;
  private readonly names: ScopeNames;
  private readonly siblings: ReadonlyMap<string, readonly JsonObject[]>;
  private readonly enabled: ReadonlyMap<string, readonly EnabledService[]>;
  private readonly granted: ReadonlyMap<string, readonly PlacedGrant[]>;
  private readonly steps: StepDraft[] = [];
  private readonly leftOut = new Map<string, string[]>();

  constructor(snapshot: Snapshot, isAgent: (member: string) => boolean, isElsewhere: boolean) {
    this.snapshot = snapshot;
    this.isAgent = isAgent;
    this.isElsewhere = isElsewhere;
    this.names = new ScopeNames(snapshot.tree.scope, snapshot.tree.folders);
    this.siblings = grouped(snapshot.tree.folders, placeAndName);
    this.enabled = grouped(snapshot.services, (item) => item.projectId);
    this.granted = grouped(snapshot.grants, (grant) => grant.resource);
  }

  draft(): { readonly steps: readonly StepDraft[]; readonly leftOut: readonly LeftOut[] } {
    const { tree } = this.snapshot;
    const folders = byPath(tree.folders, (folder) => this.names.pathOf(text(folder, 'name')));
    for (const folder of folders) this.folder(folder);
    const projects = byPath(tree.projects, (item) => [
      ...this.names.pathOf(text(item, 'parent')),
      '',
      text(item, 'projectId'),
    ]);
    for (const project of projects) this.project(project);
    for (const holder of [tree.scope.name, ...folders.map((folder) => text(folder, 'name'))])
      if (!holder.startsWith('projects/')) this.grants(holder, `Grants on ${this.title(holder)}`);
    return { steps: this.steps, leftOut: [...this.leftOut].map(([why, what]) => ({ why, what })) };
  }

  private title(holder: string): string {
    const path = this.names.pathOf(holder);
    return path.length === 0 ? holder : `the folder ${path.join('/')} (${holder})`;
  }

  private folder(folder: JsonObject): void {
    const [key, parent, name] = [text(folder, 'name'), text(folder, 'parent'), text(folder, 'displayName')];
    if ((this.siblings.get(placeAndName(folder)) ?? []).length > 1) {
      this.leave('folders that share their name with a sibling', `${key} "${name}"`);
      return;
    }
    this.add({
      key,
      names: this.names.folder(key),
      section: FOLDERS,
      action: 'google.cloudresourcemanager.folders.ensure',
      input: { parent, display_name: name },
      within: { parent: resultOf(parent) },
    });
  }

  private project(project: JsonObject): void {
    const projectId = text(project, 'projectId');
    if (!isActive(project)) {
      this.leave('projects pending deletion', projectId);
      return;
    }
    const [parent, displayName] = [text(project, 'parent'), text(project, 'displayName')];
    const labels = objectOf(project['labels']);
    const section = `Project ${projectId}`;
    this.add({
      key: `projects/${projectId}`,
      names: [`project ${projectId}`],
      section,
      action: 'google.cloudresourcemanager.projects.ensure',
      input: {
        project_id: projectId,
        parent,
        ...(displayName === '' ? {} : { display_name: displayName }),
        ...(Object.keys(labels).length === 0 ? {} : { labels }),
      },
      within: { parent: resultOf(parent) },
    });
    this.link(projectId, section);
    this.services(projectId, section);
    this.grants(`projects/${projectId}`, section);
  }

  private link(projectId: string, section: string): void {
    const link = this.snapshot.links.get(projectId);
    if (link === undefined) return;
    this.add({
      key: `billing_link:${projectId}`,
      names: [`billing ${projectId}`],
      section,
      action: 'google.cloudbilling.projects.link',
      input: { project_id: projectId, billing_account: accountOf(link) },
    });
  }

  private services(projectId: string, section: string): void {
    const action = 'google.serviceusage.services.enable';
    const services: string[] = [];
    for (const item of this.enabled.get(projectId) ?? []) {
      const [problem] = problemsOf(action, { project_id: projectId, service_name: item.service });
      if (problem === undefined) services.push(item.service);
      else this.undeclarable(`${projectId}/${item.service}`, problem.detail);
    }
    if (services.length === 0) return;
    const input = { project_id: projectId, services };
    this.steps.push({
      key: `services:${projectId}`,
      names: [`services ${projectId}`],
      section,
      action,
      tool: {},
      input,
      within: {},
      notes: [],
    });
  }

  private grants(holder: string, section: string): void {
    const placed = (this.granted.get(holder) ?? []).map((grant) => ({ grant, id: grantId(grant) }));
    for (const { grant } of placed.toSorted(byId)) this.grant(grant, section);
  }

  private grant(grant: PlacedGrant, section: string): void {
    const { resource, role, member, condition } = grant;
    const shown = `${role} for ${member} on ${resource}`;
    if (member.startsWith('deleted:')) {
      this.leave('grants to deleted members', shown);
      return;
    }
    if (this.isAgent(member)) {
      this.leave("grants to Google's service agents", shown);
      return;
    }
    const { collection, input } = holderInput(resource);
    const draft = {
      key: `binding:${grantId(grant)}`,
      names: this.names.grant(grant),
      section,
      action: `google.cloudresourcemanager.${collection}.iam.ensure_binding`,
      input: { ...input, role, member, ...(condition === null ? {} : { condition: sayable(condition) }) },
      within: collection === 'folders' ? { folder: resultOf(resource) } : {},
    };
    this.add(draft, shown);
  }

  /** Adds a step without the fields that infra would refuse; left out where the rest does not stand either. */
  private add(draft: Draft, shown: string = draft.key): void {
    const notes: string[] = [];
    let { input } = draft;
    for (const problem of problemsOf(draft.action, input)) {
      if (this.isElsewhere && problem.isFormat) continue;
      const [key = '', inner] = problem.path;
      if (!isLeavable(draft.action, key)) {
        this.undeclarable(shown, problem.detail);
        return;
      }
      input = without(input, key, inner);
      notes.push(`Left as it is: ${problem.detail}`);
    }
    this.steps.push({ ...draft, tool: {}, within: draft.within ?? {}, input, notes });
  }

  private undeclarable(what: string, detail: string): void {
    this.leave('what a playbook can not declare', `${what}: ${detail}`);
  }

  private leave(why: string, what: string): void {
    const known = this.leftOut.get(why);
    if (known === undefined) this.leftOut.set(why, [what]);
    else known.push(what);
  }
}

function resultOf(key: string): DraftLink {
  return { key, by: 'result' };
}

function byPath(items: readonly JsonObject[], path: (item: JsonObject) => readonly string[]): readonly JsonObject[] {
  const keyed = items.map((item) => ({ item, id: path(item).join('\u0000') }));
  return keyed.toSorted(byId).map(({ item }) => item);
}

function grouped<T>(items: readonly T[], keyOf: (item: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

function placeAndName(folder: JsonObject): string {
  return `${text(folder, 'parent')} ${text(folder, 'displayName')}`;
}

/** What the loader would say of an input, as strictly as for the real cloud. */
function problemsOf(action: string, input: JsonObject) {
  const definition = findAction(action, null)?.action;
  if (definition === undefined) throw new TypeError(`${action} is no action`);
  const { values, problems } = readInput(definition.input, input);
  return [...problems, ...(definition.check?.(values) ?? [])];
}

function isLeavable(action: string, key: string): boolean {
  const field = findAction(action, null)?.action.input.find((item) => item.key === key);
  return field?.required === false && LEAVABLE.has(key);
}

function without(input: JsonObject, key: string, inner: string | undefined): JsonObject {
  const { [key]: value, ...rest } = input;
  if (inner === undefined) return rest;
  const { [inner]: _left, ...kept } = objectOf(value);
  return Object.keys(kept).length === 0 ? rest : { ...rest, [key]: kept };
}

function holderInput(resource: string): { readonly collection: string; readonly input: JsonObject } {
  const [collection = ''] = resource.split('/');
  if (collection === 'projects') return { collection, input: { project_id: idOf(resource) } };
  return { collection, input: collection === 'folders' ? { folder: resource } : { organization: resource } };
}

/** A condition in the inputs that there are; an empty description is none, and a location is no part of a grant. */
function sayable(condition: JsonObject): JsonObject {
  const parts = ['title', 'description', 'expression'].map((key) => [key, text(condition, key)] as const);
  return Object.fromEntries(parts.filter(([, value]) => value !== ''));
}
