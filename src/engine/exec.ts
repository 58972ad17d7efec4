import { diagnostic } from '../core/codes.ts';
import { type Diagnostic, DiagnosticError } from '../core/diagnostics.ts';
import { type ProviderFact, UNSCOPED } from '../core/facts.ts';
import { startFold } from '../core/fold.ts';
import type { LogState, OpenIntent, RowContext } from '../eventlog/event-log.ts';
import type { LifecycleProvider, ReadSession } from '../providers/lifecycle-provider.ts';
import { type ExecContext, type ExecEnd, errorLine, notStarted } from './exec-line.ts';
import { undoFailed } from './exec-rollback.ts';
import { runExecStep } from './exec-step.ts';
import { blockUntold, learnForSteps } from './learn-for-steps.ts';
import { loadEvaluator } from './load-evaluator.ts';
import { checkFiles } from './local-files.ts';
import { ownershipOf } from './ownership.ts';
import { providerOpener } from './plan-run.ts';
import type { EnginePorts, ExecLine, ExecReport, PlanRequest } from './ports.ts';
import { type Prepared, type PreparedStep, prepare } from './prepare.ts';
import type { StepResult } from './results.ts';
import type { PlannedStep } from './runtime.ts';
import type { StepState } from './step-state.ts';
import { newExecutionId } from './walk-state.ts';

/**
 * Runs the steps one by one with the seed's own per-step semantics; each line is handed out as its step ends. Steps that
 * write take the locks and log intents and facts as an apply does; dry ones write nothing.
 */
export async function execPlaybook(
  ports: EnginePorts,
  request: PlanRequest,
  onLine: (line: ExecLine) => void,
): Promise<ExecReport> {
  const prepared = prepare(ports, request.playbook, request.options, 'exec');
  await checkFiles(ports, prepared);
  const writing = [...prepared.steps.values()].filter(writes);
  if (writing.length === 0) return await execSteps(ports, request, prepared, onLine);
  if (!ports.log.writable)
    throw new DiagnosticError([
      diagnostic('LOG_READ_ONLY', `${ports.log.url} can only be read, and these steps must write what they do.`),
    ]);
  const stacks = [...new Set(writing.map((item) => item.stack ?? UNSCOPED))].sort();
  const locks = await ports.log.lock(stacks, request.settings.lockTimeoutMs);
  ports.emit({ type: 'lock_acquired', stacks });
  try {
    await ports.log.verify();
    return await execSteps(ports, request, prepared, onLine);
  } finally {
    await locks.release();
  }
}

/** Whether a step may write to the cloud or to the log: not dry, and not a read or a report. */
function writes({ step, spec, reconcile }: PreparedStep): boolean {
  return step.dryRun === false && spec.kind !== 'read' && reconcile !== 'report';
}

async function execSteps(
  ports: EnginePorts,
  request: PlanRequest,
  base: Prepared,
  onLine: (line: ExecLine) => void,
): Promise<ExecReport> {
  const log = await ports.log.read(base.target);
  const row: RowContext = {
    execution_id: newExecutionId(ports),
    actor: request.settings.actor,
    infra: request.settings.version,
    target: base.target,
  };
  const nonce = ports.randomHex(16);
  const open = providerOpener(ports, base);
  const learned = await learnForSteps(ports, base, log.model, open);
  const prepared = blockUntold(base, learned);
  const evaluate = await loadEvaluator(prepared);
  const results = new Map<string, StepResult>();
  const reported = new Map<string, PlannedStep>();
  const unfinished = new Map<string, string>();
  const waiting = new Set<string>();
  const undoable: ExecContext['undoable'] = { stoppedStacks: new Map(), made: [], states: new Map() };
  const lines: ExecLine[] = [];
  const diagnostics: Diagnostic[] = [...prepared.diagnostics, ...log.diagnostics];
  let model = learned.model;
  const openIntents = intentsOf(log);
  const learn = (facts: readonly ProviderFact[]): void => {
    if (facts.length === 0) return;
    const fold = startFold(model);
    for (const fact of facts) fold.add(fact);
    model = fold.model;
  };
  for (const item of inOrder(prepared)) {
    const session = freshSessions();
    const context: ExecContext = {
      ports,
      prepared,
      row,
      nonce,
      evaluate,
      open,
      results,
      reported,
      sessionOf: session,
      ownership: ownershipOf(ports, model),
      openIntents,
      undoable,
      settled: ({ open: { intent }, facts }) => {
        openIntents.delete(intent.urn);
        learn(facts);
      },
      request,
    };
    const end = await endOf(context, item, unfinished);
    results.set(item.step.address, end.result);
    if (end.planned !== undefined) reported.set(item.step.address, end.planned);
    if (end.line.status === 'error') unfinished.set(item.step.address, wordOf(end, undoable.states.get(end.line.step)));
    if (end.notStarted === true) waiting.add(item.step.address);
    lines.push(end.line);
    diagnostics.push(...end.diagnostics);
    learn(end.facts);
    onLine(end.line);
  }
  const undone = await undoFailed({
    ports,
    request,
    prepared,
    row,
    ownership: ownershipOf(ports, log.model),
    undoable,
  });
  return {
    lines,
    diagnostics: [...diagnostics, ...undone.diagnostics],
    notStarted: waiting,
    rolledBack: undone.rolledBack,
  };
}

const NOT_STARTED = 'was not started';

/** What an unfinished step is called where another one waits for it. */
function wordOf(end: ExecEnd, state: StepState | undefined): string {
  if (end.notStarted === true) return NOT_STARTED;
  return state?.outcome === 'uncertain' || state?.outcome === 'pending' ? `is ${state.outcome}` : 'failed';
}

/** A step whose dependency failed is not run; nor is any after an interrupt or, with --fail-fast, after a failure. */
async function endOf(
  context: ExecContext,
  item: PreparedStep,
  unfinished: ReadonlyMap<string, string>,
): Promise<ExecEnd> {
  const { settings } = context.request;
  const waiting = item.dependsOn.filter((address) => unfinished.has(address));
  const broken = waiting.find((address) => unfinished.get(address) !== NOT_STARTED) ?? waiting[0];
  if (broken !== undefined)
    return notStarted(item, diagnostic('BLOCKED', `it depends on ${broken}, which ${unfinished.get(broken)}.`));
  if (settings.stop.aborted)
    return errorLine(item, 'ExecutionFailed', diagnostic('INTERRUPTED', 'the run was interrupted before this step.'));
  if (settings.failFast && unfinished.size > 0)
    return notStarted(item, diagnostic('BLOCKED', 'an earlier step failed and --fail-fast was given.'));
  const stopped = writes(item) ? context.undoable.stoppedStacks.get(item.stack ?? UNSCOPED) : undefined;
  return stopped === undefined ? await runExecStep(context, item) : notStarted(item, stopped);
}

/** One session a step: what an earlier step changed must be seen. */
function freshSessions(): ExecContext['sessionOf'] {
  const sessions = new Map<LifecycleProvider, ReadSession>();
  return (opened) => {
    if (opened.kind === 'unusable') return null;
    const session = sessions.get(opened.provider) ?? opened.provider.openSession();
    sessions.set(opened.provider, session);
    return session;
  };
}

function intentsOf(log: LogState): Map<string, OpenIntent> {
  return new Map(log.openIntents.map((open) => [open.intent.urn, open]));
}

/** Written order, but after the steps that `next`, `depends_on` or a reference put before it. */
function inOrder(prepared: Prepared): readonly PreparedStep[] {
  const written = [...prepared.steps.values()].sort((a, b) => b.step.index - a.step.index);
  const done = new Set<PreparedStep>();
  // A stack of our own: a chain may be longer than calls can nest.
  for (let item = written.at(-1); item !== undefined; item = written.at(-1)) {
    const needs = item.step.dependsOn.flatMap((address) => prepared.steps.get(address) ?? []);
    const open = done.has(item) ? [] : needs.filter((need) => !done.has(need)).reverse();
    if (open.length > 0) written.push(...open);
    else done.add(written.pop() ?? item);
  }
  return [...done];
}
