import * as z from 'zod/mini';
import type { EmulatorSeed } from '../emulator/google/options.ts';
import type { FakeYcSeed } from '../emulator/yc/options.ts';

const id = z.string().check(z.regex(/^\d{1,25}$/, 'digits only'));
const state = z.optional(z.enum(['ACTIVE', 'DELETE_REQUESTED']));
const text = z.optional(z.string());

const seed = z.strictObject({
  organizations: z.optional(z.array(z.strictObject({ id, displayName: z.string(), directoryCustomerId: text }))),
  billingAccounts: z.optional(
    z.array(
      z.strictObject({
        id: z.string().check(z.regex(/^[0-9A-F]{6}-[0-9A-F]{6}-[0-9A-F]{6}$/, 'XXXXXX-XXXXXX-XXXXXX')),
        displayName: text,
        open: z.optional(z.boolean()),
        parent: text,
        masterBillingAccount: text,
        projectCap: z.optional(z.number()),
      }),
    ),
  ),
  folders: z.optional(z.array(z.strictObject({ id, displayName: z.string(), parent: z.string(), state }))),
  projects: z.optional(
    z.array(
      z.strictObject({
        projectId: z.string(),
        number: z.optional(id),
        displayName: text,
        parent: text,
        labels: z.optional(z.record(z.string(), z.string())),
        state,
        billingAccountName: text,
        services: z.optional(z.array(z.string())),
      }),
    ),
  ),
  policies: z.optional(z.array(z.strictObject({ resource: z.string(), policy: z.record(z.string(), z.json()) }))),
  knownServices: z.optional(z.array(z.string())),
});

const count = z.optional(z.number().check(z.int(), z.nonnegative()));
const flag = z.optional(z.boolean());

const ycSeed = z.strictObject({
  folders: z.optional(
    z.array(
      z.strictObject({
        id: z.string(),
        name: text,
        cloudId: text,
        status: z.optional(z.enum(['ACTIVE', 'DELETING', 'PENDING_DELETION'])),
        forbidden: flag,
      }),
    ),
  ),
  images: z.optional(
    z.array(z.strictObject({ id: z.string(), name: text, family: text, folderId: text, minDiskGib: count })),
  ),
  profiles: z.optional(z.array(z.string())),
  knobs: z.optional(
    z.strictObject({
      dialect: z.optional(z.enum(['0.x', '1.x'])),
      prefixRpcErrors: flag,
      version: text,
      updateNotice: flag,
      positionalCreateName: flag,
      defaultFolderId: text,
      quotas: z.optional(z.record(z.string(), z.number())),
      statusLagReads: count,
      deleteLagReads: count,
      defaultGroupLagReads: count,
      operationPolls: count,
      freshOperationMissing: flag,
      deleteOutput: z.optional(z.enum(['', '{}', 'null'])),
      emptyList: z.optional(z.enum(['[]', 'null', ''])),
      reverseRules: flag,
      anyImage: flag,
    }),
  ),
});

// The schemas' optional keys may be undefined to the compiler; they never are in what YAML gives.

/** A seed of the Google emulator as a person writes it; throws an Error that says where it is wrong. */
export function parseSeed(value: unknown): EmulatorSeed {
  return parsed(seed.safeParse(value)) as EmulatorSeed;
}

/** The same for the fake `yc`. */
export function parseYcSeed(value: unknown): FakeYcSeed {
  return parsed(ycSeed.safeParse(value)) as FakeYcSeed;
}

function parsed<T>(result: z.core.util.SafeParseResult<T>): T {
  if (result.success) return result.data;
  throw new Error(result.error.issues.map(told).join('; '));
}

/** Names the key in words, because the small build of the schema library has none. */
function told(issue: z.core.$ZodIssue): string {
  const at = (keys: readonly PropertyKey[]) => keys.map(String).join('.');
  if (issue.code === 'unrecognized_keys')
    return `${issue.keys.map((key) => at([...issue.path, key])).join(', ')}: no such key`;
  const place = issue.path.length === 0 ? 'the seed' : at(issue.path);
  return `${place}: ${whyOf(issue)}`;
}

const NAMES: Readonly<Record<string, string>> = {
  object: 'a mapping',
  record: 'a mapping',
  array: 'a list',
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
};

function whyOf(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${NAMES[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return `must be ${issue.values.map((value) => JSON.stringify(value)).join(' or ')}`;
    case 'too_small':
      return `must be at least ${issue.minimum}`;
    default:
      return issue.message === 'Invalid input' ? 'is not accepted here' : issue.message;
  }
}
