import { diagnostic } from '../../../core/codes.ts';
import type { JsonObject } from '../../../core/json.ts';
import type { WriteResult } from '../../lifecycle-provider.ts';
import type { Refusal } from '../define-resource.ts';
import { textAt } from '../inputs.ts';
import { isActive, text } from '../observing.ts';

/** The sibling that has the name: ours where an earlier attempt was under way, else named so that it can be adopted. */
export async function onFolderRefused({ operation, failure, reads }: Refusal): Promise<WriteResult | null> {
  const mayClash =
    failure.diagnostic.code === 'FOLDER_NAME_TAKEN' ||
    (failure.canonical === 'FAILED_PRECONDITION' && operation.change !== 'delete') ||
    failure.status === 409;
  if (!mayClash || operation.change === 'delete') return null;
  const [parent, displayName] = [textAt(operation.desired, 'parent'), textAt(operation.desired, 'display_name')];
  const listed = await reads().foldersIn(parent);
  const isOther = (item: JsonObject) => text(item, 'name') !== operation.observation?.id;
  const sibling =
    listed.kind === 'ok'
      ? listed.value.find((item) => isActive(item) && text(item, 'displayName') === displayName && isOther(item))
      : undefined;
  if (sibling === undefined) return null;
  const name = text(sibling, 'name');
  if (operation.change === 'create' && operation.repeat)
    return { kind: 'done', id: name, resource: sibling, warnings: [] };
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
