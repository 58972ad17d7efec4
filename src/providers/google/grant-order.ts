import type { Draft } from './drafts.ts';
import { append, type Edges } from './edges.ts';
import { textAt } from './inputs.ts';
import { declaredTree, type Places } from './places.ts';

/** What the order of grants has to know of the rest of the order. */
export interface Surroundings {
  readonly places: Places;
  readonly edges: Edges;
  /** The step that makes the project that a step is about. */
  projectOf(draft: Draft): Draft | null;
  /** What a step needs anyway: what makes its place, what comes before it in its project. */
  neededAnyway(draft: Draft): readonly Draft[];
}

/**
 * A grant on an organisation, folder or billing account precedes what is written after it below; taking one away comes
 * after the deletes written before it below. Only where the playbook or the guard shows what lies below what.
 */
export function orderGrants(drafts: readonly Draft[], around: Surroundings): void {
  const holders = new Map<Draft, string>();
  for (const draft of drafts) {
    const holder = grantHolder(draft, around.places);
    if (holder !== null) holders.set(draft, holder);
  }
  if (holders.size === 0) return;
  const ancestors = new Ancestors(around);
  const grants = new Map<string, Draft[]>();
  const gone = new Map<string, Draft[]>();
  for (const draft of drafts) {
    const holder = holders.get(draft);
    const above = ancestors.of(draft).filter((name) => name !== holder);
    for (const name of above) needGrants(draft, grants.get(name) ?? [], around);
    if (draft.spec.kind === 'delete') for (const name of above) append(gone, name, draft);
    if (holder === undefined) continue;
    if (draft.spec.kind === 'ensure') append(grants, holder, draft);
    else for (const earlier of gone.get(holder) ?? []) around.edges.needUnlessContrary(draft, earlier);
  }
}

/** The grants written before it, but for those that what it needs anyway already waits for. */
function needGrants(draft: Draft, grants: readonly Draft[], around: Surroundings): void {
  if (grants.length === 0) return;
  const needed = around.neededAnyway(draft).filter((before) => before.spec.kind === 'ensure');
  const inherited = Math.max(...needed.map((before) => before.step.index), Number.NEGATIVE_INFINITY);
  for (let at = grants.length - 1; at >= 0; at -= 1) {
    const grant = grants[at];
    if (grant === undefined || grant.step.index < inherited) return;
    around.edges.needUnlessContrary(draft, grant);
  }
}

/** Where a grant on an ancestor stands, as `Ancestors` names it; null for every other step. */
function grantHolder(draft: Draft, places: Places): string | null {
  const resource = textAt(draft.desired, 'resource');
  if (draft.spec.resourceType !== 'binding' || draft.spec.kind === 'read' || resource.startsWith('projects/'))
    return null;
  return places.nameOf(draft) ?? resource;
}

/** What a step lies below, from the nearest up: folders (by step or by name), the organisation, the billing account. */
class Ancestors {
  private readonly around: Surroundings;
  private readonly known = new Map<Draft, readonly string[]>();

  constructor(around: Surroundings) {
    this.around = around;
  }

  of(draft: Draft): readonly string[] {
    if (draft.spec.resourceType === 'organization') return [];
    const project = this.around.projectOf(draft);
    const names = project === null ? this.enclosing(draft, draft) : this.enclosing(project, draft);
    const account = draft.spec.resourceType === 'billing-link' ? textAt(draft.desired, 'billing_account') : '';
    return account === '' ? names : [...names, account];
  }

  private enclosing(start: Draft, draft: Draft): readonly string[] {
    const known = this.known.get(start);
    if (known !== undefined) return known;
    const { places } = this.around;
    const names = [start, ...places.around(start)].map((at) => places.nameOf(at)).filter((name) => name !== null);
    const tree = places.treeOf(start) ?? declaredTree(draft);
    const all = tree === null || names.includes(tree) ? names : [...names, tree];
    this.known.set(start, all);
    return all;
  }
}
