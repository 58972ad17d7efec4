import type { Diagnostic } from './diagnostics.ts';
import type { FORMAT_VERSION } from './plan.ts';

export type RecoverVerdict = 'found' | 'not_found' | 'unreadable' | 'conflict';

/** What became of one interrupted request. Keys are snake_case because they are printed so. */
export interface RecoverEntry {
  readonly urn: string;
  readonly address: string;
  /** The nonce of the request. */
  readonly operation_id: string;
  /** Null where it was closed by hand. */
  readonly verdict: RecoverVerdict | null;
  readonly resource_id: string | null;
  /** What to do, or how to look; null where nothing is left to do. */
  readonly hint: string | null;
}

export interface RecoverReport {
  readonly format_version: typeof FORMAT_VERSION;
  readonly command: 'recover';
  readonly target: string;
  readonly resolved: readonly RecoverEntry[];
  readonly unresolved: readonly RecoverEntry[];
  readonly rolled_back: readonly RecoverEntry[];
  readonly abandoned: readonly RecoverEntry[];
  readonly head: string | null;
  readonly diagnostics: readonly Diagnostic[];
}
