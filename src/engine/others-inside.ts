import { diagnostic } from '../core/codes.ts';
import { type Owned, stackName } from '../core/fold.ts';
import type { Observation } from '../core/resource.ts';
import type { PlanContext } from './plan-context.ts';
import type { PreparedStep } from './prepare.ts';

const NAMED = 10;
/** By plan: what is owned, under every name of what it lies in. */
const CONTENTS = new WeakMap<PlanContext, ReadonlyMap<string, readonly Owned[]>>();

/** What other stacks own in a resource goes with it: the plan of its deletion says so. */
export function withOthersInside(
  context: PlanContext,
  item: PreparedStep,
  urn: string | null,
  seen: Observation,
): Observation {
  if (item.spec.kind !== 'delete' || seen.kind !== 'present' || urn === null) return seen;
  if (!item.catalogue.traitsOf(item.spec.resourceType).takesContents) return seen;
  const contents = contentsOf(context);
  const { urnOf } = context.ownership.names;
  const inside = [urnOf(urn), ...(seen.id === null ? [] : [seen.id])].flatMap((name) => contents.get(name) ?? []);
  const others = [...new Set(inside)].filter(({ stack }) => stack !== stackName(item.stack));
  if (others.length === 0) return seen;
  const named = others.slice(0, NAMED).map((other) => `${other.urn} (stack ${other.stack})`);
  const more = others.length > NAMED ? `, and ${others.length - NAMED} more` : '';
  const warning = diagnostic('NOT_OURS', `With it goes what other stacks own: ${named.join(', ')}${more}.`, {
    severity: 'warning',
    urn,
    hint: 'Ask whose it is first. protect: true on any of it, once applied there, keeps what it lies in.',
  });
  return { ...seen, blockers: [...seen.blockers, warning] };
}

function contentsOf(context: PlanContext): ReadonlyMap<string, readonly Owned[]> {
  const known = CONTENTS.get(context);
  if (known !== undefined) return known;
  const { names, model } = context.ownership;
  const contents = new Map<string, Owned[]>();
  for (const owned of model.owned.values()) {
    const { provider, resourceType, lastDesired } = owned;
    const catalogue = context.ports.catalogues.get(provider);
    for (const name of catalogue?.containersOf(resourceType, names.urnOf(owned.urn), lastDesired) ?? []) {
      const one = names.urnOf(name);
      const inside = contents.get(one);
      if (inside === undefined) contents.set(one, [owned]);
      else inside.push(owned);
    }
  }
  CONTENTS.set(context, contents);
  return contents;
}
