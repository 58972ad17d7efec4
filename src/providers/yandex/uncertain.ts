import { diagnostic } from '../../core/codes.ts';
import type { WriteOperation, WriteResult } from '../lifecycle-provider.ts';
import type { KindDefinition } from './define-kind.ts';
import type { YcFailure } from './errors.ts';
import { NONCE_LABEL, type Owner, ownershipLabels } from './ownership.ts';

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
}

/** Sent, and nobody can say what became of it: where, how long it took, and the commands that show it. */
export function uncertainResult(lost: Lost): WriteResult {
  const { operation, definition, owner, reason, elapsedMs, operationId } = lost;
  const { declaration, change } = operation;
  const seconds = (elapsedMs / 1000).toFixed(1);
  const detail = `It is not known whether the ${change} of the ${definition.kind} in the folder ${owner.folderId} happened; after ${seconds} s: ${reason} Nothing is sent again.`;
  const commands = [lookup(lost), ...(operationId === null ? [] : [`yc operation get ${operationId}`])];
  return {
    kind: 'uncertain',
    why: diagnostic('OUTCOME_UNKNOWN', detail, {
      address: declaration.address,
      urn: declaration.urn,
      hint: `To look: ${commands.join('; ')}. Then run infra recover.`,
      operation: operationId,
      retryable: false,
    }),
  };
}

function lookup({ definition, owner, operation, id }: Lost): string {
  const { service, command } = definition;
  if (id === null) return lookupByNonce(definition, owner, operation.nonce);
  return `yc ${service} ${command} get --id ${id} --folder-id ${owner.folderId} --format json`;
}

/** The command that lists where it would be, and the labels that it would have. */
export function lookupByNonce({ service, command }: KindDefinition, owner: Owner, nonce: string): string {
  const { 'infra-resource': resource } = ownershipLabels(owner);
  return `yc ${service} ${command} list --folder-id ${owner.folderId} --format json, and in it the labels infra-resource: ${resource}, ${NONCE_LABEL}: ${nonce}`;
}

/** What a dispatched failure says, with its category. */
export function reasonOf({ code, detail }: YcFailure): string {
  return `${detail.replace(/\.$/, '')} (${code}).`;
}
