import type { Diagnostic } from '../core/diagnostics.ts';
import type { Observation } from '../core/resource.ts';
import { isKnown, type Reference, referencesIn, resolveValue, type ValueObject } from '../core/value.ts';
import type { CloudProvider, ReadSession, Target } from '../providers/lifecycle-provider.ts';
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
    const other = prepared.declared.get(address);
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

const looked = new WeakMap<Prepared, Map<string, Promise<Observation>>>();

/** What a step's resource is live. It is looked for once: many things lie in one folder. */
export function lookOnce(request: Looking, prepared: Prepared, item: PreparedStep): Promise<Observation> {
  const { address } = item.step;
  const known = looked.get(prepared) ?? new Map<string, Promise<Observation>>();
  looked.set(prepared, known);
  const found = known.get(address) ?? lookFor(request, prepared, item);
  known.set(address, found);
  return found;
}

async function lookFor(request: Looking, prepared: Prepared, item: PreparedStep): Promise<Observation> {
  const opened = await openFor(request, prepared, item);
  if (opened.kind !== 'open') return opened;
  return await opened.session.observe(opened.target);
}

/** A step's desired with all that only the cloud knows: other steps' ids, and places that are written as names. */
export async function resolveLive(request: Looking, prepared: Prepared, item: PreparedStep): Promise<LiveDesired> {
  const opened = await openFor(request, prepared, item);
  return opened.kind === 'open' ? { kind: 'resolved', desired: opened.target.desired } : opened;
}

type Opened =
  | { readonly kind: 'open'; readonly session: ReadSession; readonly target: Target }
  | Exclude<LiveDesired, { kind: 'resolved' }>;

async function openFor(request: Looking, prepared: Prepared, item: PreparedStep): Promise<Opened> {
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
  const session = sessionOf(prepared, opened.provider);
  const target = {
    declaration: item.declaration,
    desired: live.desired,
    resourceId: null,
    pending: new Set<string>(),
    forDelete: false,
  };
  const resolved = await session.resolve(target);
  if (resolved.kind === 'failed') return { kind: 'unreadable', why: resolved.why };
  return { kind: 'open', session, target: { ...target, desired: resolved.desired } };
}

/** One session a provider, so that what lies in one place is listed once. */
const sessions = new WeakMap<Prepared, Map<CloudProvider, ReadSession>>();

function sessionOf(prepared: Prepared, provider: CloudProvider): ReadSession {
  const known = sessions.get(prepared) ?? new Map<CloudProvider, ReadSession>();
  sessions.set(prepared, known);
  const session = known.get(provider) ?? provider.openSession();
  known.set(provider, session);
  return session;
}
