import type { FailureFacts, Meaning, Rule } from './failure-rule.ts';
import { final } from './failure-rule.ts';

const MEMBER_TEXT = /^(?:Service account|User|Group|Domain|Principal) (\S+) does not exist/i;
const ROLE_TEXT =
  /^Role \(?(\S+?)\)? (?:is not supported for this resource|does not exist in the resource's hierarchy)/i;

/**
 * The member that a refused policy names as not existing, without its type prefix (`sa@p.iam.gserviceaccount.com`);
 * null where the refusal is another one. Whose entry it is, the caller knows.
 */
export function missingMember(failure: { readonly message: string }): string | null {
  return MEMBER_TEXT.exec(failure.message)?.[1] ?? null;
}

/** The role that a refused policy names as not grantable there; null where the refusal is another one. */
export function unsupportedRole(failure: { readonly message: string }): string | null {
  return ROLE_TEXT.exec(failure.message)?.[1] ?? null;
}

function missing(facts: FailureFacts): Meaning {
  return final(
    'MEMBER_NOT_FOUND',
    `${missingMember(facts) ?? 'A member'} does not exist. A principal that was deleted after it had been granted a role stays in the policy and blocks writes that name it in its plain form.`,
    'correct the member, or remove the stale entry from the policy',
  );
}

function owners(facts: FailureFacts): Meaning {
  const member = facts.violations.find((item) => item.type.endsWith('_OWNERS'))?.subject ?? 'The member';
  return final(
    'REQUEST_REFUSED',
    `${member} can be made an owner by an invitation in the console only, not through the API.`,
    'invite the owner at https://console.cloud.google.com/iam-admin/iam',
  );
}

/** What setIamPolicy refuses; Google gives texts only for most of it. */
export const iamRules: readonly Rule[] = [
  { when: { violation: /^(SOLO|ORG)_MUST_INVITE_(EXTERNAL_)?OWNERS$/ }, means: owners },
  { when: { text: MEMBER_TEXT }, means: missing },
  {
    when: { text: ROLE_TEXT },
    means: (facts) =>
      final(
        'ROLE_INVALID',
        `The role ${unsupportedRole(facts) ?? ''} does not exist or can't be granted on this kind of resource.`,
      ),
  },
];
