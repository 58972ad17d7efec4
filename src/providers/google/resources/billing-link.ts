import { diagnostic } from '../../../core/codes.ts';
import type { Diagnostic } from '../../../core/diagnostics.ts';
import { isJsonObject, type JsonObject } from '../../../core/json.ts';
import type { ChangeContext, Observation } from '../../../core/resource.ts';
import { display, type ValueObject } from '../../../core/value.ts';
import type { Target } from '../../lifecycle-provider.ts';
import { billingAccountField, projectIdField, refuseWildcards, withCollection } from '../common-inputs.ts';
import { type ApiRequest, type Declared, defineResource, type Foreign, segment } from '../define-resource.ts';
import { present, textAt } from '../inputs.ts';
import { ABSENT, found, invisible, isInsidePending, knownPlace, text } from '../observing.ts';
import type { Reads } from '../reads.ts';
import { BILLING_INFO } from '../result-shapes.ts';
import { inProject } from './project.ts';

const URN = 'google:cloudbilling:billing-link:';

const declare = ({ project_id, billing_account }: ValueObject): Declared => ({
  desired: present({ project_id, billing_account }),
  options: {},
});

export const billingLink = defineResource({
  type: 'billing-link',
  service: 'cloudbilling',
  fields: { project_id: 'identity', billing_account: 'mutable' },
  actions: [
    {
      name: 'cloudbilling.projects.link',
      kind: 'ensure',
      converge: 'ensure_billing_link',
      result: BILLING_INFO,
      input: [projectIdField, billingAccountField({ required: true })],
      declare,
    },
    {
      name: 'cloudbilling.projects.unlink',
      kind: 'delete',
      converge: 'destroy',
      result: BILLING_INFO,
      input: [projectIdField, billingAccountField({})],
      check: refuseWildcards(['project_id', 'billing_account']),
      declare,
    },
  ],
  urn: (desired) => `${URN}${textAt(desired, 'project_id')}`,
  beforeProject: URN,
  batchKey: () => null,
  requests,
  fromForeign,
  containers: inProject,
  removal: (desired) => ({ action: 'google.cloudbilling.projects.unlink', input: desired }),
  permissions: {
    create: ['resourcemanager.projects.createBillingAssignment'],
    update: ['resourcemanager.projects.createBillingAssignment'],
    delete: ['resourcemanager.projects.deleteBillingAssignment'],
    read: ['resourcemanager.projects.get'],
  },
  observe,
  answerProblem: ({ change, desired }, resource) => {
    const wanted = change === 'delete' ? '' : textAt(desired, 'billing_account');
    return text(resource, 'billingAccountName') === wanted
      ? null
      : `The link was written, and the answer shows "${text(resource, 'billingAccountName')}" instead of "${wanted}".`;
  },
  answerWarnings: ({ change, declaration }, resource) =>
    change === 'delete' || resource['billingEnabled'] === true ? [] : [billingDisabled(resource, declaration.address)],
});

function requests({ change, desired }: ChangeContext): readonly ApiRequest[] {
  const billingAccountName = change === 'delete' ? '' : display(desired['billing_account'] ?? '');
  return [
    {
      service: 'billing',
      method: 'PUT',
      path: `projects/${segment(desired['project_id'])}/billingInfo`,
      body: { billingAccountName },
    },
  ];
}

export function normalizeBillingInfo(projectId: string, resource: JsonObject): JsonObject {
  return { project_id: projectId, billing_account: text(resource, 'billingAccountName') };
}

async function observe(target: Target, reads: Reads): Promise<Observation> {
  if (isInsidePending(target)) return unlinked(target, reads);
  const projectId = textAt(target.desired, 'project_id');
  const account = knownPlace(target, 'billing_account');
  const linked = account === null ? null : await reads.linkedTo(account);
  const match = linked?.kind === 'ok' ? linked.value.get(projectId) : undefined;
  if (match !== undefined) return see(match, target, reads);
  const answer = await reads.billingInfo(projectId);
  if (answer.kind === 'failed') return invisible(answer, target, `The billing link of the project ${projectId}`);
  return text(answer.value, 'billingAccountName') === '' ? unlinked(target, reads) : see(answer.value, target, reads);
}

async function unlinked(target: Target, reads: Reads): Promise<Observation> {
  const warnings = target.forDelete ? [] : await accountWarnings(target, reads);
  return warnings.length === 0 ? ABSENT : { kind: 'absent', warnings };
}

async function see(resource: JsonObject, target: Target, reads: Reads): Promise<Observation> {
  const actual = normalizeBillingInfo(textAt(target.desired, 'project_id'), resource);
  return found(resource, {
    actual,
    state: 'linked',
    warnings: target.forDelete
      ? []
      : [...leftAccount(actual, target), ...(await billingWarnings(resource, target, reads))],
    blockers: target.forDelete ? otherAccount(actual, target) : [],
  });
}

/** Whoever paid so far is told by name where somebody else is to pay. */
function leftAccount(actual: JsonObject, target: Target): readonly Diagnostic[] {
  const [left, wanted] = [text(actual, 'billing_account'), knownPlace(target, 'billing_account')];
  if (wanted === null || left === wanted) return [];
  const detail = `The project is linked to ${left}, which it leaves for ${wanted}.`;
  return [diagnostic('BILLING_LINKED', detail, { address: target.declaration.address, severity: 'warning' })];
}

async function billingWarnings(resource: JsonObject, target: Target, reads: Reads): Promise<readonly Diagnostic[]> {
  const closed = await accountWarnings(target, reads);
  if (closed.length > 0) return closed;
  const isCurrent = text(resource, 'billingAccountName') === knownPlace(target, 'billing_account');
  return isCurrent && resource['billingEnabled'] === false
    ? [billingDisabled(resource, target.declaration.address)]
    : [];
}

/** Of the account that is to pay: a link to a closed one is possible, but enables nothing. */
async function accountWarnings(target: Target, reads: Reads): Promise<readonly Diagnostic[]> {
  const account = knownPlace(target, 'billing_account');
  const wanted = account === null ? null : await reads.billingAccount(account);
  if (wanted?.kind !== 'ok' || wanted.value['open'] !== false) return [];
  const detail = `${account} is closed: a link to it does not enable billing.`;
  return [diagnostic('BILLING_CLOSED', detail, { address: target.declaration.address, severity: 'warning' })];
}

export function billingDisabled(resource: JsonObject, address: string): Diagnostic {
  return diagnostic(
    'BILLING_DISABLED',
    `The project is linked to ${text(resource, 'billingAccountName')}, but billing is not enabled: the account is closed or suspended.`,
    { address },
  );
}

/** A link is cut only while it shows the account that the step says, or else the log. */
function otherAccount(actual: JsonObject, target: Target): readonly Diagnostic[] {
  const live = text(actual, 'billing_account');
  const account = knownPlace(target, 'billing_account') ?? recordedAccount(target);
  if (account === null || account === live) return [];
  const detail = `The project is linked to ${live} and not to ${account}; that link is left alone.`;
  const hint = `Where that one is meant, write billing_account: ${live} into the input of an unlink step.`;
  return [diagnostic('NOT_OURS', detail, { address: target.declaration.address, hint })];
}

function recordedAccount({ recorded }: Target): string | null {
  const account = isJsonObject(recorded) ? text(recorded, 'billing_account') : '';
  return account === '' ? null : withCollection('billingAccounts', account);
}

function fromForeign(urn: string, desired: JsonObject): Foreign {
  if (!urn.startsWith(URN)) return null;
  const account = ['billing_account', 'billingAccount', 'billingAccountName', 'billing_account_name']
    .map((key) => text(desired, key))
    .find((value) => value !== '');
  return {
    urn,
    desired: {
      project_id: urn.slice(URN.length),
      ...(account === undefined ? {} : { billing_account: withCollection('billingAccounts', account) }),
    },
  };
}
