import type { SourcePosition } from '../core/diagnostics.ts';
import type { Step } from '../core/step.ts';
import { type Unknown, unknownsIn, type Value } from '../core/value.ts';

/** Where a key below a step's tool stands (`input.parent`), or the nearest key around it, else the step itself. */
export function saidAt(step: Step, path: string): SourcePosition {
  for (let key = path; key !== ''; key = key.slice(0, Math.max(0, key.lastIndexOf('.')))) {
    const found = step.positions.get(key);
    if (found !== undefined) return found;
  }
  return step.source;
}

/** Where the value of a step stands that waits for a result; the step itself where the provider found it to wait. */
export function waitsAt(step: Step, isMeant: (unknown: Unknown) => boolean): SourcePosition {
  const said: readonly (readonly [string, Value | null])[] = [
    ['input', step.input],
    ['known_desired', step.knownDesired],
    ['confirm', step.confirm],
  ];
  for (const [key, value] of said)
    for (const { path, unknown } of unknownsIn(value))
      if (isMeant(unknown)) return saidAt(step, path === '' ? key : `${key}.${path}`);
  return step.source;
}
