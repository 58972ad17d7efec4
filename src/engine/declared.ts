import { diagnostic } from '../core/codes.ts';
import { type Diagnostic, DiagnosticError } from '../core/diagnostics.ts';
import type { Owned, OwnershipModel } from '../core/fold.ts';
import type { Declared } from '../core/orphans.ts';
import type { Playbook } from '../core/step.ts';
import { displayObject, isKnown } from '../core/value.ts';
import type { Placed } from './containment.ts';
import { type DeclaredNames, declaredNames, isRenamable, mayBeRenamed } from './declared-names.ts';
import { type LiveSteps, liveSteps } from './live-steps.ts';
import type { EnginePorts, VerbOptions } from './ports.ts';
import { type PreparedStep, prepare } from './prepare.ts';
import type { Looking } from './readers.ts';

export interface DeclaredRequest extends Looking {
  readonly catalogues: EnginePorts['catalogues'];
  readonly stack: string;
  readonly playbooks: readonly Playbook[];
  readonly options: VerbOptions;
}

/** What is declared, with where it is to lie, as far as the playbooks spell that. */
export interface DeclaredThings extends Required<Declared> {
  readonly places: readonly Placed[];
}

interface DeclaredStep {
  readonly item: PreparedStep;
  readonly names: DeclaredNames;
  readonly live: LiveSteps;
}

/** What a step turned out to stand for: a live id, something owned in its place. */
interface Found {
  readonly id: string | null;
  readonly owned: Owned | null;
}

/**
 * What all the ensure steps declare, loops included, whatever is selected: URNs, and the ids of what they stand for. An
 * owned thing that a step may mean by another name is told from it by a look at the cloud, as late as that is needed.
 */
export async function declaredBy(request: DeclaredRequest, model: OwnershipModel): Promise<DeclaredThings> {
  const places: Placed[] = [];
  const urns = new Set<string>();
  const resourceIds = new Set<string>();
  const unknown: DeclaredStep[] = [];
  const declare = (owned: Owned | undefined | null) => {
    if (owned == null) return;
    urns.add(owned.urn);
    if (owned.resourceId !== null) resourceIds.add(owned.resourceId);
  };
  for (const playbook of request.playbooks) {
    const prepared = prepare(request, playbook, { ...request.options, targets: [], excludes: [] }, 'plan');
    const names = declaredNames(request, prepared, model);
    const live = liveSteps(request, prepared, names);
    const ensures = [...prepared.steps.values()].filter(({ spec }) => spec.kind === 'ensure');
    for (const item of ensures) {
      const owned = names.ownedOf(item);
      declare(owned);
      if (owned === null && isRenamable(item.declaration)) unknown.push({ item, names, live });
    }
    const found = await Promise.all(
      ensures.map(async (item) =>
        // A folder that is owned by another name is declared by its id; what it is called next does not matter.
        names.ownedOf(item) !== null || isRenamable(item.declaration)
          ? names.urnOf(item)
          : (names.urnOf(item) ?? (await liveUrn(live, item))),
      ),
    );
    for (const [index, urn] of found.entries()) {
      if (urn === null) continue;
      places.push(...placeOf(urn, ensures[index]));
      urns.add(urn);
      declare(model.owned.get(urn));
    }
  }
  for (const { id, owned } of await lookFor(request, model, { urns, resourceIds }, unknown)) {
    if (id !== null) resourceIds.add(id);
    if (owned !== null) urns.add(owned.urn);
  }
  return { urns, resourceIds, places };
}

/** What refers to another step lies in something declared. */
function placeOf(urn: string, item: PreparedStep | undefined): readonly Placed[] {
  if (item === undefined || !isKnown(item.declaration.desired)) return [];
  const { provider, resourceType } = item.spec;
  return [{ urn, provider, resourceType, lastDesired: displayObject(item.declaration.desired) }];
}

async function liveUrn(live: LiveSteps, item: PreparedStep): Promise<string> {
  const found = await live.resolve(item);
  const urn = found.kind === 'resolved' ? item.catalogue.urnOf(item.declaration, found.desired) : null;
  if (urn === null) throw new DiagnosticError([unresolved(item, found.kind === 'unreadable' ? found.why : null)]);
  return urn;
}

/** Looks for the steps that the log does not know, where something owned and not declared may be one of them. */
async function lookFor(
  { stack, ...request }: DeclaredRequest,
  model: OwnershipModel,
  declared: Required<Declared>,
  steps: readonly DeclaredStep[],
): Promise<readonly Found[]> {
  if (steps.length === 0) return [];
  const candidates = [...model.owned.values()].filter(
    (item) =>
      item.stack === stack &&
      !declared.urns.has(item.urn) &&
      !declared.resourceIds.has(item.resourceId ?? '') &&
      mayBeRenamed(request.catalogues, item),
  );
  const kinds = new Set(candidates.map(({ provider, resourceType }) => `${provider} ${resourceType}`));
  const asked = steps.filter(({ item: { spec } }) => kinds.has(`${spec.provider} ${spec.resourceType}`));
  return await Promise.all(asked.map(lookForOne));
}

async function lookForOne({ item, names, live }: DeclaredStep): Promise<Found> {
  const seen = await live.observe(item);
  if (seen.kind === 'not_visible' || seen.kind === 'unreadable')
    throw new DiagnosticError([unresolved(item, seen.why)]);
  const found = await live.resolve(item);
  return {
    id: seen.kind === 'present' ? seen.id : null,
    owned: found.kind === 'resolved' ? names.ownedAt(item, found.desired) : null,
  };
}

function unresolved({ step }: PreparedStep, why: Diagnostic | null): Diagnostic {
  const looked = why === null ? '' : ` (${why.detail})`;
  const detail = `which resource it declares depends on an id that neither the log nor a look at the cloud gives${looked}, so what is orphaned can't be told.`;
  return diagnostic('BLOCKED', detail, {
    address: step.address,
    source: step.source,
    hint: 'Apply the playbook first, or give a credential that may read it.',
  });
}
