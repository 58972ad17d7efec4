import { diagnostic, faultOf } from '../core/codes.ts';
import { type Diagnostic, DiagnosticError } from '../core/diagnostics.ts';
import type { ProviderFact } from '../core/facts.ts';
import { isJsonObject, type Json, type JsonObject, jsonEquals } from '../core/json.ts';
import { redact } from '../core/redaction.ts';
import type { PlannedRequest } from '../core/resource.ts';
import { display, displayObject, isKnown, resolveValue, type Value, type ValueObject } from '../core/value.ts';
import type { OpenIntent, RowContext } from '../eventlog/event-log.ts';
import type { OpenedProvider, ReadSession } from '../providers/lifecycle-provider.ts';
import { adoptedDesired } from './classify.ts';
import { desiredOf, factOf, type Ownership } from './ownership.ts';
import { planStep, requestsOf } from './plan-step.ts';
import type { EnginePorts, ExecLine, PlanRequest } from './ports.ts';
import type { Prepared, PreparedStep } from './prepare.ts';
import { operationOf } from './ready-write.ts';
import { type Evaluate, resolveDesired } from './resolve.ts';
import { lookupReference, NO_RESULT, type StepResult } from './results.ts';
import type { PlannedStep } from './runtime.ts';
import { verdictOf } from './verdict.ts';
import { tryAppend, writeBatch } from './write-batch.ts';

/** What the steps of one exec share, and one step's own sessions. */
export interface ExecContext {
  readonly ports: EnginePorts;
  readonly request: PlanRequest;
  readonly prepared: Prepared;
  readonly row: RowContext;
  readonly ownership: Ownership;
  readonly openIntents: ReadonlyMap<string, OpenIntent>;
  readonly results: ReadonlyMap<string, StepResult>;
  readonly evaluate: Evaluate;
  open(item: PreparedStep): Promise<OpenedProvider>;
  sessionOf(opened: OpenedProvider): ReadSession | null;
}

export interface ExecEnd {
  readonly line: ExecLine;
  readonly result: StepResult;
  readonly diagnostics: readonly Diagnostic[];
  readonly facts: readonly ProviderFact[];
}

type ErrorKind = NonNullable<ExecLine['error']>['kind'];
type Data = Readonly<Record<string, unknown>>;

function common(item: PreparedStep): Data {
  return { provider: item.step.provider, action: item.step.action, backend: item.catalogue.backend };
}

function success(
  item: PreparedStep,
  data: Data,
  complete: boolean,
  facts: readonly ProviderFact[] = [],
  diagnostics: readonly Diagnostic[] = [],
): ExecEnd {
  const line: ExecLine = { step: item.step.address, status: 'success', data: { ...common(item), ...data } };
  return { line, result: { data: line.data as JsonObject, complete }, diagnostics, facts };
}

export function errorLine(
  item: PreparedStep,
  kind: ErrorKind,
  why: Diagnostic,
  all: readonly Diagnostic[] = [why],
): ExecEnd {
  const placed = all.map((found) => ({
    ...found,
    severity: 'error' as const,
    address: item.step.address,
    source: found.source ?? item.step.source,
  }));
  const message = why.hint === null ? why.detail : `${why.detail} ${why.hint}`;
  return {
    line: { step: item.step.address, status: 'error', data: common(item), error: { kind, code: why.code, message } },
    result: NO_RESULT,
    diagnostics: placed,
    facts: [],
  };
}

/** The seed's kinds of error, from what the code means. */
function kindOf(why: Diagnostic): ErrorKind {
  if (why.code === 'UNAVAILABLE' || why.code === 'TIMEOUT' || why.code === 'INVALID_RESPONSE') return 'Http';
  if (['AUTH_REQUIRED', 'CONFIRM_REQUIRED', 'GUARD', 'ENDPOINT_NOT_ALLOWED', 'WILDCARD'].includes(why.code))
    return 'Configuration';
  const fault = faultOf(why);
  if (fault === 'usage') return 'Configuration';
  return fault === 'refused' || fault === 'uncertain' ? 'ExecutionFailed' : 'Provider';
}

function failure(item: PreparedStep, why: Diagnostic): ExecEnd {
  return errorLine(item, kindOf(why), why);
}

/** Runs one step; whatever goes wrong with it becomes its line. */
export async function runExecStep(context: ExecContext, item: PreparedStep): Promise<ExecEnd> {
  try {
    const dry = item.step.dryRun !== false;
    if (item.spec.kind === 'delete') return await destroyStep(context, item, dry);
    if (item.spec.kind === 'read') return dry ? dryRead(context, item) : await realRead(context, item);
    if (item.reconcile === 'report') return await reportStep(context, item);
    if (item.reconcile === 'adopt') return await adoptStep(context, item, dry);
    return dry ? dryEnsure(context, item) : await realEnsure(context, item);
  } catch (error) {
    if (!(error instanceof DiagnosticError)) throw error;
    return failure(item, error.diagnostics[0] ?? diagnostic('BUG', 'an error without a diagnostic.'));
  }
}

/** What is known of desired by now; in a step that is not dry all of it must be. */
function desiredNow(context: ExecContext, item: PreparedStep, mustBeKnown: boolean): ValueObject {
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
    diagnostic('TEMPLATE_UNDEFINED', `${what}: the step that gives it ran dry, so its result is not known.`, {
      hint: 'Set dry_run: false there, or leave this step dry.',
    }),
  ]);
}

function inputNow(context: ExecContext, item: PreparedStep): Json {
  const lookup = (ref: Parameters<typeof lookupReference>[1]) =>
    lookupReference((address) => context.results.get(address), ref);
  const resolved = resolveValue(item.step.input, lookup, (template) =>
    context.evaluate(template, lookup),
  ) as ValueObject;
  return redact(displayObject(resolved));
}

function callOf(requests: readonly PlannedRequest[]): unknown {
  const call = requests.at(-1)?.call;
  return call === undefined ? null : redact(call as unknown as Json);
}

function dryRead(context: ExecContext, item: PreparedStep): ExecEnd {
  const request = item.catalogue.readRequest(item.declaration, desiredNow(context, item, false), item.step);
  return success(
    item,
    {
      dry_run: true,
      changed: false,
      converge: 'single',
      would_call: callOf([request]),
      input: inputNow(context, item),
    },
    false,
  );
}

async function realRead(context: ExecContext, item: PreparedStep): Promise<ExecEnd> {
  const planned = await planned1(context, item, desiredNow(context, item, true));
  if (planned.shown.change === 'blocked' || !planned.result.complete) return failure(item, blockReason(planned));
  return success(
    item,
    { dry_run: false, changed: false, converge: 'single', resource: planned.result.data['resource'] ?? null },
    true,
  );
}

function dryEnsure(context: ExecContext, item: PreparedStep): ExecEnd {
  const desired = desiredNow(context, item, false);
  const requests = requestsOf(item, desired, 'unknown', null);
  const urn = item.declaration.urn ?? item.catalogue.urnOf(item.declaration, desired);
  const fact = urn === null ? null : plannedFact(item, urn, 'ensure', redact(desiredOf(desired)));
  return success(
    item,
    {
      dry_run: true,
      changed: false,
      converge: item.spec.converge,
      would_call: callOf(requests),
      input: inputNow(context, item),
      ...(fact === null ? {} : { provider_fact: fact }),
    },
    false,
  );
}

/** A fact that is only shown: intent, not ownership. */
function plannedFact(item: PreparedStep, urn: string, verb: ProviderFact['verb'], desired: Json): ProviderFact {
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
async function planned1(context: ExecContext, item: PreparedStep, desired: ValueObject): Promise<PlannedStep> {
  const free: PreparedStep = { ...item, held: null, dependsOn: [], declaration: { ...item.declaration, desired } };
  const opened = await context.open(free);
  if (opened.kind === 'unusable') throw new DiagnosticError([{ ...opened.why, severity: 'error' }]);
  const quiet: EnginePorts = { ...context.ports, emit: () => undefined };
  return await planStep({ ...context, ports: quiet, planned: () => undefined }, free);
}

function blockReason(planned: PlannedStep): Diagnostic {
  return (
    planned.shown.diagnostics.find((found) => found.severity === 'error') ??
    planned.shown.diagnostics[0] ??
    diagnostic('BLOCKED', "the step can't be done.")
  );
}

async function realEnsure(context: ExecContext, item: PreparedStep): Promise<ExecEnd> {
  const planned = await planned1(context, item, desiredNow(context, item, true));
  await recordSettlement(context, planned);
  const { change } = planned.shown;
  if (change === 'blocked') return failure(item, blockReason(planned));
  const base = { dry_run: false, converge: item.spec.converge };
  if (change !== 'none')
    return await writeStep(context, planned, (fact, resource, changed) => ({
      ...base,
      changed,
      resource,
      provider_fact: fact,
    }));
  const stamped = planned.facts.map((fact) => ({ ...fact, execution_id: context.row.execution_id }));
  await appendOrThrow(context, stamped);
  const shownFact = stamped.at(-1) ?? {
    ...factOf(planned.item, {
      verb: 'ensure',
      outcome: 'noop',
      urn: planned.urn ?? '',
      desired: desiredOf(planned.desired),
      resourceId: planned.shown.resource_id,
      origin: null,
      executionId: context.row.execution_id,
      digest: null,
    }),
  };
  return success(
    item,
    { ...base, changed: false, resource: planned.result.data['resource'] ?? null, provider_fact: shownFact },
    true,
    stamped,
    planned.shown.diagnostics,
  );
}

async function recordSettlement(context: ExecContext, { settlement }: PlannedStep): Promise<void> {
  if (settlement === null || settlement.verdict === 'pending' || settlement.verdict === 'unresolved') return;
  const outcome = {
    type: 'provider.outcome' as const,
    intent_sequence: settlement.open.sequence,
    operation_name: settlement.open.operationName,
  };
  const rows =
    settlement.fact === null
      ? [{ ...outcome, status: 'failed' as const, code: 'NOT_APPLIED' }]
      : [
          { ...outcome, status: 'done' as const, code: null },
          { type: 'provider.fact' as const, provider_fact: settlement.fact },
        ];
  const problem = await tryAppend(context.ports, context.row, rows);
  if (problem !== null) throw new DiagnosticError([problem]);
}

async function appendOrThrow(context: ExecContext, facts: readonly ProviderFact[]): Promise<void> {
  const problem = await tryAppend(
    context.ports,
    context.row,
    facts.map((fact) => ({ type: 'provider.fact', provider_fact: fact })),
  );
  if (problem !== null) throw new DiagnosticError([problem]);
}

/** Sends one write, with its intent before and its outcome after. */
async function writeStep(
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
    { nonce: context.ports.randomHex(16), fresh: false, allowSelfLockout: context.request.options.allowSelfLockout },
  );
  const { ports, row, ownership, request } = context;
  const end = await writeBatch(
    { ports, context: row, model: ownership.model, digest: null, abort: request.settings.abort },
    [{ planned, operation, urn, provider, startedAt: ports.clock.now() }],
  );
  const state = end.states[0];
  if (state === undefined) return failure(item, diagnostic('OUTCOME_UNKNOWN', 'the provider gave no result.'));
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
function lastDesired(context: ExecContext, item: PreparedStep, urn: string | null): Json {
  if (item.step.knownDesired === null)
    return urn === null ? null : (context.ownership.model.owned.get(urn)?.lastDesired ?? null);
  const lookup = (ref: Parameters<typeof lookupReference>[1]) =>
    lookupReference((address) => context.results.get(address), ref);
  const known = display(resolveValue(item.step.knownDesired, lookup, (template) => context.evaluate(template, lookup)));
  return item.catalogue.fromForeign(item.spec.resourceType, urn ?? '', known).desired;
}

async function reportStep(context: ExecContext, item: PreparedStep): Promise<ExecEnd> {
  const base = { reconcile: 'report', converge: item.spec.converge };
  const declared = desiredNow(context, item, false);
  const urn = item.declaration.urn ?? item.catalogue.urnOf(item.declaration, declared);
  const desired = lastDesired(context, item, urn);
  const opened = await context.open(item);
  if (opened.kind === 'unusable' || !isKnown(declared)) {
    const note =
      "the live resource could not be read, so drift can't be told. Give the step an auth that works here. A report never changes anything.";
    return success(item, { ...base, urn, drift: 'undetermined', changed: false, desired, note }, true);
  }
  const planned = await planned1(context, item, declared);
  const seen = planned.observation;
  if (seen === null || seen.kind === 'unreadable') return failure(item, blockReason(planned));
  const actual = seen.kind === 'present' ? seen.actual : {};
  const drift = verdictOf(desired, seen, item.declaration.fields);
  return success(
    item,
    {
      ...base,
      urn: planned.urn,
      drift,
      diff: echoDiff(desired, actual),
      desired,
      actual,
      present: seen.kind === 'present',
      changed: false,
    },
    true,
  );
}

/** Every field on which desired and actual differ, fields of either side alone included. */
function echoDiff(desired: Json, actual: JsonObject): JsonObject {
  const wanted = isJsonObject(desired) ? desired : {};
  const keys = [...new Set([...Object.keys(wanted), ...Object.keys(actual)])].sort();
  return Object.fromEntries(
    keys
      .filter((key) => !jsonEquals(wanted[key] ?? null, actual[key] ?? null))
      .map((key) => [key, { desired: wanted[key] ?? null, actual: actual[key] ?? null }]),
  );
}

async function adoptStep(context: ExecContext, item: PreparedStep, dry: boolean): Promise<ExecEnd> {
  const planned = await planned1(context, item, desiredNow(context, item, true));
  const { shown, urn, observation } = planned;
  if (shown.change === 'blocked' || observation?.kind !== 'present' || urn === null)
    return failure(item, blockReason(planned));
  const desired = lastDesired(context, item, urn);
  const actual = adoptedDesired(item, planned.desired, observation.actual);
  const data = {
    reconcile: 'adopt',
    dry_run: dry,
    changed: false,
    adopt: true,
    import: desired === null,
    converge: item.spec.converge,
    urn,
    drift: verdictOf(desired, observation, item.declaration.fields),
    diff: echoDiff(desired, actual),
    desired: dry ? desired : actual,
    actual,
    present: true,
    plan_digest: shown.plan_digest,
    confirm_hint: CONFIRM_ADOPT,
  };
  const fact = factOf(item, {
    verb: 'adopt',
    outcome: dry ? 'planned' : 'adopted',
    urn,
    desired: actual,
    resourceId: observation.id,
    origin: 'adopted',
    executionId: dry ? 0 : context.row.execution_id,
    digest: null,
  });
  if (dry) return success(item, { ...data, provider_fact: fact }, true);
  checkConfirm(context, item, urn, shown.plan_digest, 'adopted');
  const facts = [
    ...planned.facts
      .filter((other) => other.urn === urn && other.verb === 'delete')
      .map((other) => ({ ...other, execution_id: context.row.execution_id })),
    fact,
  ];
  await appendOrThrow(context, facts);
  return success(item, { ...data, adopted: true, provider_fact: fact }, true, facts);
}

const CONFIRM_ADOPT =
  'Review the diff, then run the step with dry_run: false and confirm: <plan_digest>. An adoption never changes the cloud; if the resource changes before, it is refused.';
const CONFIRM_DESTROY =
  'Review the plan, then run the step with dry_run: false and confirm: <plan_digest>. If the live resource changes before, it is refused.';

async function destroyStep(context: ExecContext, item: PreparedStep, dry: boolean): Promise<ExecEnd> {
  const planned = await planned1(context, item, desiredNow(context, item, true));
  await (dry ? Promise.resolve() : recordSettlement(context, planned));
  const { shown, urn, observation } = planned;
  if (shown.change === 'blocked' || urn === null) return failure(item, blockReason(planned));
  const present = shown.change === 'delete';
  if (dry)
    return success(
      item,
      {
        ...destroyPlan(planned, urn, present),
        provider_fact: plannedFact(item, urn, 'delete', desiredOf(planned.desired)),
      },
      true,
    );
  checkConfirm(context, item, urn, shown.plan_digest, 'deleted');
  const base = { dry_run: false, destroy: true, converge: 'destroy' };
  if (present)
    return await writeStep(context, planned, (fact, resource, changed) => ({
      ...base,
      changed,
      ...(changed ? {} : { already_absent: true }),
      resource,
      provider_fact: fact,
    }));
  const facts = planned.facts.map((fact) => ({ ...fact, execution_id: context.row.execution_id }));
  await appendOrThrow(context, facts);
  const fact =
    facts.at(-1) ??
    factOf(item, {
      verb: 'delete',
      outcome: 'absent',
      urn,
      desired: desiredOf(planned.desired),
      resourceId: null,
      origin: null,
      executionId: context.row.execution_id,
      digest: null,
    });
  return success(
    item,
    {
      ...base,
      changed: false,
      already_absent: true,
      resource: observation?.kind === 'present' ? observation.resource : null,
      provider_fact: fact,
    },
    true,
    facts,
  );
}

function destroyPlan(planned: PlannedStep, urn: string, present: boolean): Data {
  const { shown, item, desired } = planned;
  const seen = planned.observation?.kind === 'present' ? planned.observation : null;
  const requests = planned.requests.length > 0 ? planned.requests : requestsOf(item, desired, 'delete', null);
  const plan = {
    urn,
    resolved_name: present ? (seen?.id ?? urn.slice(urn.lastIndexOf(':') + 1)) : '<absent>',
    etag: seen?.etag ?? null,
    state: seen?.state ?? null,
    present,
    request: callOf(requests),
  };
  return {
    dry_run: true,
    changed: false,
    destroy: true,
    converge: 'destroy',
    plan_digest: shown.plan_digest,
    plan,
    present,
    confirm_hint: CONFIRM_DESTROY,
  };
}

/** The step's own `confirm` must be the digest of what is live now. */
function checkConfirm(
  context: ExecContext,
  item: PreparedStep,
  urn: string,
  digest: string | null,
  done: string,
): void {
  const lookup = (ref: Parameters<typeof lookupReference>[1]) =>
    lookupReference((address) => context.results.get(address), ref);
  const confirm: Value =
    item.step.confirm === null
      ? null
      : resolveValue(item.step.confirm, lookup, (template) => context.evaluate(template, lookup));
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
