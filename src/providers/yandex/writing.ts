import { type Code, diagnostic } from '../../core/codes.ts';
import type { Diagnostic } from '../../core/diagnostics.ts';
import type { JsonObject } from '../../core/json.ts';
import { displayObject, isKnown } from '../../core/value.ts';
import type { WriteOperation, WriteResult } from '../lifecycle-provider.ts';
import { actionNamed } from './actions.ts';
import type { Sent, YcClient } from './client.ts';
import type { Words } from './commands.ts';
import type { KindDefinition } from './define-kind.ts';
import { failureDiagnostic } from './errors.ts';
import { isMap, textAt } from './inputs.ts';
import { type Owner, ownerOf, SPEC_LABEL } from './ownership.ts';
import { withSpec } from './session.ts';
import { reasonOf, uncertainResult } from './uncertain.ts';
import type { UserDataPlace } from './user-data.ts';

/** What every write of a run shares. */
export interface Writing {
  readonly client: YcClient;
  readonly place: UserDataPlace;
}

/** One write, taken apart. */
export interface Task {
  readonly operation: WriteOperation;
  readonly definition: KindDefinition;
  readonly owner: Owner;
  /** Everything known. */
  readonly desired: JsonObject;
  /** The digest of the desired spec; the empty text for a deletion. */
  readonly spec: string;
  /** The deletion of what this very operation made, because its run failed. Left out: none. */
  readonly isUndo?: true;
}

/** Null where a value is still not known: then nothing can be sent. */
export function taskOf(operation: WriteOperation): Task | null {
  const { declaration } = operation;
  const { definition } = actionNamed(declaration.action.name);
  const desired = withSpec(declaration, operation.desired);
  if (definition === null || !isKnown(desired)) return null;
  const labels = desired['labels'];
  const spec = isMap(labels) ? textAt(labels, SPEC_LABEL) : '';
  return { operation, definition, owner: ownerOf(declaration), desired: displayObject(desired), spec };
}

export function failed({ operation }: Pick<Task, 'operation'>, why: Diagnostic): WriteResult {
  const { address, urn } = operation.declaration;
  return { kind: 'failed', why: { ...why, address, urn: why.urn ?? urn, retryable: false } };
}

export function refuse(task: Task, code: Code, detail: string, hint: string | null = null): WriteResult {
  return failed(task, diagnostic(code, detail, { hint }));
}

/** A command that may have changed something ended badly: uncertain, unless it is certain that nothing was sent. */
export function afterFailure(task: Task, sent: Extract<Sent, { kind: 'failed' }>, id: string | null): WriteResult {
  const { failure, elapsedMs } = sent;
  if (failure.isDefinite) return failed(task, failureDiagnostic(failure, 'The command was not sent'));
  return lost(task, reasonOf(failure), elapsedMs, id, failure.operationId);
}

/** Of an answer that is no resource of ours. */
export function unusableAnswer(problem: Code, to: string): string {
  return problem === 'SCOPE_MISMATCH'
    ? 'the answer is about another folder (SCOPE_MISMATCH).'
    : `the answer is not one that ${to} gives (INVALID_RESPONSE).`;
}

export function lost(
  { operation, definition, owner, isUndo }: Task,
  reason: string,
  elapsedMs: number,
  id: string | null,
  operationId: string | null = null,
): WriteResult {
  return uncertainResult({ operation, definition, owner, reason, elapsedMs, operationId, id, isUndo: isUndo === true });
}

/** Sends a command once, within the step's own bound where that is the shorter one. */
export function dispatch({ client }: Writing, { operation, definition }: Task, words: Words): Promise<Sent> {
  const { mutationTimeout } = client.settings;
  const own = operation.timeoutMs === null ? mutationTimeout : operation.timeoutMs / 1000;
  return client.send(definition, words, Math.min(mutationTimeout, own));
}
