import type { Draft } from './drafts.ts';
import { append, Edges } from './edges.ts';
import { orderGrants } from './grant-order.ts';
import { isMap, textAt } from './inputs.ts';
import type { Places } from './places.ts';
import { dependantsOf } from './service-dependants.ts';

/** What has to run before what, as the cloud needs it. */
export interface Order {
  /** The addresses that a step needs, each once. */
  dependsOn(address: string): readonly string[];
  /** Those of them that make the project or folder it lies in. */
  needs(address: string): readonly string[];
}

/** Project, then billing link, then services, then grants; deletes the other way round. */
const RANKS: Readonly<Record<string, number>> = { project: 0, 'billing-link': 1, service: 2, binding: 3 };

export function orderOf(drafts: readonly Draft[], places: Places): Order {
  const written = [...drafts].sort((a, b) => a.step.index - b.step.index);
  const edges = new Edges(drafts);
  const containers = new Map<Draft, Draft>();
  orderFolders(written, places, edges, containers);
  const inProjects = orderProjects(written, edges, containers);
  orderGrants(written, {
    places,
    edges,
    projectOf: (draft) => inProjects.projects.get(projectOf(draft)) ?? null,
    neededAnyway: (draft) => [containers.get(draft), inProjects.before.get(draft)].filter((one) => one !== undefined),
  });
  orderReads(written, places, edges);
  const makers = new Map([...containers].map(([draft, container]) => [draft.address, container.address]));
  return {
    dependsOn: (address) => edges.of(address),
    needs: (address) => {
      const maker = makers.get(address);
      return maker === undefined ? [] : [maker];
    },
  };
}

/** What lies in a folder that the playbook makes comes after it, what lies in one that it deletes goes before it. */
function orderFolders(drafts: readonly Draft[], places: Places, edges: Edges, containers: Map<Draft, Draft>): void {
  const outer = new Set<Draft>();
  for (const draft of drafts) {
    const place = places.of(draft);
    if (place === null) continue;
    if (place.container !== null) {
      containers.set(draft, place.container);
      edges.need(draft, place.container);
    }
    if (place.leaving === null || draft.spec.kind !== 'delete') continue;
    edges.need(place.leaving, draft);
    if (draft.spec.resourceType === 'folder') outer.add(place.leaving);
  }
  // Where a deleted project lies is not said, so all of those go before the innermost folders.
  const deletes = drafts.filter((draft) => draft.spec.kind === 'delete');
  const projects = deletes.filter((draft) => draft.spec.resourceType === 'project');
  for (const folder of deletes) {
    if (folder.spec.resourceType !== 'folder' || outer.has(folder)) continue;
    for (const project of projects) edges.needUnlessContrary(folder, project);
  }
}

interface InProjects {
  /** The steps that make projects, by project id. */
  readonly projects: ReadonlyMap<string, Draft>;
  /** One of those that come right before a step in its project. */
  readonly before: ReadonlyMap<Draft, Draft>;
}

function orderProjects(drafts: readonly Draft[], edges: Edges, containers: Map<Draft, Draft>): InProjects {
  const projects = new Map<string, Draft>();
  const before = new Map<Draft, Draft>();
  const groups = new Map<string, Draft[]>();
  for (const draft of drafts)
    if (draft.spec.kind !== 'read' && projectOf(draft) !== '') append(groups, projectOf(draft), draft);
  for (const [projectId, members] of groups) {
    const ensures = members.filter((draft) => draft.spec.kind === 'ensure');
    const deletes = members.filter((draft) => draft.spec.kind === 'delete');
    chain(ensures, (a, b) => a - b, edges, before);
    chain(deletes, (a, b) => b - a, edges, before);
    orderDisables(deletes, edges);
    const project = ensures.find((draft) => rankOf(draft) === 0);
    if (project === undefined) continue;
    projects.set(projectId, project);
    for (const draft of members) {
      if (rankOf(draft) === 0) continue;
      containers.set(draft, project);
      edges.need(draft, project);
    }
  }
  return { projects, before };
}

/** A service goes after those that need it, unless the playbook says otherwise. */
function orderDisables(deletes: readonly Draft[], edges: Edges): void {
  const disables = new Map<string, Draft[]>();
  for (const draft of deletes)
    if (draft.spec.resourceType === 'service') append(disables, textAt(draft.desired, 'service'), draft);
  if (disables.size < 2) return;
  for (const [name, drafts] of disables)
    for (const dependant of dependantsOf(name).flatMap((other) => disables.get(other) ?? []))
      for (const draft of drafts) edges.needUnlessContrary(draft, dependant);
}

/** Each step needs all those of the nearest rank before its own. */
function chain(
  members: readonly Draft[],
  direction: (a: number, b: number) => number,
  edges: Edges,
  before: Map<Draft, Draft>,
): void {
  const byRank = new Map<number, Draft[]>();
  for (const draft of members) append(byRank, rankOf(draft), draft);
  let earlier: readonly Draft[] = [];
  for (const rank of [...byRank.keys()].sort(direction)) {
    const level = byRank.get(rank) ?? [];
    const [first] = earlier;
    for (const draft of level) {
      for (const one of earlier) edges.need(draft, one);
      if (first !== undefined) before.set(draft, first);
    }
    earlier = level;
  }
}

/** A read comes after the steps written before it that change what it reads. */
function orderReads(drafts: readonly Draft[], places: Places, edges: Edges): void {
  if (!drafts.some((draft) => draft.spec.kind === 'read')) return;
  const changers = new Map<string, Draft[]>();
  for (const draft of drafts) {
    if (draft.spec.kind !== 'read') for (const topic of topicsOf(draft, places)) append(changers, topic, draft);
    else
      for (const topic of subjectsOf(draft, places))
        for (const changer of changers.get(topic) ?? []) edges.needUnlessContrary(draft, changer);
  }
}

/** What a step changes. */
function topicsOf(draft: Draft, places: Places): readonly string[] {
  switch (draft.spec.resourceType) {
    case 'folder':
      return [`folders:${places.nameOf(draft)}`, ...formerParent(draft)];
    case 'project':
      return [`project:${projectOf(draft)}`];
    case 'service':
      return [`services:${projectOf(draft)}`];
    case 'binding':
      return [`policy:${policyName(draft, places)}`];
    default:
      return [];
  }
}

/** What a read shows. */
function subjectsOf(draft: Draft, places: Places): readonly string[] {
  const project = `project:${projectOf(draft)}`;
  switch (draft.spec.resourceType) {
    case 'folder':
      return [`folders:${places.nameOf(draft)}`];
    case 'project':
      return [project];
    case 'service':
      return [project, `services:${projectOf(draft)}`];
    case 'binding':
      return [project, `policy:${policyName(draft, places)}`];
    default:
      return [];
  }
}

function policyName(draft: Draft, places: Places): string {
  return places.nameOf(draft) ?? textAt(draft.desired, 'resource');
}

function rankOf(draft: Draft): number {
  return RANKS[draft.spec.resourceType] ?? 0;
}

/** The project that a step is about; the empty string for those about none. */
function projectOf(draft: Draft): string {
  const resource = textAt(draft.desired, 'resource');
  return resource.startsWith('projects/') ? resource.slice('projects/'.length) : textAt(draft.desired, 'project_id');
}

function formerParent(draft: Draft): readonly string[] {
  const was = draft.options['was'];
  const parent = isMap(was) ? textAt(was, 'parent') : '';
  return parent === '' ? [] : [`folders:${parent}`];
}
