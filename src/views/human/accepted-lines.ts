import type { SourcePosition } from '../../core/diagnostics.ts';
import type { Json } from '../../core/json.ts';
import { block, escapeText } from '../text.ts';
import { position } from './diagnostics.ts';
import { valueText } from './values.ts';

interface Line {
  readonly address: string;
  readonly field: string;
  readonly source: SourcePosition;
  readonly declared: Json;
  readonly accepted: Json;
}

/** The lines of a playbook that differ from what is accepted; the empty text where none does. */
export function renderAcceptedLines(lines: readonly Line[]): string {
  if (lines.length === 0) return '';
  const told = lines.flatMap(({ address, field, source, declared, accepted }) => [
    `  ${position(source)}  ${escapeText(address)}: ${escapeText(field)} is ${valueText(accepted)} live, and ${valueText(declared)} here`,
  ]);
  return block(['', 'The playbook differs from what is live in these lines; an apply would change it back:', ...told]);
}
