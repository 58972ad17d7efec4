import { randomUUID } from 'node:crypto';
import { mkdir, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as z from 'zod/mini';
import { diagnostic } from '../core/codes.ts';
import { DiagnosticError } from '../core/diagnostics.ts';
import { planDigest } from '../core/digest.ts';
import { CHANGES, type PlanVerb } from '../core/plan.ts';
import type { Playbook } from '../core/step.ts';
import { openForReading, writeNewFile } from '../eventlog/safe-file.ts';
import type { PlanResult, VerbOptions } from './ports.ts';

/** No stored plan of a playbook within the limits comes near this. */
const LARGEST_BYTES = 1024 * 1024 * 1024;

/** Where a stored plan's playbook came from. */
export interface PlanSource {
  /** As given on the command line, and in full. */
  readonly path: string;
  readonly fullPath: string;
  /** Null where a token stands in it: then the playbook has to be given again. */
  readonly text: string | null;
  readonly sets: readonly string[];
  /** What the file given with --workload held. */
  readonly workload: string | null;
}

/** A plan as it is kept until it is confirmed. A convenience: apply always plans again, so a tampered file proves nothing. */
export interface StoredPlan extends PlanResult {
  readonly verb: PlanVerb;
  readonly options: VerbOptions;
  readonly source: PlanSource;
  /** RFC 3339. */
  readonly savedAt: string;
}

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

/** Keeps a plan under its digest, atomically and for its owner's eyes only; one without a digest can't be confirmed. */
export async function savePlan(folder: string, stored: StoredPlan): Promise<void> {
  if (stored.plan.digest === null) return;
  const path = planPath(folder, stored.plan.digest);
  const temporary = `${path}.${randomUUID()}.tmp`;
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeNewFile(temporary, Buffer.from(JSON.stringify(encode(stored))), false);
    await rename(temporary, path);
  } catch (error) {
    if (error instanceof DiagnosticError || !(error instanceof Error)) throw error;
    throw new DiagnosticError([
      diagnostic('LOG_WRITE', `The plan can't be kept in ${folder}: ${error.message}.`, {
        hint: 'plan with --no-save',
      }),
    ]);
  }
}

/** The plan with this digest, or null where none is kept. Throws DiagnosticError (FILE_UNREADABLE) on what is no plan of that digest. */
export async function loadPlan(folder: string, digest: string): Promise<StoredPlan | null> {
  const path = planPath(folder, digest);
  const text = await readText(path);
  if (text === null) return null;
  const parsed = storedPlan.safeParse(parseJson(text));
  if (parsed.success && parsed.data.plan.digest === digest && planDigest(parsed.data.digest_input) === digest) {
    return decode(parsed.data);
  }
  const hint = 'give the playbook, or plan again';
  throw new DiagnosticError([
    diagnostic('FILE_UNREADABLE', `${path} is not the stored plan of this digest.`, { hint }),
  ]);
}

function encode({ verb, options: given, source, savedAt, plan: shown, digestInput: input }: StoredPlan): object {
  const { fullPath, ...kept } = source;
  return {
    verb,
    options: given,
    source: { ...kept, full_path: fullPath },
    saved_at: savedAt,
    plan: shown,
    digest_input: input,
  };
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

/** The source as it may be kept: without any text where a step carries a token. */
export function storableSource(source: PlanSource, playbook: Playbook): PlanSource {
  const secret = playbook.steps.some((item) => item.auth !== null && item.auth.token !== null);
  return secret ? { ...source, text: null, sets: [], workload: null } : source;
}

function planPath(folder: string, digest: string): string {
  return join(folder, `${digest}.json`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function readText(path: string): Promise<string | null> {
  const handle = await openForReading(path);
  if (handle === null) return null;
  try {
    const { size } = await handle.stat();
    if (size > LARGEST_BYTES) {
      throw new DiagnosticError([
        diagnostic('FILE_UNREADABLE', `${path} in ${dirname(path)} is too large to be a stored plan.`),
      ]);
    }
    return await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
}
