import type { Diagnostic } from './diagnostics.ts';
import type { FORMAT_VERSION } from './plan.ts';

export type CheckStatus = 'ok' | 'warn' | 'fail' | 'skipped';

/** One thing that was looked at. */
export interface Check {
  readonly name: string;
  readonly status: CheckStatus;
  readonly detail: string;
}

export interface DoctorReport {
  readonly format_version: typeof FORMAT_VERSION;
  readonly command: 'doctor';
  readonly checks: readonly Check[];
  /** Of what failed, or deserves a warning. */
  readonly diagnostics: readonly Diagnostic[];
}
