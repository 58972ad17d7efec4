import type { Diagnostic } from '../../core/diagnostics.ts';
import { diagnosticItems } from './diagnostics.ts';
import { code, document } from './escape.ts';

/** The failure of a verb. */
export function failureMarkdown(command: string, diagnostics: readonly Diagnostic[]): string {
  return document([`### ${code(`infra ${command}`)} failed`, '', ...diagnosticItems(diagnostics)]);
}
