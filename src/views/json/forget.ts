import type { Diagnostic } from '../../core/diagnostics.ts';
import type { ProviderFact } from '../../core/facts.ts';
import type { Owned } from '../../core/fold.ts';
import { FORMAT_VERSION } from '../../core/plan.ts';
import { diagnosticDocument } from './diagnostic.ts';

interface Forgotten {
  readonly target: string;
  readonly digest: string;
  readonly owned: Owned;
  readonly fact: ProviderFact | null;
  readonly head: string | null;
}

/** The JSON of forget; `provider_fact` is null where nothing was written. */
export function forgetDocument(
  { target, digest, owned, fact, head }: Forgotten,
  diagnostics: readonly Diagnostic[],
): object {
  return {
    format_version: FORMAT_VERSION,
    command: 'forget',
    target,
    digest,
    urn: owned.urn,
    stack: owned.stack,
    resource_type: owned.resourceType,
    resource_id: owned.resourceId,
    last_desired: owned.lastDesired,
    last_execution_id: owned.lastExecutionId,
    forgotten: fact !== null,
    provider_fact: fact,
    head,
    diagnostics: diagnostics.map(diagnosticDocument),
  };
}
