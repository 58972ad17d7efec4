import type { Diagnostic } from '../../core/diagnostics.ts';
import { planPlaybook } from '../../engine/plan.ts';
import type { PlanResult } from '../../engine/ports.ts';
import { renderPlan } from '../../views/human/plan.ts';
import { planDocument } from '../../views/json/plan.ts';
import { applyCommandFor } from '../apply-command.ts';
import type { CommandModule } from '../command.ts';
import { type ExitCode, exitOfPlan } from '../exit-codes.ts';
import { addExamples, addOutFlag, addOutputFlags } from '../flags.ts';
import { isSet } from '../options.ts';
import type { Result } from '../output.ts';
import { keepPlan, openPlaybook } from '../project.ts';
import { withOutput, withPorts } from '../workflow.ts';
import { addWorkflowFlags } from '../workflow-flags.ts';
import type { Workflow } from '../workflow-types.ts';

export const planCommand: CommandModule = {
  configure(command) {
    command.argument('<playbook>', 'the playbook');
    addWorkflowFlags(command)
      .option('--no-save', "don't keep the plan in .infra/plans")
      .option('--untrusted', "for a stranger's playbook: offline, and it sees none of your variables");
    addOutFlag(addOutputFlags(command));
    addExamples(command, [
      'infra plan org.yaml',
      'infra plan org.yaml --emulator --out json=plan.json',
      'infra plan org.yaml --offline --detailed-exitcode',
    ]);
  },

  run: (host, invocation) =>
    withOutput(host, 'plan', invocation, async (call) => {
      const trust = isSet(invocation.options, 'untrusted') ? 'untrusted' : 'trusted';
      const project = await openPlaybook(call, invocation.operands[0] ?? '', trust);
      return withPorts(call, project, plan);
    }),
};

async function plan(workflow: Workflow): Promise<ExitCode> {
  const { output, invocation, ports, request, project } = workflow;
  const result = withNotices(await planPlaybook(ports, request), project.notices);
  const saved = invocation.options['save'] !== false;
  if (saved) await keepPlan(project, result, workflow.host.now());
  await output.result(planResult(workflow, result, saved));
  return exitOfPlan(result.plan, isSet(invocation.options, 'detailedExitcode'), workflow.interruptedBy());
}

/** What there is to say about the playbook belongs to its plan. */
export function withNotices({ plan: shown, ...rest }: PlanResult, notices: readonly Diagnostic[]): PlanResult {
  return { ...rest, plan: { ...shown, diagnostics: [...notices, ...shown.diagnostics] } };
}

/** A plan as it is shown; `saved`: whether it can be applied by its digest alone. */
export function planResult(workflow: Workflow, { plan: shown }: PlanResult, saved: boolean): Result {
  const applyCommand = applyCommandFor(shown.command === 'plan' ? 'apply' : shown.command, workflow, saved);
  return {
    diagnostics: shown.diagnostics,
    human: (options) => renderPlan(shown, { ...options, applyCommand }),
    document: () => planDocument(shown),
  };
}
