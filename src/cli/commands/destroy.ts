import type { CommandModule } from '../command.ts';
import { runConfirmed, type VerbView } from '../confirmed-verb.ts';
import { EXIT } from '../exit-codes.ts';
import { addExamples, addOutFlag, addOutputFlags, digest } from '../flags.ts';
import { withOutput } from '../workflow.ts';
import { addWorkflowFlags } from '../workflow-flags.ts';

/** Deletes what the playbook ensures and the stack made or adopted; what is protected stays. */
export const destroyCommand: CommandModule = {
  configure(command) {
    command
      .argument('<playbook>', 'the playbook whose resources are to go')
      .option('--confirm <digest>', 'the digest of the reviewed destruction', digest);
    addWorkflowFlags(command).option('--no-save', "don't keep the plan in .infra/plans");
    addOutFlag(addOutputFlags(command));
    addExamples(command, ['infra destroy org.yaml', 'infra destroy org.yaml --confirm <digest>']);
  },

  run: (host, invocation) => withOutput(host, 'destroy', invocation, (call) => runConfirmed(call, VIEW)),
};

/** What is kept is held, and counts as that. */
const VIEW: VerbView = { exitOfPlan: () => EXIT.done, exitOfReport: () => EXIT.done, more: () => null };
