import type { Diagnostic } from '../core/diagnostics.ts';
import type { Observation } from '../core/resource.ts';
import { isKnown, type Reference, referencesIn, resolveValue, type ValueObject } from '../core/value.ts';
import type { Prepared, PreparedStep } from './prepare.ts';
import type { Looking } from './readers.ts';

/** A step's desired with the ids of other steps' resources looked up live. */
export type LiveDesired =
  | { readonly kind: 'resolved'; readonly desired: ValueObject }
  /** What it refers to is not there, so neither is it. */
  | { readonly kind: 'absent' }
  | { readonly kind: 'unreadable'; readonly why: Diagnostic };

/** Looks up the ids that a step's desired refers to. */
export async function resolveIds(request: Looking, prepared: Prepared, item: PreparedStep): Promise<LiveDesired> {
  const ids = new Map<string, string>();
  for (const { address, path } of referencesIn(item.declaration.desired)) {
    const other = prepared.steps.get(address);
    if (other === undefined || path !== 'resource.name') return { kind: 'absent' };
    const found = await lookOnce(request, prepared, other);
    if (found.kind === 'not_visible' || found.kind === 'unreadable') return { kind: 'unreadable', why: found.why };
    if (found.kind === 'absent' || found.id === null) return { kind: 'absent' };
    ids.set(address, found.id);
  }
  const lookup = ({ address, path }: Reference) => (path === 'resource.name' ? ids.get(address) : undefined);
  const desired = resolveValue(item.declaration.desired, lookup, () => undefined) as ValueObject;
  return { kind: 'resolved', desired };
}

/** What was looked for already: many things lie in one folder. */
const looked = new WeakMap<Prepared, Map<string, Promise<Observation>>>();

function lookOnce(request: Looking, prepared: Prepared, item: PreparedStep): Promise<Observation> {
  const { address } = item.step;
  const known = looked.get(prepared) ?? new Map<string, Promise<Observation>>();
  looked.set(prepared, known);
  const found = known.get(address) ?? lookFor(request, prepared, item);
  known.set(address, found);
  return found;
}

async function lookFor(request: Looking, prepared: Prepared, item: PreparedStep): Promise<Observation> {
  const live = await resolveIds(request, prepared, item);
  if (live.kind !== 'resolved') return live;
  if (!isKnown(live.desired)) return { kind: 'absent' };
  const own = request.authOf(item.stack ?? '', item.step.provider);
  const opened = await request.readers.open({
    provider: item.step.provider,
    auth: item.step.auth ?? own.auth,
    endpoint: item.step.endpoint ?? own.endpoint,
    settings: item.step.settings ?? own.settings ?? null,
  });
  if (opened.kind === 'unusable') return { kind: 'unreadable', why: opened.why };
  const session = opened.provider.openSession();
  const target = {
    declaration: item.declaration,
    desired: live.desired,
    resourceId: null,
    pending: new Set<string>(),
    forDelete: false,
  };
  const resolved = await session.resolve(target);
  if (resolved.kind === 'failed') return { kind: 'unreadable', why: resolved.why };
  return await session.observe({ ...target, desired: resolved.desired });
}
