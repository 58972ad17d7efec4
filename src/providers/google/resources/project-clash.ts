import { diagnostic } from '../../../core/codes.ts';
import type { JsonObject } from '../../../core/json.ts';
import type { WriteOperation, WriteResult } from '../../lifecycle-provider.ts';
import type { Refusal } from '../define-resource.ts';
import { textAt } from '../inputs.ts';
import { looksWithin } from '../looks.ts';
import { isActive, purgeTimeOf, text } from '../observing.ts';
import type { Answer } from '../reads.ts';
import { CLASH_LOOKS_MS } from './folder-clash.ts';

/** Days until a deleted project is gone for good. */
export const PROJECT_RETENTION_DAYS = 30;

/**
 * "Already exists" is told apart by a read: ours, elsewhere, pending deletion, or someone else's. After an attempt whose
 * answer was lost, what can't be seen yet is ours and under way.
 */
export async function onProjectRefused(refusal: Refusal): Promise<WriteResult | null> {
  const { operation, failure } = refusal;
  const isTaken = failure.status === 409 && failure.canonical !== 'ABORTED';
  if (operation.change !== 'create' || !(isTaken || (operation.repeat && failure.status === 403))) return null;
  const projectId = textAt(operation.desired, 'project_id');
  const seen = await lookAt(projectId, refusal);
  const { address, urn } = operation.declaration;
  if (seen.kind === 'ok') return existing(seen.value, operation);
  if (operation.repeat) {
    const why = diagnostic(
      'OPERATION_PENDING',
      `An earlier attempt to create ${projectId} is under way, and the project can't be seen yet.`,
      { address, urn },
    );
    return { kind: 'pending', operation: operation.pendingOperation ?? '', why };
  }
  const detail = `The id ${projectId} is taken: someone else has it, or it was deleted within 30 days. Ids are unique for ever.`;
  return {
    kind: 'failed',
    why: diagnostic('PROJECT_ID_TAKEN', detail, { address, urn, hint: 'Choose another project_id.' }),
  };
}

async function lookAt(projectId: string, { operation, reads, sleep }: Refusal): Promise<Answer<JsonObject>> {
  let seen = await reads().project(projectId);
  for (const delay of operation.repeat ? looksWithin(CLASH_LOOKS_MS, operation.poll) : []) {
    if (seen.kind === 'ok') break;
    await sleep(delay);
    seen = await reads().project(projectId);
  }
  return seen;
}

function existing(resource: JsonObject, { desired, declaration }: WriteOperation): WriteResult {
  const { address, urn } = declaration;
  const projectId = text(resource, 'projectId');
  const [parent, wanted] = [text(resource, 'parent'), textAt(desired, 'parent')];
  if (!isActive(resource)) {
    const purged = purgeTimeOf(resource, PROJECT_RETENTION_DAYS);
    const detail = `${projectId} in ${parent} is pending deletion${purged === null ? '' : ` and is gone for good after ${purged}`}.`;
    return {
      kind: 'failed',
      why: diagnostic('PENDING_DELETION', detail, { address, urn, hint: 'Set undelete: true to have it back.' }),
    };
  }
  if (parent === wanted) return { kind: 'done', id: text(resource, 'name'), resource, warnings: [] };
  const detail = `${projectId} exists already, in ${parent || 'no parent'} and not in ${wanted}; the next plan shows the move.`;
  return { kind: 'failed', why: diagnostic('ALREADY_EXISTS', detail, { address, urn, hint: 'Plan again.' }) };
}
