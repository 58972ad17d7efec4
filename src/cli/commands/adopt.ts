import type { ApplyReport, Plan, PlanStep } from '../../core/plan.ts';
import { acceptedLines } from '../../engine/accepted-lines.ts';
import { renderAcceptedLines } from '../../views/human/accepted-lines.ts';
import { CATALOGUES } from '../catalogues.ts';
import type { CommandModule } from '../command.ts';
import { runConfirmed, type VerbView } from '../confirmed-verb.ts';
import { EXIT } from '../exit-codes.ts';
import { addExamples, addOutFlag, addOutputFlags, digest } from '../flags.ts';
import type { Addition } from '../output.ts';
import { withOutput } from '../workflow.ts';
import { addWorkflowFlags } from '../workflow-flags.ts';
import type { Workflow } from '../workflow-types.ts';

/** Accepts what is live as what is desired. Sends reads only. */
export const adoptCommand: CommandModule = {
  configure(command) {
    command
      .argument('<playbook>', 'the playbook; every selected ensure step is taken as reconcile: adopt')
      .option('--confirm <digest>', 'the digest of the reviewed adoption', digest);
    addWorkflowFlags(command).option('--no-save', "don't keep the plan in .infra/plans");
    addOutFlag(addOutputFlags(command));
    addExamples(command, [
      'infra adopt org.yaml',
      'infra adopt org.yaml --target shared_folder --confirm <digest>',
      'infra adopt org.yaml --take-over old-stack',
    ]);
  },

  run: (host, invocation) => withOutput(host, 'adopt', invocation, (call) => runConfirmed(call, VIEW)),
};

const VIEW: VerbView = {
  exitOfPlan: (plan, detailed) => {
    const absent = plan.steps.filter(isAbsent);
    // One alone is a refusal; among others it is something left to be done.
    if (absent.some((step) => step.change === 'blocked')) return EXIT.refused;
    return detailed && absent.length > 0 ? EXIT.pending : EXIT.done;
  },
  exitOfReport: ({ steps }) => (steps.some(isAbsent) ? EXIT.pending : EXIT.done),
  more: differing,
};

function isAbsent(step: PlanStep): boolean {
  return step.diagnostics.some(({ code }) => code === 'ADOPT_ABSENT');
}

/** Which lines of the playbook now differ from what is accepted. */
function differing({ project }: Workflow, shown: Plan | ApplyReport): Addition {
  const adopted = shown.steps.filter((step) =>
    'outcome' in step ? step.outcome === 'adopted' : step.change === 'adopt',
  );
  const lines = acceptedLines(project.playbook, adopted, CATALOGUES);
  return { human: () => renderAcceptedLines(lines), document: () => ({ differs: lines }) };
}
