import type { FailureFacts, Meaning, Rule } from './failure-rule.ts';
import { final, passing, subjectValues } from './failure-rule.ts';
import { commandLine, grantCommand, safeId } from './gcloud-command.ts';

/** Projects of Google's own client ids: calls are counted there when no quota project is set. */
const GCLOUD_PROJECTS: readonly string[] = ['764086051850', '32555940559'];

/** The smallest predefined role that carries a permission. */
const ROLES: Readonly<Record<string, string>> = {
  'resourcemanager.projects.create': 'roles/resourcemanager.projectCreator',
  'resourcemanager.projects.get': 'roles/browser',
  'resourcemanager.projects.list': 'roles/browser',
  'resourcemanager.projects.getIamPolicy': 'roles/browser',
  'resourcemanager.projects.update': 'roles/resourcemanager.projectMover',
  'resourcemanager.projects.move': 'roles/resourcemanager.projectMover',
  'resourcemanager.projects.delete': 'roles/resourcemanager.projectDeleter',
  'resourcemanager.projects.undelete': 'roles/resourcemanager.projectDeleter',
  'resourcemanager.projects.setIamPolicy': 'roles/resourcemanager.projectIamAdmin',
  'resourcemanager.projects.createBillingAssignment': 'roles/billing.projectManager',
  'resourcemanager.projects.deleteBillingAssignment': 'roles/billing.projectManager',
  'resourcemanager.folders.create': 'roles/resourcemanager.folderCreator',
  'resourcemanager.folders.get': 'roles/resourcemanager.folderViewer',
  'resourcemanager.folders.list': 'roles/resourcemanager.folderViewer',
  'resourcemanager.folders.update': 'roles/resourcemanager.folderEditor',
  'resourcemanager.folders.delete': 'roles/resourcemanager.folderEditor',
  'resourcemanager.folders.undelete': 'roles/resourcemanager.folderEditor',
  'resourcemanager.folders.move': 'roles/resourcemanager.folderMover',
  'resourcemanager.folders.getIamPolicy': 'roles/resourcemanager.folderAdmin',
  'resourcemanager.folders.setIamPolicy': 'roles/resourcemanager.folderIamAdmin',
  'resourcemanager.organizations.get': 'roles/resourcemanager.organizationViewer',
  'resourcemanager.organizations.getIamPolicy': 'roles/iam.securityReviewer',
  'resourcemanager.organizations.setIamPolicy': 'roles/resourcemanager.organizationAdmin',
  'serviceusage.services.use': 'roles/serviceusage.serviceUsageConsumer',
  'serviceusage.services.get': 'roles/serviceusage.serviceUsageViewer',
  'serviceusage.services.list': 'roles/serviceusage.serviceUsageViewer',
  'serviceusage.services.enable': 'roles/serviceusage.serviceUsageAdmin',
  'serviceusage.services.disable': 'roles/serviceusage.serviceUsageAdmin',
  'billing.accounts.get': 'roles/billing.viewer',
  'billing.resourceAssociations.create': 'roles/billing.user',
  'billing.resourceAssociations.list': 'roles/billing.viewer',
  'billing.accounts.getIamPolicy': 'roles/billing.viewer',
  'billing.accounts.setIamPolicy': 'roles/billing.admin',
};

function consumerOf(facts: FailureFacts): string | undefined {
  return facts.metadata['consumer']?.replace(/^projects\//, '') ?? facts.metadata['containerInfo'];
}

function noQuotaProject(): Meaning {
  return final(
    'QUOTA_PROJECT',
    'No quota project is set: calls of a user credential are counted in a project, and none was named.',
    commandLine('gcloud', 'auth', 'application-default', 'set-quota-project', 'PROJECT_ID'),
  );
}

function apiDisabled(facts: FailureFacts): Meaning {
  const consumer = consumerOf(facts) ?? facts.quotaProject ?? undefined;
  if (consumer !== undefined && GCLOUD_PROJECTS.includes(consumer)) return noQuotaProject();
  const service = facts.metadata['service'];
  return final(
    'API_DISABLED',
    `The API ${service ?? ''} is disabled in the project ${consumer ?? '(not named)'}, in which the calls are counted (the quota project, not the one that is managed). If it was enabled just now, it takes a few minutes.`,
    commandLine('gcloud', 'services', 'enable', safeId('service', service), `--project=${safeId('project', consumer)}`),
  );
}

function projectDenied(facts: FailureFacts): Meaning {
  const project = consumerOf(facts) ?? facts.quotaProject ?? undefined;
  return final(
    'QUOTA_PROJECT',
    `The identity may not use ${project ?? 'the quota project'} as its quota project (serviceusage.services.use is missing).`,
    grantCommand(`projects/${project ?? ''}`, 'roles/serviceusage.serviceUsageConsumer'),
  );
}

function consumerInvalid(facts: FailureFacts): Meaning {
  const project = consumerOf(facts) ?? facts.quotaProject ?? 'the quota project';
  return final(
    'QUOTA_PROJECT',
    `The project ${project}, in which the calls are counted, was deleted, is suspended or is not valid; name another quota project.`,
  );
}

function permissionOf(facts: FailureFacts): string | null {
  const named = facts.metadata['permission'] ?? subjectValues(facts, 'permission')[0];
  return named ?? /^Permission '([A-Za-z0-9.]+)' denied/.exec(facts.message)?.[1] ?? null;
}

function resourceOf(facts: FailureFacts): string | null {
  const named = facts.metadata['resource'] ?? subjectValues(facts, 'resource')[0];
  const text = /resource '?\/\/[a-z.]+\/([A-Za-z]+\/[^\s']+)'?/.exec(facts.message)?.[1];
  const path = /^((?:projects|folders|organizations|billingAccounts)\/[^/:]+)/.exec(facts.call?.path ?? '')?.[1];
  const resource = named ?? text ?? path ?? null;
  return resource !== null && /^\d+$/.test(resource) && facts.service === 'serviceusage'
    ? `projects/${resource}`
    : resource;
}

/** What a read that can't tell "absent" from "forbidden" got. */
function mayNotExist(facts: FailureFacts): boolean {
  const reads = facts.call?.method === 'GET' || facts.call?.path.endsWith(':getIamPolicy') === true;
  return reads && /may not exist|not found or permission denied/i.test(facts.message);
}

function denied(facts: FailureFacts): Meaning {
  const permission = permissionOf(facts);
  const resource = resourceOf(facts);
  const role = ROLES[permission ?? ''];
  const missing = `${permission ?? 'A permission (not named)'} is missing on ${resource ?? 'the resource'}`;
  return final(
    mayNotExist(facts) ? 'NOT_VISIBLE' : 'PERMISSION_DENIED',
    `${missing}, or that does not exist: Google answers both alike.`,
    role === undefined || resource === null ? null : grantCommand(resource, role),
  );
}

function throttled(facts: FailureFacts): Meaning {
  const { quota_limit: limit, consumer } = facts.metadata;
  return passing(
    'THROTTLED',
    `A rate limit is reached${limit === undefined ? '' : ` (${limit}${consumer === undefined ? '' : `, ${consumer}`})`}; it clears within minutes.`,
  );
}

export function isZeroQuota(failure: Pick<FailureFacts, 'metadata'>): boolean {
  return failure.metadata['quota_limit_value'] === '0';
}

const RATE_TEXT = /quota exceeded for quota metric|resource has been exhausted|rate ?limit exceeded|too many requests/i;

const zeroQuota = (facts: FailureFacts) =>
  final(
    'RATE_NEVER_GRANTED',
    `The quota ${facts.metadata['quota_metric'] ?? ''} is zero: it was never granted, waiting does not help.`,
    'ask for it at https://console.cloud.google.com/iam-admin/quotas',
  );

/** Who is calling, in which project it is counted, and how fast: refusals that any call can meet. */
export const accessRules: readonly Rule[] = [
  { when: { reason: ['SERVICE_DISABLED'] }, means: apiDisabled },
  { when: { reason: ['USER_PROJECT_DENIED'] }, means: projectDenied },
  { when: { reason: ['CONSUMER_INVALID', 'CONSUMER_SUSPENDED'] }, means: consumerInvalid },
  {
    when: { reason: ['ACCESS_TOKEN_SCOPE_INSUFFICIENT'] },
    means: () =>
      final(
        'AUTHENTICATION',
        'The access token lacks a scope; https://www.googleapis.com/auth/cloud-platform covers all calls.',
        commandLine(
          'gcloud',
          'auth',
          'application-default',
          'login',
          '--scopes=openid,https://www.googleapis.com/auth/userinfo.email,https://www.googleapis.com/auth/cloud-platform',
        ),
      ),
  },
  {
    when: { reason: ['RATE_LIMIT_EXCEEDED', 'RESOURCE_QUOTA_EXCEEDED'], also: isZeroQuota },
    means: zeroQuota,
  },
  { when: { reason: ['RATE_LIMIT_EXCEEDED', 'CONCURRENT_OPERATIONS_QUOTA_EXCEEDED'] }, means: throttled },
  { when: { reason: ['AUTH_PERMISSION_DENIED', 'IAM_PERMISSION_DENIED'] }, means: denied },
  { when: { text: /requires a quota project, which is not set by default/i }, means: noQuotaProject },
  { when: { status: [403], text: /has not been used in project \S+ before or it is disabled/i }, means: apiDisabled },
  { when: { status: [401] }, means: unauthenticated },
  { when: { status: [429], also: isZeroQuota }, means: zeroQuota },
  { when: { status: [429] }, means: throttled },
  { when: { text: RATE_TEXT }, means: throttled },
  { when: { status: [403] }, means: denied },
];

function unauthenticated(facts: FailureFacts): Meaning {
  const why =
    facts.reason === 'ACCESS_TOKEN_EXPIRED' ? 'The access token has expired' : 'The access token was not accepted';
  return final('AUTHENTICATION', `${why}.`, commandLine('gcloud', 'auth', 'application-default', 'login'));
}
