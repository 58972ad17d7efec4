import type { Diagnostic } from '../core/diagnostics.ts';
import type { Check } from '../core/doctor.ts';

/** A check, and the diagnostic behind it where there is one. */
export interface Finding {
  readonly check: Check;
  readonly why: Diagnostic | null;
}

export function ok(name: string, detail: string): Finding {
  return { check: { name, status: 'ok', detail }, why: null };
}

export function skipped(name: string, detail: string): Finding {
  return { check: { name, status: 'skipped', detail }, why: null };
}

export function warned(name: string, why: Diagnostic): Finding {
  return { check: { name, status: 'warn', detail: textOf(why) }, why: { ...why, severity: 'warning' } };
}

export function failed(name: string, why: Diagnostic): Finding {
  return { check: { name, status: 'fail', detail: textOf(why) }, why: { ...why, severity: 'error' } };
}

function textOf({ code, detail, hint }: Diagnostic): string {
  return `${code}: ${detail}${hint === null ? '' : ` (${hint})`}`;
}
