import { diagnostic } from '../core/codes.ts';
import type { Diagnostic, SourcePosition } from '../core/diagnostics.ts';
import { didYouMean } from '../core/nearest.ts';
import type { Playbook } from '../core/step.ts';

/**
 * What the names of credentials in a playbook come to, given those that the caller has configured: where there are some,
 * another name is an error; where there are none, a name beside an auth is told once to be of no effect.
 */
export function credentialNames({ steps }: Playbook, configured: readonly string[]): readonly Diagnostic[] {
  const named = steps.flatMap(({ skip, auth, address, source, positions }) => {
    const name = auth?.credential ?? null;
    if (skip !== null || name === null || configured.includes(name)) return [];
    return [{ name, address, source: positions.get('auth.credential') ?? positions.get('auth') ?? source }];
  });
  if (configured.length > 0) return named.map((found) => unknownName(found, configured));
  const first = new Map([...named].reverse().map((found) => [found.name, found]));
  return [...first.values()].reverse().map(unusedName);
}

interface Named {
  readonly name: string;
  readonly address: string;
  readonly source: SourcePosition;
}

function unknownName({ name, address, source }: Named, configured: readonly string[]): Diagnostic {
  const detail = `The credential ${name} is not among those of your own config.yaml: there are ${configured.join(', ')}.`;
  return diagnostic('UNKNOWN_CREDENTIAL', detail, { address, source, hint: didYouMean(name, configured) });
}

function unusedName({ name, source }: Named): Diagnostic {
  const detail = `Your own config.yaml has no credentials, so the name ${name} has no effect: the auth beside it is used as it stands.`;
  return diagnostic('CREDENTIAL_NAME_UNUSED', detail, { source });
}
