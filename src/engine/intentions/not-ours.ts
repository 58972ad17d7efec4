import { diagnostic } from '../../core/codes.ts';
import type { Diagnostic } from '../../core/diagnostics.ts';
import type { Owned } from '../../core/fold.ts';
import type { PreparedStep } from '../prepare.ts';

/** Why a destruction leaves something alone that this stack does not own. */
export function notOurs({ step, declaration }: PreparedStep, owned: Owned | null): Diagnostic {
  const who = owned === null ? 'the log does not show that this stack created or adopted it' : ownedBy(owned);
  return diagnostic('NOT_OURS', `not ours: ${who}, so it is not deleted.`, {
    address: step.address,
    urn: declaration.urn,
    source: step.source,
    hint: owned === null ? 'Adopt it first, or delete it with an explicit delete step.' : 'Destroy it in that stack.',
  });
}

/** Why something of this stack stays: in it lies what another stack owns. */
export function holdsForeign(
  { step, declaration }: PreparedStep,
  inner: PreparedStep,
  owned: Owned | null,
): Diagnostic {
  const { address } = inner.step;
  const who = owned === null ? '' : `: ${ownedBy(owned)}`;
  return diagnostic('BLOCKED', `${address}, which lies in it, is not ours${who}, so neither is deleted.`, {
    address: step.address,
    urn: declaration.urn,
    source: step.source,
    hint: `See ${address} first.`,
  });
}

function ownedBy({ stack }: Owned): string {
  return `stack ${JSON.stringify(stack)} owns it`;
}
