import { diagnostic } from '../../core/codes.ts';
import { DEFAULT_POLL } from '../../core/step.ts';
import type { ValueObject } from '../../core/value.ts';
import type { Made, OperationFinding, Recovery, Target, WriteOperation, WriteResult } from '../lifecycle-provider.ts';
import { actionNamed } from './actions.ts';
import type { Live } from './define-kind.ts';
import { failureDiagnostic } from './errors.ts';
import { resourceOf } from './observed.ts';
import { NONCE_LABEL, type Owner, ownerOf, standingOf } from './ownership.ts';
import { removeById } from './remove.ts';
import type { Task, Writing } from './writing.ts';

/** Finding and undoing by the nonce that a create leaves in its labels. Reads anew each time; nothing is retried. */
export function recoveryOf(writing: Writing): Recovery {
  return {
    findOperation: (target, nonce) => findOperation(target, nonce, writing),
    rollBack: (target, made, timeoutMs) => rollBack(target, made, timeoutMs, writing),
  };
}

async function findOperation(
  { declaration, desired }: Target,
  nonce: string,
  { client }: Writing,
): Promise<OperationFinding> {
  const { definition } = actionNamed(declaration.action.name);
  if (definition === null) throw new TypeError(`${declaration.action.name} writes nothing`);
  const listed = await client.list(definition);
  if (listed.kind === 'failed')
    return { kind: 'unreadable', why: failureDiagnostic(listed.failure, `The ${definition.kind}s of the folder`) };
  const owner = ownerOf(declaration);
  // All creates of a run carry one nonce: which of them it is, the other labels say.
  const carrying = listed.value.filter((live) => live.labels[NONCE_LABEL] === nonce);
  const ours = carrying.filter((live) => standingOf(live.labels, owner) === 'ours');
  const [live] = ours;
  if (live !== undefined && ours.length === 1) return { kind: 'found', id: live.id, resource: resourceOf(live) };
  const strange = ours.length > 1 ? ours : carrying.filter((item) => isStrange(item, owner, desired));
  return strange.length === 0
    ? { kind: 'not_found' }
    : { kind: 'conflict', why: diagnostic('CONFLICT', conflictText(strange)) };
}

/** Neither ours in full nor another create of that run: labels are gone, or someone else has its name. */
function isStrange(live: Live, owner: Owner, { name }: ValueObject): boolean {
  const standing = standingOf(live.labels, owner);
  return standing === 'partly' || standing === 'unlabelled' || live.name === name;
}

function conflictText(made: readonly Live[]): string {
  const ids = made.map(({ kind, id }) => `${kind} ${id}`).join(', ');
  return `The operation's nonce stands on what it should not stand on: ${ids}.`;
}

/** By the id alone: that a list does not show the nonce says nothing of what is there. */
async function rollBack(
  target: Target,
  { id, nonce }: Made,
  timeoutMs: number | null,
  writing: Writing,
): Promise<WriteResult> {
  const { declaration, desired } = target;
  const { definition } = actionNamed(declaration.action.name);
  if (definition === null) throw new TypeError(`${declaration.action.name} writes nothing`);
  const operation: WriteOperation = {
    declaration,
    desired,
    change: 'delete',
    observation: null,
    nonce,
    poll: DEFAULT_POLL,
    timeoutMs,
    repeat: false,
    pendingOperation: null,
    freshDependencies: false,
    allowSelfLockout: false,
  };
  const task: Task = { operation, definition, owner: ownerOf(declaration), desired: {}, spec: '', isUndo: true };
  return removeById(task, id, nonce, writing);
}
