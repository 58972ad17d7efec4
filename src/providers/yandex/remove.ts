import type { WriteResult } from '../lifecycle-provider.ts';
import { deleteWords } from './commands.ts';
import type { Live } from './define-kind.ts';
import { dependantsOf } from './dependants.ts';
import { failureDiagnostic } from './errors.ts';
import { NONCE_LABEL, standingOf } from './ownership.ts';
import { afterFailure, dispatch, failed, lost, refuse, type Task, type Writing } from './writing.ts';

/** Deletes exactly what was reviewed, by its id, and reads once more: only "not found" is proof. */
export async function remove(task: Task, writing: Writing): Promise<WriteResult> {
  const id = task.operation.observation?.id ?? null;
  return id === null ? { kind: 'noop', id: null, resource: null } : removeById(task, id, null, writing);
}

/** With a nonce: only what that very write made, and only if nothing stands on it. */
export async function removeById(task: Task, id: string, nonce: string | null, writing: Writing): Promise<WriteResult> {
  const { definition } = task;
  const before = await writing.client.get(definition, id);
  if (before.kind === 'failed') {
    if (before.failure.code === 'NOT_FOUND') return { kind: 'noop', id, resource: null };
    return failed(task, failureDiagnostic(before.failure, `The ${definition.kind} ${id}`));
  }
  const refusal =
    refusalOf(task, before.value, nonce) ?? (nonce === null ? null : await stoodOn(task, before.value, writing));
  if (refusal !== null) return refusal;
  const sent = await dispatch(writing, task, deleteWords(definition, id));
  if (sent.kind === 'failed') return afterFailure(task, sent, id);
  const after = await writing.client.get(definition, id);
  if (after.kind === 'failed' && after.failure.code === 'NOT_FOUND')
    return { kind: 'done', id, resource: null, warnings: [] };
  const reason = after.kind === 'ok' ? 'it can still be read.' : 'whether it is gone could not be read.';
  return lost(task, reason, sent.elapsedMs, id);
}

function refusalOf(task: Task, live: Live, nonce: string | null): WriteResult | null {
  const what = `The ${live.kind} ${live.id}`;
  if (standingOf(live.labels, task.owner) !== 'ours')
    return refuse(task, 'NOT_OURS', `${what} does not have the labels that would call it ours; nothing was deleted.`);
  if (nonce !== null && live.labels[NONCE_LABEL] !== nonce)
    return refuse(task, 'NOT_OURS', `${what} was not made by that operation; nothing was deleted.`);
  return live.deletionObstacle === null ? null : refuse(task, 'CONFLICT', `${what}: ${live.deletionObstacle.detail}`);
}

/** What is left standing on it: another's, or what the same run made and could not undo. */
async function stoodOn(task: Task, live: Live, writing: Writing): Promise<WriteResult | null> {
  const { found, problems } = await dependantsOf(task.definition, live, writing.client);
  const [problem] = problems;
  if (problem !== undefined) return failed(task, problem);
  if (found.length === 0) return null;
  const nonce = live.labels[NONCE_LABEL];
  const [own, strange] = [found.filter(isOf(task, nonce)), found.filter((other) => !isOf(task, nonce)(other))];
  const users = [
    ...(strange.length === 0 ? [] : [`what this run did not make: ${named(strange)}`]),
    ...(own.length === 0 ? [] : [`what this run made and that is still there: ${named(own)}`]),
  ];
  return refuse(task, 'CONFLICT', `The ${live.kind} ${live.id} is used by ${users.join('; and by ')}.`);
}

/** Made by the same run: its nonce, on something of the same stack. */
function isOf({ owner }: Task, nonce: string | undefined): (other: Live) => boolean {
  return ({ labels }) => {
    const standing = standingOf(labels, owner);
    return labels[NONCE_LABEL] === nonce && (standing === 'ours' || standing === 'sibling');
  };
}

function named(all: readonly Live[]): string {
  return all.map(({ kind, id }) => `${kind} ${id}`).join(', ');
}
