import * as z from 'zod/mini';
import type { EmulatorSeed } from '../emulator/google/options.ts';

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

/** A seed as a person writes it; throws an Error that says where it is wrong. */
export function parseSeed(value: unknown): EmulatorSeed {
  const parsed = seed.safeParse(value);
  // The schema's optional keys may be undefined to the compiler; they never are in what YAML gives.
  if (parsed.success) return parsed.data as EmulatorSeed;
  const [issue] = parsed.error.issues;
  throw new Error(`${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'not a seed'}`);
}
