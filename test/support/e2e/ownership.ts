import * as z from 'zod';
import { ACCOUNT, type Cloud, expectExit, ORG, parsed } from './cloud.ts';
import { applySchema, diagnosticSchema, planSchema } from './contract.ts';
import { enable, folder, grant, link, project } from './playbooks.ts';

/** The JSON of the ownership verbs, written by hand from the contract: every key that it names. */

const count = z.number().int().nonnegative();
// Not `int()`: an id beyond 2^53 is printed exactly, and JSON.parse rounds it.
const id = z.union([z.number(), z.string().regex(/^\d+$/)]);
const head = { format_version: z.literal('1.0'), diagnostics: z.array(diagnosticSchema) };

const driftEntry = z.strictObject({
  urn: z.string(),
  stack: z.string(),
  drift: z.enum(['in_sync', 'missing', 'modified', 'untracked', 'not_managed', 'unchecked']),
  fields: z.array(z.string()),
  diff: z.record(z.string(), z.strictObject({ desired: z.unknown(), actual: z.unknown() })),
  desired: z.unknown(),
  actual: z.unknown(),
  why: z.string().nullable(),
  ignored: z.string().nullable(),
  ignored_fields: z.record(z.string(), z.string()),
  purge_time: z.string().nullable(),
});

export const driftSchema = z.looseObject({
  ...head,
  command: z.literal('drift'),
  resources: z.array(driftEntry),
  summary: z.strictObject({
    in_sync: count,
    missing: count,
    modified: count,
    untracked: count,
    not_managed: count,
    unchecked: count,
    ignored: count,
  }),
});

const orphan = z.strictObject({
  urn: z.string(),
  stack: z.string(),
  resource_type: z.string(),
  last_desired: z.unknown(),
  last_execution_id: id,
  since: z.string().nullable(),
  protected: z.boolean(),
});

export const orphansSchema = z.looseObject({
  ...head,
  command: z.literal('orphans'),
  stack: z.string(),
  orphans: z.array(orphan),
  conflicts: z.array(z.strictObject({ urn: z.string(), stacks: z.array(z.string()) })),
  aliases: z.array(z.strictObject({ resource_id: z.string(), urns: z.array(z.string()) })),
  grants: z.array(
    z.strictObject({ resource: z.string(), role: z.string(), member: z.string(), condition: z.unknown() }),
  ),
});

export const ownedSchema = z.looseObject({
  ...head,
  command: z.literal('log owned'),
  owned: z.array(orphan.extend({ provider: z.string(), resource_id: z.string().nullable() })),
  tombstoned: count,
});

export const verifySchema = z.looseObject({
  ...head,
  command: z.literal('log verify'),
  ok: z.boolean(),
  rows: count,
  unsealed: count,
  first_bad: z.strictObject({ line: count, sequence: count.nullable(), why: z.string() }).nullable(),
});

export const whySchema = z.looseObject({
  ...head,
  command: z.literal('why'),
  history: z.array(z.looseObject({})),
});

const verbs = z.enum(['adopt', 'destroy']);
export const verbPlanSchema = planSchema.extend({ command: verbs });
export const verbReportSchema = applySchema.extend({ command: verbs });

/** Runs a verb that answers with one JSON object. */
export async function json<T>(cloud: Cloud, schema: { parse(value: unknown): T }, ...argv: readonly string[]) {
  const ended = await cloud.run([...argv, '--format', 'json']);
  return { ...ended, document: parsed(ended, schema) };
}

export const drift = (cloud: Cloud, ...argv: readonly string[]) => json(cloud, driftSchema, 'drift', ...argv);
export const orphans = (cloud: Cloud, ...argv: readonly string[]) => json(cloud, orphansSchema, 'orphans', ...argv);
export const owned = (cloud: Cloud, ...argv: readonly string[]) =>
  json(cloud, ownedSchema, 'log', 'owned', '--endpoint', cloud.emulator.url, ...argv);

/** The plan of a verb, and what came of confirming its digest. */
export async function confirmed(cloud: Cloud, verb: 'adopt' | 'destroy', ...argv: readonly string[]) {
  const planned = await json(cloud, verbPlanSchema, verb, ...argv);
  const done = await json(cloud, verbReportSchema, verb, ...argv, '--confirm', planned.document.digest ?? '');
  return { planned, done };
}

/** Verdict by URN. */
export function verdicts({ document }: { readonly document: z.infer<typeof driftSchema> }) {
  return Object.fromEntries(document.resources.map(({ urn, drift: verdict }) => [urn, verdict]));
}

/** One thing of each kind. */
const STEPS = [
  folder('shared', { parent: ORG, display_name: '00-shared' }),
  project('dns', { project_id: 'acme-dns', parent: '{{ steps.shared.resource.name }}', labels: { team: 'dns' } }),
  link('billing', { project_id: 'acme-dns', billing_account: ACCOUNT }),
  enable('apis', { project_id: 'acme-dns', services: ['dns.googleapis.com'] }),
  grant('team', { organization: ORG, role: 'roles/browser', member: 'group:team@example.com' }),
];

/** The cloud with all of that, declared by its playbook and owned by the stack prod. */
export async function founded(cloud: Cloud): Promise<Cloud> {
  cloud.write({ defaults: { stack: 'prod' }, steps: STEPS });
  expectExit(await cloud.converge(), 0);
  cloud.resetRequests();
  return cloud;
}
