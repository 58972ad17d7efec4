import type { Diagnostic } from '../../core/diagnostics.ts';
import { sortDiagnostics } from '../human/diagnostics.ts';
import { code, plain } from './escape.ts';

const MARKS = { error: '❌', warning: '⚠️', note: 'ℹ️' } as const;

/** A list entry each, the most severe first. */
export function diagnosticItems(diagnostics: readonly Diagnostic[]): readonly string[] {
  return sortDiagnostics(diagnostics).map((item) => {
    const place = item.source === null ? null : `${item.source.file}:${item.source.line}:${item.source.column}`;
    const subject = place ?? item.address ?? item.urn;
    const where = subject === null ? '' : ` at ${code(subject)}`;
    const detail = item.detail === '' ? '' : `: ${plain(item.detail)}`;
    const hint = item.hint === null ? '' : ` Hint: ${plain(item.hint)}`;
    return `- ${MARKS[item.severity]} ${code(item.code)} ${plain(item.summary)}${where}${detail}${hint}`;
  });
}
