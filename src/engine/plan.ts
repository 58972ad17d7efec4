import { diagnostic } from '../core/codes.ts';
import type { Diagnostic } from '../core/diagnostics.ts';
import type { Plan } from '../core/plan.ts';
import type { OpenIntent } from '../eventlog/event-log.ts';
import { intendKnowing } from './intend.ts';
import { checkFiles } from './local-files.ts';
import { runPlan } from './plan-run.ts';
import type { EnginePorts, PlanRequest, PlanResult } from './ports.ts';
import { prepare } from './prepare.ts';

/**
 * Plans a playbook against the live cloud and the log. Writes nothing anywhere. Throws DiagnosticError where the
 * playbook can't be planned at all.
 */
export async function planPlaybook(ports: EnginePorts, request: PlanRequest): Promise<PlanResult> {
  const base = prepare(ports, request.playbook, request.options, request.verb);
  const files = await checkFiles(ports, base);
  const log = await ports.log.read(base.target);
  const { prepared, known } = await intendKnowing(ports, base, log);
  const { plan, digestInput } = await runPlan(ports, prepared, request.verb, { ...log, ...known });
  const diagnostics = [...plan.diagnostics, ...files, ...openElsewhere(log.openIntents, plan), ...log.diagnostics];
  return { plan: { ...plan, diagnostics }, digestInput };
}

/** Interrupted requests of what this playbook does not declare: nothing here waits for them, but they are to be settled. */
function openElsewhere(open: readonly OpenIntent[], plan: Plan): readonly Diagnostic[] {
  const declared = new Set(plan.steps.map(({ urn }) => urn));
  return open
    .filter(({ intent }) => !declared.has(intent.urn))
    .map(({ intent }) => {
      const detail = `an earlier run was interrupted after it set out to ${intent.operation} ${intent.urn}, which this playbook does not declare.`;
      return diagnostic('OPEN_INTENT', detail, { urn: intent.urn, hint: 'infra recover' });
    });
}
