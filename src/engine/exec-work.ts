import { diagnostic } from '../core/codes.ts';
import { type Diagnostic, DiagnosticError } from '../core/diagnostics.ts';
import type { ProviderFact } from '../core/facts.ts';
import { isJsonObject, type Json, type JsonObject, jsonEquals } from '../core/json.ts';
import { redact } from '../core/redaction.ts';
import type { PlannedRequest } from '../core/resource.ts';
import { display, displayObject, isKnown, type Value, type ValueObject } from '../core/value.ts';
import { tryAppend } from './append-rows.ts';
import { type Data, type ExecContext, type ExecEnd, failure, success } from './exec-line.ts';
import { requireGuard } from './live-guard.ts';
import { factOf, recordedDesired } from './ownership.ts';
import { planStep } from './plan-step.ts';
import type { EnginePorts } from './ports.ts';
import type { PreparedStep } from './prepare.ts';
import { operationOf } from './ready-write.ts';
import { resolveDesired, resolveOf } from './resolve.ts';
import { noteForRollback } from './rollback.ts';
import type { PlannedStep, ReadyWrite } from './runtime.ts';
import { writeBatch } from './write-batch.ts';

/** What is known of desired by now; in a step that is not dry all of it must be. */
export function desiredNow(context: ExecContext, item: PreparedStep, mustBeKnown: boolean): ValueObject {
  const desired = resolveDesired(
    item,
    item.declaration.desired,
    (address) => context.results.get(address),
    context.evaluate,
  );
  if (!mustBeKnown || isKnown(desired)) return desired;
  const waiting = Object.entries(desired).find(([, value]) => !isKnown(value));
  const what = waiting === undefined ? 'a value' : `${waiting[0]} is ${JSON.stringify(display(waiting[1]))}`;
  throw new DiagnosticError([
    diagnostic(
      'TEMPLATE_UNDEFINED',
      `${what}: the step that gives it ran dry or only reported, so its result is not known.`,
      {
        hint: 'Let that step make it (reconcile: enforce, dry_run: false), or leave this one dry.',
      },
    ),
  ]);
}

function resolvedNow(context: ExecContext, item: PreparedStep, value: Value): Value {
  return resolveOf(item.step, value, (address) => context.results.get(address), context.evaluate);
}

export function inputNow(context: ExecContext, item: PreparedStep): Json {
  const resolved = resolvedNow(context, item, item.step.input) as ValueObject;
  return redact(displayObject(resolved));
}

export function callOf(requests: readonly PlannedRequest[]): unknown {
  const call = requests.at(-1)?.call;
  return call === undefined ? null : redact(call as unknown as Json);
}

/** A fact that is only shown: intent, not ownership. */
export function plannedFact(item: PreparedStep, urn: string, verb: ProviderFact['verb'], desired: Json): ProviderFact {
  return factOf(item, {
    verb,
    outcome: 'planned',
    urn,
    desired,
    resourceId: null,
    origin: null,
    executionId: 0,
    digest: null,
  });
}

/** Reads and decides one step as a plan does, unheld and with what earlier steps gave. */
export async function planAlone(context: ExecContext, item: PreparedStep, desired: ValueObject): Promise<PlannedStep> {
  return await planAfter(context, { ...item, held: null, dependsOn: [] }, desired);
}

/** The same for a report: what its dependencies lack may keep it from being there, as in a plan. */
export async function planReport(context: ExecContext, item: PreparedStep, desired: ValueObject): Promise<PlannedStep> {
  const dependsOn = item.dependsOn.filter((address) => context.reported.has(address));
  return await planAfter(context, { ...item, dependsOn }, desired);
}

async function planAfter(context: ExecContext, item: PreparedStep, desired: ValueObject): Promise<PlannedStep> {
  const free: PreparedStep = { ...item, declaration: { ...item.declaration, desired } };
  const opened = await context.open(free);
  if (opened.kind === 'unusable') throw new DiagnosticError([{ ...opened.why, severity: 'error' }]);
  const later = (address: string) => {
    const planned = context.reported.get(address);
    return planned === undefined ? undefined : Promise.resolve(planned);
  };
  const quiet: EnginePorts = { ...context.ports, emit: () => undefined };
  return await planStep({ ...context, ports: quiet, planned: later }, free);
}

/** The guard's live pass before a step's real write or adoption, over what it says and what was seen of it. */
export async function guarded(context: ExecContext, planned: PlannedStep): Promise<void> {
  const session = context.sessionOf(await context.open(planned.item));
  if (session !== null) await requireGuard(planned, session);
}

export function blockReason(planned: PlannedStep): Diagnostic {
  return (
    planned.shown.diagnostics.find((found) => found.severity === 'error') ??
    planned.shown.diagnostics[0] ??
    diagnostic('BLOCKED', "the step can't be done.")
  );
}

export async function recordSettlement(context: ExecContext, { settlement }: PlannedStep): Promise<void> {
  if (settlement === null || settlement.verdict === 'pending' || settlement.verdict === 'unresolved') return;
  const outcome = {
    type: 'provider.outcome' as const,
    intent_sequence: settlement.open.sequence,
    operation_name: settlement.open.operationName,
  };
  const rows =
    settlement.verdict !== 'done'
      ? [{ ...outcome, status: 'failed' as const, code: 'NOT_APPLIED' }]
      : [
          { ...outcome, status: 'done' as const, code: null },
          ...settlement.facts.map((fact) => ({ type: 'provider.fact' as const, provider_fact: fact })),
        ];
  const problem = await tryAppend(context.ports, context.row, rows);
  if (problem !== null) throw new DiagnosticError([problem]);
  context.settled(settlement);
}

export async function appendOrThrow(context: ExecContext, facts: readonly ProviderFact[]): Promise<void> {
  const problem = await tryAppend(
    context.ports,
    context.row,
    facts.map((fact) => ({ type: 'provider.fact', provider_fact: fact })),
  );
  if (problem !== null) throw new DiagnosticError([problem]);
}

/** Sends one write, with its intent before and its outcome after. */
export async function writeStep(
  context: ExecContext,
  planned: PlannedStep,
  dataOf: (fact: ProviderFact | null, resource: Json, changed: boolean) => Data,
): Promise<ExecEnd> {
  const { item, provider, urn } = planned;
  if (provider === null || urn === null) return failure(item, diagnostic('BLOCKED', 'its identity is not known.'));
  const operation = operationOf(
    planned,
    planned.desired,
    planned.observation?.kind === 'present' ? planned.observation : null,
    { nonce: context.nonce, fresh: false, allowSelfLockout: context.request.options.allowSelfLockout },
  );
  const { ports, row, ownership, request } = context;
  const write: ReadyWrite = { planned, operation, urn, provider, startedAt: ports.clock.now() };
  const { abort } = request.settings;
  const end = await writeBatch({ ports, context: row, ownership, digest: null, abort }, [write]);
  const state = end.states[0];
  if (state === undefined) return failure(item, diagnostic('OUTCOME_UNKNOWN', 'the provider gave no result.'));
  context.undoable.states.set(item.step.address, state);
  noteForRollback(context.undoable, write, state, end.sequences[0] ?? 0);
  const written = state.outcome === 'changed' || state.outcome === 'deleted';
  if (!written && state.outcome !== 'noop' && state.outcome !== 'absent')
    return failure(item, state.diagnostics[0] ?? diagnostic('BLOCKED', `the step ended as ${state.outcome}.`));
  return success(
    item,
    dataOf(state.fact, state.resource, written),
    true,
    state.fact === null ? [] : [state.fact],
    state.diagnostics,
  );
}

/** The last desired that a report or an adoption compares with: the step's known_desired, else the log's. */
export function lastDesired(context: ExecContext, item: PreparedStep, urn: string | null): Json {
  if (item.step.knownDesired === null) return recordedDesired(item, urn, context.ownership);
  const known = display(resolvedNow(context, item, item.step.knownDesired));
  return item.catalogue.fromForeign(item.spec.resourceType, urn ?? '', known).desired;
}

/** The managed fields on which desired and actual differ; where nothing is managed yet, all that there is. */
export function echoDiff(desired: Json, actual: JsonObject): JsonObject {
  const wanted = isJsonObject(desired) ? desired : {};
  const keys = Object.keys(isJsonObject(desired) ? desired : actual).sort();
  return Object.fromEntries(
    keys
      .filter((key) => !jsonEquals(wanted[key] ?? null, actual[key] ?? null))
      .map((key) => [key, { desired: wanted[key] ?? null, actual: actual[key] ?? null }]),
  );
}

/** The step's own `confirm` must be the digest of what is live now. */
export function checkConfirm(
  context: ExecContext,
  item: PreparedStep,
  urn: string,
  digest: string | null,
  done: string,
): void {
  const confirm = item.step.confirm === null ? null : resolvedNow(context, item, item.step.confirm);
  if (confirm === null || confirm === '') {
    throw new DiagnosticError([
      diagnostic(
        'CONFIRM_REQUIRED',
        `${urn} is ${done} only with confirm: <plan_digest> of a reviewed dry run. Nothing was ${done}.`,
        { urn },
      ),
    ]);
  }
  if (confirm === digest) return;
  throw new DiagnosticError([
    diagnostic(
      'DIGEST_STALE',
      `the confirmed plan_digest of ${urn} is not that of the live resource now: it changed since the review, or the value is wrong. Nothing was ${done}.`,
      { urn, hint: 'Run the dry step again, review it, and confirm its new digest.' },
    ),
  ]);
}
