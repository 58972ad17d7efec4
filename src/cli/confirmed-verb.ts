import { diagnostic } from '../core/codes.ts';
import { DiagnosticError } from '../core/diagnostics.ts';
import type { ApplyReport, Plan } from '../core/plan.ts';
import { applyPlaybook } from '../engine/apply.ts';
import { planPlaybook } from '../engine/plan.ts';
import { tellApplied } from './apply-result.ts';
import { planResult, withNotices } from './commands/plan.ts';
import { type ExitCode, exitOfPlan, strongest } from './exit-codes.ts';
import { isSet, text } from './options.ts';
import type { Addition } from './output.ts';
import { keepPlan, openPlaybook, reviewedPlan } from './project.ts';
import { withPorts } from './workflow.ts';
import type { Workflow, WorkflowCall } from './workflow-types.ts';

/** What a verb of its own has to say about a plan or a report, and which exit code comes of it. */
export interface VerbView {
  /** `detailed`: the caller asked for exit 2 where something is pending. */
  exitOfPlan(plan: Plan, detailed: boolean): ExitCode;
  exitOfReport(report: ApplyReport): ExitCode;
  more(workflow: Workflow, shown: Plan | ApplyReport): Addition | null;
}

/** `adopt` and `destroy`: without `--confirm` the plan and its digest; with it what was reviewed, and nothing else. */
export async function runConfirmed(call: WorkflowCall, view: VerbView): Promise<ExitCode> {
  if (call.flags.offline)
    throw new DiagnosticError([
      diagnostic('USAGE', `--offline: infra ${call.command} is decided on what is live, so it has to read.`),
    ]);
  const confirm = text(call.invocation.options, 'confirm') ?? null;
  const project = await openPlaybook(call, call.invocation.operands[0] ?? '', 'trusted');
  return withPorts(call, project, (workflow) =>
    confirm === null ? preview(workflow, view) : carryOut(workflow, confirm, view),
  );
}

async function preview(workflow: Workflow, view: VerbView): Promise<ExitCode> {
  const { output, invocation, ports, request, project } = workflow;
  const result = withNotices(await planPlaybook(ports, request), project.notices);
  const saved = invocation.options['save'] !== false;
  if (saved) await keepPlan(project, result, workflow.host.now());
  const shown = planResult(workflow, result, saved);
  const added = view.more(workflow, result.plan);
  await output.result({
    ...shown,
    human: (options) => shown.human(options) + (added?.human(options) ?? ''),
    document: () => ({ ...shown.document(), ...added?.document() }),
  });
  const detailed = isSet(invocation.options, 'detailedExitcode');
  const signal = workflow.interruptedBy();
  return strongest([exitOfPlan(result.plan, detailed, signal), view.exitOfPlan(result.plan, detailed)]);
}

async function carryOut(workflow: Workflow, confirm: string, view: VerbView): Promise<ExitCode> {
  const { project, ports, request } = workflow;
  const result = await applyPlaybook(ports, {
    ...request,
    confirm,
    reviewed: await reviewedPlan(project, confirm),
    keepPlan: (plan) => keepPlan(project, plan, workflow.host.now()),
  });
  const code = await tellApplied(workflow, result, (report) => view.more(workflow, report));
  return result.kind === 'applied' ? strongest([code, view.exitOfReport(result.report)]) : code;
}
