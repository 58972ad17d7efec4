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

export function folderReference(written: string): string {
  return parentReference(written);
}

function fromConsole(text: string): string | null {
  if (!text.startsWith('https://console.cloud.google.com/') || !URL.canParse(text)) return null;
  const query = new URL(text).searchParams;
  const folder = query.get('folder');
  const organization = query.get('organizationId');
  if (folder !== null) return `folders/${folder}`;
  return organization === null ? null : `organizations/${organization}`;
}

/** The display names from the organisation down; null for a reference by id. */
export function displayPath(reference: string): readonly string[] | null {
  return reference.startsWith(BY_DISPLAY_NAME) ? reference.slice(BY_DISPLAY_NAME.length).split('/') : null;
}
