import { diagnostic } from '../core/codes.ts';
import type { Diagnostic } from '../core/diagnostics.ts';
import { type DigestEntry, planDigest } from '../core/digest.ts';
import type { Difference } from '../core/events.ts';
import type { ProviderFact } from '../core/facts.ts';
import { closureOf, reversed } from '../core/graph.ts';
import { canonicalJson, isJsonObject, type Json, type JsonObject, jsonEquals } from '../core/json.ts';
import { fillIn, lateValuesOf } from './late-values.ts';
import type { PlanRun } from './plan-run.ts';
import type { PlanResult } from './ports.ts';

export type Confirmation =
  | { readonly kind: 'confirmed' }
  /** Applied in part before: what deviates is this plan's own work. */
  | { readonly kind: 'resumed' }
  | {
      readonly kind: 'refused';
      readonly diagnostics: readonly Diagnostic[];
      readonly differences: readonly Difference[];
    };

/** What the log has of a digest: the facts written under it, and the steps begun under it whose end a read told. */
interface Traces {
  readonly facts: readonly ProviderFact[];
  readonly begun: readonly string[];
}

/** Whether the digest that was confirmed covers what would be done now. */
export function checkConfirmation(
  confirm: string,
  run: PlanRun,
  reviewed: PlanResult | null,
  { facts, begun }: Traces,
): Confirmation {
  if (run.plan.digest === confirm) return { kind: 'confirmed' };
  const then = reviewed !== null && planDigest(reviewed.digestInput) === confirm ? reviewed.digestInput : null;
  if (then === null) return refused(confirm, run, []);
  const current = run.digestInput;
  const sameFrame =
    then.verb === current.verb && then.target === current.target && jsonEquals(then.stacks, current.stacks);
  const done = new Set([...begun, ...facts.flatMap((fact) => (fact.step === undefined ? [] : [fact.step]))]);
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
      ...recordMismatch(differences),
    ],
    differences,
  };
}

/** That it was the log, and not the cloud or the playbook, by which a step is another one now. */
function recordMismatch(differences: readonly Difference[]): readonly Diagnostic[] {
  const otherwise = new Set(differences.flatMap(({ address, field }) => (field === 'record' ? [] : [address])));
  const addresses = differences.flatMap(({ address }) => (otherwise.has(address) ? [] : [address]));
  if (addresses.length === 0) return [];
  const detail = `what the event log would learn of ${addresses.join(', ')} is not what it was at the review: this is another log, or rows came to it since.`;
  return [diagnostic('RECORD_MISMATCH', detail, { hint: 'Give the --eventlog of the review, or plan again.' })];
}

/** Addresses whose deviation from the reviewed plan is not explained by this plan's own finished steps. */
function deviations(then: readonly DigestEntry[], run: PlanRun, done: ReadonlySet<string>): readonly string[] {
  const before = new Map(then.map((entry) => [entry.address, entry]));
  const now = new Map(run.digestInput.steps.map((entry) => [entry.address, entry]));
  const addresses = new Set([...before.keys(), ...now.keys()]);
  const own = withDependants(done, then, run);
  return [...addresses].filter((address) => {
    const [old, fresh] = [before.get(address), now.get(address)];
    return !isExplained(old, fresh, run, own) && !(done.has(address) && isRest(old, fresh, run));
  });
}

function isExplained(
  then: DigestEntry | undefined,
  now: DigestEntry | undefined,
  run: PlanRun,
  own: ReadonlySet<string>,
): boolean {
  if (then === undefined || now === undefined) return false;
  if (jsonEquals(withoutNeeds(then, own), withoutNeeds(now, own))) return true;
  // What was and is only to be recorded is still to be: what it waits for was done, and no more came to it.
  const sameRecord = then['change'] === 'none' && then['record'] === now['record'] && then['urn'] === now['urn'];
  if (now['change'] === 'none' && (now['record'] === null || sameRecord) && own.has(now.address)) return true;
  const filled = fillIn(then as Json, lateValuesOf(then.address, run));
  return jsonEquals(withoutLateNames(filled, then), withoutLateNames(now as Json, then));
}

/** What used the resource of a deletion, or had a name, and is done with by now is seen to be in the way no more. */
function withoutNeeds(entry: DigestEntry, own: ReadonlySet<string>): Json {
  const needs = entry['depends_on'];
  if (!Array.isArray(needs)) return entry as Json;
  return { ...entry, depends_on: needs.filter((need) => typeof need !== 'string' || !own.has(need)) } as Json;
}

/**
 * Whether a step that takes several requests asks for some of those that were confirmed, and every field is as it was
 * then or already as it was to become.
 */
function isRest(then: DigestEntry | undefined, fresh: DigestEntry | undefined, run: PlanRun): boolean {
  if (then === undefined || fresh === undefined) return false;
  const old = fillIn(then as Json, lateValuesOf(then.address, run));
  const now = fresh as Json;
  if (!isJsonObject(old) || !isJsonObject(now) || !isJsonObject(now['actual'])) return false;
  if (!CHANGES.has(old['change']) || !CHANGES.has(now['change'])) return false;
  const [before, wanted, actual] = [objectAt(old, 'actual'), objectAt(old, 'desired'), now['actual']];
  const isOnTheWay = Object.keys(actual).every((field) =>
    [before[field], wanted[field]].some((value) => value !== undefined && jsonEquals(value, actual[field] ?? null)),
  );
  const confirmed = listAt(old, 'requests');
  const isPart = listAt(now, 'requests').every((request) => confirmed.some((known) => jsonEquals(known, request)));
  return isOnTheWay && isPart && jsonEquals(withoutProgress(old, then), withoutProgress(now, then));
}

const CHANGES: ReadonlySet<unknown> = new Set(['update', 'move', 'undelete']);

/** An entry without what the requests of the step change one after the other. */
function withoutProgress(entry: JsonObject, then: DigestEntry): Json {
  const { change: _change, record: _record, actual: _actual, requests: _requests, ...rest } = entry;
  // What is brought back is active from then on.
  return withoutLateNames(then['change'] === 'undelete' ? { ...rest, state: null } : rest, then);
}

function objectAt(entry: JsonObject, key: string): JsonObject {
  const value = entry[key];
  return isJsonObject(value) ? value : {};
}

function listAt(entry: JsonObject, key: string): readonly Json[] {
  const value = entry[key];
  return Array.isArray(value) ? value : [];
}

/** The steps that were done under this digest, with all that depend on them, directly or not, then or now. */
function withDependants(done: ReadonlySet<string>, then: readonly DigestEntry[], run: PlanRun): ReadonlySet<string> {
  const edges = new Map([...run.steps].map(([address, { item }]) => [address, [...item.dependsOn]]));
  for (const { address, depends_on: needs } of then) if (Array.isArray(needs)) edges.get(address)?.push(...needs);
  return closureOf(done, reversed(edges));
}

/** A URN that was known only after apply may be known now. */
function withoutLateNames(entry: Json, then: DigestEntry): Json {
  return isJsonObject(entry) && then['urn'] === null ? { ...entry, urn: null } : entry;
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
