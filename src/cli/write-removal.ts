import { writeFile } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { diagnostic } from '../core/codes.ts';
import { DiagnosticError } from '../core/diagnostics.ts';
import type { OwnershipModel } from '../core/fold.ts';
import type { JsonObject } from '../core/json.ts';
import type { OrphansReport } from '../core/reports.ts';
import { planRemoval, type Removal, type RemovalStep } from '../engine/removal.ts';
import { writePlaybook } from '../playbook/write-playbook.ts';
import type { Authority } from './authority.ts';
import { CATALOGUES } from './catalogues.ts';
import { authText, endpointText } from './playbook-auth.ts';
import type { WorkflowCall } from './workflow-types.ts';

export interface RemovalToWrite {
  /** As given with `--plan-destroy`. */
  readonly file: string;
  readonly report: OrphansReport;
  readonly model: OwnershipModel;
  readonly authority: Authority;
}

/** A playbook that was written. */
export interface WrittenRemoval {
  readonly file: string;
  /** How many deletes it has. */
  readonly steps: number;
  readonly kept: Removal['kept'];
}

/** Writes the playbook that would delete the orphans; nothing where there is none to delete. */
export async function writeRemoval(call: WorkflowCall, request: RemovalToWrite): Promise<WrittenRemoval> {
  const { file, report, model } = request;
  const { includeFound } = call.flags;
  const removal = planRemoval({ catalogues: CATALOGUES, model, orphans: report.orphans, includeFound });
  const written = { file, steps: removal.steps.length, kept: removal.kept };
  if (removal.steps.length === 0) return written;
  const text = writePlaybook({
    comment: commentOf(report.stack, removal, file),
    name: `remove-orphans-of-${report.stack.replaceAll(/[^A-Za-z0-9]+/g, '-').replaceAll(/^-|-$/g, '')}`,
    defaults: defaultsOf(request),
    sections: [{ comment: [], steps: removal.steps.map((step) => stepText(step, request)) }],
  });
  await writeFile(resolve(call.host.cwd, file), text, { mode: 0o600 }).catch((error: unknown) => {
    const why = error instanceof Error ? error.message : String(error);
    throw new DiagnosticError([diagnostic('USAGE', `--plan-destroy ${file} can't be written: ${why}.`)]);
  });
  return written;
}

function commentOf(stack: string, { steps, kept }: Removal, file: string): readonly string[] {
  return [
    `Deletes what the stack ${stack} owns and no playbook declares (${steps.length}), as infra orphans found it.`,
    '',
    `Review it like any other: infra plan ${basename(file)}, then infra apply ${basename(file)} --confirm <digest>`,
    ...(kept.length === 0 ? [] : ['', `Left out (${kept.length}):`, ...kept.map(({ urn, why }) => `  ${urn}: ${why}`)]),
  ];
}

function defaultsOf({ report, authority, model }: RemovalToWrite): JsonObject {
  const { auth, endpoint } = authority.authOf(report.stack);
  const recorded = commonCredential(report, model);
  return {
    ...(report.stack === '<unscoped>' ? {} : { stack: report.stack }),
    ...(endpoint === null ? {} : { endpoint: endpointText(endpoint) }),
    ...(auth === null && recorded === null ? {} : { auth: authText(auth, recorded) }),
  };
}

/** The credential that most of the orphans were made with. */
function commonCredential({ orphans }: OrphansReport, { owned }: OwnershipModel): string | null {
  const counts = new Map<string, number>();
  for (const { urn } of orphans) {
    const name = owned.get(urn)?.credential ?? null;
    if (name !== null) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0] ?? null;
}

function stepText({ name, owned, action, input, dependsOn }: RemovalStep, { report, model }: RemovalToWrite) {
  const own = owned.credential !== null && owned.credential !== commonCredential(report, model);
  return {
    comment: [owned.urn],
    step: name,
    ...(dependsOn.length === 0 ? {} : { dependsOn }),
    tool: { provider: owned.provider, action, input, ...(own ? { auth: authText(null, owned.credential) } : {}) },
  };
}
