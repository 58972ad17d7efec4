import { basename } from 'node:path';
import type { OwnershipModel } from '../core/fold.ts';
import type { JsonObject } from '../core/json.ts';
import type { OrphansReport } from '../core/reports.ts';
import type { Placed } from '../engine/containment.ts';
import { planRemoval, type Removal, type RemovalStep } from '../engine/removal.ts';
import { writePlaybook } from '../playbook/write-playbook.ts';
import type { Authority } from './authority.ts';
import { CATALOGUES } from './catalogues.ts';
import { writeNew } from './new-file.ts';
import { authText, endpointText } from './playbook-auth.ts';
import type { WorkflowCall } from './workflow-types.ts';

export interface RemovalToWrite {
  /** As given with `--plan-destroy`. */
  readonly file: string;
  readonly report: OrphansReport;
  /** What the playbooks declare. */
  readonly declared: readonly Placed[];
  readonly excluded: readonly Placed[];
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
  const { file, report, declared, excluded, model, authority } = request;
  const { includeFound, emulator } = call.flags;
  const removal = planRemoval({
    catalogues: CATALOGUES,
    model,
    orphans: report.orphans,
    declared,
    excluded,
    includeFound,
    endpointOf: (provider) => (emulator ? null : authority.authOf(report.stack, provider).endpoint),
  });
  const written = { file, steps: removal.steps.length, kept: removal.kept };
  if (removal.steps.length === 0) return written;
  const text = writePlaybook({
    comment: [...commentOf(report.stack, removal, file), ...credentialLines(removal)],
    name: `remove-orphans-of-${report.stack.replaceAll(/[^A-Za-z0-9]+/g, '-').replaceAll(/^-|-$/g, '')}`,
    defaults: defaultsOf(request, removal),
    sections: [{ comment: [], steps: removal.steps.map(stepText) }],
  });
  await writeNew(call.host.cwd, file, '--plan-destroy', text);
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

/** The authority is the caller's own choice or that of the playbooks; nothing of it comes from the log, which others write. */
function defaultsOf({ report, authority }: RemovalToWrite, { steps }: Removal): JsonObject {
  const providers = new Set(steps.map(({ owned }) => owned.provider));
  const [only] = providers;
  const { auth, endpoint } = authority.authOf(report.stack, providers.size === 1 ? only : undefined);
  const isGoogle = only === 'google' && providers.size === 1;
  return {
    ...(report.stack === '<unscoped>' ? {} : { stack: report.stack }),
    ...(endpoint === null ? {} : { endpoint: endpointText(endpoint) }),
    ...(auth === null && !isGoogle ? {} : { auth: authText(auth) }),
  };
}

const MAX_NAMED = 10;

/** The names of the credentials that the log says these were made with, for the reader alone. */
function credentialLines({ steps }: Removal): readonly string[] {
  const names = new Set(
    steps.flatMap(({ owned }) => {
      const name = (owned.credential ?? '').replaceAll(/[^A-Za-z0-9._-]+/g, '');
      return name === '' ? [] : [name.slice(0, 64)];
    }),
  );
  if (names.size === 0) return [];
  return ['', `The log says they were made with: ${[...names].sort().slice(0, MAX_NAMED).join(', ')}`];
}

function stepText({ name, owned, action, input, tool, dependsOn }: RemovalStep) {
  return {
    comment: [owned.urn],
    step: name,
    ...(dependsOn.length === 0 ? {} : { dependsOn }),
    tool: { provider: owned.provider, action, ...tool, input },
  };
}
