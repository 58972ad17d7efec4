import { diagnostic } from '../../../core/codes.ts';
import type { JsonObject } from '../../../core/json.ts';
import type { WriteOperation, WriteResult } from '../../lifecycle-provider.ts';
import type { Refusal } from '../define-resource.ts';
import { textAt } from '../inputs.ts';
import { looksWithin } from '../looks.ts';
import { isActive, text } from '../observing.ts';

/** Milliseconds to wait before each look at what an earlier attempt may have made. */
export const CLASH_LOOKS_MS = [0, 1_000, 3_000, 8_000];

/**
 * The sibling that has the name: ours where an earlier attempt was under way, else named so that it can be adopted. After
 * an attempt whose answer was lost, what is refused and can't be seen yet is ours and under way.
 */
export async function onFolderRefused({ operation, failure, reads, sleep }: Refusal): Promise<WriteResult | null> {
  if (failure.diagnostic.code === 'PROJECT_QUOTA') return overQuota(operation, failure.message);
  const isRepeat = operation.change === 'create' && operation.repeat;
  const mayClash =
    failure.diagnostic.code === 'FOLDER_NAME_TAKEN' ||
    (failure.canonical === 'FAILED_PRECONDITION' && operation.change !== 'delete') ||
    failure.status === 409 ||
    (isRepeat && failure.status === 403);
  if (!mayClash || operation.change === 'delete') return null;
  const [parent, displayName] = [textAt(operation.desired, 'parent'), textAt(operation.desired, 'display_name')];
  const isOther = (item: JsonObject) => text(item, 'name') !== operation.observation?.id;
  let sibling: JsonObject | undefined;
  for (const delay of looksWithin(isRepeat ? CLASH_LOOKS_MS : [0], operation.poll)) {
    await sleep(delay);
    const listed = await reads().foldersIn(parent);
    const named = listed.kind === 'ok' ? listed.value.filter((item) => text(item, 'displayName') === displayName) : [];
    sibling = named.find((item) => isActive(item) && isOther(item));
    if (sibling !== undefined) break;
  }
  if (sibling === undefined) return isRepeat ? underWay(operation, displayName, parent) : null;
  const name = text(sibling, 'name');
  if (isRepeat) return { kind: 'done', id: name, resource: sibling, warnings: [] };
  const { address, urn } = operation.declaration;
  const hint =
    operation.change === 'create'
      ? 'Plan again to take it as it is, or adopt it: infra adopt <playbook> --target <step>.'
      : 'Choose another name, or rename that folder first.';
  return {
    kind: 'failed',
    why: diagnostic(
      'FOLDER_NAME_TAKEN',
      `Names are unique under a parent, and ${name} in ${parent} has the display name "${displayName}".`,
      { address, urn, hint },
    ),
  };
}

function underWay({ declaration, pendingOperation }: WriteOperation, displayName: string, parent: string): WriteResult {
  const { address, urn } = declaration;
  const detail = `An earlier attempt to create the folder "${displayName}" in ${parent} is under way, and the folder can't be seen yet.`;
  return {
    kind: 'pending',
    operation: pendingOperation ?? '',
    why: diagnostic('OPERATION_PENDING', detail, { address, urn }),
  };
}

/** The error of an operation doesn't say what was being made; here it is a folder, and no project. */
function overQuota({ declaration }: WriteOperation, message: string): WriteResult {
  const { address, urn } = declaration;
  const detail = `A quota for folders is used up: ${message}`;
  return { kind: 'failed', why: diagnostic('REQUEST_REFUSED', detail, { address, urn }) };
}
