import type { EnginePorts, ExecLine, ExecReport, PlanRequest } from './ports.ts';

/** Runs the steps one by one with the seed's own per-step semantics; each line is handed out as its step ends. */
export async function execPlaybook(_ports: EnginePorts, _request: PlanRequest, _onLine: (line: ExecLine) => void): Promise<ExecReport> {
  throw new Error('being written');
}
