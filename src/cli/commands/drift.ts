import { type DriftReport, hasDrift } from '../../core/reports.ts';
import { findDrift } from '../../engine/drift.ts';
import { DEFAULT_OPTIONS } from '../../engine/ports.ts';
import { renderDrift } from '../../views/human/drift.ts';
import { driftDocument } from '../../views/json/drift.ts';
import { driftMarkdown } from '../../views/markdown/drift.ts';
import { loadAllCatalogues } from '../catalogues.ts';
import type { CommandModule } from '../command.ts';
import { EXIT, type ExitCode, exitOfDiagnostics, strongest } from '../exit-codes.ts';
import { addExamples, addOutFlag, addOutputFlags, collect, REPORT_FORMATS, stackName } from '../flags.ts';
import { authorityAt } from '../other-targets.ts';
import { locate } from '../place.ts';
import { openPlaybook } from '../project.ts';
import { withLogs, withReaders } from '../reading.ts';
import { withOutput } from '../workflow.ts';
import { addConfigFlag, addLogFlags, addPlaybookReadingFlags, addWorkloadFlags } from '../workflow-flags.ts';
import type { WorkflowCall } from '../workflow-types.ts';

/** What the log says is owned, against what is live. */
export const driftCommand: CommandModule = {
  configure(command) {
    command
      .argument('[playbook]', 'a playbook whose auth is used, and whose unowned resources are looked at, too')
      .option('--stack <stack>', 'only what this stack owns', stackName)
      .option('--target <address>', 'only this URN, or this address or step of the playbook (repeatable)', collect)
      .option('--step <address>', 'the same as --target', collect)
      .option('--exclude <address>', 'not this URN, address or step (repeatable)', collect);
    addConfigFlag(addPlaybookReadingFlags(addLogFlags(addWorkloadFlags(command))));
    addOutFlag(addOutputFlags(command, REPORT_FORMATS));
    addExamples(command, [
      'infra drift org.yaml',
      'infra drift --stack prod --credential reader --format json',
      'infra drift org.yaml --out markdown=drift.md',
    ]);
  },

  run: (host, invocation) => withOutput(host, 'drift', invocation, drift),
};

async function drift(call: WorkflowCall): Promise<ExitCode> {
  const { host, flags, output, invocation } = call;
  const path = invocation.operands[0] ?? null;
  const catalogues = await loadAllCatalogues();
  const project = path === null ? null : await openPlaybook(call, path, 'trusted');
  const projects = project === null ? [] : [project];
  const place = project ?? (await locate(host, flags, false));
  const found = await withLogs(call, place, async ({ log }) => {
    const { authority, state } = await authorityAt(call, place, project, (target) => log.read(target));
    const { authOf, target } = authority;
    const found = await withReaders(call, place, projects, (readers) =>
      findDrift({
        state,
        catalogues,
        readers,
        target,
        stack: flags.stack,
        targets: flags.targets,
        excludes: flags.excludes,
        playbook: project?.playbook ?? null,
        options: project?.options ?? { ...DEFAULT_OPTIONS, emulator: flags.emulator },
        authOf,
        ignores: place.config.ignore,
        now: host.now(),
        onResult: (resource) => output.stream({ type: 'drift_result', resource }),
      }),
    );
    return found;
  });
  const notices = project?.notices ?? place.config.notices;
  const report: DriftReport = { ...found, diagnostics: [...notices, ...found.diagnostics] };
  output.stream({ type: 'summary', summary: report.summary });
  await output.result({
    diagnostics: report.diagnostics,
    human: (options) => renderDrift(report, options),
    document: () => driftDocument(report),
    markdown: () => driftMarkdown(report),
  });
  return strongest([exitOfDiagnostics(report.diagnostics), hasDrift(report) ? EXIT.pending : EXIT.done]);
}
