import { diagnostic } from '../core/codes.ts';
import type { Diagnostic } from '../core/diagnostics.ts';
import { type Owned, stackName } from '../core/fold.ts';
import type { Observation } from '../core/resource.ts';
import type { PlanContext } from './plan-context.ts';
import type { PreparedStep } from './prepare.ts';

const NAMED = 10;
interface Known {
  /** What ends with what it lies in, under every name of that. */
  readonly contents: ReadonlyMap<string, readonly Owned[]>;
  /** What the playbook has a step about. */
  readonly declared: ReadonlySet<string>;
}

/** Worked out once a plan, and only where something goes. */
const KNOWN = new WeakMap<PlanContext, Known>();

/** What is owned in a resource goes with it: where the plan has no step about that, its deletion says so. */
export function withOthersInside(
  context: PlanContext,
  item: PreparedStep,
  urn: string | null,
  seen: Observation,
): Observation {
  if (item.spec.kind !== 'delete' || seen.kind !== 'present' || urn === null) return seen;
  const { contents, declared } = knownOf(context);
  const { urnOf } = context.ownership.names;
  const found = [urnOf(urn), ...(seen.id === null ? [] : [seen.id])].flatMap((name) => contents.get(name) ?? []);
  const inside = [...new Set(found)];
  const isOurs = ({ stack }: Owned) => stack === stackName(item.stack);
  const others = inside.filter((owned) => !isOurs(owned));
  const own = inside.filter((owned) => isOurs(owned) && !declared.has(urnOf(owned.urn)));
  const warnings = [
    ...(others.length === 0 ? [] : [goneWith(urn, others)]),
    ...(own.length === 0
      ? []
      : [
          diagnostic('CONTENTS_GO', `With it goes what this stack owns and no step here names: ${listed(own)}.`, {
            urn,
          }),
        ]),
  ];
  return warnings.length === 0 ? seen : { ...seen, blockers: [...seen.blockers, ...warnings] };
}

function goneWith(urn: string, others: readonly Owned[]): Diagnostic {
  return diagnostic('NOT_OURS', `With it goes what other stacks own: ${listed(others)}.`, {
    severity: 'warning',
    urn,
    hint: 'Ask whose it is first. protect: true on any of it, once applied there, keeps what it lies in.',
  });
}

function listed(all: readonly Owned[]): string {
  const more = all.length > NAMED ? `, and ${all.length - NAMED} more` : '';
  return `${all
    .slice(0, NAMED)
    .map(({ urn, stack }) => `${urn} (stack ${stack})`)
    .join(', ')}${more}`;
}

function knownOf(context: PlanContext): Known {
  const before = KNOWN.get(context);
  if (before !== undefined) return before;
  const { names, model } = context.ownership;
  const contents = new Map<string, Owned[]>();
  for (const owned of model.owned.values()) {
    const { provider, resourceType, lastDesired } = owned;
    const catalogue = context.ports.catalogues.get(provider);
    if (catalogue?.traitsOf(resourceType).endsWithContainer !== true) continue;
    for (const name of catalogue.containersOf(resourceType, names.urnOf(owned.urn), lastDesired)) {
      const one = names.urnOf(name);
      const inside = contents.get(one);
      if (inside === undefined) contents.set(one, [owned]);
      else inside.push(owned);
    }
  }
  const steps = [...context.prepared.declared.values()];
  const known = { contents, declared: new Set(steps.map(({ declaration: { urn } }) => names.urnOf(urn ?? ''))) };
  KNOWN.set(context, known);
  return known;
}
