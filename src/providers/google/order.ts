import type { Draft } from './drafts.ts';
import { isMap, textAt } from './inputs.ts';
import type { Places } from './places.ts';

/** What has to run before what, as the cloud needs it. */
export interface Order {
  /** Address to the addresses it needs. */
  readonly edges: ReadonlyMap<string, ReadonlySet<string>>;
  /** The steps that make the project or folder it lies in. */
  needs(address: string): readonly string[];
}

/** Project, then billing link, then services, then grants; deletes the other way round. */
const RANKS: Readonly<Record<string, number>> = { project: 0, 'billing-link': 1, service: 2, binding: 3 };

export function orderOf(drafts: readonly Draft[], places: Places): Order {
  const order = new OrderBuilder(drafts, places);
  order.addContainers();
  order.addProjectRanks();
  order.addFolderDeletes();
  order.addAncestorGrants();
  order.addReads();
  return order;
}

function append<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}

class OrderBuilder implements Order {
  readonly edges = new Map<string, Set<string>>();
  private readonly containers = new Map<string, string>();
  private readonly drafts: readonly Draft[];
  private readonly places: Places;
  private readonly byAddress: ReadonlyMap<string, Draft>;
  /** What comes right before a step in its project. */
  private readonly predecessors = new Map<Draft, Draft>();
  private readonly projects = new Map<string, Draft>();
  private readonly prerequisites = new Map<Draft, ReadonlySet<string>>();

  constructor(drafts: readonly Draft[], places: Places) {
    this.drafts = [...drafts].sort((a, b) => a.step.index - b.step.index);
    this.places = places;
    this.byAddress = new Map(drafts.map((draft) => [draft.address, draft]));
  }

  needs(address: string): readonly string[] {
    const container = this.containers.get(address);
    return container === undefined ? [] : [container];
  }

  /** Whatever lies in a folder that the playbook makes comes after it. */
  addContainers(): void {
    for (const draft of this.drafts) {
      const container = this.places.of(draft)?.container ?? null;
      if (container === null) continue;
      this.containers.set(draft.address, container.address);
      this.need(draft, container);
    }
  }

  addProjectRanks(): void {
    for (const members of this.groupByProject().values()) {
      const ensures = members.filter((draft) => draft.spec.kind === 'ensure');
      const deletes = members.filter((draft) => draft.spec.kind === 'delete');
      const project = ensures.find((draft) => rankOf(draft) === 0);
      this.chain(ensures, (a, b) => a - b);
      this.chain(deletes, (a, b) => b - a);
      if (project === undefined) continue;
      this.projects.set(projectOf(project), project);
      for (const draft of members) {
        if (draft.spec.kind === 'read' || rankOf(draft) === 0) continue;
        this.containers.set(draft.address, project.address);
        this.need(draft, project);
      }
    }
  }

  private groupByProject(): ReadonlyMap<string, Draft[]> {
    const groups = new Map<string, Draft[]>();
    for (const draft of this.drafts) if (projectOf(draft) !== '') append(groups, projectOf(draft), draft);
    return groups;
  }

  /** Each step needs all those of the nearest rank before its own. */
  private chain(members: readonly Draft[], direction: (a: number, b: number) => number): void {
    const byRank = new Map<number, Draft[]>();
    for (const draft of members) append(byRank, rankOf(draft), draft);
    let before: readonly Draft[] = [];
    for (const rank of [...byRank.keys()].sort(direction)) {
      const level = byRank.get(rank) ?? [];
      for (const draft of level) {
        for (const earlier of before) this.need(draft, earlier);
        const [first] = before;
        if (first !== undefined) this.predecessors.set(draft, first);
      }
      before = level;
    }
  }

  /** A folder goes after what lies in it; where a deleted project lies is not said, so all of those go first. */
  addFolderDeletes(): void {
    const deletes = this.drafts.filter((draft) => draft.spec.kind === 'delete');
    const outer = new Set<Draft>();
    for (const draft of deletes) {
      const around = this.places.of(draft)?.leaving ?? null;
      if (around === null) continue;
      this.need(around, draft);
      if (draft.spec.resourceType === 'folder') outer.add(around);
    }
    const projects = deletes.filter((draft) => draft.spec.resourceType === 'project');
    for (const folder of deletes) {
      if (folder.spec.resourceType !== 'folder' || outer.has(folder)) continue;
      for (const project of projects) this.needUnlessContrary(folder, project);
    }
  }

  /** A grant above precedes what is written after it below; taking one away comes after the deletes written before. */
  addAncestorGrants(): void {
    const grants = new Map<string, Draft[]>();
    const gone = new Map<string, Draft[]>();
    for (const draft of this.drafts) {
      if (draft.spec.kind === 'delete') for (const above of this.above(draft)) append(gone, above, draft);
      for (const above of this.above(draft)) {
        for (const grant of grants.get(above) ?? [])
          if (!this.inherits(draft, grant)) this.needUnlessContrary(draft, grant);
      }
      const holder = this.grantHolder(draft);
      if (holder === null) continue;
      if (draft.spec.kind === 'ensure') append(grants, holder, draft);
      else
        for (const earlier of gone.get(holder) ?? [])
          if (this.grantHolder(earlier) !== holder) this.needUnlessContrary(draft, earlier);
    }
  }

  /** Whether what the step needs anyway already waits for the grant. */
  private inherits(draft: Draft, grant: Draft): boolean {
    const container = this.byAddress.get(this.containers.get(draft.address) ?? '');
    return [this.predecessors.get(draft), container].some(
      (before) => before !== undefined && before.step.index > grant.step.index && before.spec.kind === 'ensure',
    );
  }

  /** Where a grant stands, as `above` names it; null for steps that are no grants on an ancestor. */
  private grantHolder(draft: Draft): string | null {
    if (draft.spec.resourceType !== 'binding' || draft.spec.kind === 'read' || projectOf(draft) !== '') return null;
    return this.placeName(draft) ?? textAt(draft.desired, 'resource');
  }

  /** What a step lies below, from the nearest up: folders (by step or by name), the organisation, the billing account. */
  private above(draft: Draft): readonly string[] {
    if (draft.spec.resourceType === 'organization') return [];
    const project = this.projects.get(projectOf(draft));
    const start = project ?? draft;
    const names = this.enclosing(start);
    const tree = this.places.treeOf(start) ?? pinnedTree(draft);
    const account = draft.spec.resourceType === 'billing-link' ? [textAt(draft.desired, 'billing_account')] : [];
    const own = this.grantHolder(draft);
    return [...names, ...(tree === null || names.includes(tree) ? [] : [tree]), ...account].filter(
      (name) => name !== '' && name !== own,
    );
  }

  private enclosing(draft: Draft): readonly string[] {
    return [draft, ...this.places.around(draft)]
      .map((at) => this.placeName(at))
      .filter((name): name is string => name !== null);
  }

  /** The place of a step as one name: the step that makes or deletes it, else what is written. */
  private placeName(draft: Draft): string | null {
    const place = this.places.of(draft);
    if (place === null) return null;
    const step = place.container ?? place.leaving;
    if (step !== null) return `step:${step.address}`;
    return typeof place.value === 'string' ? place.value : null;
  }

  /** A read comes after the steps written before it that change what it reads. */
  addReads(): void {
    const changers = new Map<string, Draft[]>();
    for (const draft of this.drafts) {
      if (draft.spec.kind !== 'read') for (const topic of this.topics(draft)) append(changers, topic, draft);
      else
        for (const topic of this.subject(draft))
          for (const changer of changers.get(topic) ?? []) this.needUnlessContrary(draft, changer);
    }
  }

  private topics(draft: Draft): readonly string[] {
    const { resourceType } = draft.spec;
    if (resourceType === 'folder') return [`folders:${this.placeName(draft)}`, ...formerParent(draft)];
    if (resourceType === 'project') return [`project:${projectOf(draft)}`];
    if (resourceType === 'service') return [`services:${projectOf(draft)}`];
    return resourceType === 'binding' ? [`policy:${this.policyName(draft)}`] : [];
  }

  private subject(draft: Draft): readonly string[] {
    const { resourceType } = draft.spec;
    const project = `project:${projectOf(draft)}`;
    if (resourceType === 'folder') return [`folders:${this.placeName(draft)}`];
    if (resourceType === 'project') return [project];
    if (resourceType === 'service') return [project, `services:${projectOf(draft)}`];
    return resourceType === 'binding' ? [project, `policy:${this.policyName(draft)}`] : [];
  }

  private policyName(draft: Draft): string {
    return this.placeName(draft) ?? textAt(draft.desired, 'resource');
  }

  private need(draft: Draft, other: Draft): void {
    if (draft === other) return;
    const needed = this.edges.get(draft.address);
    if (needed === undefined) this.edges.set(draft.address, new Set([other.address]));
    else needed.add(other.address);
  }

  /** Written order yields to what the playbook says outright. */
  private needUnlessContrary(draft: Draft, other: Draft): void {
    if (!this.allNeededBy(other).has(draft.address)) this.need(draft, other);
  }

  private allNeededBy(draft: Draft): ReadonlySet<string> {
    const known = this.prerequisites.get(draft);
    if (known !== undefined) return known;
    const reached = new Set<string>();
    const queue = [draft.address];
    for (let address = queue.pop(); address !== undefined; address = queue.pop()) {
      const next = [...(this.byAddress.get(address)?.step.dependsOn ?? []), ...(this.edges.get(address) ?? [])];
      for (const needed of next) if (!reached.has(needed)) queue.push(reached.add(needed) && needed);
    }
    this.prerequisites.set(draft, reached);
    return reached;
  }
}

function rankOf(draft: Draft): number {
  return RANKS[draft.spec.resourceType] ?? 0;
}

/** The project that a step is about; the empty string for those about none. */
function projectOf(draft: Draft): string {
  const resource = textAt(draft.desired, 'resource');
  return resource.startsWith('projects/') ? resource.slice('projects/'.length) : textAt(draft.desired, 'project_id');
}

function pinnedTree(draft: Draft): string | null {
  const pinned = draft.step.guard?.requireOrg ?? null;
  return pinned === null ? null : `organizations/${pinned}`;
}

function formerParent(draft: Draft): readonly string[] {
  const was = draft.options['was'];
  const parent = isMap(was) ? textAt(was, 'parent') : '';
  return parent === '' ? [] : [`folders:${parent}`];
}
