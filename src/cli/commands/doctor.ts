import { Option } from 'commander';
import { diagnostic } from '../../core/codes.ts';
import type { DoctorReport } from '../../core/doctor.ts';
import { FORMAT_VERSION } from '../../core/plan.ts';
import { renderDoctor } from '../../views/human/doctor.ts';
import { doctorDocument } from '../../views/json/doctor.ts';
import { authorityOf } from '../authority.ts';
import { loadAllCatalogues } from '../catalogues.ts';
import type { CommandModule } from '../command.ts';
import { checkCloud } from '../doctor-cloud.ts';
import { type Finding, failed, ok } from '../doctor-finding.ts';
import { checkLog } from '../doctor-log.ts';
import { type ExitCode, exitOfDiagnostics } from '../exit-codes.ts';
import { addExamples, addOutFlag, addOutputFlags, stackName } from '../flags.ts';
import { text } from '../options.ts';
import { locate } from '../place.ts';
import { withOutput } from '../workflow.ts';
import { addConfigFlag, addLogFlags, addReadingFlags } from '../workflow-flags.ts';
import type { WorkflowCall } from '../workflow-types.ts';

const OLDEST_NODE = 20;

/** Whether what a run needs is there. */
export const doctorCommand: CommandModule = {
  configure(command) {
    command
      .addOption(new Option('--provider <family>', 'only this cloud').choices(['google', 'yandex']))
      .option(
        '--from <scope>',
        'organizations/N, folders/N, projects/p, or the id of a Yandex folder: what may be done there',
      )
      .option('--folder <id>', 'a folder of Yandex Cloud')
      .option('--stack <stack>', 'whose credential is used (stacks.<stack> of your own config.yaml)', stackName);
    addConfigFlag(addReadingFlags(addLogFlags(command)));
    addOutFlag(addOutputFlags(command));
    addExamples(command, [
      'infra doctor',
      'infra doctor --provider google --credential admin --from organizations/123456789012',
      'infra doctor --provider yandex --stack gateway --format json',
    ]);
  },

  run: (host, invocation) => withOutput(host, 'doctor', invocation, doctor),
};

async function doctor(call: WorkflowCall): Promise<ExitCode> {
  const { host, flags, invocation, output } = call;
  await loadAllCatalogues();
  const place = await locate(host, flags, false);
  const { target } = authorityOf(flags, place, []);
  const only = text(invocation.options, 'provider');
  const providers = (['google', 'yandex'] as const).filter((name) => only === undefined || only === name);
  const findings: Finding[] = [checkNode(), ...(await checkLog(call, place, target))];
  for (const provider of providers) findings.push(...(await checkCloud(call, place, provider)));
  const report: DoctorReport = {
    format_version: FORMAT_VERSION,
    command: 'doctor',
    checks: findings.map(({ check }) => check),
    diagnostics: [...place.config.notices, ...findings.flatMap(({ why }) => (why === null ? [] : [why]))],
  };
  await output.result({
    diagnostics: report.diagnostics,
    human: (options) => renderDoctor(report, options),
    document: () => doctorDocument(report),
  });
  return exitOfDiagnostics(report.diagnostics);
}

function checkNode(): Finding {
  const { node } = process.versions;
  return Number.parseInt(node, 10) >= OLDEST_NODE
    ? ok('node', node)
    : failed('node', diagnostic('USAGE', `Node ${node} is older than ${OLDEST_NODE}.`));
}
