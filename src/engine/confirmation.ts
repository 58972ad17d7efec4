import { diagnostic } from '../core/codes.ts';
import type { Diagnostic } from '../core/diagnostics.ts';
import { type DigestEntry, planDigest } from '../core/digest.ts';
import type { Difference } from '../core/events.ts';
import type { ProviderFact } from '../core/facts.ts';
import { canonicalJson, isJsonObject, type Json, jsonEquals } from '../core/json.ts';
import { knownAfterApply } from '../core/value.ts';
import type { PlanRun } from './plan-run.ts';
import type { PlanResult } from './ports.ts';
import { followPath } from './results.ts';
import type { PlannedStep } from './runtime.ts';

export type Confirmation =
  | { readonly kind: 'confirmed' }
  /** Applied in part before: what deviates is this plan's own work. */
  | { readonly kind: 'resumed' }
  | {
      readonly kind: 'refused';
      readonly diagnostics: readonly Diagnostic[];
      readonly differences: readonly Difference[];
    };

/** Whether the digest that was confirmed covers what would be done now. `facts` are those written under that digest. */
export function checkConfirmation(
  confirm: string,
  run: PlanRun,
  reviewed: PlanResult | null,
  facts: readonly ProviderFact[],
): Confirmation {
  if (run.plan.digest === confirm) return { kind: 'confirmed' };
  const then = reviewed !== null && planDigest(reviewed.digestInput) === confirm ? reviewed.digestInput : null;
  if (then === null) return refused(confirm, run, []);
  const current = run.digestInput;
  const sameFrame =
    then.verb === current.verb && then.target === current.target && jsonEquals(then.stacks, current.stacks);
  const done = new Set(facts.flatMap((fact) => (fact.step === undefined ? [] : [fact.step])));
  if (sameFrame && done.size > 0 && deviations(then.steps, run, done).length === 0) return { kind: 'resumed' };
  return refused(confirm, run, differencesBetween(then.steps, run, done));
}

function refused(confirm: string, run: PlanRun, differences: readonly Difference[]): Confirmation {
  const now = run.plan.digest === null ? 'there is no digest now' : `the plan's digest is now ${run.plan.digest}`;
  const detail = `the confirmed digest ${confirm.slice(0, 12)}... is not this plan's: ${now}. The playbook, the cloud or the log changed since the review, or it was another plan. Nothing was sent.`;
  return {
    kind: 'refused',
    diagnostics: [
      diagnostic('DIGEST_STALE', detail, { hint: 'Plan again, review what differs, and confirm the new digest.' }),
    ],
    differences,
  };
}

/** Addresses whose deviation from the reviewed plan is not explained by this plan's own finished steps. */
function deviations(then: readonly DigestEntry[], run: PlanRun, done: ReadonlySet<string>): readonly string[] {
  const before = new Map(then.map((entry) => [entry.address, entry]));
  const now = new Map(run.digestInput.steps.map((entry) => [entry.address, entry]));
  const addresses = new Set([...before.keys(), ...now.keys()]);
  return [...addresses].filter((address) => !isExplained(before.get(address), now.get(address), run, done));
}

function isExplained(
  then: DigestEntry | undefined,
  now: DigestEntry | undefined,
  run: PlanRun,
  done: ReadonlySet<string>,
): boolean {
  if (then === undefined || now === undefined) return false;
  if (jsonEquals(then, now)) return true;
  const settled = now['change'] === 'none' && now['record'] === null;
  if (settled && (done.has(now.address) || followsFrom(now.address, run, done))) return true;
  return jsonEquals(withoutLateNames(fillIn(then as Json, run), then), withoutLateNames(now as Json, then));
}

/** Whether one of the steps it depends on, directly or not, was done under this digest. */
function followsFrom(address: string, run: PlanRun, done: ReadonlySet<string>): boolean {
  const needs = run.steps.get(address)?.item.dependsOn ?? [];
  return needs.some((need) => done.has(need) || followsFrom(need, run, done));
}

/** A URN that was known only after apply may be known now. */
function withoutLateNames(entry: Json, then: DigestEntry): Json {
  return isJsonObject(entry) && then['urn'] === null ? { ...entry, urn: null } : entry;
}

/** What was known after apply, with what is known by now. */
function fillIn(value: Json, run: PlanRun): Json {
  if (typeof value === 'string') return fillText(value, run);
  if (Array.isArray(value)) return value.map((item: Json) => fillIn(item, run));
  if (isJsonObject(value))
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fillIn(item, run)]));
  return value;
}

function fillText(text: string, run: PlanRun): Json {
  if (!text.includes('(known after apply: ')) return text;
  for (const [address, planned] of run.steps) {
    const known = knownResults(address, planned);
    for (const [placeholder, value] of known) {
      if (text === placeholder) return value;
      if (typeof value === 'string' && text.includes(placeholder))
        return fillText(text.replaceAll(placeholder, value), run);
    }
  }
  return text;
}

/** The results that other steps were waiting for, by their placeholder. */
function knownResults(address: string, planned: PlannedStep): readonly (readonly [string, Json])[] {
  return ['resource.name', 'resource.projectId', 'resource.displayName', 'resource.parent', 'resource.id'].flatMap(
    (path) => {
      const value = followPath(planned.result.data, path);
      return value === undefined ? [] : [[knownAfterApply({ address, path }), value] as const];
    },
  );
}

const SHOWN = 160;

function differencesBetween(
  then: readonly DigestEntry[],
  run: PlanRun,
  done: ReadonlySet<string>,
): readonly Difference[] {
  const before = new Map(then.map((entry) => [entry.address, entry]));
  const now = new Map(run.digestInput.steps.map((entry) => [entry.address, entry]));
  return deviations(then, run, done).flatMap((address) => {
    const [old, fresh] = [before.get(address), now.get(address)];
    if (old === undefined) return [{ address, field: 'step', then: '(none)', now: 'planned' }];
    if (fresh === undefined) return [{ address, field: 'step', then: 'planned', now: '(none)' }];
    return fieldDifferences(address, flatten(old), flatten(fresh));
  });
}

function fieldDifferences(
  address: string,
  then: ReadonlyMap<string, unknown>,
  now: ReadonlyMap<string, unknown>,
): readonly Difference[] {
  const fields = [...new Set([...then.keys(), ...now.keys()])].filter(
    (field) => field !== 'requests' && field !== 'etag',
  );
  const found = fields
    .filter((field) => !jsonEquals(then.get(field), now.get(field)))
    .map((field) => ({ address, field, then: textOf(then.get(field)), now: textOf(now.get(field)) }));
  return found.length > 0
    ? found
    : [{ address, field: 'etag', then: textOf(then.get('etag')), now: textOf(now.get('etag')) }];
}

/** One level down for what a person thinks of as fields: `actual.parent` rather than all of `actual`. */
function flatten(entry: DigestEntry): ReadonlyMap<string, unknown> {
  const flat = new Map<string, unknown>();
  for (const [key, value] of Object.entries(entry)) {
    if (['actual', 'desired', 'fields', 'guard', 'flags'].includes(key) && isJsonObject(value)) {
      for (const [field, inner] of Object.entries(value)) flat.set(`${key}.${field}`, inner);
    } else flat.set(key, value);
  }
  return flat;
}

function textOf(value: unknown): string {
  const text =
    value === undefined || value === null ? '(none)' : typeof value === 'string' ? value : canonicalJson(value);
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}...` : text;
}
