import type { FailureFacts, Meaning, Rule } from './failure-rule.ts';
import { final, passing, violationOf } from './failure-rule.ts';
import { commandLine, safeId } from './gcloud-command.ts';

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

/** Folders and projects: their tree, their ids, their deletion. */
export const hierarchyRules: readonly Rule[] = [...folderRules, ...projectRules];
