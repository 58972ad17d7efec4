import { isError } from '../core/diagnostics.ts';
import type { Owned, OwnershipModel } from '../core/fold.ts';
import { closureOf, type Edges, reversed, topologicalOrder } from '../core/graph.ts';
import { isJsonObject, type Json, type JsonObject } from '../core/json.ts';
import type { OrphanEntry } from '../core/reports.ts';
import { DEFAULT_POLL, type Step } from '../core/step.ts';
import type { ValueObject } from '../core/value.ts';
import { nameSteps } from './import-names.ts';
import { DEFAULT_OPTIONS, type EnginePorts } from './ports.ts';
import { edgesOf, linkAll } from './prepare.ts';

export interface RemovalRequest {
  readonly catalogues: EnginePorts['catalogues'];
  readonly model: OwnershipModel;
  readonly orphans: readonly OrphanEntry[];
  /** `--include-found`: also what was merely found as desired. */
  readonly includeFound: boolean;
}

/** One delete step to be written, after all it depends on. */
export interface RemovalStep {
  readonly name: string;
  readonly owned: Owned;
  readonly action: string;
  readonly input: JsonObject;
  /** What else its tool needs: settings and identity. */
  readonly tool: JsonObject;
  /** Names of the steps that have to be done first, beyond what the provider orders by itself. */
  readonly dependsOn: readonly string[];
}

export interface Removal {
  readonly steps: readonly RemovalStep[];
  readonly kept: readonly { readonly urn: string; readonly why: string }[];
}

/** An orphan with the delete step that would remove it. */
interface Candidate extends RemovalStep {
  readonly step: Step;
}

/**
 * The delete steps that remove orphans, dependants first. Left out: what is protected, what it needs and what it
 * contains, and what was merely found.
 */
export function planRemoval(request: RemovalRequest): Removal {
  const { candidates, undeclarable } = candidatesOf(request);
  const { declarations, diagnostics } = linkAll(
    request.catalogues,
    candidates.map(({ step }) => step),
    DEFAULT_OPTIONS,
    'plan',
  );
  const refused = new Map(diagnostics.filter(isError).map(({ address, detail }) => [address, detail]));
  const able = candidates.filter(({ name }) => !refused.has(name));
  const linked = edgesOf(
    able.map(({ step }) => step),
    declarations,
  );
  const within = containers(request, able, linked);
  const kept = keptOf(request, able, within);
  const going = able.filter(({ owned }) => !kept.has(owned.urn));
  return {
    steps: ordered(going, linked, within),
    kept: [
      ...[...kept].map(([urn, why]) => ({ urn, why })),
      ...undeclarable,
      ...candidates.flatMap(({ name, owned }) => {
        const why = refused.get(name);
        return why === undefined ? [] : [{ urn: owned.urn, why }];
      }),
    ],
  };
}

function candidatesOf({ catalogues, model, orphans }: RemovalRequest) {
  const undeclarable: { urn: string; why: string }[] = [];
  const found: { owned: Owned; action: string; input: JsonObject; tool: JsonObject }[] = [];
  for (const { urn } of orphans) {
    const owned = model.owned.get(urn);
    if (owned === undefined) continue;
    const removal = catalogues.get(owned.provider)?.removalOf(owned.resourceType, urn, owned.lastDesired) ?? null;
    if (removal === null) undeclarable.push({ urn, why: 'this version has no step that deletes it' });
    else found.push({ owned, tool: {}, ...removal });
  }
  const names = nameSteps(
    found.map(({ owned, input }) => ({
      key: owned.urn,
      names: [`delete ${owned.resourceType} ${texts(input).join(' ')}`, `delete ${owned.urn}`],
    })),
  );
  const candidates = found.map((item, index): Candidate => {
    const name = names.get(item.owned.urn) ?? item.owned.urn;
    return { ...item, name, dependsOn: [], step: stepOf(name, index, item) };
  });
  return { candidates, undeclarable };
}

function stepOf(
  address: string,
  index: number,
  { owned, action, input, tool }: Pick<RemovalStep, 'owned' | 'action' | 'input' | 'tool'>,
): Step {
  const none = null;
  const { settings, identity, logical_id: logicalId } = tool;
  return {
    address,
    name: address,
    index,
    desc: none,
    source: { file: owned.urn, line: 1, column: 1 },
    positions: new Map(),
    skip: none,
    provider: owned.provider,
    action,
    input: input as ValueObject,
    stack: owned.stack,
    reconcile: none,
    dryRun: none,
    auth: none,
    guard: none,
    endpoint: none,
    poll: DEFAULT_POLL,
    timeoutMs: none,
    protect: none,
    confirm: none,
    knownDesired: none,
    dependsOn: [],
    settings: isJsonObject(settings) ? settings : none,
    identity: isJsonObject(identity) ? identity : none,
    logicalId: typeof logicalId === 'string' ? logicalId : none,
    resourceId: none,
  };
}

/** What each lies in, by name: what its desired refers to by id, or the one of its kin whose deletion waits for its own. */
function containers(
  { catalogues }: RemovalRequest,
  candidates: readonly Candidate[],
  linked: Edges,
): ReadonlyMap<string, readonly string[]> {
  const takesContents = ({ owned }: Candidate) =>
    catalogues.get(owned.provider)?.traitsOf(owned.resourceType).takesContents === true;
  const byId = new Map(
    candidates.flatMap((item) => (item.owned.resourceId === null ? [] : [[item.owned.resourceId, item]])),
  );
  const before = reversed(linked);
  const byName = new Map(candidates.map((item) => [item.name, item]));
  return new Map(
    candidates.map((item) => {
      const named = texts(item.owned.lastDesired).flatMap((text) => {
        const outer = byId.get(text);
        return outer === undefined || outer === item ? [] : [outer.name];
      });
      const later = [...closureOf([item.name], before)].flatMap((name) => {
        const outer = byName.get(name);
        return outer !== undefined && outer !== item && takesContents(outer) && isKin(item, outer) ? [outer.name] : [];
      });
      return [item.name, [...new Set([...named, ...later])]];
    }),
  );
}

/** The inner one names everything by which the outer one is named. */
function isKin(inner: Candidate, outer: Candidate): boolean {
  const own = new Set(texts(inner.input));
  return texts(outer.input).every((text) => own.has(text));
}

function keptOf(
  { model, orphans, includeFound }: RemovalRequest,
  candidates: readonly Candidate[],
  within: ReadonlyMap<string, readonly string[]>,
): ReadonlyMap<string, string> {
  const isProtected = new Set(orphans.flatMap((orphan) => (orphan.protected ? [orphan.urn] : [])));
  const byName = new Map(candidates.map((item) => [item.name, item]));
  const kept = new Map<string, string>();
  for (const { owned } of candidates) {
    if (isProtected.has(owned.urn)) kept.set(owned.urn, 'protected');
    else if (!includeFound && owned.origin === 'found')
      kept.set(owned.urn, 'found as declared, not made by this stack');
  }
  for (const { name, owned } of candidates) {
    if (kept.has(owned.urn) || model.protection.get(owned.urn) === false) continue;
    const outer = [...closureOf(within.get(name) ?? [], within)].map((other) => byName.get(other)?.owned.urn ?? '');
    const keeper = outer.find((urn) => isProtected.has(urn));
    if (keeper !== undefined) kept.set(owned.urn, `kept with ${keeper}, which is protected`);
  }
  for (const { name, owned } of candidates) {
    if (!kept.has(owned.urn)) continue;
    for (const outer of closureOf(within.get(name) ?? [], within)) {
      const urn = byName.get(outer)?.owned.urn ?? '';
      if (!kept.has(urn)) kept.set(urn, `needed by ${owned.urn}, which is kept`);
    }
  }
  return kept;
}

/** What lies in something goes before it; the rest is the provider's order. */
function ordered(
  going: readonly Candidate[],
  linked: Edges,
  within: ReadonlyMap<string, readonly string[]>,
): readonly RemovalStep[] {
  const names = new Set(going.map(({ name }) => name));
  const contents = reversed(within);
  const added = new Map(
    going.map(({ name }) => {
      const own = new Set(linked.get(name) ?? []);
      return [name, (contents.get(name) ?? []).filter((inner) => names.has(inner) && !own.has(inner))];
    }),
  );
  const edges = new Map(
    [...names].map((name) => [
      name,
      [...(linked.get(name) ?? []).filter((other) => names.has(other)), ...(added.get(name) ?? [])],
    ]),
  );
  const order = topologicalOrder(edges);
  const sequence = order.kind === 'ordered' ? order.order : [...names];
  const byName = new Map(going.map((item) => [item.name, item]));
  return sequence.flatMap((name) => {
    const item = byName.get(name);
    if (item === undefined) return [];
    const { owned, action, input, tool } = item;
    return [{ name, owned, action, input, tool, dependsOn: order.kind === 'ordered' ? (added.get(name) ?? []) : [] }];
  });
}

function texts(value: Json): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap((item: Json) => texts(item)) : [];
}
