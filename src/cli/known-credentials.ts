import { diagnostic } from '../core/codes.ts';
import type { Diagnostic } from '../core/diagnostics.ts';
import { didYouMean } from '../core/nearest.ts';
import type { Playbook } from '../core/step.ts';

/** Names of credentials that the caller, who has configured some, did not. */
export function unknownCredentials({ steps }: Playbook, names: readonly string[]): readonly Diagnostic[] {
  if (names.length === 0) return [];
  return steps.flatMap(({ skip, auth, address, source, positions }) => {
    const name = auth?.credential ?? null;
    if (skip !== null || name === null || names.includes(name)) return [];
    const detail = `The credential ${name} is not among those of your own config.yaml: there are ${names.join(', ')}.`;
    const place = positions.get('auth.credential') ?? positions.get('auth') ?? source;
    return [diagnostic('UNKNOWN_CREDENTIAL', detail, { address, source: place, hint: didYouMean(name, names) })];
  });
}
