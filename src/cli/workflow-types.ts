import type { Diagnostic } from '../core/diagnostics.ts';
import type { Playbook } from '../core/step.ts';
import type { EnginePorts, PlanRequest, VerbOptions } from '../engine/ports.ts';
import type { PlanSource } from '../engine/stored-plan.ts';
import type { Invocation } from './command.ts';
import type { Host, SignalName } from './host.ts';
import type { Output } from './output.ts';
import type { Place } from './place.ts';
import type { WorkflowFlags } from './workflow-flags.ts';

/** Verbs that load playbooks, or look into the log or the cloud. */
export type VerbName =
  | 'plan'
  | 'apply'
  | 'exec'
  | 'adopt'
  | 'destroy'
  | 'drift'
  | 'orphans'
  | 'forget'
  | 'recover'
  | 'doctor'
  | 'log show'
  | 'log verify'
  | 'log owned'
  | 'why'
  | 'inventory'
  | 'import';

/** A verb before anything is opened. */
export interface WorkflowCall {
  readonly host: Host;
  readonly command: VerbName;
  readonly invocation: Invocation;
  readonly flags: WorkflowFlags;
  readonly output: Output;
  /** Aborts when the time that --timeout gives the whole run is over; without it, never. */
  readonly deadline: AbortSignal;
}

/** A playbook that was read, with all that the caller and infra.yaml say about it. */
export interface Project extends Place {
  readonly playbook: Playbook;
  readonly source: PlanSource;
  readonly options: VerbOptions;
  /** Whether the run may change the cloud. */
  readonly mayWrite: boolean;
  /** Warnings and notes about the playbook and its surroundings; they belong to the result. */
  readonly notices: readonly Diagnostic[];
}

/** A verb over a playbook with all it needs. */
export interface Workflow extends WorkflowCall {
  readonly project: Project;
  readonly ports: EnginePorts;
  readonly request: PlanRequest;
  /** The signal that interrupted the run, if one did. */
  interruptedBy(): SignalName | null;
}
