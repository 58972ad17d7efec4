import { diagnostic } from '../core/codes.ts';
import { type Diagnostic, DiagnosticError } from '../core/diagnostics.ts';
import type { RowBody, RowContext } from '../eventlog/event-log.ts';
import type { EnginePorts } from './ports.ts';

/** Appends durably; the diagnostic of what went wrong, or null. */
export async function tryAppend(
  ports: EnginePorts,
  context: RowContext,
  rows: readonly RowBody[],
): Promise<Diagnostic | null> {
  try {
    if (rows.length > 0) await ports.log.append(context, rows);
    return null;
  } catch (error) {
    return logProblemOf(error);
  }
}

/** What went wrong with the log; anything else is thrown on. */
export function logProblemOf(error: unknown): Diagnostic {
  if (!(error instanceof DiagnosticError)) throw error;
  return error.diagnostics[0] ?? diagnostic('LOG_WRITE', 'the event log could not be written.');
}
