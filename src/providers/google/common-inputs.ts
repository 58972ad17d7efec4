import { isUnknown, type Value, type ValueObject } from '../../core/value.ts';
import { folderReference, parentReference } from './folder-path.ts';
import {
  booleanField,
  formatProblem,
  type InputField,
  invalid,
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

/** Key-value pairs of text; they or single values may be known later only. */
export const labelsField = mapField(
  'labels',
  (labels, path) => {
    const value = Object.fromEntries(
      Object.entries(labels).map(([key, written]) => [key, written === null ? null : (scalar(written) ?? written)]),
    );
    const count = labelCountProblem(Object.keys(labels).length);
    const problems = Object.entries(value).flatMap(([key, text]) => labelProblems(key, text, [...path, key]));
    return { value, problems: count === null ? problems : [formatProblem(path, count), ...problems] };
  },
  false,
);

function labelProblems(key: string, value: Value, path: readonly string[]): readonly LinkProblem[] {
  if (isUnknown(value)) return [];
  if (value === null)
    return [
      problemAt(path, {
        ...invalid(`The label "${key}" has no value.`),
        hint: "Write '' for an empty one, or give a template one with | default('').",
      }),
    ];
  if (typeof value !== 'string') return [problemAt(path, invalid(`The label "${key}" must be text.`))];
  const problem = labelProblem(key, value);
  return problem === null ? [] : [formatProblem(path, problem)];
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
