export const BY_DISPLAY_NAME = 'folders/by-display-name/';

/**
 * The ways in which people name a folder or an organisation, as one: a number is a folder's, a console URL names what it
 * shows, a path of display names is looked up (`folders/by-display-name/A/B`). Everything else stays as written.
 */
export function parentReference(written: string): string {
  const text = written.trim();
  const shown = fromConsole(text);
  if (shown !== null) return shown;
  if (/^[0-9]+$/.test(text)) return `folders/${text}`;
  const isName = /^(organizations|folders|projects|billingAccounts)\//.test(text);
  return isName || !text.includes('/') || text.includes('://') ? text : `${BY_DISPLAY_NAME}${text}`;
}

/** The same for a scope, which may also be a project that the console shows. */
export function scopeReference(written: string): string {
  const project = inConsole(written.trim())?.get('project') ?? null;
  return project === null ? parentReference(written) : `projects/${project}`;
}

export function folderReference(written: string): string {
  return parentReference(written);
}

function fromConsole(text: string): string | null {
  const query = inConsole(text);
  const folder = query?.get('folder') ?? null;
  const organization = query?.get('organizationId') ?? null;
  if (folder !== null) return `folders/${folder}`;
  return organization === null ? null : `organizations/${organization}`;
}

function inConsole(text: string): URLSearchParams | null {
  const isConsole = text.startsWith('https://console.cloud.google.com/') && URL.canParse(text);
  return isConsole ? new URL(text).searchParams : null;
}

/** The display names from the organisation down; null for a reference by id. */
export function displayPath(reference: string): readonly string[] | null {
  return reference.startsWith(BY_DISPLAY_NAME) ? reference.slice(BY_DISPLAY_NAME.length).split('/') : null;
}
