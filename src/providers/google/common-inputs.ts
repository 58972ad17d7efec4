import type { Value, ValueObject } from '../../core/value.ts';
import { folderReference, parentReference } from './folder-path.ts';
import {
  booleanField,
  type InputField,
  type LinkProblem,
  mapField,
  problemAt,
  readMembers,
  scalar,
  type TextOptions,
  textAt,
  textField,
} from './inputs.ts';
import {
  billingAccountFormat,
  folderFormat,
  hasWildcard,
  labelCountProblem,
  labelProblem,
  newProjectIdFormat,
  organizationFormat,
  parentFormat,
  projectIdFormat,
} from './validation.ts';

type Spelling = Pick<TextOptions, 'required' | 'isStatic' | 'format'>;

/** A resource's name from its id or its name: `1` and `organizations/1` are one. */
export function withCollection(collection: string, text: string): string {
  return text.includes('/') ? text : `${collection}/${text}`;
}

const organization = (options: Spelling): InputField =>
  textField('organization', {
    ...options,
    aliases: ['org_id', 'organization_id'],
    normalize: (text) => withCollection('organizations', text),
    format: organizationFormat,
  });

export const organizationField = organization({ required: true, isStatic: true });

/** Where `folders/by-display-name/` is looked up. */
export const treeField = organization({ isStatic: true });

export const projectIdField = textField('project_id', {
  aliases: ['projectId'],
  required: true,
  isStatic: true,
  format: projectIdFormat,
});

export const newProjectIdField = textField('project_id', {
  aliases: ['projectId'],
  required: true,
  isStatic: true,
  format: newProjectIdFormat,
});

const BILLING_SPELLINGS = ['billingAccount', 'billingAccountName', 'billing_account_name'];

export function billingAccountField(options: Spelling): InputField {
  return textField('billing_account', {
    ...options,
    aliases: BILLING_SPELLINGS,
    normalize: (text) => withCollection('billingAccounts', text),
    format: billingAccountFormat,
  });
}

export const parentField = textField('parent', {
  required: true,
  normalize: parentReference,
  format: (value) => (isFolderPath(value) ? null : parentFormat(value)),
});

export const folderField = textField('folder', {
  aliases: ['folder_id'],
  required: true,
  normalize: folderReference,
  format: (value) => (isFolderPath(value) ? null : folderFormat(value)),
});

function isFolderPath(value: string): boolean {
  return /^folders\/by-display-name\/[^/]+(\/[^/]+)*$/.test(value);
}

export const undeleteField = booleanField('undelete');

/** Key-value pairs of text; a value may be known later. */
export const labelsField = mapField('labels', (labels, path) => {
  const problems: LinkProblem[] = [];
  const value: Record<string, Value> = {};
  const count = labelCountProblem(Object.keys(labels).length);
  if (count !== null) problems.push({ path, isFormat: true, code: 'INVALID_VALUE', ...count });
  for (const [key, written] of Object.entries(labels)) {
    const text = written === null ? '' : scalar(written);
    value[key] = text ?? written;
    const problem = text === null ? null : labelProblem(key, text);
    if (problem !== null) problems.push({ path: [...path, key], isFormat: true, code: 'INVALID_VALUE', ...problem });
    if (text === null && (Array.isArray(written) || typeof written === 'object') && isPlain(written)) {
      problems.push(problemAt([...path, key], { code: 'INVALID_VALUE', detail: `The label "${key}" must be text.` }));
    }
  }
  return { value, problems };
});

function isPlain(value: Value): boolean {
  return Object.getOwnPropertySymbols(value).length === 0;
}

const WAS_FIELDS = [
  textField('display_name', { aliases: ['displayName'], isStatic: true }),
  textField('parent', { normalize: parentReference }),
];

/** The name or place that a folder had when it was last applied. */
export const wasField = mapField('was', (value, path) => readMembers(WAS_FIELDS, value, path));

/** Targets of a destroy are literal: refuses patterns in the given inputs. */
export function refuseWildcards(keys: readonly string[]): (values: ValueObject) => readonly LinkProblem[] {
  return (values) =>
    keys
      .filter((key) => hasWildcard(textAt(values, key)))
      .map((key) =>
        problemAt([key], {
          code: 'WILDCARD',
          detail: `"${key}" is "${textAt(values, key)}", which reads like a pattern; what is removed is named literally.`,
        }),
      );
}
