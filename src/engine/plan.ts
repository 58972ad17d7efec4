import type { Plan } from '../core/plan.ts';
import type { EnginePorts, PlanRequest } from './ports.ts';

/** Plans a playbook against the live cloud. Writes nothing anywhere. */
export async function planPlaybook(_ports: EnginePorts, _request: PlanRequest): Promise<Plan> {
  throw new Error('being written');
}
