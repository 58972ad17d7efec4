import { diagnostic, faultOf } from '../core/codes.ts';
import { type Diagnostic, DiagnosticError, hasErrors, isError } from '../core/diagnostics.ts';
import { UNSCOPED } from '../core/facts.ts';
import { startFold } from '../core/fold.ts';
import type { LogState, RowBody, RowContext } from '../eventlog/event-log.ts';
import { onePerCause } from './causes.ts';
import { checkConfirmation } from './confirmation.ts';
import { intendKnowing } from './intend.ts';
import { verifyGuards } from './live-guard.ts';
import { checkFiles } from './local-files.ts';
import { ownershipOf } from './ownership.ts';
import { type PlanRun, runPlan } from './plan-run.ts';
import type { ApplyRequest, ApplyResult, EnginePorts } from './ports.ts';
import { type Prepared, prepare } from './prepare.ts';
import { buildReport } from './report.ts';
import type { Settlement } from './settle.ts';
import { walk } from './walk.ts';
import { newExecutionId } from './walk-state.ts';

/**
 * Takes the locks, re-plans, compares digests and does what was confirmed. Throws DiagnosticError where it can't start
 * (a playbook that is wrong, a lock that is held, a log that can't be trusted); nothing was sent then.
 */
export async function applyPlaybook(ports: EnginePorts, request: ApplyRequest): Promise<ApplyResult> {
  if (!ports.log.writable)
    throw new DiagnosticError([
      diagnostic('LOG_READ_ONLY', `${ports.log.url} can only be read, and an apply must write what it does.`),
    ]);
  const prepared = prepare(ports, request.playbook, request.options, request.verb);
  await checkFiles(ports, prepared);
  const stacks = stacksToLock(prepared);
  const locks = await ports.log.lock(stacks, request.settings.lockTimeoutMs);
  ports.emit({ type: 'lock_acquired', stacks });
  try {
    return await applyLocked(ports, request, prepared);
  } finally {
    await locks.release();
  }
}

/** Every stack that may be written to; reads belong to none. */
function stacksToLock({ steps }: Prepared): readonly string[] {
  const stacks = [...steps.values()].flatMap(({ spec, stack }) => (spec.kind === 'read' ? [] : [stack ?? UNSCOPED]));
  return stacks.length === 0 ? [UNSCOPED] : [...new Set(stacks)].sort();
}

async function applyLocked(ports: EnginePorts, request: ApplyRequest, base: Prepared): Promise<ApplyResult> {
  await ports.log.verify();
  const read = await ports.log.read(base.target);
  const { prepared, known } = await intendKnowing(ports, base, read);
  const log = { ...read, ...known };
  const run = await runPlan(ports, prepared, request.verb, log);
  const context: RowContext = {
    execution_id: newExecutionId(ports),
    actor: request.settings.actor,
    infra: request.settings.version,
    target: prepared.target,
  };
  const settled = await recordSettlements(ports, context, run);
  const undecided = undecidedErrors(run);
  if (undecided.length > 0) return { kind: 'refused', diagnostics: undecided, differences: [] };
  const facts = [
    ...log.factsOf(request.confirm),
    ...settled.flatMap(({ facts }) => facts.filter((fact) => fact.digest === request.confirm)),
  ];
  const begun = settled.flatMap(({ open: { intent } }) => (intent.digest === request.confirm ? [intent.address] : []));
  const confirmation = checkConfirmation(request.confirm, run, request.reviewed, { facts, begun });
  if (confirmation.kind === 'refused') {
    const unread = unreadErrors(run);
    return unread.length > 0 ? { ...confirmation, diagnostics: unread, differences: [] } : confirmation;
  }
  const guard = await verifyGuards(run);
  if (hasErrors(guard)) return { kind: 'refused', diagnostics: guard, differences: [] };
  if (confirmation.kind === 'confirmed') await request.keepPlan({ plan: run.plan, digestInput: run.digestInput });
  const { states, diagnostics } = await walk({
    ports,
    request,
    run,
    context,
    ownership: ownershipOf(ports, settledModel(log, settled)),
  });
  // The digest to go on with is the one that was confirmed, whatever is left of its plan.
  const confirmed = { ...run.plan, digest: request.confirm };
  const more = [...log.diagnostics, ...diagnostics];
  const report = buildReport(confirmed, states, context.execution_id, await ports.log.head(), more);
  ports.emit({ type: 'summary', summary: report.summary, execution_id: context.execution_id });
  return { kind: 'applied', report };
}

/** Writes down what became of interrupted requests, each under the digest it was confirmed with. */
async function recordSettlements(
  ports: EnginePorts,
  context: RowContext,
  run: PlanRun,
): Promise<readonly Settlement[]> {
  const settled = [...run.steps.values()].flatMap(({ settlement }) => (settlement === null ? [] : [settlement]));
  const rows = settled.flatMap(settlementRows);
  if (rows.length > 0) await ports.log.append(context, rows);
  return settled;
}

function settlementRows({ open, verdict, facts }: Settlement): readonly RowBody[] {
  const outcome = {
    type: 'provider.outcome',
    intent_sequence: open.sequence,
    operation_name: open.operationName,
  } as const;
  if (verdict === 'done')
    return [
      { ...outcome, status: 'done', code: null },
      ...facts.map((fact): RowBody => ({ type: 'provider.fact', provider_fact: fact })),
    ];
  if (verdict === 'not_applied') return [{ ...outcome, status: 'failed', code: 'NOT_APPLIED' }];
  return [];
}

function settledModel(log: LogState, settled: readonly Settlement[]): LogState['model'] {
  const facts = settled.flatMap((settlement) => settlement.facts);
  if (facts.length === 0) return log.model;
  const fold = startFold(log.model);
  for (const fact of facts) fold.add(fact);
  return fold.model;
}

/** What could not be read says nothing of what changed since the review: that is the trouble then, not the digest. */
function unreadErrors(run: PlanRun): readonly Diagnostic[] {
  return onePerCause(
    [...run.steps.values()].flatMap(({ shown }) =>
      shown.change !== 'blocked' || shown.present !== 'unknown'
        ? []
        : shown.diagnostics.filter(
            (found) => isError(found) && ['provider', 'auth', 'uncertain'].includes(faultOf(found)),
          ),
    ),
  );
}

/** A plan without a digest can't be confirmed: says of each undecided step why. */
function undecidedErrors(run: PlanRun): readonly Diagnostic[] {
  const found = [...run.steps.values()].flatMap(({ shown }) => {
    if (shown.change !== 'unknown' || shown.held !== null) return [];
    const why =
      shown.diagnostics[0] ??
      diagnostic('AUTH_REQUIRED', 'the step has no usable auth.', { address: shown.address, source: shown.source });
    return [{ ...why, severity: 'error' as const }];
  });
  return onePerCause(found);
}
