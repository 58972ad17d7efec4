import { denied, holds, requireProject } from '../access.ts';
import { type ApiError, precondition } from '../wire/errors.ts';
import { type Json, stringAt } from '../wire/json.ts';
import { compareText, page } from '../wire/paging.ts';
import { PAGING, parameter } from '../wire/query-parameters.ts';
import { message } from '../wire/request-decoder.ts';
import { type Call, pageSizeOf, param, type Route } from '../wire/route.ts';
import type { BillingAccount, Project } from '../world/state.ts';
import { checkAccountName, PAGE_SIZES, requireAccount, sizeAsked } from './accounts.ts';

/** Keyed by the project's id, whatever the request used. A closed account is linked but pays for nothing. */
function billingInfo(call: Call, project: Project, accountName = project.billingAccountName): Json {
  const account = call.world.state.billingAccounts[accountName];
  return {
    name: `projects/${project.projectId}/billingInfo`,
    projectId: project.projectId,
    billingAccountName: accountName,
    billingEnabled: account?.open === true,
  };
}

function getBillingInfo(call: Call): Json {
  const project = requireProject(call, param(call, 'project'), 'resourcemanager.projects.get');
  return billingInfo(call, project, shownAccount(call, project));
}

/** The account before the last change, while that is still spreading. */
function shownAccount(call: Call, project: Project): string {
  const lag = project.billingLag;
  if (lag === undefined) return project.billingAccountName;
  call.world.touch();
  lag.reads -= 1;
  if (lag.reads <= 0) delete project.billingLag;
  return lag.shown;
}

function updateBillingInfo(call: Call): Json {
  const id = param(call, 'project');
  const accountName = stringAt(call.body, 'billingAccountName') ?? '';
  if (accountName !== '') checkAccountName(accountName);
  const project = accountName === '' ? requireUnlinkable(call, id) : requireLinkable(call, id, accountName);
  if (project.state !== 'ACTIVE') throw precondition();
  const reads = call.world.knobs.billingLagReads ?? 0;
  if (reads > 0 && accountName !== project.billingAccountName)
    project.billingLag = { shown: project.billingAccountName, reads };
  project.billingAccountName = accountName;
  call.world.touch();
  return billingInfo(call, project);
}

function requireLinkable(call: Call, id: string, accountName: string): Project {
  const project = requireProject(call, id, 'resourcemanager.projects.createBillingAssignment');
  const account = requireAccount(call, accountName, 'billing.resourceAssociations.create');
  checkCap(call, account, project);
  return project;
}

/** Either side may undo the link. */
function requireUnlinkable(call: Call, id: string): Project {
  const permission = 'resourcemanager.projects.deleteBillingAssignment';
  const project = call.world.findProject(id);
  const ofAccount =
    project !== undefined &&
    project.billingAccountName !== '' &&
    holds(call.world, call.principal, project.billingAccountName, 'billing.resourceAssociations.delete');
  const ofProject = project !== undefined && holds(call.world, call.principal, project.name, permission);
  if (project === undefined || !(ofAccount || ofProject)) throw denied(call, `projects/${id}`, permission);
  return project;
}

function checkCap(call: Call, account: BillingAccount, project: Project): void {
  const cap = account.projectCap ?? call.world.knobs.billingProjectCap ?? Number.POSITIVE_INFINITY;
  const linked = linkedProjects(call, account).filter((other) => other !== project);
  if (linked.length >= cap) throw capExceeded(account);
}

function capExceeded(account: BillingAccount): ApiError {
  const description = 'Cloud billing quota exceeded: https://support.google.com/code/contact/billing_quota_increase';
  return precondition([
    { '@type': 'type.googleapis.com/google.rpc.QuotaFailure', violations: [{ subject: account.name, description }] },
  ]);
}

function linkedProjects(call: Call, account: BillingAccount): readonly Project[] {
  return Object.values(call.world.state.projects).filter((project) => project.billingAccountName === account.name);
}

function listLinked(call: Call): Json {
  const account = requireAccount(
    call,
    `billingAccounts/${param(call, 'account')}`,
    'billing.resourceAssociations.list',
  );
  const projects = [...linkedProjects(call, account)].sort((left, right) =>
    compareText(left.projectId, right.projectId),
  );
  const { items, nextPageToken } = page(projects, (project) => project.projectId, {
    scope: ['projectBillingInfo', account.name],
    pageSize: pageSizeOf(call, sizeAsked(call), PAGE_SIZES),
    pageToken: parameter(call.query, 'pageToken'),
  });
  return { projectBillingInfo: items.map((project) => billingInfo(call, project)), nextPageToken: nextPageToken ?? '' };
}

const INFO = message({ name: 'string', projectId: 'string', billingAccountName: 'string', billingEnabled: 'bool' });
const service = 'cloudbilling' as const;
const rpc = 'google.cloud.billing.v1.CloudBilling';
const info = '/v1/projects/{project}/billingInfo';

export const billingLinkRoutes: readonly Route[] = [
  { service, method: 'GET', path: info, rpc: `${rpc}.GetProjectBillingInfo`, handle: getBillingInfo },
  {
    service,
    method: 'PUT',
    path: info,
    rpc: `${rpc}.UpdateProjectBillingInfo`,
    body: INFO,
    bodyField: 'project_billing_info',
    handle: updateBillingInfo,
  },
  {
    service,
    method: 'GET',
    path: '/v1/billingAccounts/{account}/projects',
    rpc: `${rpc}.ListProjectBillingInfo`,
    query: PAGING,
    handle: listLinked,
  },
];
