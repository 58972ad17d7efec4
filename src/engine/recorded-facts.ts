import { type ProviderFact, UNSCOPED } from '../core/facts.ts';
import { type Owned, originOf } from '../core/fold.ts';
import type { Json } from '../core/json.ts';
import type { RecordKind } from '../core/plan.ts';
import { adoptedDesired } from './classify.ts';
import type { Findings } from './findings.ts';
import { namesakeOf } from './namesake.ts';
import { desiredOf, factOf, ownedElsewhere, recordOf, renamedFrom } from './ownership.ts';
import type { PreparedStep } from './prepare.ts';
import { ownFact, withRename } from './rename.ts';

/** What of a step's findings such facts are made from. */
export type Recordable = Pick<Findings, 'urn' | 'decision' | 'observation' | 'desired' | 'ownership' | 'held'>;

/** Facts that need no cloud write: a first ownership, protection, a tombstone, another name for the same resource, an adoption. */
export function recordedFacts(item: PreparedStep, findings: Recordable): readonly ProviderFact[] {
  const { urn, decision, observation, desired, ownership, held } = findings;
  if (urn === null || held !== null || item.held !== null) return [];
  const present = observation?.kind === 'present' ? observation : null;
  // What went with its container was not looked at: the log still knows by which id others refer to it.
  const owned = ownership.model.owned.get(urn);
  const known = item.spec.kind === 'delete' ? (owned?.resourceId ?? null) : null;
  const namesake = namesakeOf(owned, observation);
  const isGone = item.spec.kind === 'delete' && namesake !== null;
  const base = { urn, resourceId: isGone ? known : (present?.id ?? known), executionId: 0, digest: null };
  if (decision.change === 'adopt' && present !== null) {
    const fact = factOf(item, {
      ...base,
      verb: 'adopt',
      outcome: 'adopted',
      desired: adoptedDesired(item, desired, present.actual),
      origin: 'adopted',
    });
    return [...takeOverFacts(item, findings, fact), ...withRename(ownership, item, fact)];
  }
  if (decision.change !== 'none') return [];
  if (item.spec.kind === 'delete') {
    const gone = factOf(item, {
      ...base,
      verb: 'delete',
      outcome: 'absent',
      desired: desiredOf(desired),
      origin: null,
    });
    const isOwned = ownership.model.owned.has(urn) || renamedFrom(ownership, item, gone).length > 0;
    return isOwned ? withRename(ownership, item, gone) : [];
  }
  if (item.reconcile === 'adopt') return adoptedBefore(item, findings, urn);
  // What another stack made is found by this one, and so is what only has the name: no origin must be inherited.
  const found = owned?.stack === (item.stack ?? UNSCOPED) && namesake === null ? null : 'found';
  const fact = factOf(item, { ...base, verb: 'ensure', outcome: 'noop', desired: desiredOf(desired), origin: found });
  return recordOf(ownership, item, fact) === null ? [] : withRename(ownership, item, fact);
}

/** What is owned as it is live is not adopted again; only a protection that the log doesn't know is recorded. */
function adoptedBefore(item: PreparedStep, { ownership }: Recordable, urn: string): readonly ProviderFact[] {
  const { protect } = item.step;
  const owned = ownership.model.owned.get(urn);
  if (owned === undefined || protect === null || ownership.model.protection.get(urn) === protect) return [];
  return [
    factOf(item, {
      verb: 'adopt',
      outcome: 'adopted',
      urn,
      desired: owned.lastDesired,
      resourceId: owned.resourceId,
      origin: originOf(owned),
      executionId: 0,
      digest: null,
    }),
  ];
}

function takeOverFacts(
  item: PreparedStep,
  { ownership, desired }: Recordable,
  adopted: ProviderFact,
): readonly ProviderFact[] {
  return ownedElsewhere(ownership, item, adopted).map((owned) =>
    givenUp(item, owned, owned.urn === adopted.urn ? desiredOf(desired) : owned.lastDesired),
  );
}

function givenUp(item: PreparedStep, owned: Owned, desired: Json): ProviderFact {
  const given = factOf(item, {
    urn: owned.urn,
    verb: 'delete',
    outcome: 'absent',
    desired,
    resourceId: owned.resourceId,
    origin: null,
    executionId: 0,
    digest: null,
  });
  const { protect: _protect, ...rest } = given;
  return { ...rest, stack: owned.stack, forgotten: true };
}

export function recordKind(item: PreparedStep, findings: Findings, facts: readonly ProviderFact[]): RecordKind | null {
  const own = ownFact(facts);
  if (own === null) return null;
  if (own.verb === 'delete') return 'tombstone';
  if (own.renamed_from !== undefined) return 'rename';
  if (findings.decision.change === 'adopt') return 'own';
  return recordOf(findings.ownership, item, own);
}
