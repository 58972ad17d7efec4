/** What an id in a printed command may look like; a placeholder stands in for anything else. */
const PATTERNS = {
  project: /^[a-z0-9][a-z0-9.:-]{0,99}$/,
  number: /^\d{1,25}$/,
  billingAccount: /^[0-9A-F]{6}-[0-9A-F]{6}-[0-9A-F]{6}$/,
  service: /^[a-z0-9][a-z0-9.-]{1,99}$/,
  lien: /^p\d{1,25}-[A-Za-z0-9-]{1,60}$/,
  serviceAccount: /^[a-z0-9][a-z0-9-]{0,62}@[a-z0-9.-]{1,120}$/,
} as const;

const PLACEHOLDERS = {
  project: 'PROJECT_ID',
  number: 'NUMBER',
  billingAccount: 'BILLING_ACCOUNT_ID',
  service: 'SERVICE',
  lien: 'LIEN',
  serviceAccount: 'SERVICE_ACCOUNT',
} as const;

type IdKind = keyof typeof PATTERNS;

/** An id that may stand in a command to paste; a placeholder where it doesn't look like one. */
export function safeId(kind: IdKind, id: string | null | undefined): string {
  return typeof id === 'string' && PATTERNS[kind].test(id) ? id : PLACEHOLDERS[kind];
}

/** A POSIX shell command line: words that need it are quoted. */
export function commandLine(...words: readonly string[]): string {
  return words
    .map((word) => (/^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`))
    .join(' ');
}

/** The command that grants a role on a resource (`projects/p`, `folders/1`, ...); null for other resources. */
export function grantCommand(resource: string, role: string, member = 'MEMBER'): string | null {
  const [collection = '', id] = resource.split('/');
  const grant = (...words: readonly string[]) =>
    commandLine('gcloud', ...words, `--member=${member}`, `--role=${role}`);
  if (collection === 'projects') return grant('projects', 'add-iam-policy-binding', safeId('project', id));
  if (collection === 'folders')
    return grant('resource-manager', 'folders', 'add-iam-policy-binding', safeId('number', id));
  if (collection === 'organizations') return grant('organizations', 'add-iam-policy-binding', safeId('number', id));
  if (collection !== 'billingAccounts') return null;
  return grant('billing', 'accounts', 'add-iam-policy-binding', safeId('billingAccount', id));
}
