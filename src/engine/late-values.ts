import { isJsonObject, type Json } from '../core/json.ts';
import { display, isKnown, isUnknown, knownAfterApply, referencesIn, type Value } from '../core/value.ts';
import { followPath } from './paths.ts';
import type { PlanRun } from './plan-run.ts';

/** The texts that stood for values known only after apply, each with the value that is known by now; longest first. */
export type LateValues = readonly (readonly [text: string, value: Json])[];

/** What a step waited for when it was reviewed and what has become of it. */
export function lateValuesOf(address: string, run: PlanRun): LateValues {
  const planned = run.steps.get(address);
  if (planned === undefined) return [];
  const declared = planned.item.declaration.desired;
  const whole = pairs(declared, planned.desired);
  const parts = referencesIn(declared).flatMap((ref) => {
    const value = followPath(run.steps.get(ref.address)?.result.data ?? null, ref.path);
    return value === undefined ? [] : [[knownAfterApply(ref), value] as const];
  });
  return [...whole, ...parts].sort(([a], [b]) => b.length - a.length);
}

/** Every unknown value of a declaration, as it is shown, beside what stands in its place now. */
function pairs(declared: Value | undefined, now: Value | undefined): LateValues {
  if (declared === undefined || now === undefined) return [];
  if (isUnknown(declared)) return isKnown(now) ? [[String(display(declared)), now]] : [];
  if (Array.isArray(declared))
    return declared.flatMap((item: Value, index) =>
      pairs(item, Array.isArray(now) ? (now[index] as Value) : undefined),
    );
  if (!isJsonObject(declared) || !isJsonObject(now)) return [];
  return Object.entries(declared).flatMap(([key, item]) => pairs(item, now[key]));
}

/** The value with what was known after apply replaced by what is known by now. */
export function fillIn(value: Json, late: LateValues): Json {
  if (typeof value === 'string') return fillText(value, late);
  if (Array.isArray(value)) return value.map((item: Json) => fillIn(item, late));
  if (isJsonObject(value))
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fillIn(item, late)]));
  return value;
}

function fillText(text: string, late: LateValues): Json {
  let filled = text;
  for (const [placeholder, value] of late) {
    if (filled === placeholder) return value;
    if (typeof value === 'string') filled = filled.replaceAll(placeholder, () => value);
  }
  return filled;
}
