import { type Code, diagnostic } from '../core/codes.ts';
import { DiagnosticError } from '../core/diagnostics.ts';

/** An error that carries one diagnostic. */
export function failure(code: Code, detail: string, hint: string | null = null): DiagnosticError {
  return new DiagnosticError([diagnostic(code, detail, { hint })]);
}

/** The system's code of a failed call (`ENOENT`), or null where the error is none of the system's. */
export function systemCode(error: unknown): string | null {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  return typeof code === 'string' ? code : null;
}

/** What the system said, for a detail: its code, else the message. */
export function reason(error: unknown): string {
  return systemCode(error) ?? (error instanceof Error ? error.message : String(error));
}
