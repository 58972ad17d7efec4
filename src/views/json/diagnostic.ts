import type { Diagnostic } from '../../core/diagnostics.ts';
import type { Difference } from '../../core/events.ts';
import { FORMAT_VERSION } from '../../core/plan.ts';

/** A diagnostic with all keys of the contract, in its order. */
export function diagnosticDocument(item: Diagnostic): object {
  return {
    code: item.code,
    severity: item.severity,
    summary: item.summary,
    detail: item.detail,
    address: item.address,
    urn: item.urn,
    source:
      item.source === null ? null : { file: item.source.file, line: item.source.line, column: item.source.column },
    hint: item.hint,
    operation: item.operation,
    retryable: item.retryable,
  };
}

/** The failure of any verb. `differences` is there where a confirmed plan no longer holds and the reviewed one is known. */
export function failureDocument(
  command: string,
  diagnostics: readonly Diagnostic[],
  differences: readonly Difference[] | null = null,
): object {
  return {
    format_version: FORMAT_VERSION,
    command,
    error: true,
    diagnostics: diagnostics.map(diagnosticDocument),
    ...(differences === null ? {} : { differences: differences.map(differenceDocument) }),
  };
}

export function differenceDocument({ address, field, then, now }: Difference): object {
  return { address, field, then, now };
}
