import { diagnostic } from '../core/codes.ts';
import { type Diagnostic, DiagnosticError } from '../core/diagnostics.ts';
import { forStack, type Owned, type OwnershipModel } from '../core/fold.ts';
import {
  type Declared,
  detectAliases,
  detectOrphans,
  detectOrphansScoped,
  type OneUrn,
  stackConflicts,
} from '../core/orphans.ts';
import { FORMAT_VERSION } from '../core/plan.ts';
import type { OrphanEntry, OrphansReport, UncoveredGrant } from '../core/reports.ts';
import type { Playbook } from '../core/step.ts';
import type { EventLog, LogState } from '../eventlog/event-log.ts';
import type { Marks } from '../eventlog/marked-fold.ts';
import type { Placed } from './containment.ts';
import { declaredBy } from './declared.ts';
import { liveNames } from './live-one-name.ts';
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
}

/** What the stack owns and none of the playbooks declares. */
export async function findOrphans(request: OrphansRequest): Promise<FoundOrphans> {
  const state = await request.log.read(request.target);
  const marks: Marks = state.marks ?? new Map();
  const declared = await declaredBy(request, state.model);
  refuseUnowned(request, state.model);
  const urnOf = await oneUrnFor(request, state.model, declared);
  const orphans = detectOrphansScoped(state.model, request.stack, declared, urnOf).filter(({ urn }) =>
    isChosen(request, urn),
  );
  const mine = forStack(state.model, request.stack);
  const found = request.grants === null ? null : await request.grants(mine, state.model);
  const undeclared = new Set(detectOrphans(state.model, declared, urnOf).map(({ urn }) => urn));
  const standing = [...state.model.owned.values()].filter(({ urn }) => !undeclared.has(urn));
  const report: OrphansReport = {
    format_version: FORMAT_VERSION,
    command: 'orphans',
    target: request.target,
    stack: request.stack,
    orphans: orphans.map((item) => entryOf(request, state, item)),
    conflicts: stackConflicts(marks).filter(({ stacks }) => stacks.includes(request.stack)),
    aliases: detectAliases(mine, urnOf).map((group) => ({
      resource_id: group.find(({ resourceId }) => resourceId !== null)?.resourceId ?? '',
      urns: group.map(({ urn }) => urn),
    })),
    grants: found?.grants ?? [],
    diagnostics: [
      ...state.diagnostics,
      ...stackNotice(state.model, request.isStackGiven ? request.stack : null),
      ...(found?.diagnostics ?? []),
    ],
  };
  return { report, declared: [...standing, ...declared.places] };
}

/** By the log, and where that does not tell whether something owned is declared under another name, by the cloud. */
async function oneUrnFor(
  request: OrphansRequest,
  model: OwnershipModel,
  declared: Required<Declared>,
): Promise<OneUrn> {
  const owned = [...forStack(model, request.stack).owned.values()].filter(
    ({ urn, resourceId }) => isChosen(request, urn) && !declared.resourceIds.has(resourceId ?? ''),
  );
  const { urnOf, unseen } = await liveNames({ ...request, model, owned, declared: declared.urns });
  if (unseen.length === 0) return urnOf;
  throw new DiagnosticError(
    unseen.map(({ owned: { urn }, why }) =>
      diagnostic(
        'BLOCKED',
        `it may be declared under another name, which neither the log nor a look at the cloud gives (${why.detail}), so whether it is orphaned can't be told.`,
        { urn, hint: `Give a credential that may read it, or give it up: infra forget ${urn}` },
      ),
    ),
  );
}

function isChosen({ targets, excludes }: OrphansRequest, urn: string): boolean {
  return (targets.length === 0 || targets.includes(urn)) && !excludes.includes(urn);
}

/** A URN that is nobody's would look like one that is no orphan. */
function refuseUnowned({ targets, excludes }: OrphansRequest, { owned }: OwnershipModel): void {
  const unknown = [...targets, ...excludes].filter((urn) => !owned.has(urn));
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
