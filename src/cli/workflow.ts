import { DiagnosticError } from '../core/diagnostics.ts';
import type { EngineEvent } from '../core/events.ts';
import type { PlanVerb } from '../core/plan.ts';
import type { PlanRequest, RunSettings } from '../engine/ports.ts';
import { withTimeLimit } from '../engine/time-limit.ts';
import type { Invocation } from './command.ts';
import { composePorts } from './composition.ts';
import { EXIT, type ExitCode, exitOfDiagnostics } from './exit-codes.ts';
import { type Format, type OutputFlags, REPORT_FORMATS, readOutputFlags } from './flags.ts';
import type { Host } from './host.ts';
import { type Output, openOutput } from './output.ts';
import type { Place } from './place.ts';
import { type Interrupts, listenForInterrupts } from './signals.ts';
import { withUnlockFlags } from './unlock-hint.ts';
import { VERSION } from './version.ts';
import { readWorkflowFlags } from './workflow-flags.ts';
import type { Project, VerbName, Workflow, WorkflowCall } from './workflow-types.ts';

const DEFAULT_PARALLELISM = 10;

/** Opens the output, and tells there whatever keeps the verb from running. */
export async function withOutput(
  host: Host,
  command: VerbName,
  invocation: Invocation,
  body: (call: WorkflowCall) => Promise<ExitCode>,
): Promise<ExitCode> {
  const output = await openOutput(host, outputFlagsOf(command, invocation), command);
  try {
    const flags = readWorkflowFlags(invocation.options);
    const deadline = withTimeLimit(new AbortController().signal, flags.timeoutMs);
    return written(await body({ host, command, invocation, flags, output, deadline }), output);
  } catch (thrown) {
    const error = withUnlockFlags(thrown, readWorkflowFlags(invocation.options), null, host.cwd);
    if (!(error instanceof DiagnosticError)) throw error;
    await output.failure(error.diagnostics);
    return written(exitOfDiagnostics(error.diagnostics), output);
  }
}

/** A result that could not be written is the only trouble that is left to tell of a run without any. */
function written(code: ExitCode, { unwritten }: Output): ExitCode {
  return code === EXIT.done && unwritten ? EXIT.provider : code;
}

const REPORTS: ReadonlySet<VerbName> = new Set<VerbName>(['drift', 'orphans']);

function formatsOf(command: VerbName): readonly Format[] | undefined {
  return REPORTS.has(command) ? REPORT_FORMATS : undefined;
}

/** The lines of exec are its result in every format. */
function outputFlagsOf(command: VerbName, { options }: Invocation): OutputFlags {
  const flags = readOutputFlags(options, formatsOf(command));
  return command === 'exec' && flags.format === 'ndjson' ? { ...flags, format: 'human' } : flags;
}

/** Composes what the verb needs of the world, runs it, and puts everything away again. */
export async function withPorts(
  call: WorkflowCall,
  project: Project,
  body: (workflow: Workflow) => Promise<ExitCode>,
): Promise<ExitCode> {
  const inFlight = new Set<string>();
  const interrupts = listenForInterrupts(call.host, project.mayWrite, () => [...inFlight]);
  const settings = settingsOf(call, project, interrupts);
  const emit = (event: EngineEvent): void => {
    if (event.type === 'step_start') inFlight.add(event.address);
    else if (event.type === 'step_outcome') inFlight.delete(event.step.address);
    call.output.emit(event);
  };
  const composition = await composePorts(call, project, emit, settings.abort);
  try {
    const request: PlanRequest = {
      verb: planVerbOf(call.command),
      playbook: project.playbook,
      options: project.options,
      settings,
    };
    return await body({ ...call, project, ports: composition.ports, request, interruptedBy: interrupts.received });
  } catch (error) {
    throw withUnlockFlags(error, call.flags, project.config.file, call.host.cwd);
  } finally {
    interrupts.dispose();
    await composition.close();
  }
}

function planVerbOf(command: VerbName): PlanVerb {
  return command === 'plan' || command === 'adopt' || command === 'destroy' ? command : 'apply';
}

/** How a run goes about it. */
export function settingsOf({ host, flags }: WorkflowCall, { config }: Place, interrupts: Interrupts): RunSettings {
  return {
    parallelism: flags.parallelism ?? config.parallelism ?? DEFAULT_PARALLELISM,
    timeoutMs: flags.timeoutMs,
    failFast: flags.failFast,
    lockTimeoutMs: flags.lockTimeoutMs,
    actor: { user: flags.actor ?? host.user, host: host.hostname },
    version: VERSION,
    stop: interrupts.stop,
    abort: withTimeLimit(interrupts.abort, flags.timeoutMs),
  };
}
