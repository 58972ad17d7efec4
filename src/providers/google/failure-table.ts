import { accessRules } from './failure-access.ts';
import { iamRules } from './failure-iam.ts';
import type { FailureFacts, Meaning, Rule } from './failure-rule.ts';
import { final, matches, passing, servicesNamed, subjectValues } from './failure-rule.ts';
import { commandLine, safeId } from './gcloud-command.ts';

function violationOf(facts: FailureFacts, type: RegExp) {
  return facts.violations.find((item) => type.test(item.type));
}

function isProjectCreate(facts: FailureFacts): boolean {
  return facts.service === 'crm' && facts.call?.method === 'POST' && facts.call.path === 'projects';
}

const folderRules: readonly Rule[] = [
  {
    when: { violation: /^FOLDER_NAME_UNIQUENESS_VIOLATION$/ },
    means: () => final('FOLDER_NAME_TAKEN', 'A sibling folder has this name; names are unique under a parent.'),
  },
  {
    when: { violation: /^(ACTIVE|DELETED)_FOLDER_HEIGHT_VIOLATION$/ },
    means: () => final('FOLDER_LIMIT', 'The folder would lie deeper than the limit (10 levels, 20 with deleted ones).'),
  },
  {
    when: { violation: /^MAX_CHILD_FOLDERS_VIOLATION$/ },
    means: () => final('FOLDER_LIMIT', 'The parent has the most child folders that are allowed (300).'),
  },
  {
    when: { violation: /^PARENT_DELETED_VIOLATION$/ },
    means: () => final('PARENT_DELETED', 'The parent is pending deletion; undelete it or name another one.'),
  },
  {
    when: { violation: /^RESOURCE_DELETED_VIOLATION$/ },
    means: () => final('PENDING_DELETION', 'The folder is pending deletion; set undelete: true to get it back.'),
  },
  {
    when: { violation: /^FOLDER_BEING_MOVED_VIOLATION$/ },
    means: () =>
      passing('CONFLICT', 'The folder, or one above it, is being moved right now; try again when that is over.'),
  },
  {
    when: { violation: /^CYCLE_INTRODUCED_VIOLATION$/ },
    means: () => final('REQUEST_REFUSED', 'The folder would end up below itself; choose another parent.'),
  },
  {
    when: { violation: /^FOLDER_TO_DELETE_NON_EMPTY_VIOLATION$/ },
    means: () =>
      final('FOLDER_NOT_EMPTY', 'The folder holds active folders or projects, or a firewall policy is attached.'),
  },
  {
    when: { violation: /^FOLDER_TO_DELETE_CONFIGURED_CAPABILITY_VIOLATION$/ },
    means: () =>
      final('REQUEST_REFUSED', 'The folder has a capability configured (such as app management); remove it first.'),
  },
  {
    when: { text: /violates display name uniqueness/i },
    means: () => final('FOLDER_NAME_TAKEN', 'A sibling folder has this name; names are unique under a parent.'),
  },
  {
    when: { text: /destination resource has been deleted/i },
    means: () => final('PARENT_DELETED', 'The parent is pending deletion; undelete it or name another one.'),
  },
];

function lien(facts: FailureFacts): Meaning {
  const name = /^(?:liens\/)?(p(\d+)-.+)$/.exec(violationOf(facts, /^LIEN$/)?.subject ?? '');
  const hint =
    name === null
      ? commandLine('gcloud', 'alpha', 'resource-manager', 'liens', 'list', '--project=PROJECT_ID')
      : commandLine(
          'gcloud',
          'alpha',
          'resource-manager',
          'liens',
          'delete',
          safeId('lien', name[1]),
          `--project=${safeId('number', name[2])}`,
        );
  return final('LIEN', 'A lien protects the project against deletion; remove it first if the deletion is meant.', hint);
}

const projectRules: readonly Rule[] = [
  { when: { violation: /^LIEN$/ }, means: lien },
  {
    when: { service: 'crm', text: /active child resource/i },
    means: (facts) =>
      final(
        'REQUEST_REFUSED',
        `The project still has an active resource (${facts.violations[0]?.subject ?? 'not named'}); delete it first.`,
      ),
  },
  {
    when: { text: /allotted project quota|project quota/i },
    means: projectQuota,
  },
  {
    when: {
      service: 'crm',
      canonical: ['RESOURCE_EXHAUSTED'],
      also: (facts) => facts.call === null && facts.reason !== 'RATE_LIMIT_EXCEEDED',
    },
    means: projectQuota,
  },
  {
    when: { canonical: ['ALREADY_EXISTS'], also: isProjectCreate },
    means: () =>
      final(
        'PROJECT_ID_TAKEN',
        'Someone has a project with this id, or it was deleted within 30 days: ids are unique for ever and never free again.',
        'choose another project_id',
      ),
  },
];

function projectQuota(): Meaning {
  return final(
    'PROJECT_QUOTA',
    'The identity has used up its number of projects; deleted projects count until they are purged after 30 days.',
    'ask for more at https://support.google.com/code/contact/project_quota_increase',
  );
}

function billingAccountHint(): string {
  return commandLine('gcloud', 'billing', 'accounts', 'list', '--filter=open=true');
}

function billingRequired(facts: FailureFacts): Meaning {
  const project =
    facts.metadata['project'] ??
    subjectValues(facts, 'project')[0] ??
    facts.metadata['consumer']?.replace(/^projects\//, '');
  const services = servicesNamed(facts);
  const what = services.length === 0 ? 'This' : services.join(', ');
  return final(
    'BILLING_REQUIRED',
    `${what} needs billing, and the project${project === undefined ? '' : ` ${project}`} has no open billing account linked.`,
    commandLine(
      'gcloud',
      'billing',
      'projects',
      'link',
      safeId('project', project),
      '--billing-account=BILLING_ACCOUNT_ID',
    ),
  );
}

const billingRules: readonly Rule[] = [
  {
    when: { reason: ['UREQ_PROJECT_BILLING_NOT_OPEN'] },
    means: () =>
      final(
        'BILLING_CLOSED',
        'The billing account that the project is linked to is closed; reopen it or link an open one.',
        billingAccountHint(),
      ),
  },
  { when: { reason: ['UREQ_PROJECT_BILLING_NOT_FOUND', 'BILLING_DISABLED'] }, means: billingRequired },
  { when: { violation: /^googleapis\.com\/billing-enabled$/ }, means: billingRequired },
  { when: { text: /billing must be enabled for activation/i }, means: billingRequired },
  {
    when: {
      canonical: ['FAILED_PRECONDITION'],
      also: (facts) =>
        facts.quotaFailure && facts.violations.some((item) => /billing/i.test(`${item.subject} ${item.description}`)),
    },
    means: (facts) =>
      final(
        'BILLING_CAP',
        `The billing account (${facts.violations[0]?.subject ?? 'not named'}) is linked to as many projects as it may be.`,
        'unlink a project, or ask for more at https://support.google.com/code/contact/billing_quota_increase',
      ),
  },
];

const serviceRules: readonly Rule[] = [
  {
    when: { reason: ['UREQ_TOS_NOT_ACCEPTED'] },
    means: () => terms(),
  },
  { when: { violation: /(^|_)TOS(_|$)/ }, means: () => terms() },
  { when: { text: /terms of service/i }, means: () => terms() },
  {
    when: { reason: ['SERVICE_CONFIG_NOT_FOUND_OR_PERMISSION_DENIED'] },
    means: unknownService,
  },
  { when: { service: 'serviceusage', text: /^not found or permission denied for service/i }, means: unknownService },
  { when: { reason: ['COMMON_SU_SERVICE_HAS_DEPENDENT_SERVICES'] }, means: dependents },
  { when: { text: /is depended on by the following active service/i }, means: dependents },
  {
    when: { reason: ['COMMON_SU_SERVICE_HAS_USAGE'] },
    means: () =>
      final(
        'REQUEST_REFUSED',
        'The service was used within the last 30 days, and Google checks for that before disabling.',
      ),
  },
  {
    when: { service: 'serviceusage', text: /another activation or deactivation is in progress/i },
    means: () =>
      passing(
        'CONFLICT',
        'Another activation or deactivation of the same service is in progress; it is over within a minute or two.',
      ),
  },
];

function terms(): Meaning {
  return final(
    'TERMS_OF_SERVICE',
    'Terms of service are not accepted yet, and only a person can accept them.',
    'sign in at https://console.cloud.google.com/apis/library as a person with rights on the project and enable the API once',
  );
}

function unknownService(facts: FailureFacts): Meaning {
  const names = servicesNamed(facts);
  return final(
    'SERVICE_NOT_FOUND',
    `${names.length === 0 ? 'The service' : names.join(', ')} does not exist, or is not shared with this identity. In a project that is seconds old this can pass.`,
    commandLine('gcloud', 'services', 'list', '--available', `--filter=config.name:${safeId('service', names[0])}`),
  );
}

function dependents(facts: FailureFacts): Meaning {
  const names = servicesNamed(facts);
  return final(
    'SERVICE_HAS_DEPENDENTS',
    `Enabled services depend on it: ${names.length === 0 ? 'not named' : names.join(', ')}. infra never cascades silently; disable them first.`,
  );
}

const policyRules: readonly Rule[] = [
  {
    when: { reason: ['SECURITY_POLICY_VIOLATED'] },
    means: (facts) =>
      final(
        'ORG_POLICY',
        'A VPC Service Controls perimeter forbids the call.',
        `give the perimeter's administrators this id: ${facts.metadata['uid'] ?? 'not given'}`,
      ),
  },
  {
    when: {
      reason: [
        'RESOURCE_USAGE_RESTRICTION_VIOLATED',
        'ORG_RESTRICTION_VIOLATION',
        'ORG_RESTRICTION_HEADER_INVALID',
        'LOCATION_POLICY_VIOLATED',
      ],
    },
    means: orgPolicy,
  },
  { when: { violation: /^constraints\// }, means: orgPolicy },
  { when: { text: /\bconstraints\/[A-Za-z.]+|organization policy|VPC Service Controls/i }, means: orgPolicy },
];

function orgPolicy(facts: FailureFacts): Meaning {
  const constraint = violationOf(facts, /^constraints\//)?.type ?? /\bconstraints\/[A-Za-z.]+/.exec(facts.message)?.[0];
  return final(
    'ORG_POLICY',
    `An organisation policy${constraint === undefined ? '' : ` (${constraint})`} forbids this; its administrators can make an exception.`,
  );
}

const generalRules: readonly Rule[] = [
  {
    when: { canonical: ['ALREADY_EXISTS'] },
    means: () => final('ALREADY_EXISTS', 'A resource with this identity exists already.'),
  },
  {
    when: { canonical: ['ABORTED'] },
    means: () =>
      passing('CONFLICT', 'Another change was made at the same time: what this one was based on is out of date.'),
  },
  {
    when: { status: [412] },
    means: () => passing('CONFLICT', 'What the change was based on is out of date (its etag does not match).'),
  },
  {
    when: { status: [409] },
    means: () => passing('CONFLICT', 'Another change is under way, or the resource exists already.'),
  },
  { when: { status: [404] }, means: () => final('NOT_FOUND', 'The resource does not exist.') },
  {
    when: { canonical: ['INVALID_ARGUMENT', 'OUT_OF_RANGE'] },
    means: (facts) =>
      final('REQUEST_REFUSED', facts.fields.length === 0 ? 'A value is not accepted.' : 'Values are not accepted.'),
  },
  {
    when: { canonical: ['FAILED_PRECONDITION'] },
    means: () => final('REQUEST_REFUSED', 'The state of the resource does not allow this.'),
  },
  { when: { status: [501] }, means: () => final('UNSUPPORTED', 'The API does not have this method.') },
  { when: { status: [504, 408] }, means: () => passing('TIMEOUT', 'The service did not finish in time.') },
  {
    when: { status: [500, 502, 503] },
    means: () => passing('UNAVAILABLE', 'The service answered with a server error.'),
  },
  { when: {}, means: (facts) => final('REQUEST_REFUSED', `The service refused the request (HTTP ${facts.status}).`) },
];

/** The one decode table: structure first (reason, violation), texts only where Google gives nothing else. */
const TABLE: readonly Rule[] = [
  ...accessRules.filter((rule) => rule.when.reason !== undefined),
  ...folderRules,
  ...projectRules,
  ...billingRules,
  ...serviceRules,
  ...policyRules,
  ...iamRules,
  ...accessRules.filter((rule) => rule.when.reason === undefined),
  ...generalRules,
];

export function meaningOf(facts: FailureFacts): Meaning {
  const rule = TABLE.find((item) => matches(item.when, facts));
  return rule === undefined ? final('REQUEST_REFUSED', `HTTP ${facts.status}`) : rule.means(facts);
}
