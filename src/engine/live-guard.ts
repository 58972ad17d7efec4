import { diagnostic } from '../core/codes.ts';
import { type Diagnostic, DiagnosticError, hasErrors } from '../core/diagnostics.ts';
import { isJsonObject, type Json, jsonEquals } from '../core/json.ts';
import { hasPendingWrite, isPending } from '../core/plan.ts';
import type { GuardSpec } from '../core/step.ts';
import { isKnown, type ValueObject } from '../core/value.ts';
import type { LifecycleProvider, ReadSession } from '../providers/lifecycle-provider.ts';
import type { PlanRun } from './plan-run.ts';
import type { PlannedStep } from './runtime.ts';
import type { Walk } from './walk-state.ts';

const CONTAINER = /^(?:folders|organizations)\/\d+$/;
const ACCOUNT = /^billingAccounts\/[^/]+$/;

/** The project that a step names or acts on, as `projects/<id>`. */
function projectOf(desired: ValueObject): string | null {
  const [id, resource] = [desired['project_id'], desired['resource']];
  if (typeof id === 'string') return `projects/${id}`;
  return typeof resource === 'string' && resource.startsWith('projects/') ? resource : null;
}

/** Where a step would act: parents, what carries a grant, billing accounts, and the project unless `created` has it. */
export function placesOf(desired: ValueObject, actual: Json, created: ReadonlySet<string>): readonly string[] {
  const named = [desired['parent'], desired['resource'], isJsonObject(actual) ? actual['parent'] : undefined];
  const accounts = [desired['billing_account'], desired['resource']];
  const project = projectOf(desired);
  return [
    ...named.filter((value): value is string => typeof value === 'string' && CONTAINER.test(value)),
    ...accounts.filter((value): value is string => typeof value === 'string' && ACCOUNT.test(value)),
    ...(project === null || created.has(project) ? [] : [project]),
  ];
}

/** Projects that are not there yet: they come to lie where their step says, which is checked. */
function createdBy(steps: Iterable<PlannedStep>): ReadonlySet<string> {
  const names = [...steps].map(({ shown, desired }) =>
    shown.change === 'create' && desired['parent'] !== undefined ? projectOf(desired) : null,
  );
  return new Set(names.filter((name): name is string => name !== null));
}

/** The guard's live pass, once per provider and guard, over every place that the plan touches. */
export async function verifyGuards(run: PlanRun): Promise<readonly Diagnostic[]> {
  const checks = new Map<
    string,
    { readonly places: Set<string>; readonly guard: GuardSpec; readonly session: ReadSession }
  >();
  const created = createdBy(run.steps.values());
  for (const { item, shown, provider, desired } of run.steps.values()) {
    const { guard, auth, endpoint, settings } = item.step;
    const session = provider === null ? undefined : run.sessions.get(provider);
    if (guard === null || session === undefined || !(hasPendingWrite(shown) || isPending(shown))) continue;
    const key = JSON.stringify([item.step.provider, auth, endpoint, settings, guard]);
    const entry = checks.get(key) ?? { places: new Set<string>(), guard, session };
    checks.set(key, entry);
    for (const place of placesOf(desired, shown.actual, created)) entry.places.add(place);
  }
  const found = [...checks.values()].map(({ places, guard, session }) => session.checkGuard(guard, [...places].sort()));
  return (await Promise.all(found)).flat();
}

/**
 * A place that became known only while the plan is carried out gets its live pass before the write: it may come from a
 * read. What this run itself made under the same guard was checked where it was made.
 */
export async function verifyLate(
  current: Walk,
  planned: PlannedStep,
  provider: LifecycleProvider,
  desired: ValueObject,
): Promise<readonly Diagnostic[]> {
  const { item } = planned;
  const { guard } = item.step;
  if (guard === null || isKnown(planned.desired)) return [];
  const created = createdBy(current.run.steps.values());
  const late = placesOf(desired, null, created).filter((place) => !isOwnWork(current, planned, guard, place));
  return late.length === 0 ? [] : await current.freshSession(provider).checkGuard(guard, late);
}

function isOwnWork(current: Walk, { item }: PlannedStep, guard: GuardSpec, place: string): boolean {
  return item.dependsOn.some((need) => {
    const state = current.states.get(need);
    const maker = current.run.steps.get(need)?.item;
    if (state?.outcome !== 'changed' || maker === undefined || !jsonEquals(maker.step.guard, guard)) return false;
    return isJsonObject(state.resource) && state.resource['name'] === place;
  });
}

/** The live pass for one step by itself; throws DiagnosticError where the guard refuses it. */
export async function requireGuard(planned: PlannedStep, session: ReadSession): Promise<void> {
  const { guard } = planned.item.step;
  if (guard === null) return;
  const places = placesOf(planned.desired, planned.shown.actual, createdBy([planned]));
  const found = await session.checkGuard(guard, [...new Set(places)].sort());
  if (hasErrors(found))
    throw new DiagnosticError(found.length > 0 ? found : [diagnostic('GUARD', 'the guard refuses this target.')]);
}
