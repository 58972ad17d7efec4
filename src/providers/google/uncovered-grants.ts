import type { Diagnostic } from '../../core/diagnostics.ts';
import { type OwnershipModel, urnsByResourceId } from '../../core/fold.ts';
import { isJsonObject, type JsonObject } from '../../core/json.ts';
import type { UncoveredGrant } from '../../core/reports.ts';
import { openReads } from './cached-reads.ts';
import type { GoogleClient } from './client.ts';
import { grantKey } from './iam-policy.ts';
import { memberMatcher, SERVICE_AGENTS } from './inventory-agents.ts';
import { grantsIn, ReadFailed } from './inventory-snapshot.ts';
import { text } from './observing.ts';
import { byProjectId, type UrnsOf } from './project-names.ts';
import { readOnlyClient } from './reader.ts';

export interface GrantsRequest {
  /** What the stack owns: its projects and folders, and whatever it grants on, are looked into. */
  readonly mine: OwnershipModel;
  /** What anyone owns: what a fact of any stack covers is covered. */
  readonly all: OwnershipModel;
  /** Patterns of members that are left out; null: Google's service agents (`SERVICE_AGENTS`). */
  readonly leaveOut: readonly string[] | null;
}

export interface GrantsFound {
  readonly grants: readonly UncoveredGrant[];
  /** What could not be looked into. */
  readonly diagnostics: readonly Diagnostic[];
}

/** IAM grants on managed scopes that no fact covers. A policy that can't be read is named; the others are looked into. */
export async function findUncoveredGrants(client: GoogleClient, request: GrantsRequest): Promise<GrantsFound> {
  const reads = openReads(readOnlyClient(client));
  const urns = urnsByResourceId(request.all);
  const urnsOf: UrnsOf = (id) => urns.get(id) ?? [];
  const covered = coveredGrants(request.all, urnsOf);
  const isLeftOut = memberMatcher(request.leaveOut ?? SERVICE_AGENTS);
  const found = await Promise.all(
    scopesOf(request.mine, urnsOf).map(async (resource) => {
      try {
        const policy = await reads.policy(resource);
        if (policy.kind === 'failed') return { grants: [], diagnostics: [unchecked(resource, policy.why)] };
        const grants = grantsIn(resource, policy);
        const open = grants.filter(
          (grant) => !isLeftOut(grant.member) && !covered.has(`${resource} ${grantKey(grant)}`),
        );
        const shown = open.map(({ role, member, condition }) => ({ resource, role, member, condition }));
        return { grants: shown, diagnostics: [] };
      } catch (error) {
        if (!(error instanceof ReadFailed)) throw error;
        return { grants: [], diagnostics: [unchecked(resource, error.why)] };
      }
    }),
  );
  return {
    grants: found.flatMap(({ grants }) => grants),
    diagnostics: found.flatMap(({ diagnostics }) => diagnostics),
  };
}

function unchecked(resource: string, why: Diagnostic): Diagnostic {
  return { ...why, severity: 'error', detail: `The grants on ${resource} are unchecked: ${why.detail}` };
}

/** Resources whose policy is partly this stack's business, sorted. */
function scopesOf({ owned }: OwnershipModel, urnsOf: UrnsOf): readonly string[] {
  const scopes = [...owned.values()].flatMap(({ provider, resourceType, resourceId, lastDesired }) => {
    if (provider !== 'google') return [];
    const desired: JsonObject = isJsonObject(lastDesired) ? lastDesired : {};
    switch (resourceType) {
      case 'project':
        return [`projects/${text(desired, 'project_id')}`];
      case 'folder':
        return resourceId === null ? [] : [resourceId];
      case 'binding':
        return [text(desired, 'resource')];
      default:
        return [];
    }
  });
  return [...new Set(scopes.map((scope) => byProjectId(scope, urnsOf)))]
    .filter((scope) => /^[a-zA-Z]+\/[^/]+$/.test(scope))
    .sort();
}

function coveredGrants({ owned }: OwnershipModel, urnsOf: UrnsOf): ReadonlySet<string> {
  const keys = [...owned.values()].flatMap(({ provider, resourceType, lastDesired }) => {
    if (provider !== 'google' || resourceType !== 'binding' || !isJsonObject(lastDesired)) return [];
    const condition = lastDesired['condition'];
    const grant = {
      role: text(lastDesired, 'role'),
      member: text(lastDesired, 'member'),
      condition: isJsonObject(condition) ? condition : null,
    };
    return [`${byProjectId(text(lastDesired, 'resource'), urnsOf)} ${grantKey(grant)}`];
  });
  return new Set(keys);
}
