import { diagnostic } from '../core/codes.ts';
import { type Diagnostic, DiagnosticError } from '../core/diagnostics.ts';
import { type DigestInput, planDigest } from '../core/digest.ts';
import { UNSCOPED } from '../core/facts.ts';
import { compareText } from '../core/graph.ts';
import type { OneUrn } from '../core/orphans.ts';
import { FORMAT_VERSION, hasPendingWrite, type Plan, type PlanStep, type PlanVerb, summarize } from '../core/plan.ts';
import type { CloudProvider, OpenedProvider, ReadSession } from '../providers/lifecycle-provider.ts';
import { batchesOf } from './batches.ts';
import { skippedEntry } from './entries.ts';
import { loadEvaluator } from './load-evaluator.ts';
import { duplicateUrns } from './mistakes.ts';
import { ownershipOf } from './ownership.ts';
import type { LogView, PlanContext } from './plan-context.ts';
import { planStep } from './plan-step.ts';
import type { EnginePorts } from './ports.ts';
import type { Prepared, PreparedStep } from './prepare.ts';
import type { PlannedStep } from './runtime.ts';
import { skippedStep } from './show-step.ts';
import { wayToRead } from './way-to-read.ts';

export interface PlanRun {
  readonly plan: Plan;
  readonly digestInput: DigestInput;
  readonly evaluate: PlanContext['evaluate'];
  /** The sessions in which the plan was made, by provider. */
  readonly sessions: ReadonlyMap<CloudProvider, ReadSession>;
  /** In topological order. */
  readonly steps: ReadonlyMap<string, PlannedStep>;
}

/** Observes and decides every step, each after those it depends on, as parallel as that allows. */
export async function runPlan(ports: EnginePorts, prepared: Prepared, verb: PlanVerb, log: LogView): Promise<PlanRun> {
  const evaluate = await loadEvaluator(prepared);
  const sessions = new Map<CloudProvider, ReadSession>();
  const running = new Map<string, Promise<PlannedStep>>();
  const context: PlanContext = {
    ports,
    prepared,
    ownership: ownershipOf(ports, log.model),
    openIntents: new Map(log.openIntents.map((open) => [open.intent.urn, open])),
    settledBefore: log.settledBefore ?? new Map(),
    evaluate,
    open: providerOpener(ports, prepared),
    sessionOf: sessionOpener(sessions),
    planned: (address) => running.get(address),
  };
  ports.emit({ type: 'plan_start', playbook: prepared.playbook.path, steps: prepared.order.length });
  for (const address of prepared.order) {
    const item = prepared.steps.get(address);
    if (item !== undefined) running.set(address, planStep(context, item));
  }
  const steps = new Map<string, PlannedStep>();
  for (const [address, promise] of running) steps.set(address, await promise);
  if (verb === 'adopt' || verb === 'destroy') await requireProviders(context, steps);
  refuseDuplicates(steps, context.ownership.names.urnOf);
  const { plan, digestInput } = assemble(prepared, verb, steps);
  ports.emit({ type: 'plan_summary', summary: plan.summary, digest: plan.digest });
  return { plan, digestInput, steps, evaluate, sessions };
}

/** Names that only the log or the cloud could resolve may turn out to mean one resource. */
function refuseDuplicates(steps: ReadonlyMap<string, PlannedStep>, urnOf: OneUrn): void {
  const found = duplicateUrns(
    [...steps.values()]
      .sort((a, b) => a.item.step.index - b.item.step.index)
      .map(({ item, urn }) => ({
        step: item.step,
        held: item.held,
        urn: urn === null ? null : urnOf(urn),
      })),
  );
  if (found.length > 0) throw new DiagnosticError(found);
}

/** Adoption and destruction are decided on what is live: without a provider there is nothing to plan. */
async function requireProviders(context: PlanContext, steps: ReadonlyMap<string, PlannedStep>): Promise<void> {
  const missing: Diagnostic[] = [];
  for (const { item, provider, shown } of steps.values()) {
    if (provider !== null || !isDecidedByLooking(item)) continue;
    const opened = await context.open(item);
    if (opened.kind === 'unusable')
      missing.push({
        ...opened.why,
        severity: 'error',
        address: shown.address,
        source: opened.why.source ?? shown.source,
      });
  }
  if (missing.length > 0) throw new DiagnosticError(missing);
}

function isDecidedByLooking({ verdict }: PreparedStep): boolean {
  return verdict === null || verdict.kind === 'unowned';
}

/** Providers by auth, endpoint and settings; offline there are none. */
export function providerOpener(ports: EnginePorts, prepared: Prepared): PlanContext['open'] {
  const opened = new Map<string, Promise<OpenedProvider>>();
  return (item) => {
    const { auth, endpoint, provider, settings } = item.step;
    if (prepared.options.offline)
      return Promise.resolve({ kind: 'unusable', why: diagnostic('UNDECIDED', 'planned offline: nothing was read.') });
    const key = JSON.stringify([provider, auth, endpoint, settings]);
    const found = opened.get(key) ?? ports.pool.open({ provider, auth, endpoint, settings });
    opened.set(key, found);
    return found;
  };
}

export function sessionOpener(sessions: Map<CloudProvider, ReadSession>): PlanContext['sessionOf'] {
  return (opened) => {
    if (opened.kind === 'unusable') return null;
    const session = sessions.get(opened.provider) ?? opened.provider.openSession();
    sessions.set(opened.provider, session);
    return session;
  };
}

function assemble(
  prepared: Prepared,
  verb: PlanVerb,
  steps: ReadonlyMap<string, PlannedStep>,
): { readonly plan: Plan; readonly digestInput: DigestInput } {
  const planned = [...steps.values()];
  const skipped = prepared.skipped.map(({ step, reason }) => ({
    shown: skippedStep(step, reason),
    entry: skippedEntry(step.address, reason),
  }));
  const shown = [...planned.map((step) => step.shown), ...skipped.map((step) => step.shown)];
  const left = skipped.map((step) => step.entry).sort((a, b) => compareText(a.address, b.address));
  const entries = [...planned.map((step) => step.entry), ...left];
  const undecided = shown.some((step) => step.change === 'unknown' && step.held === null);
  const { target, stacks, playbook } = prepared;
  const digestInput = { verb: verb === 'plan' ? 'apply' : verb, target, stacks, steps: entries };
  const plan: Plan = {
    format_version: FORMAT_VERSION,
    command: verb,
    mode: modeOf(planned),
    target,
    digest: undecided ? null : planDigest(digestInput),
    stack: stacks.length === 1 ? (stacks[0] ?? null) : null,
    stacks,
    playbook: { path: playbook.path, name: playbook.name, sha256: playbook.sha256 },
    summary: summarize(shown),
    steps: shown,
    batches: batchesOf(planned),
    diagnostics: [...prepared.diagnostics, ...undecidedNote(shown), ...rollbackNote(prepared, planned)],
  };
  return { plan, digestInput };
}

/** What a failure would undo is part of what is reviewed. */
function rollbackNote({ options, verb }: Prepared, planned: readonly PlannedStep[]): readonly Diagnostic[] {
  if (!options.rollback || verb === 'destroy' || verb === 'adopt') return [];
  const made = planned.filter(
    ({ provider, shown }) => provider?.recovery !== undefined && shown.change === 'create' && hasPendingWrite(shown),
  );
  return [...new Set(made.map(({ item }) => item.stack ?? UNSCOPED))]
    .sort()
    .map((stack) =>
      diagnostic(
        'ROLLBACK_ON_FAILURE',
        `Should a step of stack ${stack} fail for certain, what the run made there is deleted again, newest first.`,
        { hint: '--no-rollback keeps it' },
      ),
    );
}

function modeOf(steps: readonly PlannedStep[]): Plan['mode'] {
  const read = steps.filter((step) => step.provider !== null).length;
  return read === 0 ? 'offline' : read === steps.length ? 'live' : 'mixed';
}

function undecidedNote(steps: readonly PlanStep[]): readonly Diagnostic[] {
  const undecided = steps.filter((step) => step.change === 'unknown' && step.held === null);
  const count = undecided.length;
  if (count === 0) return [];
  const ways = new Set(undecided.flatMap(({ diagnostics: [why] }) => (why === undefined ? [] : [wayToRead(why)])));
  return [
    diagnostic(
      'UNDECIDED',
      `${count} step${count === 1 ? ' was' : 's were'} planned without reading the cloud, so this plan has no digest and can't be applied.`,
      { hint: [...(ways.size === 0 ? [wayToRead(null)] : ways), 'Then plan again.'].join(' ') },
    ),
  ];
}
