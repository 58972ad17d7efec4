import type { DriftEntry, DriftReport } from '../../core/reports.ts';
import { diagnosticDocument } from './diagnostic.ts';

/** One resource with the contract's keys in its order. */
export function driftEntryDocument(entry: DriftEntry): object {
  return {
    urn: entry.urn,
    stack: entry.stack,
    drift: entry.drift,
    fields: entry.fields,
    diff: entry.diff,
    desired: entry.desired,
    actual: entry.actual,
    why: entry.why,
    ignored: entry.ignored,
    ignored_fields: entry.ignored_fields,
    purge_time: entry.purge_time,
  };
}

/** The JSON of drift. */
export function driftDocument(report: DriftReport): object {
  const { in_sync, missing, modified, untracked, not_managed, unchecked, ignored } = report.summary;
  return {
    format_version: report.format_version,
    command: report.command,
    target: report.target,
    stack: report.stack,
    resources: report.resources.map(driftEntryDocument),
    summary: { in_sync, missing, modified, untracked, not_managed, unchecked, ignored },
    diagnostics: report.diagnostics.map(diagnosticDocument),
  };
}
