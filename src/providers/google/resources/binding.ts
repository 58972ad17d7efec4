import { diagnostic } from '../../../core/codes.ts';
import type { Diagnostic } from '../../../core/diagnostics.ts';
import { canonicalJson, type JsonObject, sha256Hex } from '../../../core/json.ts';
import type { ChangeContext, Observation } from '../../../core/resource.ts';
import { display, type ValueObject } from '../../../core/value.ts';
import type { Target } from '../../lifecycle-provider.ts';
import type { GoogleService } from '../client.ts';
import { refuseWildcards } from '../common-inputs.ts';
import {
  type ApiRequest,
  type Declared,
  defineResource,
  type Foreign,
  nameSegments,
  type Permissions,
  type ResourceDefinition,
} from '../define-resource.ts';
import { type Grant, hasGrant, isDowngraded, isSettable, policyDowngraded, removeGrant } from '../iam-policy.ts';
import {
  type InputField,
  isMap,
  type LinkProblem,
  mapField,
  objectOf,
  present,
  problemAt,
  readMembers,
  textAt,
  textField,
} from '../inputs.ts';
import {
  hasMemberWildcard,
  isBasicRole,
  memberProblem,
  normalizeMember,
  type PolicyHolder,
  removableMemberProblem,
} from '../members.ts';
import { ABSENT, found, isGoing, isInsidePending, knownPlace, placeUnknown, text, unreadable } from '../observing.ts';
import type { Reads } from '../reads.ts';
import { GRANT, POLICY } from '../result-shapes.ts';
import { roleFormat } from '../validation.ts';
import { projectUrn } from './project.ts';

export const BINDING_URN = 'google:iam:binding:';
export const POLICY_VERSION = 3;

/** What differs between the four places that a grant may stand on. */
export interface BindingPlace {
  readonly holder: PolicyHolder;
  /** Below `google.`: `cloudresourcemanager.organizations`. */
  readonly prefix: string;
  /** The inputs that name the resource. */
  readonly input: readonly InputField[];
  /** The resource's name from them. */
  readonly resource: (values: ValueObject) => ValueObject[string] | undefined;
  /** Inputs that name the resource again, for the delete step of a fact. */
  readonly inputOf: (resource: string) => JsonObject;
  readonly permissions: Permissions;
  readonly placeKey?: string;
}

/** A grant of one role to one member on one resource, with or without a condition; always additive. */
export function defineBinding(place: BindingPlace): ResourceDefinition {
  const named = (values: ValueObject): Declared => ({
    desired: present({
      resource: place.resource(values),
      role: values['role'],
      member: values['member'],
      condition: values['condition'],
    }),
    options: present({ organization: place.holder === 'folder' ? values['organization'] : undefined }),
  });
  return defineResource({
    type: 'binding',
    service: 'iam',
    fields: { resource: 'identity', role: 'identity', member: 'identity', condition: 'identity' },
    ...(place.placeKey === undefined ? {} : { placeKey: place.placeKey }),
    actions: [
      {
        name: `${place.prefix}.iam.ensure_binding`,
        kind: 'ensure',
        converge: 'ensure_iam_binding',
        result: GRANT,
        input: [...place.input, roleField, memberField, conditionField],
        check: (values) => grantProblems(values, place.holder),
        declare: named,
      },
      {
        name: `${place.prefix}.iam.remove_binding`,
        kind: 'delete',
        converge: 'destroy',
        result: GRANT,
        input: [...place.input, roleField, memberField, conditionField],
        check: removalProblems,
        declare: named,
      },
      {
        name: `${place.prefix}.iam.get_policy`,
        kind: 'read',
        converge: 'single',
        result: POLICY,
        input: place.input,
        declare: named,
        request: (desired) => policyRead(desired['resource']),
        read: (desired, reads) => reads.policy(textAt(desired, 'resource')),
      },
    ],
    urn: (desired) => bindingUrn(desired),
    ...(place.holder === 'project' ? { beforeProject: `${BINDING_URN}projects/` } : {}),
    batchKey: (desired) => `iam:${display(desired['resource'] ?? null)}`,
    requests,
    fromForeign,
    containers: onResource,
    removal: (desired) => ({
      action: `google.${place.prefix}.iam.remove_binding`,
      input: {
        ...place.inputOf(text(desired, 'resource')),
        role: text(desired, 'role'),
        member: text(desired, 'member'),
        ...(desired['condition'] === undefined ? {} : { condition: desired['condition'] }),
      },
    }),
    permissions: place.permissions,
    observe,
  });
}

const roleField = textField('role', { required: true, isStatic: true, format: roleFormat });
const memberField = textField('member', { required: true, isStatic: true, normalize: (member) => member.trim() });

const CONDITION_FIELDS = [
  textField('title', { required: true, isStatic: true }),
  textField('description', { isStatic: true }),
  textField('expression', { required: true, isStatic: true }),
];
const conditionField = mapField('condition', (value, path) => readMembers(CONDITION_FIELDS, value, path));

function grantProblems(values: ValueObject, holder: PolicyHolder): readonly LinkProblem[] {
  const member = textAt(values, 'member');
  const problem = member === '' ? null : memberProblem(member, holder);
  const conditional = isMap(values['condition']) ? conditionProblems(textAt(values, 'role'), member) : [];
  return [...(problem === null ? [] : [asLinkProblem(problem)]), ...conditional];
}

function conditionProblems(role: string, member: string): readonly LinkProblem[] {
  const refuse = (detail: string): LinkProblem => problemAt(['condition'], { code: 'INVALID_VALUE', detail });
  if (isBasicRole(role)) return [refuse(`The basic role ${role} can't be granted under a condition.`)];
  return member === 'allUsers' || member === 'allAuthenticatedUsers'
    ? [refuse(`${member} can't be granted a role under a condition.`)]
    : [];
}

function removalProblems(values: ValueObject): readonly LinkProblem[] {
  const member = textAt(values, 'member');
  const wildcards = refuseWildcards(['role', 'resource', 'organization', 'folder', 'project_id', 'billing_account'])(
    values,
  );
  const ofMember = hasMemberWildcard(member) ? refuseWildcards(['member'])(values) : [];
  const problem = member === '' || ofMember.length > 0 ? null : removableMemberProblem(member);
  return [...wildcards, ...ofMember, ...(problem === null ? [] : [asLinkProblem(problem)])];
}

function asLinkProblem({ certain, ...problem }: NonNullable<ReturnType<typeof memberProblem>>): LinkProblem {
  return { path: ['member'], code: 'INVALID_VALUE', isFormat: !certain, ...problem };
}

/** `<resource>/<role>/<member>`, a conditional one closed by a hash of its condition; null while the resource is not known. */
export function bindingUrn(desired: ValueObject): string | null {
  const resource = desired['resource'];
  if (typeof resource !== 'string' || resource.startsWith('folders/by-display-name/')) return null;
  const condition = isMap(desired['condition']) ? `/condition:${conditionHash(desired['condition'])}` : '';
  return `${BINDING_URN}${resource}/${textAt(desired, 'role')}/${normalizeMember(textAt(desired, 'member'))}${condition}`;
}

function conditionHash(condition: ValueObject): string {
  const parts = {
    title: textAt(condition, 'title'),
    description: textAt(condition, 'description'),
    expression: textAt(condition, 'expression'),
  };
  return sha256Hex(canonicalJson(parts)).slice(0, 32);
}

export function policyService(resource: string): GoogleService {
  return resource.startsWith('billingAccounts/') ? 'billing' : 'crm';
}

/** Billing reads policies by GET, Resource Manager by POST; both by version 3, or conditions would be lost. */
export function policyRead(resource: ValueObject[string] | undefined): ApiRequest {
  const service = policyService(String(display(resource ?? null)));
  const path = `${nameSegments(display(resource ?? null))}:getIamPolicy`;
  if (service === 'billing')
    return { service, method: 'GET', path, query: { 'options.requestedPolicyVersion': String(POLICY_VERSION) } };
  return { service, method: 'POST', path, body: { options: { requestedPolicyVersion: POLICY_VERSION } } };
}

/** What is shown of a write: our grant alone. What is sent is the policy as read, with it or without it. */
function requests({ change, desired }: ChangeContext): readonly ApiRequest[] {
  const { resource = null, role = null, member = null, condition } = desired;
  const binding = {
    role: display(role),
    members: [display(member)],
    ...(condition === undefined ? {} : { condition: display(condition) }),
  };
  const isRemoval = change === 'delete';
  const bindings = isRemoval ? `(as read, without ${String(display(role))} for ${String(display(member))})` : [binding];
  const grant = {
    resource: display(resource),
    role: display(role),
    member: normalizeMember(String(display(member))),
    ...(condition === undefined ? {} : { condition: display(condition) }),
  };
  return [
    {
      service: policyService(String(display(resource))),
      method: 'POST',
      path: `${nameSegments(display(resource))}:setIamPolicy`,
      body: { policy: { bindings, version: POLICY_VERSION } },
      logical: isRemoval ? { remove: grant } : { add: grant },
    },
  ];
}

async function observe(target: Target, reads: Reads): Promise<Observation> {
  if (isInsidePending(target)) return ABSENT;
  const resource = knownPlace(target, 'resource');
  if (resource === null) return placeUnknown(target, 'resource');
  const policy = await reads.policy(resource);
  if (policy.kind === 'failed') return unreadable(policy, target);
  const { address, urn } = target.declaration;
  if (isDowngraded(policy.value)) return { kind: 'unreadable', why: { ...policyDowngraded(resource), address, urn } };
  const grant = grantOf(target.desired);
  if (!hasGrant(policy.value, grant)) return ABSENT;
  if (resource.startsWith('projects/') && (await isGoing(resource.slice('projects/'.length), reads))) return ABSENT;
  const actual = {
    resource,
    role: grant.role,
    member: grant.member,
    ...(grant.condition === null ? {} : { condition: grant.condition }),
  };
  return found(actual, {
    actual,
    state: 'bound',
    blockers: target.forDelete ? lockout(policy.value, resource, target) : [],
  });
}

/** Only a warning: the caller may allow it, and a write that is not allowed to refuses. */
function lockout(policy: JsonObject, resource: string, target: Target): readonly Diagnostic[] {
  const grant = grantOf(target.desired);
  if (!isSettable(policy, resource) || isSettable(removeGrant(policy, grant), resource)) return [];
  const detail = `${grant.role} for ${grant.member} is the last grant in the policy of ${resource} by which this policy can be set; removing it is refused.`;
  return [
    diagnostic('SELF_LOCKOUT', detail, {
      address: target.declaration.address,
      severity: 'warning',
      hint: 'Grant it to someone else first, or pass --allow-self-lockout.',
    }),
  ];
}

function onResource(_urn: string, desired: JsonObject): readonly string[] {
  const resource = text(desired, 'resource');
  if (resource.startsWith('projects/')) return [projectUrn(resource.slice('projects/'.length))];
  return resource.startsWith('folders/') ? [resource] : [];
}

/** A grant's key: role, member and condition. */
export function grantOf(desired: ValueObject): Grant {
  const condition = desired['condition'];
  return {
    role: textAt(desired, 'role'),
    member: textAt(desired, 'member'),
    condition: isMap(condition) ? objectOf(display(condition)) : null,
  };
}

const FOREIGN_URL =
  /^google:iam:binding:https?:\/\/[^/]+(?:\/[^/]+)*?\/((?:organizations|folders|projects|billingAccounts)\/[^/:]+):getIamPolicy\/(.+)$/;
const PARTS =
  /^((?:organizations|folders|projects|billingAccounts)\/[^/]+)\/(roles\/[^/]+|(?:projects|organizations)\/[^/]+\/roles\/[^/]+)\/(.+?)(?:\/condition:[0-9a-f]{32})?$/;

/** The ancestor writes the URN of an ensure with the whole getIamPolicy URL, and that of a delete with the resource alone. */
function fromForeign(urn: string, desired: JsonObject): Foreign {
  const [, ofUrl, rest] = FOREIGN_URL.exec(urn) ?? [];
  const tail = ofUrl === undefined ? urn.slice(BINDING_URN.length) : `${ofUrl}/${rest}`;
  const [, resource, role, member] = urn.startsWith(BINDING_URN) ? (PARTS.exec(tail) ?? []) : [];
  if (resource === undefined || role === undefined || member === undefined) return null;
  const condition = desired['condition'];
  const ours = {
    resource,
    role,
    member: text(desired, 'member') || member,
    ...(condition === undefined || condition === null ? {} : { condition }),
  };
  const isConditional = /\/condition:[0-9a-f]{32}$/.test(urn);
  return { urn: isConditional ? urn : (bindingUrn(ours) ?? urn), desired: ours };
}
