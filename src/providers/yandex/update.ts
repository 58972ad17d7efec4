import { diffFields } from '../../core/diff.ts';
import type { WriteResult } from '../lifecycle-provider.ts';
import { updateWords } from './commands.ts';
import type { Live } from './define-kind.ts';
import { failureDiagnostic } from './errors.ts';
import { compare, resourceOf } from './observed.ts';
import { ownershipLabels, SPEC_LABEL, standingOf } from './ownership.ts';
import { addressOf } from './session.ts';
import { afterFailure, dispatch, failed, lost, refuse, type Task, type Writing } from './writing.ts';

/** Brings a resource to its spec with the fewest commands, in order, and reads it once more. */
export async function update(task: Task, writing: Writing): Promise<WriteResult> {
  const { operation, definition, desired, owner, spec } = task;
  const id = operation.observation?.id ?? null;
  if (id === null) return refuse(task, 'BLOCKED', 'Which resource is to be changed is not known.');
  const before = await writing.client.get(definition, id);
  if (before.kind === 'failed') return failed(task, failureDiagnostic(before.failure, `The ${definition.kind} ${id}`));
  const live = before.value;
  const standing = standingOf(live.labels, owner);
  if (standing === 'foreign' || standing === 'sibling')
    return refuse(
      task,
      'NOT_OURS',
      `The ${definition.kind} ${id} has labels of another owner by now; nothing was changed.`,
    );
  const { actual } = await comparisonOf(task, live, writing);
  const ours = typeof actual['labels'] === 'object' ? (actual['labels'] as Live['labels']) : {};
  const base = { id, labels: { ...live.labels, ...ours }, actual, rules: live.rules };
  const commands = updateWords(definition, desired, ownershipLabels(owner), { [SPEC_LABEL]: spec }, base);
  if (commands.length === 0) return { kind: 'noop', id, resource: resourceOf(live) };
  let elapsedMs = 0;
  for (const words of commands) {
    const sent = await dispatch(writing, task, words);
    elapsedMs += sent.elapsedMs;
    if (sent.kind === 'failed') return afterFailure(task, sent, id);
  }
  return await confirm(task, id, elapsedMs, writing);
}

async function comparisonOf({ definition, desired, operation }: Task, live: Live, writing: Writing) {
  const { address_id: address } = operation.observation?.actual ?? {};
  const more =
    address === undefined
      ? await addressOf(definition, live, desired, writing.client)
      : { fields: { address_id: address } };
  return compare(definition, live, operation.declaration, desired, 'fields' in more ? more.fields : {});
}

/** Done is what a read shows as desired. */
async function confirm(task: Task, id: string, elapsedMs: number, writing: Writing): Promise<WriteResult> {
  const { definition, desired, operation } = task;
  const after = await writing.client.get(definition, id);
  if (after.kind === 'failed') return lost(task, 'yc gave no error, but it can not be read now.', elapsedMs, id);
  const { actual } = await comparisonOf(task, after.value, writing);
  const left = Object.keys(diffFields(desired, actual, operation.declaration.fields));
  if (left.length > 0) return lost(task, `a read does not show the change of ${left.join(', ')} yet.`, elapsedMs, id);
  return { kind: 'done', id, resource: resourceOf(after.value), warnings: [] };
}
