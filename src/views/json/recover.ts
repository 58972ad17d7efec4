import type { RecoverEntry, RecoverReport } from '../../core/recover-report.ts';
import { diagnosticDocument } from './diagnostic.ts';

function entryDocument({ urn, address, operation_id, verdict, resource_id, hint }: RecoverEntry): object {
  return { urn, address, operation_id, verdict, resource_id, hint };
}

/** The JSON of recover. */
export function recoverDocument(report: RecoverReport): object {
  return {
    format_version: report.format_version,
    command: report.command,
    target: report.target,
    resolved: report.resolved.map(entryDocument),
    unresolved: report.unresolved.map(entryDocument),
    rolled_back: report.rolled_back.map(entryDocument),
    abandoned: report.abandoned.map(entryDocument),
    head: report.head,
    diagnostics: report.diagnostics.map(diagnosticDocument),
  };
}
