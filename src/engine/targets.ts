import { diagnostic } from '../core/codes.ts';
import type { Diagnostic } from '../core/diagnostics.ts';
import { closureOf, type Edges } from '../core/graph.ts';
import type { Declaration } from '../core/resource.ts';
import type { Step } from '../core/step.ts';
import type { VerbOptions } from './ports.ts';

/** The addresses that take part: the targets with what they depend on, less the excluded and what depends on those. */
export function selectSteps(
  steps: readonly Step[],
  declarations: ReadonlyMap<string, Declaration>,
  edges: Edges,
  options: VerbOptions,
): ReadonlySet<string> {
  const all = new Set(steps.map((step) => step.address));
  const wanted =
    options.targets.length === 0 ? all : closureOf(addressesOf(options.targets, steps, declarations), edges);
  if (options.excludes.length === 0) return wanted;
  const excluded = withDependants(addressesOf(options.excludes, steps, declarations), edges);
  return new Set([...wanted].filter((address) => !excluded.has(address)));
}

/** A target is an address, a step's name (all its instances) or a URN. */
function addressesOf(
  names: readonly string[],
  steps: readonly Step[],
  declarations: ReadonlyMap<string, Declaration>,
): ReadonlySet<string> {
  return new Set(names.flatMap((name) => matching(name, steps, declarations).map(({ address }) => address)));
}

function matching(
  name: string,
  steps: readonly Step[],
  declarations: ReadonlyMap<string, Declaration>,
): readonly Step[] {
  return steps.filter((step) => isNamed(step, declarations.get(step.address)?.urn ?? null, name));
}

/** What the caller names that is no step of the playbook. */
export function unknownTargets(
  steps: readonly Step[],
  declarations: ReadonlyMap<string, Declaration>,
  { targets, excludes }: Pick<VerbOptions, 'targets' | 'excludes'>,
): readonly Diagnostic[] {
  return [...new Set([...targets, ...excludes])]
    .filter((name) => matching(name, steps, declarations).length === 0)
    .map((name) =>
      diagnostic('UNKNOWN_STEP', `no step has the address, name or URN ${JSON.stringify(name)}.`, {
        hint: `The steps are: ${[...new Set(steps.map((step) => step.name))].slice(0, 20).join(', ')}`,
      }),
    );
}

/** Whether a target means this step. */
export function isNamed({ address, name }: Step, urn: string | null, word: string): boolean {
  return address === word || name === word || address.startsWith(`${word}[`) || urn === word;
}

/** What depends on an excluded step can't be planned without it, so it is left out as well. */
function withDependants(excluded: ReadonlySet<string>, edges: Edges): ReadonlySet<string> {
  const dependants = new Map<string, string[]>();
  for (const [address, needs] of edges) {
    for (const need of needs) {
      const list = dependants.get(need);
      if (list === undefined) dependants.set(need, [address]);
      else list.push(address);
    }
  }
  return closureOf(excluded, dependants);
}
