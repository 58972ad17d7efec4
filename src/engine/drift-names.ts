import { diagnostic } from '../core/codes.ts';
import { DiagnosticError } from '../core/diagnostics.ts';
import type { Owned } from '../core/fold.ts';
import type { OneUrn } from '../core/orphans.ts';

/** What one stack owns under several names is shown under one: the declared one, else the one that they come to. */
export function ownedOnce(owned: readonly Owned[], declared: ReadonlySet<string>, urnOf: OneUrn): readonly Owned[] {
  const rank = ({ urn }: Owned) => (declared.has(urn) ? 2 : urnOf(urn) === urn ? 1 : 0);
  const best = new Map<string, Owned>();
  for (const item of owned) {
    const key = `${item.stack} ${urnOf(item.urn)}`;
    const before = best.get(key);
    if (before === undefined || rank(item) > rank(before)) best.set(key, item);
  }
  return [...best.values()];
}

/** A target that is nothing would look like one without drift. */
export function refuseUnknown(targets: readonly string[], names: readonly string[]): void {
  const known = new Set(names);
  const unknown = targets.filter((target) => !known.has(target));
  if (unknown.length === 0) return;
  throw new DiagnosticError(
    unknown.map((target) =>
      diagnostic(
        'UNKNOWN_STEP',
        `nothing that is owned or declared has the URN, address or step name ${JSON.stringify(target)}.`,
        {
          hint: 'infra log owned lists what is owned',
        },
      ),
    ),
  );
}

/** Whether something is asked for and not left out; `isNamed`: whether a word means it. */
export function isMeant(
  { targets, excludes }: { readonly targets: readonly string[]; readonly excludes: readonly string[] },
  isNamed: (word: string) => boolean,
): boolean {
  return (targets.length === 0 || targets.some(isNamed)) && !excludes.some(isNamed);
}
