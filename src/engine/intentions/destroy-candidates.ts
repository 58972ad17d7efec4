import { UNSCOPED } from '../../core/facts.ts';
import type { Owned, OwnershipModel } from '../../core/fold.ts';
import type { Containment } from '../containment.ts';
import { declaredNames } from '../declared-names.ts';
import { type Going, keptOf } from '../kept.ts';
import type { EnginePorts } from '../ports.ts';
import type { Prepared, PreparedStep } from '../prepare.ts';
import type { Settlement } from '../settle.ts';
import type { SettledBefore } from '../settle-before.ts';

/** An ensure step of the playbook with what the log says about its resource. */
export interface Candidate {
  readonly item: PreparedStep;
  readonly urn: string | null;
  readonly owned: Owned | null;
  /** An interrupted request of an earlier run about it, as far as that is settled; null: there is none. */
  readonly settled: Settlement | null;
}

/** The ensure steps that take part, by address. */
export function candidatesOf(
  ports: Pick<EnginePorts, 'catalogues'>,
  base: Prepared,
  { model, settledBefore }: SettledBefore,
): ReadonlyMap<string, Candidate> {
  const names = declaredNames(ports, base, model);
  const found = new Map<string, Candidate>();
  for (const address of base.order) {
    const item = base.steps.get(address);
    if (item === undefined || item.spec.kind !== 'ensure' || item.held !== null) continue;
    const settled = settledBefore.get(address) ?? null;
    found.set(address, { item, urn: names.urnOf(item), owned: names.ownedOf(item), settled });
  }
  return found;
}

/** Addresses of the steps whose resources stay, each with why. */
export function keptSteps(
  { catalogues }: Pick<EnginePorts, 'catalogues'>,
  { options: { includeFound } }: Prepared,
  candidates: ReadonlyMap<string, Candidate>,
  model: OwnershipModel,
  within: Containment,
): ReadonlyMap<string, string> {
  const going = [...candidates.values()].flatMap((candidate) => goingOf(candidate, candidates));
  const kept = keptOf({
    catalogues,
    model,
    within,
    going,
    declared: [],
    includeFound,
    // By a fact, or by default in the stack that is taken down.
    outsiderKeeps: (outer, inner) => outer.stack === inner.stack || model.protection.get(outer.urn) === true,
  });
  return new Map(
    [...candidates].flatMap(([address, { owned }]) => {
      const why = kept.get(owned?.urn ?? '');
      return why === undefined ? [] : [[address, why]];
    }),
  );
}

function goingOf({ item, owned }: Candidate, candidates: ReadonlyMap<string, Candidate>): readonly Going[] {
  if (owned === null) return [];
  const { step, declaration } = item;
  const needs = ownedAmong(declaration.needs, candidates);
  return [
    {
      owned,
      name: step.address,
      isOurs: isOurs(item, owned),
      isProtected: step.protect === true,
      refused: null,
      needs,
    },
  ];
}

/** Whether the stack of the step owns it. */
export function isOurs({ stack }: PreparedStep, owned: Owned): boolean {
  return owned.stack === (stack ?? UNSCOPED);
}

/** URNs of what holds something that the playbook declares and another stack owns, each with that: it does not go under it. */
export function holdersOf(
  candidates: ReadonlyMap<string, Candidate>,
  within: Containment,
): ReadonlyMap<string, Candidate> {
  const found = new Map<string, Candidate>();
  for (const candidate of candidates.values()) {
    const { item, owned } = candidate;
    if (owned === null || isOurs(item, owned)) continue;
    const needed = ownedAmong(item.declaration.needs, candidates).flatMap((urn) => [urn, ...within.outerOf(urn)]);
    for (const urn of [...needed, ...within.outerOf(owned.urn)]) found.set(urn, found.get(urn) ?? candidate);
  }
  return found;
}

/** What the log owns of these steps; of those that it does not know, what they need in turn. */
function ownedAmong(addresses: readonly string[], candidates: ReadonlyMap<string, Candidate>): readonly string[] {
  const found = new Set<string>();
  const seen = new Set<string>();
  const open = [...addresses];
  for (let address = open.shift(); address !== undefined; address = open.shift()) {
    const candidate = seen.has(address) ? undefined : candidates.get(address);
    seen.add(address);
    if (candidate === undefined) continue;
    if (candidate.owned === null) open.push(...candidate.item.declaration.needs);
    else found.add(candidate.owned.urn);
  }
  return [...found];
}
