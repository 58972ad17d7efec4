import { diagnostic } from '../../core/codes.ts';
import type { Interrupted, WriteChange } from '../../core/resource.ts';
import type { WriteOperation, WriteResult } from '../lifecycle-provider.ts';
import type { KindDefinition } from './define-kind.ts';
import type { YcFailure } from './errors.ts';
import { isOperationId } from './operation.ts';
import { NONCE_LABEL, type Owner, ownershipLabels, RESOURCE_LABEL } from './ownership.ts';
import { isId } from './validation.ts';

export interface Lost {
  readonly operation: Pick<WriteOperation, 'declaration' | 'change' | 'nonce'>;
  readonly definition: KindDefinition;
  readonly owner: Owner;
  /** In words of ours. */
  readonly reason: string;
  readonly elapsedMs: number;
  readonly operationId: string | null;
  /** Of what was to be changed or deleted; null for a create. */
  readonly id: string | null;
  /** Whether it belongs to a rollback. */
  readonly isUndo: boolean;
}

/** Sent, and nobody can say what became of it: where, how long it took, and the commands that show it. */
export function uncertainResult(lost: Lost): WriteResult {
  const { operation, definition, owner, reason, elapsedMs, operationId } = lost;
  const { declaration, change } = operation;
  const seconds = (elapsedMs / 1000).toFixed(1);
  const detail = `It is not known whether the ${change} of the ${definition.kind} in the folder ${owner.folderId} happened; after ${seconds} s: ${reason} Nothing is sent again.`;
  const interrupted = { change, nonce: operation.nonce, resourceId: lost.id, operation: operationId };
  return {
    kind: 'uncertain',
    why: diagnostic('OUTCOME_UNKNOWN', detail, {
      address: declaration.address,
      urn: declaration.urn,
      hint: `To look: ${lookupCommands(definition, owner, interrupted)}. ${nextOf(change, lost.isUndo)}`,
      operation: operationId,
      retryable: false,
    }),
  };
}

/** Keeping what was made and undoing it are alternatives: what is settled by the one is no longer open for the other. */
function nextOf(change: WriteChange, isUndo: boolean): string {
  if (isUndo)
    return 'infra recover --rollback goes on with undoing; a plain infra recover keeps what is still there (then infra destroy removes it).';
  if (change !== 'create') return 'Then run infra recover.';
  return 'Then run infra recover, which keeps what was made, or infra recover --rollback, which deletes what this run made.';
}

/** Commands that show what became of a request, ready to run, with what to look for in what they print. */
export function lookupCommands(definition: KindDefinition, owner: Owner, interrupted: Interrupted): string {
  const { service, command } = definition;
  const { nonce, resourceId, operation } = interrupted;
  const place = `--folder-id ${owner.folderId} --format json`;
  const { [RESOURCE_LABEL]: resource } = ownershipLabels(owner);
  const look =
    resourceId !== null && isId(resourceId)
      ? `yc ${service} ${command} get --id ${resourceId} ${place}`
      : `yc ${service} ${command} list ${place} (by the labels ${RESOURCE_LABEL}: ${resource}${made(interrupted.change, nonce)})`;
  // What a log says is somebody's text; only an id may become a part of a command.
  return operation !== null && isOperationId(operation) ? `${look}; yc operation get ${operation}` : look;
}

/** Only a create leaves the number of its request in the labels. */
function made(change: WriteChange, nonce: string): string {
  return change === 'create' ? `, ${NONCE_LABEL}: ${nonce}` : '';
}

/** What a dispatched failure says, with its category. */
export function reasonOf({ code, detail }: YcFailure): string {
  return `${detail.replace(/\.$/, '')} (${code}).`;
}
