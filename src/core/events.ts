import type { Diagnostic } from './diagnostics.ts';
import type { ProviderFact } from './facts.ts';
import type { ProviderResource } from './inventory.ts';
import type { AppliedStep, Outcome, PlanStep, PlanSummary } from './plan.ts';
import type { DriftEntry, OrphanEntry, OwnedEntry } from './reports.ts';

/** What happens while a verb runs; the views turn it into progress lines or NDJSON. */
export type EngineEvent =
  | { readonly type: 'plan_start'; readonly playbook: string; readonly steps: number }
  | { readonly type: 'step_planned'; readonly step: PlanStep }
  | { readonly type: 'plan_summary'; readonly summary: PlanSummary; readonly digest: string | null }
  | { readonly type: 'lock_acquired'; readonly stacks: readonly string[] }
  | {
      readonly type: 'step_start';
      readonly address: string;
      readonly action: string;
      readonly change: string;
      readonly urn: string | null;
    }
  | { readonly type: 'step_progress'; readonly address: string; readonly message: string }
  | { readonly type: 'operation'; readonly address: string; readonly operation: string; readonly attempt: number }
  | { readonly type: 'step_outcome'; readonly step: AppliedStep }
  | { readonly type: 'fact'; readonly provider_fact: ProviderFact }
  | {
      readonly type: 'diagnostic';
      readonly diagnostic: Diagnostic;
      /** What is other than the reviewed plan was, where that is why the run was refused. */
      readonly differences?: readonly Difference[];
    }
  | {
      readonly type: 'summary';
      readonly summary: Readonly<Record<Outcome, number>>;
      readonly execution_id: number;
    };

/** The events that only a stream of lines has: its first line, and the results of verbs that plan nothing. */
export type StreamEvent =
  | EngineEvent
  | { readonly type: 'version'; readonly infra: string; readonly format_version: string }
  | { readonly type: 'drift_result'; readonly resource: DriftEntry }
  | { readonly type: 'orphan_result'; readonly orphan: OrphanEntry }
  | { readonly type: 'owned_result'; readonly resource: OwnedEntry }
  | { readonly type: 'inventory_result'; readonly resource: ProviderResource }
  /** The playbook, as YAML. */
  | { readonly type: 'import_result'; readonly playbook: string }
  | { readonly type: 'summary'; readonly summary: Readonly<Record<string, number>> };

/** One thing that differs between the reviewed plan and what is now. */
export interface Difference {
  readonly address: string;
  readonly field: string;
  readonly then: string;
  readonly now: string;
}
