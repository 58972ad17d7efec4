import { diagnostic } from '../core/codes.ts';
import { type Diagnostic, DiagnosticError } from '../core/diagnostics.ts';
import type { ProviderFact } from '../core/facts.ts';
import { assertsOwnership, endsOwnership, forStack, type Owned, type OwnershipModel } from '../core/fold.ts';
import { detectAliases, detectOrphansScoped, detectStackConflicts } from '../core/orphans.ts';
import { FORMAT_VERSION } from '../core/plan.ts';
import type { OrphanEntry, OrphansReport, UncoveredGrant } from '../core/reports.ts';
import type { Playbook } from '../core/step.ts';
import type { EventLog } from '../eventlog/event-log.ts';
import { resolveIds } from './live-names.ts';
import { urnThroughLog } from './log-names.ts';
import type { EnginePorts, VerbOptions } from './ports.ts';
import { type Prepared, type PreparedStep, prepare } from './prepare.ts';
import type { Looking } from './readers.ts';

/** A log whose facts can be walked one by one, with the time their rows carry. */
export interface FactHistory extends Pick<EventLog, 'read'> {
  facts(target: string, onFact: (fact: ProviderFact, recordedAt: string | null) => void): Promise<void>;
}

/** Grants, and what could not be looked into. */
export interface FoundGrants {
  readonly grants: readonly UncoveredGrant[];
  readonly diagnostics: readonly Diagnostic[];
}

export interface OrphansRequest extends Looking {
  readonly catalogues: EnginePorts['catalogues'];
  readonly log: FactHistory;
  readonly target: string;
  readonly stack: string;
  readonly playbooks: readonly Playbook[];
  readonly options: VerbOptions;
  /** Finds grants on what the stack owns that no fact covers, be it another stack's; null where they were not asked for. */
  readonly grants: ((mine: OwnershipModel, all: OwnershipModel) => Promise<FoundGrants>) | null;
}

/** What the stack owns and none of the playbooks declares. */
export async function findOrphans(request: OrphansRequest): Promise<OrphansReport> {
  const state = await request.log.read(request.target);
  const history = await walkFacts(request);
  const declared = new Set<string>();
  for (const playbook of request.playbooks)
    for (const urn of await declaredUrns(request, playbook, state.model)) declared.add(urn);
  const ids = [...state.model.owned.values()].flatMap((item) =>
    declared.has(item.urn) && item.resourceId !== null ? [item.resourceId] : [],
  );
  const orphans = detectOrphansScoped(state.model, request.stack, { urns: declared, resourceIds: new Set(ids) });
  const mine = forStack(state.model, request.stack);
  const found = request.grants === null ? null : await request.grants(mine, state.model);
  return {
    format_version: FORMAT_VERSION,
    command: 'orphans',
    target: request.target,
    stack: request.stack,
    orphans: orphans.map((item) => entryOf(request, state.model, item, history.since)),
    conflicts: detectStackConflicts(history.facts).filter(({ stacks }) => stacks.includes(request.stack)),
    aliases: detectAliases(mine).map((group) => ({
      resource_id: group[0]?.resourceId ?? '',
      urns: group.map(({ urn }) => urn),
    })),
    grants: found?.grants ?? [],
    diagnostics: [...state.diagnostics, ...(found?.diagnostics ?? [])],
  };
}

/** Since when each URN is owned by the stack that owns it. */
export function startSince() {
  const since = new Map<string, { readonly stack: string; readonly at: string | null }>();
  const note = (fact: ProviderFact, recordedAt: string | null): void => {
    if (endsOwnership(fact)) since.delete(fact.urn);
    if (assertsOwnership(fact) && since.get(fact.urn)?.stack !== fact.stack)
      since.set(fact.urn, { stack: fact.stack, at: recordedAt });
  };
  return { since, note };
}

/** Claims and their ends, without what was desired, so that memory does not grow with it; and since when each is owned. */
async function walkFacts(request: OrphansRequest) {
  const facts: ProviderFact[] = [];
  const { since, note } = startSince();
  await request.log.facts(request.target, (fact, recordedAt) => {
    note(fact, recordedAt);
    if (assertsOwnership(fact) || endsOwnership(fact)) facts.push({ ...fact, desired: null });
  });
  return { facts, since };
}

/** The URNs of all the ensure steps, loops included, whatever is selected. */
async function declaredUrns(
  request: OrphansRequest,
  playbook: Playbook,
  model: OwnershipModel,
): Promise<readonly string[]> {
  const prepared = prepare(request, playbook, { ...request.options, targets: [], excludes: [] }, 'plan');
  const ensures = [...prepared.steps.values()].filter(({ spec }) => spec.kind === 'ensure');
  return await Promise.all(ensures.map((item) => urnOf(request, prepared, item, model)));
}

async function urnOf(
  request: OrphansRequest,
  prepared: Prepared,
  item: PreparedStep,
  model: OwnershipModel,
): Promise<string> {
  const known = urnThroughLog(prepared, item, model);
  if (known !== null) return known;
  const live = await resolveIds(request, prepared, item);
  const urn = live.kind === 'resolved' ? item.catalogue.urnOf(item.declaration, live.desired) : null;
  if (urn === null) throw new DiagnosticError([unresolved(item, live.kind === 'unreadable' ? live.why : null)]);
  return urn;
}

function unresolved({ step }: PreparedStep, why: Diagnostic | null): Diagnostic {
  const looked = why === null ? '' : ` (${why.detail})`;
  const detail = `which resource it declares depends on an id that neither the log nor a look at the cloud gives${looked}, so what is orphaned can't be told.`;
  return diagnostic('BLOCKED', detail, {
    address: step.address,
    source: step.source,
    hint: 'Apply the playbook first, or give a credential that may read it.',
  });
}

/** An owned resource as the reports show it. */
export function entryOf(
  { catalogues }: Pick<OrphansRequest, 'catalogues'>,
  model: OwnershipModel,
  item: Owned,
  since: ReadonlyMap<string, { readonly at: string | null }>,
): OrphanEntry {
  const byDefault = catalogues.get(item.provider)?.traitsOf(item.resourceType).protectedByDefault ?? false;
  return {
    urn: item.urn,
    stack: item.stack,
    resource_type: item.resourceType,
    last_desired: item.lastDesired,
    last_execution_id: item.lastExecutionId,
    since: since.get(item.urn)?.at ?? null,
    protected: model.protection.get(item.urn) ?? byDefault,
  };
}
