import { diagnostic } from '../core/codes.ts';
import { type Diagnostic, DiagnosticError } from '../core/diagnostics.ts';
import { forStack, type Owned, type OwnershipModel } from '../core/fold.ts';
import { compareText } from '../core/graph.ts';
import {
  type Declared,
  detectAliases,
  detectOrphans,
  detectOrphansScoped,
  type OneUrn,
  type StackConflict,
  stackConflicts,
} from '../core/orphans.ts';
import { FORMAT_VERSION } from '../core/plan.ts';
import type { OrphanEntry, OrphansReport, UncoveredGrant } from '../core/reports.ts';
import type { Playbook } from '../core/step.ts';
import type { EventLog, LogState } from '../eventlog/event-log.ts';
import type { Marks } from '../eventlog/marked-fold.ts';
import type { Placed } from './containment.ts';
import { declaredBy } from './declared.ts';
import { isMeant } from './drift-names.ts';
import { learnByReading } from './learn-by-reading.ts';
import type { Untold } from './learn-names.ts';
import { oneNames } from './one-name.ts';
import type { EnginePorts, VerbOptions } from './ports.ts';
import { protectionOf } from './protection.ts';
import type { Looking } from './readers.ts';
import { stackNotice } from './stack-notice.ts';

/** Grants, and what could not be looked into. */
export interface FoundGrants {
  readonly grants: readonly UncoveredGrant[];
  readonly diagnostics: readonly Diagnostic[];
}

export interface OrphansRequest extends Looking {
  readonly catalogues: EnginePorts['catalogues'];
  readonly log: Pick<EventLog, 'read'>;
  readonly target: string;
  readonly stack: string;
  /** Whether the caller named the stack; one that was worked out may be new. */
  readonly isStackGiven: boolean;
  readonly playbooks: readonly Playbook[];
  /** URNs of what is owned: only these, and not these. */
  readonly targets: readonly string[];
  readonly excludes: readonly string[];
  readonly options: VerbOptions;
  /** Finds grants on what the stack owns that no fact covers, be it another stack's; null where they were not asked for. */
  readonly grants: ((mine: OwnershipModel, all: OwnershipModel) => Promise<FoundGrants>) | null;
}

export interface FoundOrphans {
  readonly report: OrphansReport;
  /** What the playbooks declare, whatever stack owns it, with what is known of where it lies. */
  readonly declared: readonly Placed[];
  /** Orphans that the caller excluded. */
  readonly excluded: readonly Owned[];
  /** What the log says, with what was learned of names on the way. */
  readonly model: OwnershipModel;
}

/** What the stack owns and none of the playbooks declares. */
export async function findOrphans(request: OrphansRequest): Promise<FoundOrphans> {
  const state = await request.log.read(request.target);
  const declared = await declaredBy(request, state.model);
  const model = await learned(request, state.model, declared);
  const { urnOf } = oneNames(request, model);
  refuseUnowned(request, model, urnOf);
  const all = detectOrphansScoped(model, request.stack, declared, urnOf);
  const orphans = all.filter(({ urn }) => isChosen(request, urn, urnOf));
  const excluded = all.filter(({ urn }) => !isChosen({ ...request, targets: [] }, urn, urnOf));
  const aliases = detectAliases(model, urnOf).filter((group) => group.some(({ stack }) => stack === request.stack));
  const found = request.grants === null ? null : await request.grants(forStack(model, request.stack), model);
  const undeclared = new Set(detectOrphans(model, declared, urnOf).map(({ urn }) => urn));
  const standing = [...model.owned.values()].filter(({ urn }) => !undeclared.has(urn));
  const report: OrphansReport = {
    format_version: FORMAT_VERSION,
    command: 'orphans',
    target: request.target,
    stack: request.stack,
    orphans: orphans.map((item) => entryOf(request, { ...state, model }, item)),
    conflicts: conflictsOf(state.marks ?? new Map(), aliases, request.stack),
    aliases: aliases.map((group) => ({
      resource_id: group.find(({ resourceId }) => resourceId !== null)?.resourceId ?? resourcePart(group, urnOf),
      urns: group.map(({ urn }) => urn),
    })),
    grants: found?.grants ?? [],
    diagnostics: [
      ...state.diagnostics,
      ...stackNotice(model, request.isStackGiven ? request.stack : null),
      ...(found?.diagnostics ?? []),
    ],
  };
  return { report, declared: [...standing, ...declared.places], excluded, model };
}

/** What stands behind the type in the one URN of a resource without an id. */
function resourcePart([first]: readonly Owned[], urnOf: OneUrn): string {
  return first === undefined ? '' : urnOf(first.urn).split(':').slice(3).join(':');
}

/** Claims of several stacks to one URN, and to one resource under several. */
function conflictsOf(marks: Marks, aliases: readonly (readonly Owned[])[], stack: string): readonly StackConflict[] {
  const claimed = stackConflicts(marks).filter(({ stacks }) => stacks.includes(stack));
  const known = new Set(claimed.map(({ urn }) => urn));
  const named = aliases.flatMap((group): readonly StackConflict[] => {
    const stacks = [...new Set(group.map((item) => item.stack))].sort();
    const mine = group.find((item) => item.stack === stack);
    return stacks.length < 2 || mine === undefined || known.has(mine.urn) ? [] : [{ urn: mine.urn, stacks }];
  });
  return [...claimed, ...named].sort((a, b) => compareText(a.urn, b.urn));
}

/** What names are of one resource, by the log, and where that does not tell what may be declared or protected, by the cloud. */
async function learned(
  request: OrphansRequest,
  model: OwnershipModel,
  declared: Required<Declared>,
): Promise<OwnershipModel> {
  const { urnOf } = oneNames(request, model);
  const open = [...forStack(model, request.stack).owned.values()].filter(
    ({ urn, resourceId }) => !declared.urns.has(urn) && !declared.resourceIds.has(resourceId ?? ''),
  );
  const chosen = open.filter(({ urn }) => isChosen(request, urn, urnOf)).map(({ urn }) => urn);
  const asked = [...declared.urns, ...request.targets, ...request.excludes, ...chosen];
  const going = new Set(chosen);
  const { model: known, untold } = await learnByReading(request, {
    catalogues: request.catalogues,
    model,
    asked: asked.map((urn) => ({ urn, via: request.stack })),
    going,
  });
  const found = untold.flatMap((one) => untoldOrphan(one, going, model, request.stack));
  if (found.length > 0) throw new DiagnosticError(found);
  return known;
}

/** Of two URNs that may be one, or one in the other: why it can't be told whether the one that is not declared may go. */
function untoldOrphan(
  { urns, why }: Untold,
  going: ReadonlySet<string>,
  { owned, protection }: OwnershipModel,
  stack: string,
): readonly Diagnostic[] {
  const mayGo = urns.filter((one) => going.has(one));
  const urn = mayGo.find((one) => protection.get(one) !== true) ?? mayGo[0];
  const other = urns.find((one) => one !== urn);
  if (urn === undefined || other === undefined) return [];
  const owner = owned.get(other);
  const isKept = protection.get(other) === true || (owner !== undefined && owner.stack !== stack);
  if (going.has(other) && !isKept) return [];
  const may = isKept ? `be or contain ${other}, which is not to go,` : 'be declared under another name,';
  return [
    diagnostic(
      'BLOCKED',
      `it may ${may} and neither the log nor a look at the cloud tells (${why.detail}), so whether it is orphaned can't be told.`,
      { urn, hint: `Give a credential that may read it, or give it up: infra forget ${urn}` },
    ),
  ];
}

function isChosen(request: OrphansRequest, urn: string, urnOf: OneUrn): boolean {
  return isMeant(request, (word) => urnOf(word) === urnOf(urn));
}

/** A URN that is nobody's would look like one that is no orphan. */
function refuseUnowned({ targets, excludes }: OrphansRequest, { owned }: OwnershipModel, urnOf: OneUrn): void {
  const known = new Set([...owned.keys()].flatMap((urn) => [urn, urnOf(urn)]));
  const unknown = [...targets, ...excludes].filter((urn) => !known.has(urn) && !known.has(urnOf(urn)));
  if (unknown.length === 0) return;
  throw new DiagnosticError(
    unknown.map((urn) =>
      diagnostic('UNKNOWN_STEP', `nothing that is owned has the URN ${JSON.stringify(urn)}; an orphan has no step.`, {
        hint: 'infra log owned lists what is owned',
      }),
    ),
  );
}

/** An owned resource as the reports show it. */
export function entryOf(
  { catalogues }: Pick<OrphansRequest, 'catalogues'>,
  { model, marks }: Pick<LogState, 'model' | 'marks'>,
  item: Owned,
): OrphanEntry {
  const since = marks?.get(item.urn)?.ownedSince ?? null;
  return {
    urn: item.urn,
    stack: item.stack,
    resource_type: item.resourceType,
    last_desired: item.lastDesired,
    last_execution_id: item.lastExecutionId,
    since: since === null ? null : new Date(since).toISOString(),
    protected: protectionOf({ catalogues }, model)(item),
  };
}
