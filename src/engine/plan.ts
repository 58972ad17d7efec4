import { intend } from './intend.ts';
import { runPlan } from './plan-run.ts';
import type { EnginePorts, PlanRequest, PlanResult } from './ports.ts';
import { prepare } from './prepare.ts';

/**
 * Plans a playbook against the live cloud and the log. Writes nothing anywhere. Throws DiagnosticError where the
 * playbook can't be planned at all.
 */
export async function planPlaybook(ports: EnginePorts, request: PlanRequest): Promise<PlanResult> {
  const base = prepare(ports, request.playbook, request.options, request.verb);
  const log = await ports.log.read(base.target);
  const prepared = intend(ports, base, log.model);
  const { plan, digestInput } = await runPlan(ports, prepared, request.verb, log);
  return { plan: { ...plan, diagnostics: [...plan.diagnostics, ...log.diagnostics] }, digestInput };
}
