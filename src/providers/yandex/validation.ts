import type { Rule } from './inputs.ts';

const NAME = /^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/;
const ID = /^[a-z0-9]{3,50}$/;
const ZONE = /^[a-z]{2}[a-z0-9-]{0,40}-[a-z]$/;
const LABEL_VALUE = /^[-_0-9a-z]{1,63}$/;
const USERNAME = /^[a-z_][-a-z0-9_]{0,31}$/;
// A description stands inside a list of properties as well, where these part one from the next.
const PLAIN = /^[^\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]{0,256}$/u;
const PROPERTY = /^[^,[\]{}"']*$/;

function matches(pattern: RegExp, detail: (value: string) => string): Rule {
  return (value) => (pattern.test(value) ? null : detail(JSON.stringify(value.slice(0, 80))));
}

/** Portable over all kinds: those of compute are stricter than those of vpc. */
export const nameRule = matches(
  NAME,
  (value) =>
    `The name ${value} must have 1 to 63 lower-case letters, digits and hyphens, start with a letter and not end with a hyphen.`,
);

/** Ids of the cloud are opaque, but have no character that would mean something to a command line. */
export const idRule = matches(ID, (value) => `${value} is no id: 3 to 50 lower-case letters and digits.`);

export function isId(value: string): boolean {
  return ID.test(value);
}

export const zoneRule = matches(ZONE, (value) => `${value} is no zone; expected one such as ru-central1-a.`);

export const descriptionRule = matches(
  PLAIN,
  () => 'A description has at most 256 characters on one line, without control characters.',
);

/** Of a rule: it is one property among others in an argument. */
export const ruleDescriptionRule: Rule = (value) => {
  if (!PROPERTY.test(value)) return "A rule's description can't hold commas, brackets, braces and quotes.";
  return descriptionRule(value);
};

export const usernameRule = matches(
  USERNAME,
  (value) => `The user name ${value} must have 1 to 32 lower-case letters, digits, "_" and "-".`,
);

export const digestRule = matches(/^[0-9a-f]{64}$/, () => 'A SHA-256 has 64 lower-case hexadecimal digits.');

/** What stands as the value of an ownership label. */
export function labelValueProblem(what: string, value: string): string | null {
  if (LABEL_VALUE.test(value)) return null;
  return `${what} ${JSON.stringify(value.slice(0, 80))} does not fit a label: 1 to 63 lower-case letters, digits, "-" and "_".`;
}
