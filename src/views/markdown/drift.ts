import type { Json } from '../../core/json.ts';
import { type DriftEntry, type DriftReport, hasDrift } from '../../core/reports.ts';
import { driftCounts } from '../human/drift.ts';
import { diagnosticItems } from './diagnostics.ts';
import { code, document, plain, table } from './escape.ts';

/** Drift for a pull request or an issue. */
export function driftMarkdown(report: DriftReport): string {
  const deviating = report.resources.filter((entry) => entry.drift !== 'in_sync');
  const counts = driftCounts(report);
  return document([
    `### ${hasDrift(report) ? 'Drift' : 'No drift'}${report.stack === null ? '' : ` in stack ${code(report.stack)}`}`,
    '',
    `On ${plain(report.target)}: ${counts === '' ? 'nothing is owned' : counts}.`,
    '',
    ...(deviating.length === 0 ? [] : table(['Resource', 'Stack', 'Verdict', 'What'], deviating.map(row))),
    '',
    ...diagnosticItems(report.diagnostics),
  ]);
}

function row(entry: DriftEntry): readonly string[] {
  return [code(entry.urn), plain(entry.stack), plain(entry.drift), detail(entry).join('<br>')];
}

function detail({ diff, why, purge_time, ignored, ignored_fields }: DriftEntry): readonly string[] {
  return [
    ...Object.entries(diff).map(
      ([field, { desired, actual }]) => `${code(field)}: desired ${code(text(desired))}, live ${code(text(actual))}`,
    ),
    ...(why === null ? [] : [plain(why)]),
    ...(purge_time === null ? [] : [`deleted; can be restored until ${plain(purge_time)}`]),
    ...(ignored === null
      ? Object.entries(ignored_fields).map(([field, reason]) => `${code(field)} is ignored: ${plain(reason)}`)
      : [`ignored: ${plain(ignored)}`]),
  ];
}

function text(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
