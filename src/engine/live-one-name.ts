import type { Diagnostic } from '../core/diagnostics.ts';
import type { Owned, OwnershipModel } from '../core/fold.ts';
import type { OneUrn } from '../core/orphans.ts';
import type { ByNumber, Declaration, Observation, ProviderCatalogue } from '../core/resource.ts';
import { isKnown } from '../core/value.ts';
import type { ReadSession } from '../providers/lifecycle-provider.ts';
import { oneNames } from './one-name.ts';
import type { EnginePorts } from './ports.ts';
import { type Looking, settingsFor } from './readers.ts';

export interface LiveNamesRequest extends Looking {
  readonly catalogues: EnginePorts['catalogues'];
  readonly model: OwnershipModel;
  /** Of these it is asked what else they are called. */
  readonly owned: readonly Owned[];
  /** What they may turn out to be; where none fits there is nothing to look for. */
  readonly declared: ReadonlySet<string>;
}

export interface LiveNames {
  readonly urnOf: OneUrn;
  /** What may be one of the declared, as far as could be seen. */
  readonly unseen: readonly { readonly owned: Owned; readonly why: Diagnostic }[];
}

interface Asked extends ByNumber {
  readonly owned: Owned;
  readonly catalogue: ProviderCatalogue;
}

/** The one URN of each owned thing: as the log tells, and where that knows a number of nothing, as the cloud does. */
export async function liveNames(request: LiveNamesRequest): Promise<LiveNames> {
  const learned = new Map<string, readonly string[]>();
  const unseen: LiveNames['unseen'][number][] = [];
  const looks = new Map<string, Promise<Observation>>();
  for (const asked of askedOf(request)) {
    const { declaration, owned, catalogue } = asked;
    const key = `${owned.stack} ${declaration.address}`;
    const look = looks.get(key) ?? lookAt(request, asked);
    looks.set(key, look);
    const seen = await look;
    if (seen.kind === 'unreadable' || seen.kind === 'not_visible') unseen.push({ owned, why: seen.why });
    const urn = seen.kind === 'present' ? catalogue.urnOf({ ...declaration, urn: null }, seen.actual) : null;
    if (seen.kind === 'present' && seen.id !== null && urn !== null) learned.set(seen.id, [urn]);
  }
  return { urnOf: oneNames(request, request.model, learned).urnOf, unseen };
}

function askedOf({ catalogues, model, owned, declared }: LiveNamesRequest): readonly Asked[] {
  const { urnOf } = oneNames({ catalogues }, model);
  return owned.flatMap((item): readonly Asked[] => {
    if (declared.has(item.urn)) return [];
    const catalogue = catalogues.get(item.provider);
    const one = urnOf(item.urn);
    const named = catalogue?.byNumber?.(one) ?? null;
    if (catalogue === undefined || named === null) return [];
    const fits = [...declared].some((urn) => urn.startsWith(named.before) && urn.endsWith(named.after));
    return fits ? [{ ...named, owned: item, catalogue }] : [];
  });
}

async function lookAt(request: LiveNamesRequest, { owned, catalogue, declaration }: Asked): Promise<Observation> {
  const { auth, endpoint, settings: said } = request.authOf(owned.stack, owned.provider);
  const settings = settingsFor(catalogue, declaration, said);
  const opened = await request.readers.open({ provider: owned.provider, auth, endpoint, settings });
  if (opened.kind === 'unusable') return { kind: 'unreadable', why: opened.why };
  return await observe(opened.provider.openSession(), declaration);
}

async function observe(session: ReadSession, declaration: Declaration): Promise<Observation> {
  const { desired } = declaration;
  if (!isKnown(desired)) return { kind: 'absent' };
  return await session.observe({ declaration, desired, resourceId: null, pending: new Set(), forDelete: false });
}
