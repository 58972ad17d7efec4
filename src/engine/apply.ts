import type { ApplyRequest, ApplyResult, EnginePorts } from './ports.ts';

/** Re-plans, compares digests and applies what was confirmed. */
export async function applyPlaybook(_ports: EnginePorts, _request: ApplyRequest): Promise<ApplyResult> {
  throw new Error('being written');
}
