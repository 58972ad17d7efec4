import { diagnostic } from '../core/codes.ts';
import { type Diagnostic, DiagnosticError, hasErrors } from '../core/diagnostics.ts';
import { isJsonObject, type Json, jsonEquals } from '../core/json.ts';
import { isPending, type PlanStep } from '../core/plan.ts';
import type { GuardSpec, Step } from '../core/step.ts';
import { isKnown, type ValueObject } from '../core/value.ts';
import type { LifecycleProvider, ReadSession } from '../providers/lifecycle-provider.ts';
import { onePerCause } from './causes.ts';
import type { PlanRun } from './plan-run.ts';
import type { PreparedStep } from './prepare.ts';
import type { PlannedStep } from './runtime.ts';
import type { Walk } from './walk-state.ts';

const CONTAINER = /^(?:folders|organizations)\/\d+$/;
const ACCOUNT = /^billingAccounts\/[^/]+$/;

/** Projects that a plan makes, with the step that makes each. */
type Made = ReadonlyMap<string, PlannedStep>;

/** The project that a step names or acts on, as `projects/<id>`. */
function projectOf(desired: ValueObject): string | null {
  const [id, resource] = [desired['project_id'], desired['resource']];
  if (typeof id === 'string') return `projects/${id}`;
  return typeof resource === 'string' && resource.startsWith('projects/') ? resource : null;
}

/** Who else comes in with a grant: the owner of its role, the organisation whose people it names. */
function lenders({ role, member }: ValueObject): readonly string[] {
  const owner = /^((?:projects|organizations)\/[^/]+)\/roles\//.exec(String(role))?.[1];
  const people = /\/\/cloudresourcemanager\.googleapis\.com\/(organizations\/\d+)/.exec(String(member))?.[1];
  return [owner, people].filter((place) => place !== undefined);
}

/** Where a step would act: parents, organisations, what carries a grant or owns its role, billing accounts, projects. */
function placesOf(desired: ValueObject, actual: Json): readonly string[] {
  const live = isJsonObject(actual) ? actual['parent'] : undefined;
  const named = [desired['parent'], desired['resource'], desired['organization'], live];
  const accounts = [desired['billing_account'], desired['resource']];
  const project = projectOf(desired);
  return [
    ...lenders(desired),
    ...named.filter((value): value is string => typeof value === 'string' && CONTAINER.test(value)),
    ...accounts.filter((value): value is string => typeof value === 'string' && ACCOUNT.test(value)),
    ...(project === null ? [] : [project]),
  ];
}

/** Projects that are not there yet: they come to lie where their step says, which is checked. */
function madeBy(steps: Iterable<PlannedStep>): Made {
  const made = new Map<string, PlannedStep>();
  for (const planned of steps) {
    const project = projectOf(planned.desired);
    const isMade = planned.shown.change === 'create' && planned.desired['parent'] !== undefined;
    if (isMade && project !== null) made.set(project, planned);
  }
  return made;
}

/**
 * What writes, what looks, what removes even where there is nothing to remove, and what is held and shown: none of it
 * reaches beyond the guard.
 */
function isGuarded({ item }: PlannedStep, shown: PlanStep): boolean {
  if (shown.change === 'blocked' || shown.change === 'unknown') return false;
  // No step of this verb removes what is not owned, be it there or not.
  if (item.verdict?.kind === 'unowned') return false;
  return isPending(shown) || item.spec.kind !== 'ensure' || shown.held !== null;
}

/** Steps under one guard that one session looks for, and which of them touch a place. */
interface GuardCheck {
  readonly guard: GuardSpec;
  readonly session: ReadSession;
  readonly steps: Step[];
  readonly places: Map<string, Step[]>;
}

/** The guard's live pass over every place that the plan touches; what it refuses is told with the steps that it is about. */
export async function verifyGuards(run: PlanRun): Promise<readonly Diagnostic[]> {
  const checks = new Map<string, GuardCheck>();
  const made = madeBy(run.steps.values());
  for (const planned of run.steps.values()) {
    const { item, shown, provider, desired } = planned;
    const { guard, auth, endpoint, settings } = item.step;
    const session = provider === null ? undefined : run.sessions.get(provider);
    if (guard === null || session === undefined || !isGuarded(planned, shown)) continue;
    const key = JSON.stringify([item.step.provider, auth, endpoint, settings, guard]);
    const check = checks.get(key) ?? { guard, session, steps: [], places: new Map<string, Step[]>() };
    checks.set(key, check);
    check.steps.push(item.step);
    for (const place of placesOf(desired, shown.actual))
      if (!made.has(place)) check.places.set(place, [...(check.places.get(place) ?? []), item.step]);
  }
  const found = await Promise.all([...checks.values()].map(refusalsOf));
  return onePerCause(found.flat());
}

/** What a session has read once, it does not ask for again: a check for each place costs no more than one of all. */
async function refusalsOf({ guard, session, steps, places }: GuardCheck): Promise<readonly Diagnostic[]> {
  const ofGuard = await session.checkGuard(guard, []);
  const told = new Set(ofGuard.map(({ detail }) => detail));
  const ofPlaces = [...places].map(async ([place, touching]) => {
    const refused = await session.checkGuard(guard, [place]);
    return refused.filter(({ detail }) => !told.has(detail)).flatMap((found) => atEach(touching, found));
  });
  return [...ofGuard.flatMap((found) => atEach(steps, found)), ...(await Promise.all(ofPlaces)).flat()];
}

function atEach(steps: readonly Step[], found: Diagnostic): readonly Diagnostic[] {
  return steps.map(({ address, source }) => ({ ...found, address, source }));
}

/**
 * A place that became known only while the plan is carried out gets its live pass before it is used: it may come from a
 * read. What this run itself made under the same guard was checked where it was made.
 */
export async function verifyLate(
  current: Walk,
  planned: PlannedStep,
  provider: LifecycleProvider,
  desired: ValueObject,
): Promise<readonly Diagnostic[]> {
  const { guard } = planned.item.step;
  if (guard === null) return [];
  const made = madeBy(current.run.steps.values());
  const isLate = (place: string): boolean => {
    const maker = made.get(place);
    if (maker !== undefined) return maker !== planned && !hasGuard(maker.item, guard);
    return !isKnown(planned.desired) && !isOwnWork(current, planned, guard, place);
  };
  const late = placesOf(desired, null).filter(isLate);
  return late.length === 0 ? [] : await current.freshSession(provider).checkGuard(guard, late);
}

function isOwnWork(current: Walk, { item }: PlannedStep, guard: GuardSpec, place: string): boolean {
  return item.dependsOn.some((need) => {
    const state = current.states.get(need);
    const maker = current.run.steps.get(need)?.item;
    if (state?.outcome !== 'changed' || maker === undefined || !hasGuard(maker, guard)) return false;
    return isJsonObject(state.resource) && state.resource['name'] === place;
  });
}

function hasGuard({ step }: PreparedStep, guard: GuardSpec): boolean {
  return jsonEquals(step.guard, guard);
}

/** The live pass for one step by itself; throws DiagnosticError where the guard refuses it. */
export async function requireGuard(planned: PlannedStep, session: ReadSession): Promise<void> {
  const made = madeBy([planned]);
  const places = placesOf(planned.desired, planned.shown.actual).filter((place) => !made.has(place));
  await requirePlaces(planned.item, places, session);
}

/** The live pass for a read, over what is known of it by now. */
export async function requireGuardOfRead(
  item: PreparedStep,
  desired: ValueObject,
  session: ReadSession,
): Promise<void> {
  await requirePlaces(item, placesOf(desired, null), session);
}

async function requirePlaces({ step }: PreparedStep, places: readonly string[], session: ReadSession): Promise<void> {
  if (step.guard === null) return;
  const found = await session.checkGuard(step.guard, [...new Set(places)].sort());
  if (hasErrors(found))
    throw new DiagnosticError(found.length > 0 ? found : [diagnostic('GUARD', 'the guard refuses this target.')]);
}
