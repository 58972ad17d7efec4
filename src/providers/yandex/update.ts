import { diffFields } from '../../core/diff.ts';
import type { WriteResult } from '../lifecycle-provider.ts';
import type { Sent } from './client.ts';
import { updateWords, type Words } from './commands.ts';
import type { Live } from './define-kind.ts';
import { failureDiagnostic } from './errors.ts';
import { compare, resourceOf } from './observed.ts';
import { ownershipLabels, SPEC_LABEL, standingOf } from './ownership.ts';
import { addressOf } from './session.ts';
import { afterFailure, dispatch, failed, lost, refuse, type Task, unusableAnswer, type Writing } from './writing.ts';

/** Brings a resource to its spec with the fewest commands, in order, and reads it once more. */
export async function update(task: Task, writing: Writing): Promise<WriteResult> {
  const { operation, definition, owner } = task;
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
  const commands = await commandsFrom(task, live, writing);
  if (commands.length === 0) return { kind: 'noop', id, resource: resourceOf(live) };
  let elapsedMs = 0;
  for (const [index, words] of commands.entries()) {
    const sent = await dispatch(writing, task, words);
    elapsedMs += sent.elapsedMs;
    if (sent.kind === 'failed') return afterFailure(task, sent, id);
    const problem = await answerProblem(task, sent, commands.slice(index), writing);
    if (problem !== null) return lost(task, problem, elapsedMs, id, sent.operationId);
  }
  return await confirm(task, id, elapsedMs, writing);
}

/** What is to be sent to a resource that is as `live` shows it. */
async function commandsFrom(task: Task, live: Live, writing: Writing): Promise<readonly Words[]> {
  const { definition, desired, owner, spec } = task;
  const { actual } = await comparisonOf(task, live, writing);
  const ours = typeof actual['labels'] === 'object' ? (actual['labels'] as Live['labels']) : {};
  const base = { id: live.id, labels: { ...live.labels, ...ours }, actual, rules: live.rules };
  return updateWords(definition, desired, ownershipLabels(owner), { [SPEC_LABEL]: spec }, base);
}

/** Why an answer does not say that its command was done: nothing may follow then, least of all the digest of the spec. */
async function answerProblem(
  task: Task,
  { live, problem }: Extract<Sent, { kind: 'answered' }>,
  [sent = [], ...left]: readonly Words[],
  writing: Writing,
): Promise<string | null> {
  if (live === null) return unusableAnswer(problem, 'an update');
  if (live.id !== task.operation.observation?.id) return 'the answer is about another resource (SCOPE_MISMATCH).';
  const still = await commandsFrom(task, live, writing);
  const isDone = still.length <= left.length && !still.some((words) => isRestOf(words, sent));
  return isDone ? null : 'the answer does not show what was asked for (INVALID_RESPONSE).';
}

/** Whether a command asks for what another one asked for, or for a part of it. */
function isRestOf(words: Words, sent: Words): boolean {
  const [labels, sentLabels] = [words, sent].map((all) => all.includes('--labels'));
  if (labels !== sentLabels || words[2] !== sent[2]) return false;
  return labels !== true || words.join(' ') === sent.join(' ');
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
