import { diagnostic } from '../../core/codes.ts';
import { type Diagnostic, DiagnosticError } from '../../core/diagnostics.ts';
import { hasChanges, isPending, type Plan } from '../../core/plan.ts';
import { applyPlaybook } from '../../engine/apply.ts';
import { planPlaybook } from '../../engine/plan.ts';
import type { PlanResult } from '../../engine/ports.ts';
import { tellApplied } from '../apply-result.ts';
import type { CommandModule } from '../command.ts';
import { EXIT, type ExitCode, exitOfDiagnostics, exitOfPlan, interruptedBy, strongest } from '../exit-codes.ts';
import { addExamples, addOutFlag, addOutputFlags, digest, duration } from '../flags.ts';
import { number, text } from '../options.ts';
import { keepPlan, openPlaybook, openStoredPlan, reviewedPlan } from '../project.ts';
import { withOutput, withPorts } from '../workflow.ts';
import { addWorkflowFlags } from '../workflow-flags.ts';
import type { Workflow, WorkflowCall } from '../workflow-types.ts';
import { planResult, withNotices } from './plan.ts';

export const applyCommand: CommandModule = {
  configure(command) {
    command
      .argument('[playbook]', 'the playbook; without one the stored plan of the digest is applied')
      .option('--confirm <digest>', 'the digest of the reviewed plan', digest);
    addWorkflowFlags(command).option('--max-age <duration>', 'refuse a plan that was made longer ago', duration);
    addOutFlag(addOutputFlags(command));
    addExamples(command, [
      'infra apply --confirm <digest>',
      'infra apply org.yaml --confirm <digest>',
      'infra apply org.yaml',
    ]);
  },

  run: (host, invocation) =>
    withOutput(host, 'apply', invocation, async (call) => {
      const confirm = text(invocation.options, 'confirm') ?? null;
      const playbook = invocation.operands[0] ?? null;
      checkRequest(call, playbook, confirm);
      const project =
        playbook === null ? await openStoredPlan(call, confirm ?? '') : await openPlaybook(call, playbook, 'trusted');
      return withPorts(call, project, (workflow) =>
        confirm === null ? askAndApply(workflow) : applyReviewed(workflow, confirm),
      );
    }),
};

/** What can be refused without looking at anything. */
function checkRequest({ host, flags }: WorkflowCall, playbook: string | null, confirm: string | null): void {
  const askable = host.stdinIsTTY && host.stderr.isTTY;
  if (confirm === null && (playbook === null || !askable)) {
    const hint =
      playbook === null ? 'infra apply --confirm <digest>' : 'run infra plan, review it, and confirm its digest';
    throw refuse(
      'CONFIRM_REQUIRED',
      'An apply without --confirm needs a terminal to ask on, and a playbook to ask about.',
      hint,
    );
  }
  if (flags.offline)
    throw refuse(
      'USAGE',
      '--offline: nothing can be applied without a network.',
      'infra plan --offline shows what can be said offline',
    );
}

async function applyReviewed(workflow: Workflow, confirm: string): Promise<ExitCode> {
  const reviewed = await reviewedPlan(workflow.project, confirm);
  const maxAge = number(workflow.invocation.options, 'maxAge');
  if (maxAge !== undefined) checkAge(reviewed?.savedAt ?? null, maxAge, workflow.host.now());
  return confirmed(workflow, confirm, reviewed);
}

function checkAge(savedAt: string | null, maxAge: number, now: number): void {
  if (savedAt === null)
    throw refuse(
      'PLAN_TOO_OLD',
      'The plan is not in the plan store, so nothing tells how old it is.',
      'plan again without --no-save',
    );
  const age = now - Date.parse(savedAt);
  if (!(age <= maxAge))
    throw refuse(
      'PLAN_TOO_OLD',
      `The plan was made at ${savedAt}, longer ago than --max-age allows.`,
      'plan again and review the new plan',
    );
}

/** On a terminal without a digest: shows the plan, asks, and applies only what was shown. */
async function askAndApply(workflow: Workflow): Promise<ExitCode> {
  const result = withNotices(await planPlaybook(workflow.ports, workflow.request), workflow.project.notices);
  const { plan } = result;
  workflow.output.preview(planResult(workflow, result, false));
  if (plan.digest === null) return fail(workflow, undecided(plan));
  if (!hasChanges(plan)) return exitOfPlan(plan, false);
  if (plan.steps.some(isPending) && !(await agreed(workflow))) {
    workflow.output.log.note('Nothing was changed.');
    return strongest([EXIT.declined, interruptedBy(workflow.interruptedBy())]);
  }
  return confirmed(workflow, plan.digest, result);
}

async function agreed({ host, request }: Workflow): Promise<boolean> {
  const answer = await host.ask('Apply exactly this? Only "yes" is accepted: ', request.settings.stop);
  if (answer === null) host.stderr.write('\n');
  return answer?.trim() === 'yes';
}

async function confirmed(workflow: Workflow, confirm: string, reviewed: PlanResult | null): Promise<ExitCode> {
  const { project, ports, request } = workflow;
  const result = await applyPlaybook(ports, {
    ...request,
    confirm,
    reviewed,
    keepPlan: (plan) => keepPlan(project, plan, workflow.host.now()),
  });
  return tellApplied(workflow, result);
}

/** Why a plan has no digest, step by step. */
function undecided(plan: Plan): readonly Diagnostic[] {
  return plan.steps
    .filter((step) => step.change === 'unknown' && step.held === null)
    .map((step) => {
      const why =
        step.diagnostics[0] ??
        diagnostic('AUTH_REQUIRED', 'The step has no usable auth.', { address: step.address, source: step.source });
      return { ...why, severity: 'error' };
    });
}

async function fail(workflow: Workflow, diagnostics: readonly Diagnostic[]): Promise<ExitCode> {
  await workflow.output.failure(diagnostics);
  return exitOfDiagnostics(diagnostics);
}

function refuse(code: 'CONFIRM_REQUIRED' | 'USAGE' | 'PLAN_TOO_OLD', detail: string, hint: string): DiagnosticError {
  return new DiagnosticError([diagnostic(code, detail, { hint })]);
}
