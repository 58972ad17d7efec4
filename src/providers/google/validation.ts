/**
 * Format rules of Google's APIs (../reference: gcp-rest 2.1). A rule answers null where the value is fine, else what is
 * wrong; whether that is an error or a warning is the caller's to say (`FormatStrictness`).
 */
export interface FormatProblem {
  readonly detail: string;
  readonly hint?: string;
}

export type FormatRule = (value: string) => FormatProblem | null;

function matches(pattern: RegExp, detail: (value: string) => string): FormatRule {
  return (value) => (pattern.test(value) ? null : { detail: detail(value) });
}

/** 6 to 30 characters; a legacy id with a domain (`example.com:id`) can't be created but is referred to. */
export const projectIdFormat = matches(
  /^([a-z0-9.-]+:)?[a-z][a-z0-9-]{4,28}[a-z0-9]$|^[0-9]+$/,
  (value) =>
    `The project id "${value}" must have 6 to 30 lower-case letters, digits and hyphens, start with a letter and not end with a hyphen.`,
);

const RESERVED_WORDS = ['google', 'ssl'];

/** Of a project that is to be created: no number, no domain, none of the words that Google reserves. */
export const newProjectIdFormat: FormatRule = (value) => {
  const word = RESERVED_WORDS.find((reserved) => value.includes(reserved));
  if (word !== undefined) return { detail: `The project id "${value}" contains "${word}", which Google reserves.` };
  return projectIdFormat(value);
};

export const projectNameFormat = matches(
  /^[A-Za-z0-9\-'" !]{4,30}$/,
  (value) =>
    `The project's display name "${value}" must have 4 to 30 letters, digits, spaces, hyphens, quotes or exclamation points.`,
);

export const folderNameFormat = matches(
  /^[\p{L}\p{N}](?:[\p{L}\p{N}_\- ]{1,28}[\p{L}\p{N}])$/u,
  (value) =>
    `The folder's display name "${value}" must have 3 to 30 letters, digits, spaces, hyphens and underscores, and start and end with a letter or digit.`,
);

export const organizationFormat = matches(
  /^organizations\/[0-9]+$/,
  (value) => `"${value}" is not an organisation; expected organizations/<number>.`,
);

export const billingAccountFormat = matches(
  /^billingAccounts\/[0-9A-F]{6}-[0-9A-F]{6}-[0-9A-F]{6}$/,
  (value) =>
    `"${value}" is not a billing account; expected billingAccounts/XXXXXX-XXXXXX-XXXXXX with upper-case hexadecimal digits.`,
);

export const serviceNameFormat = matches(
  /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+$/,
  (value) => `"${value}" is not a service name; expected a DNS name such as run.googleapis.com.`,
);

/** `_withcond_` is how a policy that was read without its conditions writes a role: no role is called so. */
export const roleFormat = matches(
  /^(?!.*_withcond_)(roles\/[A-Za-z0-9_.]+|(projects\/[a-z0-9.:-]+|organizations\/[0-9]+)\/roles\/[A-Za-z0-9_.]+)$/,
  (value) =>
    `"${value}" is not a role; expected roles/<name>, projects/<id>/roles/<name> or organizations/<number>/roles/<name>.`,
);

/** `organizations/N` or `folders/N`. */
export const parentFormat: FormatRule = (value) => {
  if (/^(organizations|folders)\/[0-9]+$/.test(value)) return null;
  const name = /^folders\/(.+)$/.exec(value)?.[1];
  const detail = `"${value}" is not a parent; expected organizations/<number> or folders/<number>.`;
  return name === undefined
    ? { detail }
    : { detail, hint: `To refer to a folder by its name write folders/by-display-name/${name}.` };
};

export const folderFormat: FormatRule = (value) =>
  value.startsWith('folders/')
    ? parentFormat(value)
    : { detail: `"${value}" is not a folder; expected folders/<number>.` };

const MAX_LABELS = 64;
const LABEL_KEY = /^[a-z]([a-z0-9_-]{0,62})$/;
const LABEL_VALUE = /^[a-z0-9_-]{0,63}$/;

export function labelProblem(key: string, value: string): FormatProblem | null {
  if (!LABEL_KEY.test(key))
    return {
      detail: `The label key "${key}" must have 1 to 63 lower-case letters, digits, hyphens and underscores, and start with a letter.`,
    };
  if (!LABEL_VALUE.test(value))
    return {
      detail: `The value "${value}" of the label "${key}" must have at most 63 lower-case letters, digits, hyphens and underscores.`,
    };
  return null;
}

export function labelCountProblem(count: number): FormatProblem | null {
  return count > MAX_LABELS ? { detail: `A project has at most ${MAX_LABELS} labels; ${count} are given.` } : null;
}

/** Whether a value could be meant as a pattern; targets of a destroy are literal. */
export function hasWildcard(value: string): boolean {
  return /[*?[\]]/.test(value);
}
