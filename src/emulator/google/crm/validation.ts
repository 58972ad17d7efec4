import { fieldIssue, invalidArgument } from '../wire/errors.ts';

const RESTRICTED_WORDS = ['google', 'ssl', 'null', 'undefined'];
const MOST_LABELS = 64;

export function checkProjectId(projectId: string | undefined): string {
  const issue = projectIdIssue(projectId ?? '');
  if (projectId === undefined || issue !== undefined) throw fieldIssue('project_id', issue ?? 'project_id must be set');
  return projectId;
}

function projectIdIssue(projectId: string): string | undefined {
  if (projectId.length < 6) return 'project_id must be at least 6 characters long';
  if (projectId.length > 30) return 'project_id must be at most 30 characters long';
  if (!/^[a-z][a-z0-9-]*[a-z0-9]$/.test(projectId)) {
    return 'project_id must start with a lowercase letter, followed by lowercase letters, digits or hyphens, and must not end with a hyphen';
  }
  if (RESTRICTED_WORDS.some((word) => projectId.includes(word))) return 'project_id contains a restricted word';
  return undefined;
}

export function checkProjectName(displayName: string): string {
  const issue = projectNameIssue(displayName);
  if (issue !== undefined) throw fieldIssue('display_name', issue);
  return displayName;
}

function projectNameIssue(displayName: string): string | undefined {
  if (displayName.length < 4) return 'project display name must be at least 4 characters';
  if (displayName.length > 30) return 'project display name must be at most 30 characters';
  if (!/^[A-Za-z0-9\-'" !]+$/.test(displayName)) return 'project display name contains invalid characters';
  return undefined;
}

/** 1 to 30 letters, digits, spaces, hyphens and underscores, with a letter or digit at both ends. */
export function checkFolderName(displayName: string | undefined): string {
  if (displayName === undefined || !/^[\p{L}\p{N}]([\p{L}\p{N}_\- ]{0,28}[\p{L}\p{N}])?$/u.test(displayName)) {
    throw invalidArgument('Request contains an invalid argument.', [
      {
        '@type': 'type.googleapis.com/google.rpc.DebugInfo',
        detail: `[ORIGINAL ERROR] generic::invalid_argument: invalid folder display name: "${displayName ?? ''}"`,
      },
    ]);
  }
  return displayName;
}

export function checkLabels(labels: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const entries = Object.entries(labels);
  if (entries.length > MOST_LABELS) throw fieldIssue('labels', `at most ${MOST_LABELS} labels are allowed`);
  for (const [key, value] of entries) {
    if (!/^[a-z][a-z0-9_-]{0,62}$/.test(key)) throw fieldIssue('labels', `label key "${key}" is invalid`);
    if (!/^[a-z0-9_-]{0,63}$/.test(value)) throw fieldIssue('labels', `label value "${value}" is invalid`);
  }
  return labels;
}

export function checkParent(parent: string | undefined): string {
  if (parent === undefined || !/^(organizations|folders)\/\d+$/.test(parent)) {
    throw fieldIssue('parent', 'parent must be of the form organizations/{number} or folders/{number}');
  }
  return parent;
}

/** The numeric id of a folder or organisation in a path. */
export function checkNumber(id: string): string {
  if (!/^\d{1,19}$/.test(id)) throw invalidArgument();
  return id;
}

/** `labels` and `display_name,labels` alike; undefined when the caller sent no mask. */
export function parseUpdateMask(mask: string | undefined, allowed: readonly string[]): ReadonlySet<string> | undefined {
  if (mask === undefined || mask === '') return undefined;
  if (mask === '*') return new Set(allowed);
  const fields = mask
    .split(',')
    .map((field) => field.trim().replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()));
  const unknown = fields.find((field) => !allowed.includes(field));
  if (unknown !== undefined) throw invalidArgument(`Invalid update mask: field ${unknown} cannot be updated.`);
  return new Set(fields);
}
