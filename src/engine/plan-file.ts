import * as z from 'zod/mini';
import { planDigest } from '../core/digest.ts';
import { CHANGES } from '../core/plan.ts';
import type { PlanResult } from './ports.ts';
import type { StoredPlan } from './stored-plan.ts';

const nullableText = z.nullable(z.string());
const texts = z.array(z.string());
const reconcile = z.nullable(z.enum(['report', 'enforce', 'adopt']));

const guard = z.object({
  requireOrg: nullableText,
  requireOrgDisplayName: nullableText,
  requireBillingAccount: nullableText,
  requireCloudId: nullableText,
  requireFolder: nullableText,
});

const options = z.object({
  stack: nullableText,
  reconcile,
  targets: texts,
  excludes: texts,
  offline: z.boolean(),
  emulator: z.boolean(),
  guard: z.nullable(guard),
  allowSelfLockout: z.boolean(),
  takeOver: nullableText,
  includeFound: z.boolean(),
  rollback: z.boolean(),
});

/** What comparing a reviewed plan with a new one looks at; the rest is carried along. */
const step = z.looseObject({
  address: z.string(),
  step: z.string(),
  action: z.string(),
  provider: z.string(),
  urn: nullableText,
  stack: nullableText,
  reconcile,
  change: z.enum(CHANGES),
  present: z.union([z.boolean(), z.literal('unknown')]),
  record: nullableText,
  depends_on: texts,
  input: z.record(z.string(), z.json()),
  desired: z.nullable(z.record(z.string(), z.json())),
  actual: z.nullable(z.record(z.string(), z.json())),
  diff: z.record(z.string(), z.object({ desired: z.json(), actual: z.json() })),
  unknown: texts,
  would_call: z.array(z.json()),
  held: nullableText,
  diagnostics: z.array(z.looseObject({ code: z.string() })),
});

const plan = z.looseObject({
  format_version: z.literal('1.0'),
  command: z.enum(['plan', 'apply', 'adopt', 'destroy']),
  target: z.string(),
  digest: z.string(),
  stacks: texts,
  steps: z.array(step),
  diagnostics: z.array(z.looseObject({ code: z.string() })),
});

const digestInput = z.object({
  verb: z.string(),
  target: z.string(),
  stacks: texts,
  steps: z.array(z.catchall(z.object({ address: z.string() }), z.json())),
});

/** The file: snake_case like all that is written out. */
const storedPlan = z.object({
  verb: z.enum(['plan', 'apply', 'adopt', 'destroy']),
  options,
  source: z.object({
    path: z.string(),
    full_path: z.string(),
    text: nullableText,
    sets: texts,
    workload: nullableText,
  }),
  saved_at: z.iso.datetime(),
  plan,
  digest_input: digestInput,
});

/** Reads a stored plan; null where the text is not the plan of that digest. */
export function parseStoredPlan(text: string, digest: string): StoredPlan | null {
  const parsed = storedPlan.safeParse(parseJson(text));
  const valid = parsed.success && parsed.data.plan.digest === digest && planDigest(parsed.data.digest_input) === digest;
  return valid ? decode(parsed.data) : null;
}

function decode(file: z.infer<typeof storedPlan>): StoredPlan {
  const { full_path, ...source } = file.source;
  return {
    verb: file.verb,
    options: file.options,
    source: { ...source, fullPath: full_path },
    savedAt: file.saved_at,
    // What the schema does not spell out only decorates the text of a refusal.
    plan: file.plan as unknown as PlanResult['plan'],
    digestInput: file.digest_input,
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
