import { createHash } from 'node:crypto';
import type { EmulatorKnobs } from '../options.ts';
import { invalidArgument } from '../wire/errors.ts';
import { type JsonObject, objectAt, objectsAt, stringAt, stringsAt } from '../wire/json.ts';
import { compareText } from '../wire/paging.ts';
import type { Binding } from '../world/state.ts';
import { acceptMember } from './members.ts';

const BASIC_ROLES = new Set(['roles/owner', 'roles/editor', 'roles/viewer']);
const MOST_MEMBERS = 1500;
const MOST_GROUPS = 250;
/** Bindings of one role to one member, told apart by their conditions. */
const MOST_CONDITIONS = 20;

/** The bindings of a policy to store: checked, one per role and condition, members sorted, empty ones gone. */
export function acceptBindings(policy: JsonObject, resource: string, knobs: EmulatorKnobs): readonly Binding[] {
  const merged = new Map<string, Binding>();
  for (const sent of objectsAt(policy, 'bindings')) {
    const binding = acceptBinding(sent, resource, knobs);
    const key = bindingKey(binding);
    const members = [...(merged.get(key)?.members ?? []), ...binding.members];
    merged.set(key, { ...binding, members: [...new Set(members)].sort(compareText) });
  }
  const bindings = [...merged.values()].filter((binding) => binding.members.length > 0);
  checkSize(bindings);
  checkConditionCount(bindings);
  return bindings.sort((left, right) => compareText(bindingKey(left), bindingKey(right)));
}

function acceptBinding(sent: JsonObject, resource: string, knobs: EmulatorKnobs): Binding {
  const role = acceptRole(stringAt(sent, 'role') ?? '', knobs);
  const condition = objectAt(sent, 'condition');
  if (condition !== undefined) checkCondition(condition, role);
  const members = stringsAt(sent, 'members').map((member) => acceptMember(member, resource, knobs));
  if (
    condition !== undefined &&
    members.some((member) => member === 'allUsers' || member === 'allAuthenticatedUsers')
  ) {
    throw invalidArgument('Conditions cannot be set on bindings with public members.');
  }
  return { role, members, ...(condition === undefined ? {} : { condition }) };
}

function acceptRole(role: string, knobs: EmulatorKnobs): string {
  if (!/^(roles|projects\/[^/]+\/roles|organizations\/\d+\/roles)\/[A-Za-z0-9_.]+$/.test(role)) {
    throw invalidArgument(`Role name must be in the form roles/{role}: ${role}`);
  }
  // What a version 1 read shows of a conditional binding is no role that could be granted.
  if (role.includes('_withcond_')) throw invalidArgument(`Role (${role}) does not exist in the resource's hierarchy.`);
  if (knobs.unknownRoles?.includes(role)) throw invalidArgument(`Role ${role} is not supported for this resource.`);
  return role;
}

function checkCondition(condition: JsonObject, role: string): void {
  if (!stringAt(condition, 'expression')) throw invalidArgument('Binding condition must have an expression.');
  if (!stringAt(condition, 'title')) throw invalidArgument('Binding condition must have a title.');
  if (BASIC_ROLES.has(role)) throw invalidArgument(`Conditions can't be set on basic roles: ${role}`);
}

function checkConditionCount(bindings: readonly Binding[]): void {
  const counts = new Map<string, number>();
  for (const { role, members, condition } of bindings) {
    if (condition === undefined) continue;
    for (const member of members) {
      const key = `${role} ${member}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  }
  if (Math.max(0, ...counts.values()) > MOST_CONDITIONS) {
    throw invalidArgument(`At most ${MOST_CONDITIONS} conditional bindings may grant one role to one member.`);
  }
}

function checkSize(bindings: readonly Binding[]): void {
  const members = bindings.flatMap((binding) => binding.members);
  if (members.length > MOST_MEMBERS) {
    throw invalidArgument(
      `The number of members in the policy (${members.length}) is larger than the maximum allowed size ${MOST_MEMBERS}.`,
    );
  }
  const groups = members.filter((member) => member.startsWith('group:')).length;
  if (groups > MOST_GROUPS) {
    throw invalidArgument(
      `The number of groups in the policy (${groups}) is larger than the maximum allowed ${MOST_GROUPS}.`,
    );
  }
}

function bindingKey(binding: Binding): string {
  return JSON.stringify([binding.role, binding.condition === undefined ? '' : conditionText(binding.condition)]);
}

function conditionText(condition: JsonObject): string {
  return JSON.stringify(
    ['title', 'description', 'expression', 'location'].map((key) => stringAt(condition, key) ?? ''),
  );
}

/** What a reader of a version below 3 gets: the condition hidden behind a role that does not exist. */
export function hideCondition(binding: Binding): Binding {
  if (binding.condition === undefined) return binding;
  const digest = createHash('sha256').update(conditionText(binding.condition)).digest('hex').slice(0, 20);
  return { role: `${binding.role}_withcond_${digest}`, members: binding.members };
}
