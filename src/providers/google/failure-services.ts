import type { FailureFacts, Meaning, Rule } from './failure-rule.ts';
import { final, passing, servicesNamed, subjectValues } from './failure-rule.ts';
import { commandLine, safeId } from './gcloud-command.ts';

/** Google gives no reason for it, only this text. */
const BUSY_TEXT = /another activation or deactivation is in progress/i;

/** Whether Service Usage refuses because a change of the same service is under way: it passes within a minute or two. */
export function isActivationBusy(failure: { readonly message: string }): boolean {
  return BUSY_TEXT.test(failure.message);
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
    when: { service: 'serviceusage', text: BUSY_TEXT },
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

/** Services and what they need: billing, accepted terms, no dependents. */
export const serviceUsageRules: readonly Rule[] = [...billingRules, ...serviceRules];
