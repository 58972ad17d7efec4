import { diffFields } from './diff.ts';
import type { OwnershipModel } from './fold.ts';
import { isJsonObject, type Json, type JsonObject } from './json.ts';
import type { FieldDiff } from './plan.ts';
import type { FieldRule } from './resource.ts';

/** How one resource stands, from the log and from what is live. */
export type Drift =
  | { readonly kind: 'in_sync' }
  /** Owned, and gone. */
  | { readonly kind: 'missing' }
  | { readonly kind: 'modified'; readonly fields: Readonly<Record<string, FieldDiff>> }
  /** Live, and not owned. */
  | { readonly kind: 'untracked' }
  /** Neither live nor owned. */
  | { readonly kind: 'not_managed' };

export type FieldRules = Readonly<Record<string, FieldRule>>;

/**
 * The fields in which a live resource differs from what was desired of it; what desired doesn't name is not managed.
 * `actual` is normalised into desired's key space; without `rules` every field counts, maps as a whole.
 */
export function driftBetween(
  desired: Json,
  actual: JsonObject,
  rules: FieldRules = {},
): Readonly<Record<string, FieldDiff>> {
  return isJsonObject(desired) ? diffFields(desired, actual, rules) : {};
}

/** Compares a URN's last desired with what is live; null: nothing is. */
export function computeDrift(
  model: OwnershipModel,
  urn: string,
  actual: JsonObject | null,
  rules: FieldRules = {},
): Drift {
  return compareLive(model.owned.get(urn)?.lastDesired, actual, rules);
}

/** Compares what was last desired with what is live; undefined: it is not owned, null: nothing is live. */
export function compareLive(recorded: Json | undefined, actual: JsonObject | null, rules: FieldRules): Drift {
  if (recorded === undefined) return { kind: actual === null ? 'not_managed' : 'untracked' };
  if (actual === null) return { kind: 'missing' };
  const fields = driftBetween(recorded, actual, rules);
  return Object.keys(fields).length === 0 ? { kind: 'in_sync' } : { kind: 'modified', fields };
}
