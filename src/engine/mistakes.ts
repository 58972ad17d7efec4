import { diagnostic } from '../core/codes.ts';
import type { Diagnostic, SourcePosition } from '../core/diagnostics.ts';
import type { Ordering } from '../core/graph.ts';
import type { Step } from '../core/step.ts';

/** The circles in which steps wait for each other, each at its first step. */
export function cycles(ordering: Ordering, steps: readonly Step[]): readonly Diagnostic[] {
  if (ordering.kind === 'ordered') return [];
  const sources = new Map(steps.map((step) => [step.address, step.source]));
  return ordering.cycles.map((cycle) => {
    const path = cycle.map((address) => `${address} (${place(sources.get(address))})`).join(' -> ');
    const source = sources.get(cycle[0] ?? '') ?? null;
    return diagnostic('CYCLE', `each of these steps waits for the next one: ${path}. Remove one of the dependencies.`, {
      source,
    });
  });
}

function place(source: SourcePosition | undefined): string {
  return source === undefined ? 'unknown' : `${source.file}:${source.line}:${source.column}`;
}

/** One resource may be managed by one unheld step only. */
export function duplicateUrns(
  steps: readonly { readonly step: Step; readonly held: string | null; readonly urn: string | null }[],
): readonly Diagnostic[] {
  const first = new Map<string, Step>();
  const found: Diagnostic[] = [];
  for (const { step, urn, held } of steps) {
    if (urn === null || held !== null) continue;
    const other = first.get(urn);
    if (other === undefined) first.set(urn, step);
    else {
      const detail = `${other.address} at ${place(other.source)} and ${step.address} at ${place(step.source)} both manage ${urn}. Keep one, or hold one with dry_run: true.`;
      found.push(diagnostic('DUPLICATE_URN', detail, { address: step.address, urn, source: step.source }));
    }
  }
  return found;
}
