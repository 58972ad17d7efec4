import { diagnostic } from '../core/codes.ts';
import { type Diagnostic, isError } from '../core/diagnostics.ts';
import { changeOf, diffFields } from '../core/diff.ts';
import { isJsonObject, type Json, type JsonObject, jsonEquals } from '../core/json.ts';
import type { Change, FieldDiff } from '../core/plan.ts';
import type { Observation, PresentObservation } from '../core/resource.ts';
import type { ValueObject } from '../core/value.ts';
import type { PreparedStep } from './prepare.ts';

/** What is to be done about a resource, and why. */
export interface Decision {
  readonly change: Change;
  readonly present: boolean | 'unknown';
  readonly diff: Readonly<Record<string, FieldDiff>>;
  readonly diagnostics: readonly Diagnostic[];
}

const NO_DIFF = {};

function blocked(present: Decision['present'], ...diagnostics: Diagnostic[]): Decision {
  return { change: 'blocked', present, diff: NO_DIFF, diagnostics };
}

function at(item: PreparedStep, urn: string | null, found: Diagnostic): Diagnostic {
  return { ...found, address: item.step.address, urn: found.urn ?? urn, source: found.source ?? item.step.source };
}

/** Decides about an ensure step under enforce (and report, which shows what enforce would make). */
export function decideEnsure(
  item: PreparedStep,
  urn: string | null,
  desired: ValueObject,
  seen: Observation,
): Decision {
  switch (seen.kind) {
    case 'absent': {
      const diagnostics = (seen.warnings ?? []).map((warning) => at(item, urn, warning));
      return { change: 'create', present: false, diff: NO_DIFF, diagnostics };
    }
    case 'not_visible':
      return { change: 'create', present: 'unknown', diff: NO_DIFF, diagnostics: [notVisible(item, urn, seen.why)] };
    case 'unreadable':
      return blocked('unknown', at(item, urn, seen.why));
    case 'present':
      return decidePresent(item, urn, desired, seen);
  }
}

function notVisible(item: PreparedStep, urn: string | null, why: Diagnostic): Diagnostic {
  const detail =
    'It does not exist, or this identity may not see it: the cloud answers both alike, which is normal before a first apply. The create shows which it is.';
  return at(item, urn, { ...diagnostic('NOT_VISIBLE', detail), severity: 'note', retryable: why.retryable });
}

function decidePresent(
  item: PreparedStep,
  urn: string | null,
  desired: ValueObject,
  seen: PresentObservation,
): Decision {
  const warnings = seen.warnings.map((warning) => at(item, urn, warning));
  const diff = diffFields(desired, seen.actual, item.declaration.fields);
  if (seen.state === 'DELETE_REQUESTED') {
    if (item.declaration.options['undelete'] === true)
      return { change: 'undelete', present: true, diff, diagnostics: warnings };
    return blocked(true, pendingDeletion(item, urn, seen), ...warnings);
  }
  const { change, fixed } = changeOf(diff, item.declaration.fields);
  const blockers = seen.blockers.filter(isError).map((found) => at(item, urn, found));
  if (change !== 'none' && blockers.length > 0) return { ...blocked(true, ...blockers, ...warnings), diff };
  if (fixed.length === 0) return { change, present: true, diff, diagnostics: warnings };
  const detail = fixedText(fixed, item.declaration.hindrances ?? {});
  return { ...blocked(true, at(item, urn, diagnostic('UNSUPPORTED', detail)), ...warnings), diff };
}

/** Why each field is not changed, those with one reason together. */
function fixedText(fixed: readonly string[], hindrances: Readonly<Record<string, string>>): string {
  const reasons = new Map<string, readonly string[]>();
  for (const field of fixed) {
    const reason = hindrances[field] ?? REPLACED;
    reasons.set(reason, [...(reasons.get(reason) ?? []), field]);
  }
  return [...reasons].map(([reason, fields]) => `${fields.join(', ')} ${reason}.`).join(' ');
}

const REPLACED =
  "can't be changed in place, and infra never replaces a resource as a side effect. Keep the live value, or delete it explicitly and create it anew";

const RESTORE = "Set undelete: true in the step's input, under reconcile: enforce, to restore it.";

function purgedAt({ purgeTime }: PresentObservation): string {
  return purgeTime === null ? 'within about 30 days' : `on ${purgeTime}`;
}

function pendingDeletion(item: PreparedStep, urn: string | null, seen: PresentObservation): Diagnostic {
  const detail = `it was deleted and will be purged ${purgedAt(seen)}. Its name can't be used for a new one until then.`;
  return at(item, urn, diagnostic('PENDING_DELETION', detail, { hint: RESTORE }));
}

/** Decides about an explicit delete step. */
export function decideDelete(
  item: PreparedStep,
  urn: string | null,
  seen: Observation,
  options: { readonly wasDeletedByUs: boolean },
): Decision {
  switch (seen.kind) {
    case 'absent':
      return { change: 'none', present: false, diff: NO_DIFF, diagnostics: [] };
    case 'not_visible':
      if (options.wasDeletedByUs) return { change: 'none', present: 'unknown', diff: NO_DIFF, diagnostics: [] };
      return blocked(
        'unknown',
        at(item, urn, {
          ...seen.why,
          hint: seen.why.hint ?? "It may be someone else's. Nothing that can't be seen is deleted.",
        }),
      );
    case 'unreadable':
      return blocked('unknown', at(item, urn, seen.why));
    case 'present':
      return decidePresentDelete(item, urn, seen);
  }
}

function decidePresentDelete(item: PreparedStep, urn: string | null, seen: PresentObservation): Decision {
  if (seen.state === 'DELETE_REQUESTED') return { change: 'none', present: false, diff: NO_DIFF, diagnostics: [] };
  const outside = outsideGuard(item, seen).map((found) => at(item, urn, found));
  if (outside.length > 0) return blocked(true, ...outside);
  const found = [...seen.blockers, ...seen.warnings].map((blocker) => at(item, urn, blocker));
  const inTheWay = found.some((blocker) => blocker.severity === 'error');
  return { change: inTheWay ? 'blocked' : 'delete', present: true, diff: NO_DIFF, diagnostics: found };
}

/**
 * A step that removes may name less than what it removes refers to: the guard holds for the live billing account as well.
 * The organisation is told by the guard's own live pass.
 */
function outsideGuard({ step, catalogue, declaration }: PreparedStep, seen: PresentObservation): readonly Diagnostic[] {
  if (step.guard === null) return [];
  const guard = { ...step.guard, requireOrg: null, requireOrgDisplayName: null };
  const problems = catalogue.checkGuard(guard, declaration, seen.actual);
  return problems.map(({ code, detail, hint }) => diagnostic(code, detail, hint === undefined ? {} : { hint }));
}

/** What it is to be denied a look at something that the log says is gone: no news. */
const DENIED: ReadonlySet<string> = new Set(['PERMISSION_DENIED', 'NOT_FOUND', 'NOT_VISIBLE']);

/** Decides about what the log does not show as owned: what is not there is done already, what is there is left alone. */
export function decideUnowned(
  item: PreparedStep,
  urn: string | null,
  seen: Observation,
  { why, wasOurs }: { readonly why: Diagnostic; readonly wasOurs: boolean },
): Decision {
  const gone = (present: Decision['present'], ...diagnostics: Diagnostic[]): Decision => ({
    change: 'none',
    present,
    diff: NO_DIFF,
    diagnostics,
  });
  switch (seen.kind) {
    case 'absent':
      return gone(false);
    case 'not_visible':
      // Whatever it is, it is nothing that would be deleted.
      return wasOurs ? gone('unknown') : gone('unknown', unseen(item, urn, seen.why));
    case 'unreadable':
      return wasOurs && DENIED.has(seen.why.code) ? gone('unknown') : blocked('unknown', at(item, urn, seen.why));
    case 'present':
      return seen.state === 'DELETE_REQUESTED' ? gone(false) : blocked(true, at(item, urn, why));
  }
}

function unseen(item: PreparedStep, urn: string | null, why: Diagnostic): Diagnostic {
  const detail =
    'It does not exist, or this identity may not see it: the cloud answers both alike. The log does not show that this stack made it, so nothing is done to it.';
  return at(item, urn, { ...diagnostic('NOT_VISIBLE', detail), severity: 'note', retryable: why.retryable });
}

/** Decides about an adopt step. */
export function decideAdopt(
  item: PreparedStep,
  urn: string | null,
  desired: ValueObject,
  seen: Observation,
  ownership: {
    /** The last desired that the log (or known_desired) has: what the adoption is shown against; null for an import. */
    readonly recorded: Json;
    /** What the log has of what this stack owns: where it is as it is live, there is nothing to adopt. Null: it owns it not. */
    readonly accepted: Json;
    readonly foreignStack: string | null;
    /** One of many that are offered for adoption: what is absent is listed, and stops nothing. */
    readonly amongOthers: boolean;
  },
): Decision {
  if (seen.kind === 'unreadable' || seen.kind === 'not_visible') return blocked('unknown', at(item, urn, seen.why));
  if (seen.kind === 'absent' || seen.state === 'DELETE_REQUESTED') {
    const absent = at(item, urn, seen.kind === 'absent' ? NOTHING_THERE : beingDeleted(seen));
    if (!ownership.amongOthers) return blocked(false, absent);
    return { change: 'none', present: false, diff: NO_DIFF, diagnostics: [{ ...absent, severity: 'warning' }] };
  }
  if (ownership.foreignStack !== null) {
    const detail = `stack ${JSON.stringify(ownership.foreignStack)} owns it. Pass --take-over ${ownership.foreignStack} to take it over.`;
    return blocked(true, at(item, urn, diagnostic('NOT_OURS', detail)));
  }
  // What the step says was last desired is what the adoption is shown against.
  const { recorded } = ownership;
  const wanted = item.step.knownDesired !== null && isJsonObject(recorded) ? recorded : desired;
  const diff = diffFields(wanted, seen.actual, item.declaration.fields);
  const isAccepted = jsonEquals(ownership.accepted, adoptedDesired(item, desired, seen.actual));
  const change = isAccepted ? 'none' : 'adopt';
  return { change, present: true, diff, diagnostics: seen.warnings.map((warning) => at(item, urn, warning)) };
}

const NOTHING_THERE = diagnostic(
  'ADOPT_ABSENT',
  'it does not exist, so there is nothing to accept as desired. Create it with reconcile: enforce, or mend the step.',
);

function beingDeleted(seen: PresentObservation): Diagnostic {
  const detail = `it was deleted and will be purged ${purgedAt(seen)}, so there is nothing to accept as desired.`;
  return diagnostic('ADOPT_ABSENT', detail, { hint: RESTORE });
}

/** The live values of the fields that the step manages, with its identity: what an adoption records as desired. */
export function adoptedDesired(item: PreparedStep, desired: ValueObject, actual: JsonObject): JsonObject {
  const fields = Object.keys(desired).filter(
    (field) => item.declaration.fields[field] === 'identity' || Object.hasOwn(actual, field),
  );
  return Object.fromEntries(fields.map((field) => [field, actual[field] ?? (desired[field] as Json)]));
}
