import type { OwnedReport } from '../../core/reports.ts';
import { block, count, escapeText } from '../text.ts';
import { renderDiagnostics } from './diagnostics.ts';
import { targetWords } from './plan.ts';
import { type HumanOptions, painter } from './style.ts';

/** What is owned, stack by stack. */
export function renderOwned(report: OwnedReport, options: HumanOptions): string {
  const stacks = [...new Set(report.owned.map(({ stack }) => stack))].sort();
  const diagnostics = renderDiagnostics(report.diagnostics, options);
  const when = report.at === null ? '' : ` at ${escapeText(report.at)}`;
  return (
    block([
      `Owned on ${targetWords(report.target)}${when}`,
      '',
      ...stacks.flatMap((stack) => stackLines(report, stack, options)),
    ]) +
    (diagnostics === '' ? '' : `${diagnostics}\n`) +
    block([`${count(report.owned.length, 'resource')} owned, ${report.tombstoned} deleted or given up.`])
  );
}

function stackLines({ owned }: OwnedReport, stack: string, options: HumanOptions): readonly string[] {
  const items = owned.filter((item) => item.stack === stack);
  const lines = items.flatMap((item) => {
    const facts = [
      ...(item.resource_id === null ? [] : [item.resource_id]),
      ...(item.since === null ? [] : [`since ${item.since}`]),
      ...(item.protected ? ['protected'] : []),
    ];
    return [`  ${escapeText(item.urn)}`, ...(facts.length === 0 ? [] : [`      ${escapeText(facts.join(', '))}`])];
  });
  return [painter(options.color)('bold', `Stack ${escapeText(stack)} (${items.length})`), ...lines, ''];
}
