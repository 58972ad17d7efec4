import { diagnostic } from '../../core/codes.ts';
import type { WriteResult } from '../lifecycle-provider.ts';
import { createWords } from './commands.ts';
import type { Labels, Live } from './define-kind.ts';
import { find } from './find.ts';
import { checkDependencies } from './fresh-dependencies.ts';
import { textAt } from './inputs.ts';
import { resourceOf } from './observed.ts';
import { hasLabels, NONCE_LABEL, ownershipLabels, SPEC_LABEL } from './ownership.ts';
import { privateCopy, readUserData, tempFolderProblem } from './user-data.ts';
import { afterFailure, dispatch, failed, lost, refuse, type Task, unusableAnswer, type Writing } from './writing.ts';

/** One create command at most, after everything that it rests on was looked at anew. */
export async function create(task: Task, writing: Writing): Promise<WriteResult> {
  const { options } = task.operation.declaration;
  const file = textAt(options, 'user_data_file');
  if (file === '') return createWith(task, writing, null);
  const data =
    tempFolderProblem(writing.place) ??
    (await readUserData(file, textAt(task.desired, 'user_data_sha256'), writing.place));
  if (data.kind === 'refused') return failed(task, data.why);
  const copy = await privateCopy(data.content, writing.place);
  if (copy === null) return refuse(task, 'UNSAFE_PATH', 'No private copy of the user data could be made.');
  let isRemoved = false;
  try {
    const result = await createWith(task, writing, copy.path);
    isRemoved = await copy.remove();
    return isRemoved ? result : withWarning(result, 'The private copy of the user data could not be removed.');
  } finally {
    if (!isRemoved) await copy.remove();
  }
}

function withWarning(result: WriteResult, problem: string): WriteResult {
  if (result.kind !== 'done') return result;
  const warning = diagnostic('UNSAFE_PATH', problem, { severity: 'warning' });
  return { ...result, warnings: [...result.warnings, warning] };
}

async function createWith(task: Task, writing: Writing, userDataPath: string | null): Promise<WriteResult> {
  const { operation, definition, desired, owner, spec } = task;
  const dependencies = await checkDependencies(task, writing.client);
  if (dependencies.kind === 'unusable') return failed(task, dependencies.why);
  const wanted = { definition, declaration: operation.declaration, desired, recordedId: null };
  const found = await find(wanted, writing.client);
  if (found.kind === 'unclear') return failed(task, found.why);
  if (found.kind === 'found') return alreadyThere(task, found.live);
  const labels = { ...ownershipLabels(owner), [SPEC_LABEL]: spec, [NONCE_LABEL]: operation.nonce };
  const words = createWords(definition, desired, labels, { natAddress: dependencies.natAddress, userDataPath });
  const sent = await dispatch(writing, task, words);
  if (sent.kind === 'failed') return afterFailure(task, sent, null);
  if (sent.live === null)
    return lost(task, unusableAnswer(sent.problem, 'a create'), sent.elapsedMs, null, sent.operationId);
  if (!isAnswerTo(task, sent.live, labels))
    return lost(task, 'the answer is about something else than was asked for (SCOPE_MISMATCH).', sent.elapsedMs, null);
  return done(sent.live);
}

export function done(live: Live): WriteResult {
  return { kind: 'done', id: live.id, resource: resourceOf(live), warnings: [] };
}

/** It was not there when the plan looked. Its nonce tells whether this very write made it, in an earlier run. */
function alreadyThere(task: Task, live: Live): WriteResult {
  const { operation } = task;
  if (live.labels[NONCE_LABEL] === operation.nonce) return done(live);
  const { address, urn } = operation.declaration;
  const detail = `The ${live.kind} ${live.name} (${live.id}) is there since the plan was made; nothing was created.`;
  const why = diagnostic('STALE', detail, { address, urn, hint: 'Plan again, or adopt it.', retryable: false });
  return { kind: 'stale', why };
}

function isAnswerTo({ desired }: Task, live: Live, labels: Labels): boolean {
  const isNamed = live.name === desired['name'];
  const isPlaced = desired['zone_id'] === undefined || live.zoneId === desired['zone_id'];
  return isNamed && isPlaced && hasLabels(live.labels, labels);
}
