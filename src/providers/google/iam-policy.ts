import { diagnostic } from '../../core/codes.ts';
import type { Diagnostic } from '../../core/diagnostics.ts';
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts';
import { normalizeMember, sameMember } from './members.ts';

/** What one grant is: a role for a member, under a condition or none. */
export interface Grant {
  readonly role: string;
  readonly member: string;
  readonly condition: JsonObject | null;
}

/** The bindings of a policy; entries of a shape that is not known are carried along and never looked into. */
function bindingsOf(policy: JsonObject): readonly Json[] {
  return Array.isArray(policy['bindings']) ? policy['bindings'] : [];
}

function membersOf(binding: JsonObject): readonly Json[] {
  return Array.isArray(binding['members']) ? binding['members'] : [];
}

/**
 * Conditions are equal by title, description and expression, an absent one as empty (gcp-rest 4.7). A location only says
 * where the expression was written, so that one grant may stand in several bindings.
 */
function conditionKey(condition: Json | undefined): string {
  if (!isJsonObject(condition)) return '';
  const part = (key: string) => (typeof condition[key] === 'string' ? condition[key] : '');
  return JSON.stringify([part('title'), part('description'), part('expression')]);
}

function fits(binding: Json, grant: Grant): binding is JsonObject {
  return (
    isJsonObject(binding) &&
    binding['role'] === grant.role &&
    conditionKey(binding['condition']) === conditionKey(grant.condition ?? undefined)
  );
}

function holds(binding: JsonObject, member: string): boolean {
  return membersOf(binding).some((item) => typeof item === 'string' && sameMember(item, member));
}

/** Whether any binding of the role under the same condition has the member; several such bindings are a union. */
export function hasGrant(policy: JsonObject, grant: Grant): boolean {
  return bindingsOf(policy).some((binding) => fits(binding, grant) && holds(binding, grant.member));
}

/** The policy with the grant; the same policy where it is there already. Nothing else is touched. */
export function addGrant(policy: JsonObject, grant: Grant): JsonObject {
  if (hasGrant(policy, grant)) return policy;
  const bindings = bindingsOf(policy);
  const at = bindings.findIndex((binding) => fits(binding, grant));
  const fresh = {
    role: grant.role,
    members: [grant.member],
    ...(grant.condition === null ? {} : { condition: grant.condition }),
  };
  if (at === -1) return { ...policy, bindings: [...bindings, fresh] };
  return {
    ...policy,
    bindings: bindings.map((binding, index) =>
      index === at && isJsonObject(binding) ? { ...binding, members: [...membersOf(binding), grant.member] } : binding,
    ),
  };
}

/** The policy without the grant, taken out of every binding that has it; a binding without members goes. */
export function removeGrant(policy: JsonObject, grant: Grant): JsonObject {
  if (!hasGrant(policy, grant)) return policy;
  const bindings = bindingsOf(policy).flatMap((binding) => {
    if (!fits(binding, grant) || !holds(binding, grant.member)) return [binding];
    const members = membersOf(binding).filter((item) => typeof item !== 'string' || !sameMember(item, grant.member));
    return members.length === 0 ? [] : [{ ...binding, members }];
  });
  return { ...policy, bindings };
}

/** A policy read below version 3 shows its conditional roles under made-up names; written back they would be lost. */
export function isDowngraded(policy: JsonObject): boolean {
  return bindingsOf(policy).some(
    (binding) => isJsonObject(binding) && typeof binding['role'] === 'string' && binding['role'].includes('_withcond_'),
  );
}

export function policyDowngraded(resource: string): Diagnostic {
  return diagnostic(
    'POLICY_DOWNGRADED',
    `The policy of ${resource} came with roles named *_withcond_*: its conditions were lost on the way, and writing it back would erase them.`,
  );
}

/** Roles that let their holder set a policy, by the kind of resource. */
const SETTERS: Readonly<Record<string, readonly string[]>> = {
  organizations: ['roles/owner', 'roles/resourcemanager.organizationAdmin', 'roles/iam.securityAdmin'],
  folders: [
    'roles/owner',
    'roles/resourcemanager.folderAdmin',
    'roles/resourcemanager.folderIamAdmin',
    'roles/iam.securityAdmin',
  ],
  projects: ['roles/owner', 'roles/resourcemanager.projectIamAdmin', 'roles/iam.securityAdmin'],
  billingAccounts: ['roles/billing.admin', 'roles/owner', 'roles/iam.securityAdmin'],
};

/** Whether any binding still lets someone set the policy of a resource; custom roles can't be known from here. */
export function isSettable(policy: JsonObject, resource: string): boolean {
  const setters = SETTERS[resource.split('/')[0] ?? ''] ?? [];
  return bindingsOf(policy).some(
    (binding) =>
      isJsonObject(binding) &&
      setters.includes(String(binding['role'])) &&
      membersOf(binding).some((item) => typeof item === 'string' && !item.startsWith('deleted:')),
  );
}

/** Whether the grant is one by which policies are set. */
export function grantsSetting(grant: Grant, resource: string): boolean {
  return (SETTERS[resource.split('/')[0] ?? ''] ?? []).includes(grant.role);
}

/** A key for grants: equal exactly where Google sees one grant. */
export function grantKey(grant: Grant): string {
  return JSON.stringify([grant.role, normalizeMember(grant.member), conditionKey(grant.condition ?? undefined)]);
}
