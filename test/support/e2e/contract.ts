import * as z from 'zod';

/**
 * The JSON of the command line's contract, written by hand from it: every key that it names, with its type. Keys only
 * ever get added, so others may stand beside them.
 */

const digest = z.string().regex(/^[0-9a-f]{64}$/);
const count = z.number().int().nonnegative();
const anyObject = z.record(z.string(), z.unknown());
const fieldDiff = z.record(z.string(), z.object({ desired: z.unknown(), actual: z.unknown() }));

const source = z.looseObject({
  file: z.string().min(1),
  line: z.number().int().positive(),
  column: z.number().int().positive(),
});

export const diagnosticSchema = z.looseObject({
  code: z.string().regex(/^[A-Z][A-Z0-9_]*$/),
  severity: z.enum(['error', 'warning', 'note']),
  summary: z.string().min(1),
  detail: z.string(),
  address: z.string().nullable(),
  urn: z.string().nullable(),
  source: source.nullable(),
  hint: z.string().nullable(),
  operation: z.string().nullable(),
  retryable: z.boolean().nullable(),
});

export const factSchema = z.looseObject({
  urn: z.string(),
  provider: z.string(),
  service: z.string(),
  resource_type: z.string(),
  verb: z.enum(['ensure', 'delete', 'adopt']),
  stack: z.string(),
  desired: z.unknown(),
  execution_id: z.union([z.number().int(), z.string()]),
  outcome: z.enum(['planned', 'changed', 'noop', 'deleted', 'absent', 'adopted']),
});

const call = z.union([
  z.strictObject({ method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']), url: z.url(), body: z.unknown() }),
  z.strictObject({ method: z.enum(['GET', 'DELETE']), url: z.url() }),
  z.looseObject({ argv: z.array(z.string()) }),
]);

const step = z.looseObject({
  address: z.string(),
  step: z.string(),
  action: z.string(),
  provider: z.string(),
  backend: z.string(),
  urn: z.string().nullable(),
  stack: z.string().nullable(),
  reconcile: z.enum(['report', 'enforce', 'adopt']).nullable(),
  change: z.enum([
    'create',
    'update',
    'move',
    'undelete',
    'delete',
    'adopt',
    'none',
    'read',
    'blocked',
    'unknown',
    'skipped',
  ]),
  present: z.union([z.boolean(), z.literal('unknown')]),
  record: z.enum(['own', 'protect', 'tombstone', 'rename']).nullable(),
  depends_on: z.array(z.string()),
  input: anyObject,
  desired: anyObject.nullable(),
  actual: anyObject.nullable(),
  recorded: anyObject.nullable(),
  diff: fieldDiff,
  unknown: z.array(z.string()),
  would_call: z.array(call),
  converge: z.string(),
  plan_digest: digest.nullable(),
  held: z.string().nullable(),
  drift: z.enum(['in_sync', 'missing', 'modified', 'untracked', 'not_managed', 'unchecked']).nullable(),
  preflight: z
    .looseObject({
      answer: z.enum(['yes', 'no', 'unknown']),
      missing: z.array(z.string()),
      role: z.string().nullable(),
    })
    .nullable(),
  source,
  diagnostics: z.array(diagnosticSchema),
});

const head = {
  format_version: z.literal('1.0'),
  mode: z.enum(['live', 'offline', 'mixed']),
  target: z.string().regex(/^(cloud|emulator|https?:\/\/[^/]+)$/),
  digest: digest.nullable(),
  stack: z.string().nullable(),
  stacks: z.array(z.string()),
  playbook: z.looseObject({ path: z.string(), name: z.string(), sha256: digest }),
  diagnostics: z.array(diagnosticSchema),
  batches: z.array(z.looseObject({ request: z.string(), addresses: z.array(z.string()) })),
};

const planSummary = z.looseObject({
  create: count,
  update: count,
  move: count,
  undelete: count,
  delete: count,
  adopt: count,
  none: count,
  read: count,
  held: count,
  blocked: count,
  unknown: count,
  skipped: count,
});

const outcomes = [
  'changed',
  'noop',
  'deleted',
  'absent',
  'adopted',
  'read',
  'held',
  'blocked',
  'failed',
  'uncertain',
  'pending',
  'refused',
  'rolled_back',
  'skipped',
] as const;

export const planSchema = z.looseObject({
  ...head,
  command: z.literal('plan'),
  summary: planSummary,
  steps: z.array(step),
});

const appliedStep = step.extend({
  outcome: z.enum(outcomes),
  resource: z.unknown(),
  provider_fact: factSchema.nullable(),
  operation: z.string().nullable(),
  duration_ms: z.number().nonnegative(),
});

export const applySchema = z.looseObject({
  ...head,
  command: z.literal('apply'),
  summary: z.looseObject(Object.fromEntries(outcomes.map((outcome) => [outcome, count]))),
  steps: z.array(appliedStep),
  execution_id: z.union([z.number().int().positive(), z.string()]),
  head: z
    .string()
    .regex(/^\d+:[0-9a-f]{64}$/)
    .nullable(),
});

export const failureSchema = z.looseObject({
  format_version: z.literal('1.0'),
  command: z.string(),
  error: z.literal(true),
  diagnostics: z.array(diagnosticSchema).min(1),
  differences: z
    .array(z.looseObject({ address: z.string(), field: z.string(), then: z.string(), now: z.string() }))
    .optional(),
});

export const execLineSchema = z.looseObject({
  step: z.string(),
  status: z.enum(['success', 'error']),
  data: z.looseObject({ provider: z.string(), action: z.string(), backend: z.string() }),
  error: z
    .looseObject({
      kind: z.enum(['Configuration', 'ExecutionFailed', 'Http', 'Provider']),
      code: z.string(),
      message: z.string(),
    })
    .optional(),
});

const eventTypes = [
  'version',
  'plan_start',
  'step_planned',
  'plan_summary',
  'lock_acquired',
  'step_start',
  'step_progress',
  'operation',
  'step_outcome',
  'fact',
  'diagnostic',
  'drift_result',
  'orphan_result',
  'owned_result',
  'inventory_result',
  'import_result',
  'summary',
] as const;

export const eventSchema = z.looseObject({
  type: z.enum(eventTypes),
  '@timestamp': z.iso.datetime(),
  '@level': z.string().min(1),
});

export type PlanDocument = z.infer<typeof planSchema>;
export type PlannedStep = PlanDocument['steps'][number];
export type ApplyDocument = z.infer<typeof applySchema>;
export type FailureDocument = z.infer<typeof failureSchema>;
export type ExecLine = z.infer<typeof execLineSchema>;
