import { isError } from '../core/diagnostics.ts';
import type { Owned, OwnershipModel } from '../core/fold.ts';
import { type Edges, reversed, topologicalOrder } from '../core/graph.ts';
import { isJsonObject, type Json, type JsonObject } from '../core/json.ts';
import type { OrphanEntry } from '../core/reports.ts';
import { DEFAULT_POLL, type EndpointSpec, type Step } from '../core/step.ts';
import type { ValueObject } from '../core/value.ts';
import { type Containment, containmentOf, type Placed } from './containment.ts';
import { nameSteps } from './import-names.ts';
import { type Going, keptOf } from './kept.ts';
import { DEFAULT_OPTIONS, type EnginePorts } from './ports.ts';
import { edgesOf, linkAll, withAfter } from './prepare.ts';

export interface RemovalRequest {
  readonly catalogues: EnginePorts['catalogues'];
  readonly model: OwnershipModel;
  readonly orphans: readonly OrphanEntry[];
  /** What the playbooks declare: what that lies in stays. */
  readonly declared: readonly Placed[];
  /** Orphans that are to be left alone. */
  readonly excluded: readonly Placed[];
  /** `--include-found`: also what was merely found as desired. */
  readonly includeFound: boolean;
  /** Where the steps of a provider are sent: its rules of names are rules of the real cloud. */
  endpointOf(provider: string): EndpointSpec | null;
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
  const { model } = request;
  const { candidates, undeclarable } = candidatesOf(request);
  const { declarations, diagnostics } = linkAll(
    request.catalogues,
    candidates.map(({ step }) => step),
    DEFAULT_OPTIONS,
    'plan',
  );
  const refused = new Map(diagnostics.filter(isError).map(({ address, detail }) => [address, detail]));
  const able = candidates.filter(({ name }) => !refused.has(name));
  const needs = edgesOf(
    able.map(({ step }) => step),
    declarations,
  );
  const linked = withAfter(needs, declarations);
  const containment = containmentOf(request, model);
  const within = containers(containment, able);
  const kept = keptOf({
    ...request,
    within: containment,
    going: [...goingOf(candidates, refused), ...undeclarable],
    outsiderKeeps: isProtectedByFact(model),
  });
  const going = able.filter(({ owned }) => !kept.has(owned.urn));
  return { steps: ordered(going, linked, within), kept: [...kept].map(([urn, why]) => ({ urn, why })) };
}

function candidatesOf({ catalogues, model, orphans, endpointOf }: RemovalRequest) {
  const undeclarable: Going[] = [];
  const found: { owned: Owned; action: string; input: JsonObject; tool: JsonObject }[] = [];
  for (const { urn } of orphans) {
    const owned = model.owned.get(urn);
    if (owned === undefined) continue;
    const removal = catalogues.get(owned.provider)?.removalOf(owned.resourceType, urn, owned.lastDesired) ?? null;
    if (removal === null) undeclarable.push(asGoing(owned, 'this version has no step that deletes it'));
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
    return { ...item, name, dependsOn: [], step: stepOf(name, index, item, endpointOf(item.owned.provider)) };
  });
  return { candidates, undeclarable };
}

function stepOf(
  address: string,
  index: number,
  { owned, action, input, tool }: Pick<RemovalStep, 'owned' | 'action' | 'input' | 'tool'>,
  endpoint: EndpointSpec | null,
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
    endpoint,
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

function goingOf(candidates: readonly Candidate[], refused: ReadonlyMap<string | null, string>): readonly Going[] {
  return candidates.map(({ name, owned }) => asGoing(owned, refused.get(name) ?? null));
}

function asGoing(owned: Owned, refused: string | null): Going {
  return { owned, name: owned.urn, isOurs: true, isProtected: false, refused, needs: [] };
}

/** What is no orphan keeps nothing of what nobody declares any more by default; by a fact it does. */
function isProtectedByFact({ protection }: OwnershipModel): (outer: Owned) => boolean {
  return ({ urn }) => protection.get(urn) === true;
}

/** What each lies in, directly or not, by name. */
function containers(within: Containment, candidates: readonly Candidate[]): ReadonlyMap<string, readonly string[]> {
  const byUrn = new Map(candidates.map(({ name, owned }) => [owned.urn, name]));
  return new Map(
    candidates.map(({ name, owned }) => [name, within.outerOf(owned.urn).flatMap((urn) => byUrn.get(urn) ?? [])]),
  );
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
