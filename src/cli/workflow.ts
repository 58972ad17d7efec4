import { DiagnosticError } from '../core/diagnostics.ts';
import type { EngineEvent } from '../core/events.ts';
import type { PlanRequest, RunSettings } from '../engine/ports.ts';
import { withTimeLimit } from '../engine/time-limit.ts';
import type { Invocation } from './command.ts';
import { composePorts } from './composition.ts';
import { type ExitCode, exitOfDiagnostics } from './exit-codes.ts';
import { type OutputFlags, readOutputFlags } from './flags.ts';
import type { Host } from './host.ts';
import { openOutput } from './output.ts';
import { type Interrupts, listenForInterrupts } from './signals.ts';
import { VERSION } from './version.ts';
import { readWorkflowFlags } from './workflow-flags.ts';
import type { Project, Workflow, WorkflowCall, WorkflowCommand } from './workflow-types.ts';

const DEFAULT_PARALLELISM = 10;

/** Opens the output, and tells there whatever keeps the verb from running. */
export async function withOutput(
  host: Host,
  command: WorkflowCommand,
  invocation: Invocation,
  body: (call: WorkflowCall) => Promise<ExitCode>,
): Promise<ExitCode> {
  const output = await openOutput(host, outputFlagsOf(command, invocation), command);
  try {
    return await body({ host, command, invocation, flags: readWorkflowFlags(invocation.options), output });
  } catch (error) {
    if (!(error instanceof DiagnosticError)) throw error;
    await output.failure(error.diagnostics);
    return exitOfDiagnostics(error.diagnostics);
  }
}

/** The lines of exec are its result in every format. */
function outputFlagsOf(command: WorkflowCommand, { options }: Invocation): OutputFlags {
  const flags = readOutputFlags(options);
  return command === 'exec' && flags.format === 'ndjson' ? { ...flags, format: 'human' } : flags;
}

/** Composes what the verb needs of the world, runs it, and puts everything away again. */
export async function withPorts(
  call: WorkflowCall,
  project: Project,
  body: (workflow: Workflow) => Promise<ExitCode>,
): Promise<ExitCode> {
  const inFlight = new Set<string>();
  const interrupts = listenForInterrupts(call.host, call.command !== 'plan', () => [...inFlight]);
  const settings = settingsOf(call, project, interrupts);
  const emit = (event: EngineEvent): void => {
    if (event.type === 'step_start') inFlight.add(event.address);
    else if (event.type === 'step_outcome') inFlight.delete(event.step.address);
    call.output.emit(event);
  };
  const composition = await composePorts(call, project, emit, settings.abort);
  try {
    const request: PlanRequest = {
      verb: call.command === 'plan' ? 'plan' : 'apply',
      playbook: project.playbook,
      options: project.options,
      settings,
    };
    return await body({ ...call, project, ports: composition.ports, request, interruptedBy: interrupts.received });
  } finally {
    interrupts.dispose();
    await composition.close();
  }
}

function settingsOf({ host, flags }: WorkflowCall, project: Project, interrupts: Interrupts): RunSettings {
  return {
    parallelism: flags.parallelism ?? project.config.parallelism ?? DEFAULT_PARALLELISM,
    timeoutMs: flags.timeoutMs,
    failFast: flags.failFast,
    lockTimeoutMs: flags.lockTimeoutMs,
    actor: { user: flags.actor ?? host.user, host: host.hostname },
    version: VERSION,
    stop: interrupts.stop,
    abort: withTimeLimit(interrupts.abort, flags.timeoutMs),
  };
}
