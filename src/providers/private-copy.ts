/** What the folder of a private copy of user data is called, and what it holds: the copy, and who made it. */
export const COPY_PREFIX = 'infra-user-data-';
export const COPY_FILE = 'user-data';
export const CLAIM_FILE = 'owner.json';
