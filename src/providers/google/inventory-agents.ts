import { normalizeMember } from './members.ts';

/**
 * Members whose grants Google makes and takes away by itself: the service agents of its products. In a pattern `#` is a
 * number and `*` any text without `@`. Service accounts that Google makes but leaves to their project (the default ones
 * of Compute Engine, App Engine and Cloud Build, the writers of log sinks) are none of these.
 */
export const SERVICE_AGENTS: readonly string[] = [
  'serviceAccount:service-#@*.gserviceaccount.com',
  'serviceAccount:service-org-#@*.gserviceaccount.com',
  'serviceAccount:service-folder-#@*.gserviceaccount.com',
  'serviceAccount:#@cloudservices.gserviceaccount.com',
  'serviceAccount:firebase-service-account@firebase-sa-management.iam.gserviceaccount.com',
];

/** Whether a member is one of those that the patterns describe, in any case that Google takes for the same. */
export function memberMatcher(patterns: readonly string[]): (member: string) => boolean {
  const forms = patterns.map(formOf);
  return (member) => forms.some((form) => form.test(normalizeMember(member)));
}

function formOf(pattern: string): RegExp {
  const literal = normalizeMember(pattern).replace(/[.+?^${}()|[\]\\/-]/g, '\\$&');
  return new RegExp(`^${literal.replaceAll('#', '[0-9]+').replaceAll('*', '[^@]*')}$`);
}
