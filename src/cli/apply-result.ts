import type { Diagnostic } from '../core/diagnostics.ts';
import type { ApplyReport } from '../core/plan.ts';
import type { ApplyResult } from '../engine/ports.ts';
import { renderApply } from '../views/human/apply.ts';
import { applyDocument } from '../views/json/apply.ts';
import { applyCommandFor } from './apply-command.ts';
import { type ExitCode, exitOfApply, exitOfDiagnostics } from './exit-codes.ts';
import type { Addition } from './output.ts';
import type { Workflow } from './workflow-types.ts';

/** Tells what became of a confirmed plan; `more` is what a verb has to add to its report. */
export async function tellApplied(
  workflow: Workflow,
  result: ApplyResult,
  more: (report: ApplyReport) => Addition | null = () => null,
): Promise<ExitCode> {
  if (result.kind === 'refused') {
    const diagnostics = workflow.project.options.emulator ? result.diagnostics.map(mindEmulator) : result.diagnostics;
    await workflow.output.failure(diagnostics, result.differences);
    return exitOfDiagnostics(result.diagnostics, workflow.interruptedBy());
  }
  const report = { ...result.report, diagnostics: [...workflow.project.notices, ...result.report.diagnostics] };
  const verb = report.command === 'plan' ? 'apply' : report.command;
  const applyCommand = applyCommandFor(verb, workflow, true);
  const added = more(report);
  await workflow.output.result({
    diagnostics: report.diagnostics,
    human: (options) => renderApply(report, { ...options, applyCommand }) + (added?.human(options) ?? ''),
    document: () => ({ ...applyDocument(report), ...added?.document() }),
  });
  return exitOfApply(report, workflow.interruptedBy());
}

/** The emulator keeps the name that it was started with, whatever the playbook says since. */
function mindEmulator(item: Diagnostic): Diagnostic {
  if (item.code !== 'GUARD' || item.hint !== null || !/ is called ".*", but the guard pins /s.test(item.detail))
    return item;
  return { ...item, hint: 'infra emulator reset: the emulator still has the organisation of an earlier run' };
}
