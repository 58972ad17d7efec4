import { accessRules } from './failure-access.ts';
import { hierarchyRules } from './failure-hierarchy.ts';
import { iamRules } from './failure-iam.ts';
import type { FailureFacts, Meaning, Rule } from './failure-rule.ts';
import { final, matches, passing, violationOf } from './failure-rule.ts';
import { serviceUsageRules } from './failure-services.ts';

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
  ...hierarchyRules,
  ...serviceUsageRules,
  ...policyRules,
  ...iamRules,
  ...accessRules.filter((rule) => rule.when.reason === undefined),
  ...generalRules,
];

export function meaningOf(facts: FailureFacts): Meaning {
  const rule = TABLE.find((item) => matches(item.when, facts));
  return rule === undefined ? final('REQUEST_REFUSED', `HTTP ${facts.status}`) : rule.means(facts);
}
