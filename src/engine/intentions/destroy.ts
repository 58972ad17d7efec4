import { DiagnosticError, hasErrors } from '../../core/diagnostics.ts';
import { UNSCOPED } from '../../core/facts.ts';
import type { Owned, OwnershipModel } from '../../core/fold.ts';
import { type Edges, reversed } from '../../core/graph.ts';
import type { Step } from '../../core/step.ts';
import { displayObject } from '../../core/value.ts';
import { type Containment, containmentOf } from '../containment.ts';
import { declaredNames } from '../declared-names.ts';
import { type Going, keptOf } from '../kept.ts';
import type { EnginePorts } from '../ports.ts';
import {
  afterOf,
  edgesOf,
  type IntendedVerdict,
  linkAll,
  orderOf,
  type Prepared,
  type PreparedStep,
  withAfter,
} from '../prepare.ts';
import { removalOf } from './named-removal.ts';
import { holdsForeign, notOurs } from './not-ours.ts';

/** An ensure step of the playbook with what the log says about its resource. */
interface Candidate {
  readonly item: PreparedStep;
  readonly urn: string | null;
  readonly owned: Owned | null;
}

/**
 * `infra destroy`: what the playbook ensures and the stack owns as created or adopted, as delete steps, dependants first.
 * What is protected stays with what it needs and contains; what lies in a project that goes needs no step of its own.
 */
export function intendDestroy(ports: EnginePorts, base: Prepared, model: OwnershipModel): Prepared {
  const candidates = candidatesOf(ports, base, model);
  const within = containmentOf(ports, model);
  const kept = keptSteps(ports, base, candidates, model, within);
  const holding = holdersOf(candidates, within);
  const verdicts = new Map(
    [...candidates.values()].map((candidate) => [
      candidate.item.step.address,
      verdictOf(candidate, candidates, { kept, holding }, model),
    ]),
  );
  const taking = [...candidates.values()].filter(({ item }) => verdicts.get(item.step.address) !== 'left');
  const dependants = reversed(new Map([...base.steps].map(([address, { dependsOn }]) => [address, dependsOn])));
  const steps = taking.map((candidate) => deleteStep(candidate, model, beforeIt(candidate, dependants, verdicts)));
  const isNamed = (address: string) => candidates.get(address)?.urn !== null;
  const main = steps.filter((step) => !isWithin(verdicts, step.address) && isNamed(step.address));
  const linked = linkAll(ports.catalogues, main, base.options, 'destroy');
  const alone = steps
    .filter((step) => isWithin(verdicts, step.address))
    .map((step) => linkAll(ports.catalogues, [step], base.options, 'destroy'));
  // How these steps are spelt is no one's doing but ours; what the playbook spells was told with its own steps.
  const problems = [...linked.diagnostics, ...alone.flatMap(({ diagnostics }) => diagnostics)].filter(
    ({ code }) => code !== 'FORMAT_WARNING',
  );
  if (hasErrors(problems)) throw new DiagnosticError(problems);
  const declarations = new Map([...linked.declarations, ...alone.flatMap((one) => [...one.declarations])]);
  const edges = edgesOf(steps, declarations);
  const prepared = new Map<string, PreparedStep>();
  for (const step of steps) {
    const candidate = candidates.get(step.address);
    const verdict = verdicts.get(step.address) ?? null;
    if (candidate === undefined || verdict === 'left') continue;
    const { item, urn } = candidate;
    // What can't be named without a look at the cloud is not ours: it stays as the playbook has it.
    const declaration = declarations.get(step.address) ?? (isNamed(step.address) ? undefined : item.declaration);
    if (declaration === undefined) continue;
    const held = kept.get(step.address) ?? null;
    const needs = edges.get(step.address) ?? [];
    prepared.set(step.address, {
      ...item,
      step,
      spec: declaration.action,
      declaration: { ...declaration, urn: urn ?? declaration.urn },
      reconcile: null,
      held,
      dependsOn: needs,
      after: afterOf(edges, declarations, step.address),
      verdict,
    });
  }
  const order = orderOf(withAfter(edges, declarations), steps).filter((address) => prepared.has(address));
  return {
    ...base,
    steps: prepared,
    order,
    skipped: [...base.skipped, ...leftOut(base, prepared)],
    diagnostics: [...base.diagnostics, ...problems],
  };
}

type Verdict = IntendedVerdict | null | 'left';

function isTaking(verdicts: ReadonlyMap<string, Verdict>, address: string): boolean {
  return verdicts.has(address) && verdicts.get(address) !== 'left';
}

function isWithin(verdicts: ReadonlyMap<string, Verdict>, address: string): boolean {
  const verdict = verdicts.get(address);
  return verdict !== null && verdict !== undefined && verdict !== 'left' && verdict.kind === 'within';
}

function candidatesOf(
  ports: Pick<EnginePorts, 'catalogues'>,
  base: Prepared,
  model: OwnershipModel,
): ReadonlyMap<string, Candidate> {
  const names = declaredNames(ports, base, model);
  const found = new Map<string, Candidate>();
  for (const address of base.order) {
    const item = base.steps.get(address);
    if (item === undefined || item.spec.kind !== 'ensure' || item.held !== null) continue;
    found.set(address, { item, urn: names.urnOf(item), owned: names.ownedOf(item) });
  }
  return found;
}

/** Addresses of the steps whose resources stay, each with why. */
function keptSteps(
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

function isOurs({ stack }: PreparedStep, owned: Owned): boolean {
  return owned.stack === (stack ?? UNSCOPED);
}

/** URNs of what holds something that the playbook declares and another stack owns, each with that: it does not go under it. */
function holdersOf(candidates: ReadonlyMap<string, Candidate>, within: Containment): ReadonlyMap<string, Candidate> {
  const found = new Map<string, Candidate>();
  for (const candidate of candidates.values()) {
    const { item, owned } = candidate;
    if (owned === null || isOurs(item, owned)) continue;
    const needed = ownedAmong(item.declaration.needs, candidates).flatMap((urn) => [urn, ...within.outerOf(urn)]);
    for (const urn of [...needed, ...within.outerOf(owned.urn)]) found.set(urn, found.get(urn) ?? candidate);
  }
  return found;
}

/** What stays, by the steps' addresses, and what can't go, by URN, for what lies in it. */
interface Staying {
  readonly kept: ReadonlyMap<string, string>;
  readonly holding: ReadonlyMap<string, Candidate>;
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

/** Null: decided by looking. 'left': nothing to do and nothing to say, because what it lies in takes it along. */
function verdictOf(
  candidate: Candidate,
  all: ReadonlyMap<string, Candidate>,
  { kept, holding }: Staying,
  model: OwnershipModel,
): Verdict {
  const { item, urn, owned } = candidate;
  const mine = owned !== null && isOurs(item, owned);
  if (owned !== null && !mine) return { kind: 'blocked', why: notOurs(item, owned) };
  if (kept.has(item.step.address)) return { kind: 'kept' };
  const container = goingContainer(item, all, kept, model);
  const inner = mine ? holding.get(owned.urn) : undefined;
  if (inner !== undefined) return { kind: 'blocked', why: holdsForeign(item, inner.item, inner.owned) };
  const gone = owned === null && urn !== null && model.tombstones.has(urn);
  // What was given up with its container before a cut keeps its place among the steps, with nothing left to record.
  if (container !== null) return mine || gone ? { kind: 'within', container } : 'left';
  if (mine) return null;
  if (gone) return { kind: 'gone', why: notOurs(item, owned) };
  return { kind: 'blocked', why: notOurs(item, owned) };
}

/** The nearest enclosing resource of this plan that goes, or went before a cut, and takes its contents along. */
function goingContainer(
  item: PreparedStep,
  all: ReadonlyMap<string, Candidate>,
  kept: ReadonlyMap<string, string>,
  model: OwnershipModel,
): string | null {
  for (const address of item.declaration.needs) {
    const outer = all.get(address);
    if (outer === undefined || kept.has(address) || !isGoing(outer, model)) continue;
    if (outer.item.catalogue.traitsOf(outer.item.spec.resourceType).takesContents) return address;
  }
  return null;
}

function isGoing({ item, urn, owned }: Candidate, model: OwnershipModel): boolean {
  if (owned !== null) return isOurs(item, owned);
  return urn !== null && model.tombstones.get(urn)?.stack === (item.stack ?? UNSCOPED);
}

/** What goes first: all that depends on it; of what it takes along, what depends on that. What goes along goes after. */
function beforeIt({ item }: Candidate, dependants: Edges, verdicts: ReadonlyMap<string, Verdict>): readonly string[] {
  const own = verdicts.get(item.step.address);
  if (own !== null && own !== undefined && own !== 'left' && own.kind === 'within') return [own.container];
  const found = new Set<string>();
  const open = [item.step.address];
  const seen = new Set(open);
  for (let address = open.pop(); address !== undefined; address = open.pop()) {
    for (const dependant of dependants.get(address) ?? []) {
      if (seen.has(dependant) || !isTaking(verdicts, dependant)) continue;
      seen.add(dependant);
      if (isWithin(verdicts, dependant)) open.push(dependant);
      else found.add(dependant);
    }
  }
  return [...found];
}

/** The delete step that mirrors an ensure step. */
function deleteStep({ item, urn, owned }: Candidate, model: OwnershipModel, dependsOn: readonly string[]): Step {
  const recorded = owned?.lastDesired ?? (urn === null ? undefined : model.tombstones.get(urn)?.desired);
  const desired = recorded ?? displayObject(item.declaration.desired);
  const removal = urn === null ? null : removalOf(item, urn, owned?.urn ?? urn, desired);
  return {
    ...item.step,
    action: removal?.action ?? item.step.action,
    input: removal?.input ?? item.step.input,
    dependsOn,
    reconcile: null,
    dryRun: null,
    confirm: null,
    knownDesired: null,
  };
}

function leftOut(base: Prepared, taken: ReadonlyMap<string, PreparedStep>) {
  return [...base.steps.values()]
    .filter(({ step }) => !taken.has(step.address))
    .map(({ step, spec, held }) => ({
      step,
      reason:
        spec.kind !== 'ensure'
          ? 'destroy takes ensure steps only'
          : held !== null
            ? `held: ${held}`
            : 'goes with what it lies in',
    }));
}
