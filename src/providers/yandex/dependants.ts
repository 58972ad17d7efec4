import { diagnostic } from '../../core/codes.ts';
import type { Diagnostic } from '../../core/diagnostics.ts';
import { type KindDefinition, type Live, pluralOf } from './define-kind.ts';
import { failureDiagnostic } from './errors.ts';
import { kindOf } from './kinds.ts';
import { urnOfLabels } from './ownership.ts';
import type { Reads } from './reads.ts';

export interface Dependants {
  readonly found: readonly Live[];
  /** Lists that could not be read. */
  readonly problems: readonly Diagnostic[];
}

/** What in the folder needs a resource. */
export async function dependantsOf(definition: KindDefinition, live: Live, reads: Reads): Promise<Dependants> {
  const found: Live[] = [];
  const problems: Diagnostic[] = [];
  for (const kind of definition.dependants) {
    const answer = await reads.list(kindOf(kind));
    if (answer.kind === 'failed')
      problems.push(failureDiagnostic(answer.failure, `What uses ${live.id} among the ${pluralOf(kind)}`));
    else found.push(...answer.value.filter((other) => !other.isBuiltIn && needs(other, live)));
  }
  return { found, problems };
}

function needs(other: Live, live: Live): boolean {
  if (other.uses.includes(live.id)) return true;
  return live.kind === 'address' && other.publicAddresses.some((address) => live.publicAddresses.includes(address));
}

/** What stands in the way of a deletion, each with the URN under which a playbook would declare it. */
export async function deletionBlockers(
  definition: KindDefinition,
  live: Live,
  folderId: string,
  reads: Reads,
): Promise<readonly Diagnostic[]> {
  const { found, problems } = await dependantsOf(definition, live, reads);
  const using = found.map((other) =>
    diagnostic('CONFLICT', `The ${other.kind} ${other.name} (${other.id}) uses it.`, {
      urn: urnOfLabels(kindOf(other.kind).service, other.kind, folderId, other.labels),
      hint: 'Delete that first.',
    }),
  );
  // What uses it tells more than the resource's own word that something does.
  const obstacle = live.deletionObstacle;
  const own =
    obstacle === null || (obstacle.isUse && found.length > 0) ? [] : [diagnostic('CONFLICT', obstacle.detail)];
  return [...own, ...using, ...problems.map((problem) => ({ ...problem, severity: 'warning' as const }))];
}
