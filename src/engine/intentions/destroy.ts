import { DiagnosticError, hasErrors } from '../../core/diagnostics.ts';
import { UNSCOPED } from '../../core/facts.ts';
import type { OwnershipModel } from '../../core/fold.ts';
import { type Edges, reversed } from '../../core/graph.ts';
import type { Declaration } from '../../core/resource.ts';
import type { Step } from '../../core/step.ts';
import { displayObject } from '../../core/value.ts';
import { containmentOf } from '../containment.ts';
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
import type { SettledBefore } from '../settle-before.ts';
import { type Candidate, candidatesOf, holdersOf, isOurs, keptSteps } from './destroy-candidates.ts';
import { removalOf } from './named-removal.ts';
import { holdsForeign, notOurs } from './not-ours.ts';

/**
 * `infra destroy`: what the playbook ensures and the stack owns as created or adopted, as delete steps, dependants first.
 * What is protected stays with what it needs and contains; what lies in a project that goes needs no step of its own.
 */
export function intendDestroy(ports: EnginePorts, base: Prepared, known: SettledBefore): Prepared {
  const { model } = known;
  const candidates = candidatesOf(ports, base, known);
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
  const owned = steps.filter((step) => candidates.get(step.address)?.owned !== null);
  const main = owned.filter((step) => !isWithin(verdicts, step.address));
  const linked = linkAll(ports.catalogues, main, base.options, 'destroy');
  const alone = owned
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
    const declaration = declarations.get(step.address) ?? unownedDeclaration(candidate, step);
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

/** What is not owned is declared as the playbook has it, by names that only a look may give: nothing of it is sent. */
function unownedDeclaration({ item }: Candidate, { action }: Step): Declaration {
  const { catalogue, declaration, spec } = item;
  const removal = catalogue.findAction(action, null);
  return {
    ...declaration,
    action: removal?.kind === 'delete' ? removal : { ...spec, kind: 'delete', converge: 'destroy' },
    dependsOn: [],
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

/** What stays, by the steps' addresses, and what can't go, by URN, for what lies in it. */
interface Staying {
  readonly kept: ReadonlyMap<string, string>;
  readonly holding: ReadonlyMap<string, Candidate>;
}

/** Null: decided by looking. 'left': nothing to do and nothing to say, because what it lies in takes it along. */
function verdictOf(
  candidate: Candidate,
  all: ReadonlyMap<string, Candidate>,
  { kept, holding }: Staying,
  model: OwnershipModel,
): Verdict {
  const { item, urn, owned, settled } = candidate;
  const mine = owned !== null && isOurs(item, owned);
  if (owned !== null && !mine) return { kind: 'blocked', why: notOurs(item, owned) };
  const wasOurs = owned === null && urn !== null && model.tombstones.has(urn);
  const unowned = { kind: 'unowned', why: notOurs(item, owned), wasOurs } as const;
  if (settled?.verdict === 'unresolved' || settled?.verdict === 'pending') return unowned;
  if (kept.has(item.step.address)) return { kind: 'kept' };
  const container = goingContainer(item, all, kept, model);
  const inner = mine ? holding.get(owned.urn) : undefined;
  if (inner !== undefined) return { kind: 'blocked', why: holdsForeign(item, inner.item, inner.owned) };
  // What was given up with its container before a cut, or is settled, keeps its place, with no ownership left to record.
  if (container !== null) return mine || wasOurs || settled !== null ? { kind: 'within', container } : 'left';
  return mine ? null : unowned;
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
