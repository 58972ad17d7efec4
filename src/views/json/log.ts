import type { Diagnostic } from '../../core/diagnostics.ts';
import { FORMAT_VERSION } from '../../core/plan.ts';
import type { HistoryEntry, OwnedReport } from '../../core/reports.ts';
import { diagnosticDocument } from './diagnostic.ts';
import { orphanDocument } from './orphans.ts';

/** The JSON of `log owned`: the contract's keys in its order. */
export function ownedDocument(report: OwnedReport): object {
  return {
    format_version: report.format_version,
    command: report.command,
    target: report.target,
    stack: report.stack,
    at: report.at,
    owned: report.owned.map((item) => ({
      urn: item.urn,
      stack: item.stack,
      resource_type: item.resource_type,
      provider: item.provider,
      resource_id: item.resource_id,
      ...orphanDocument(item),
    })),
    tombstoned: report.tombstoned,
    diagnostics: report.diagnostics.map(diagnosticDocument),
  };
}

/** What walking the chain found. */
export interface VerifyReport {
  readonly ok: boolean;
  readonly rows: number;
  /** Those among them that carry no seal. */
  readonly unsealed: number;
  readonly firstBad: { readonly line: number; readonly sequence: number | null; readonly why: string } | null;
  /** `<sequence>:<hash>`; null while the log is empty. */
  readonly head: string | null;
  /** Whether the head that was asked for is there; null where none was. */
  readonly headFound: boolean | null;
  readonly diagnostics: readonly Diagnostic[];
}

/** The JSON of `log verify`. */
export function verifyDocument(report: VerifyReport): object {
  const { firstBad } = report;
  return {
    format_version: FORMAT_VERSION,
    command: 'log verify',
    ok: report.ok,
    rows: report.rows,
    unsealed: report.unsealed,
    first_bad: firstBad === null ? null : { line: firstBad.line, sequence: firstBad.sequence, why: firstBad.why },
    head: report.head,
    head_found: report.headFound,
    diagnostics: report.diagnostics.map(diagnosticDocument),
  };
}

/** The JSON of `log show`. */
export function rowsDocument(entries: readonly HistoryEntry[]): object {
  return {
    format_version: FORMAT_VERSION,
    command: 'log show',
    rows: entries.map(({ json }) => json),
    diagnostics: [],
  };
}

/** The JSON of `why`. */
export function whyDocument(urn: string, entries: readonly HistoryEntry[]): object {
  return {
    format_version: FORMAT_VERSION,
    command: 'why',
    urn,
    history: entries.map(({ json }) => json),
    diagnostics: [],
  };
}
