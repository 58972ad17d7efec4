import { isJsonObject, type Json, type JsonObject, jsonEquals } from './json.ts';
import type { FieldDiff } from './plan.ts';
import type { FieldRule } from './resource.ts';
import { display, isKnown, type ValueObject } from './value.ts';

/**
 * Compares the managed fields: those that desired names and that are no identity. A desired value that is not known yet
 * differs from whatever is there. Of a `merged` map only the desired keys count.
 */
export function diffFields(
  desired: ValueObject,
  actual: JsonObject,
  fields: Readonly<Record<string, FieldRule>>,
): Readonly<Record<string, FieldDiff>> {
  const diff: Record<string, FieldDiff> = {};
  for (const [field, wanted] of Object.entries(desired)) {
    const rule = fields[field] ?? 'fixed';
    if (rule === 'identity') continue;
    const found = managedPart(display(wanted), actual[field] ?? null, rule);
    if (!isKnown(wanted) || !sameValue(display(wanted), found, rule))
      diff[field] = { desired: display(wanted), actual: found };
  }
  return diff;
}

function sameValue(wanted: Json, found: Json, rule: FieldRule): boolean {
  if (rule === 'merged' && isJsonObject(wanted)) return jsonEquals(wanted, isJsonObject(found) ? found : {});
  return jsonEquals(wanted, found);
}

/** The part of an actual value that desired speaks about: of a merged map the desired keys, else all of it. */
function managedPart(wanted: Json, found: Json, rule: FieldRule): Json {
  if (rule !== 'merged' || !isJsonObject(wanted) || !isJsonObject(found)) return found;
  return Object.fromEntries(
    Object.keys(wanted).flatMap((key) => (Object.hasOwn(found, key) ? [[key, found[key] ?? null]] : [])),
  );
}

/** The managed fields of an actual state: what enters a digest, whatever strangers do to the rest. */
export function managedFields(
  desired: ValueObject,
  actual: JsonObject,
  fields: Readonly<Record<string, FieldRule>>,
): JsonObject {
  return Object.fromEntries(
    Object.entries(desired).map(([field, wanted]) => [
      field,
      managedPart(display(wanted), actual[field] ?? null, fields[field] ?? 'fixed'),
    ]),
  );
}

/** The change that a diff asks for; `fixed` names the fields that can't be changed in place. */
export function changeOf(
  diff: Readonly<Record<string, FieldDiff>>,
  fields: Readonly<Record<string, FieldRule>>,
): { readonly change: 'none' | 'update' | 'move'; readonly fixed: readonly string[] } {
  const names = Object.keys(diff);
  const fixed = names.filter((name) => isFixed(fields[name] ?? 'fixed', diff[name]));
  if (names.some((name) => fields[name] === 'movable')) return { change: 'move', fixed };
  return { change: names.length === 0 ? 'none' : 'update', fixed };
}

/** Whether no update leads from the live value to the desired one; what is not known yet may be higher. */
function isFixed(rule: FieldRule, difference: FieldDiff | undefined): boolean {
  if (rule !== 'growing') return rule === 'fixed';
  const { desired, actual } = difference ?? {};
  return typeof desired === 'number' && typeof actual === 'number' && desired < actual;
}
