import { diagnostic } from '../../../core/codes.ts';
import type { Diagnostic } from '../../../core/diagnostics.ts';
import type { JsonObject } from '../../../core/json.ts';
import type { PresentObservation } from '../../../core/resource.ts';
import type { Target, WriteOperation, WriteResult } from '../../lifecycle-provider.ts';
import type { ApiRequest, Refusal } from '../define-resource.ts';
import { textAt } from '../inputs.ts';
import { looksWithin } from '../looks.ts';
import { isActive, knownPlace, text } from '../observing.ts';
import type { Reads } from '../reads.ts';

/** Milliseconds to wait before each look at what an earlier attempt may have made. */
export const CLASH_LOOKS_MS = [0, 1_000, 3_000, 8_000];

/**
 * The sibling that has the name: ours where an earlier attempt was under way, else named so that it can be adopted. After
 * an attempt whose answer was lost, what is refused and can't be seen yet is ours and under way.
 */
export async function onFolderRefused({
  operation,
  request,
  failure,
  reads,
  sleep,
}: Refusal): Promise<WriteResult | null> {
  if (failure.diagnostic.code === 'PROJECT_QUOTA') return overQuota(operation, failure.message);
  const isRepeat = operation.change === 'create' && operation.repeat;
  const mayClash =
    failure.diagnostic.code === 'FOLDER_NAME_TAKEN' ||
    (failure.canonical === 'FAILED_PRECONDITION' && operation.change !== 'delete') ||
    failure.status === 409 ||
    (isRepeat && failure.status === 403);
  if (!mayClash || operation.change === 'delete') return null;
  const { parent, displayName } = placeOf(operation, request);
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
      : OTHER_NAME;
  return { kind: 'failed', why: { ...folderNameTaken(name, parent, displayName), address, urn, hint } };
}

const OTHER_NAME = 'Choose another name, or rename that folder first.';

export function folderNameTaken(holder: string, parent: string, displayName: string): Diagnostic {
  const detail = `Names are unique under a parent, and ${holder} in ${parent} has the display name "${displayName}".`;
  return diagnostic('FOLDER_NAME_TAKEN', detail, { hint: OTHER_NAME });
}

/** Where a request would have put the folder, and under which name: of a rename with a move each does its part. */
function placeOf({ desired, observation }: WriteOperation, request: ApiRequest | null) {
  const [parent, displayName] = [textAt(desired, 'parent'), textAt(desired, 'display_name')];
  if (request === null || observation === null) return { parent, displayName };
  const movesFirst = observation.first === 'parent';
  if (request.method === 'PATCH')
    return { parent: movesFirst ? parent : text(observation.actual, 'parent'), displayName };
  return { parent, displayName: movesFirst ? text(observation.actual, 'display_name') : displayName };
}

/**
 * How a folder that gets another name and another parent gets there: renamed first, moved first where its new name is
 * taken in the old parent, and not at all where its old name is taken in the new one as well.
 */
export async function wayBetweenNames(
  resource: JsonObject,
  target: Target,
  reads: Reads,
): Promise<Pick<PresentObservation, 'blockers' | 'first'> | undefined> {
  const [oldParent, oldName] = [text(resource, 'parent'), text(resource, 'displayName')];
  const [parent, name] = [knownPlace(target, 'parent'), textAt(target.desired, 'display_name')];
  if (parent === null || parent === oldParent || name === oldName) return undefined;
  const own = text(resource, 'name');
  const atStart = await namesake({ parent: oldParent, name, own }, reads);
  if (atStart === null) return undefined;
  const atEnd = await namesake({ parent, name: oldName, own }, reads);
  if (atEnd === null) return { blockers: [], first: 'parent' };
  const detail = `It can neither be renamed first, since ${atStart} in ${oldParent} has the display name "${name}", nor moved first, since ${atEnd} in ${parent} has "${oldName}".`;
  const { address, urn } = target.declaration;
  const hint = 'Rename one of the two first, or choose another name.';
  return { blockers: [diagnostic('FOLDER_NAME_TAKEN', detail, { address, urn, hint })] };
}

/** Another active folder of that name; a list that can't be read shows none. */
async function namesake(
  { parent, name, own }: { readonly parent: string; readonly name: string; readonly own: string },
  reads: Reads,
): Promise<string | null> {
  const listed = await reads.foldersIn(parent);
  const match =
    listed.kind === 'ok'
      ? listed.value.find((item) => isActive(item) && text(item, 'displayName') === name && text(item, 'name') !== own)
      : undefined;
  return match === undefined ? null : text(match, 'name');
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
