import { execPlaybook } from '../../engine/exec.ts';
import { jsonLine } from '../../views/json/render.ts';
import type { CommandModule } from '../command.ts';
import { type ExitCode, exitOfExec } from '../exit-codes.ts';
import { addExamples, addOutFlag, addOutputFlags } from '../flags.ts';
import { openPlaybook } from '../project.ts';
import { withOutput, withPorts } from '../workflow.ts';
import { addWorkflowFlags } from '../workflow-flags.ts';
import type { Workflow } from '../workflow-types.ts';

export const execCommand: CommandModule = {
  configure(command) {
    command.argument('<playbook>', 'the playbook');
    addOutFlag(addOutputFlags(addWorkflowFlags(command)));
    addExamples(command, ['infra exec steps.yaml', 'infra exec steps.yaml --set action=apply']);
  },

  run: (host, invocation) =>
    withOutput(host, 'exec', invocation, async (call) => {
      const project = await openPlaybook(call, invocation.operands[0] ?? '', 'trusted');
      return withPorts(call, project, exec);
    }),
};

async function exec({ ports, request, output, project, interruptedBy }: Workflow): Promise<ExitCode> {
  const report = await execPlaybook(ports, request, (line) => output.write(jsonLine(line)));
  await output.keep(() => report.lines.map(jsonLine).join(''));
  output.log.diagnostics([...project.notices, ...report.diagnostics]);
  return exitOfExec(report, interruptedBy());
}
