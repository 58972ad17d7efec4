import type { Diagnostic } from './diagnostics.ts';
import type { FORMAT_VERSION } from './plan.ts';
import type { WriteChange } from './resource.ts';

/** What was last seen of the resource of a request, whatever the request was for. */
export type RecoverVerdict = 'found' | 'not_found' | 'unreadable' | 'conflict';

/** What became of one interrupted request. Keys are snake_case because they are printed so. */
export interface RecoverEntry {
  readonly urn: string;
  readonly address: string;
  /** The nonce of the request. */
  readonly operation_id: string;
  readonly verdict: RecoverVerdict;
  /** As the cloud calls what was found, or what the log knows to be gone; null where nobody knows. */
  readonly resource_id: string | null;
  /** What to do, or how to look; null where nothing is left to do. */
  readonly hint: string | null;
  /** What was asked for. Told in words; not a key of the JSON. */
  readonly operation: WriteChange;
  /** Whether what was asked for happened; null: not known. Not a key of the JSON. */
  readonly happened: boolean | null;
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
