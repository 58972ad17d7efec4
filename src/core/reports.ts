import type { Diagnostic } from './diagnostics.ts';
import type { ExecutionId, ProviderFact } from './facts.ts';
import type { ExactJson, Json } from './json.ts';
import type { FieldDiff, FORMAT_VERSION, Verdict } from './plan.ts';

/** How one resource stands against what was last desired of it. Keys are snake_case because they are printed so. */
export interface DriftEntry {
  readonly urn: string;
  readonly stack: string;
  readonly drift: Verdict;
  /** The fields that differ. */
  readonly fields: readonly string[];
  readonly diff: Readonly<Record<string, FieldDiff>>;
  readonly desired: Json;
  readonly actual: Json;
  /** Why it is unchecked. */
  readonly why: string | null;
  /** The reason given in infra.yaml where all that differs is ignored. */
  readonly ignored: string | null;
  /** The reasons of the fields that are ignored, be others not. */
  readonly ignored_fields: Readonly<Record<string, string>>;
  readonly purge_time: string | null;
}

export type DriftSummary = Readonly<Record<Verdict | 'ignored', number>>;

export interface DriftReport {
  readonly format_version: typeof FORMAT_VERSION;
  readonly command: 'drift';
  readonly target: string;
  readonly stack: string | null;
  readonly resources: readonly DriftEntry[];
  readonly summary: DriftSummary;
  readonly diagnostics: readonly Diagnostic[];
}

/** Whether drift asks for attention: anything but in sync or ignored. */
export function hasDrift(report: DriftReport): boolean {
  return report.resources.some((entry) => entry.drift !== 'in_sync' && entry.ignored === null);
}

export interface OrphanEntry {
  readonly urn: string;
  readonly stack: string;
  readonly resource_type: string;
  readonly last_desired: Json;
  readonly last_execution_id: ExecutionId;
  /** When the stack came to own it; null where the log's rows carry no time. */
  readonly since: string | null;
  readonly protected: boolean;
}

/** An IAM grant on a managed scope that no fact covers. */
export interface UncoveredGrant {
  readonly resource: string;
  readonly role: string;
  readonly member: string;
  readonly condition: Json;
}

export interface OrphansReport {
  readonly format_version: typeof FORMAT_VERSION;
  readonly command: 'orphans';
  readonly target: string;
  readonly stack: string;
  readonly orphans: readonly OrphanEntry[];
  readonly conflicts: readonly { readonly urn: string; readonly stacks: readonly string[] }[];
  /** Owned URNs of one resource, with the cloud's id of it, else what its URN calls it. */
  readonly aliases: readonly { readonly resource_id: string; readonly urns: readonly string[] }[];
  readonly grants: readonly UncoveredGrant[];
  readonly diagnostics: readonly Diagnostic[];
}

/** What is owned, at a time or now. */
export interface OwnedEntry extends OrphanEntry {
  readonly provider: string;
  readonly resource_id: string | null;
}

export interface OwnedReport {
  readonly format_version: typeof FORMAT_VERSION;
  readonly command: 'log owned';
  readonly target: string;
  readonly stack: string | null;
  /** RFC 3339; null: now. */
  readonly at: string | null;
  readonly owned: readonly OwnedEntry[];
  /** How many were given up or deleted. */
  readonly tombstoned: number;
  readonly diagnostics: readonly Diagnostic[];
}

/** A row of the log, for those who show it. */
export interface HistoryEntry {
  readonly sequence: number | null;
  readonly recordedAt: string | null;
  readonly actor: string | null;
  readonly item:
    | { readonly kind: 'fact'; readonly fact: ProviderFact }
    | { readonly kind: 'intent'; readonly urn: string; readonly address: string; readonly operation: string }
    | {
        readonly kind: 'outcome';
        readonly intentSequence: number;
        readonly status: string;
        readonly code: string | null;
        readonly operationName: string | null;
      }
    | { readonly kind: 'other'; readonly type: string };
  /** The whole row as it stands in the log. */
  readonly json: ExactJson;
}
