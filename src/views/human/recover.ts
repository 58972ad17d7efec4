import type { RecoverEntry, RecoverReport, RecoverVerdict } from '../../core/recover-report.ts';
import { block, count, escapeText, hanging } from '../text.ts';
import { renderDiagnostics } from './diagnostics.ts';
import { targetWords } from './plan.ts';
import { type HumanOptions, type Ink, painter } from './style.ts';

const SETTLED: Readonly<Record<RecoverVerdict, string>> = {
  found: 'it happened, and is recorded',
  not_found: 'it had no effect, and is closed',
  unreadable: 'closed',
  conflict: 'closed',
};

const OPEN: Readonly<Record<RecoverVerdict, string>> = {
  found: 'it is there, but not as it was meant to be',
  not_found: 'nothing is to be seen of it, which proves nothing',
  unreadable: 'it could not be read',
  conflict: 'it is kept: it can be no proof, or something depends on it',
};

/** What became of interrupted requests, for a person. */
export function renderRecovery(report: RecoverReport, options: HumanOptions): string {
  const { resolved, unresolved, rolled_back, abandoned } = report;
  const diagnostics = renderDiagnostics(report.diagnostics, options);
  const gone = () => 'undone';
  const closed = () => 'closed by hand';
  return (
    block([
      `Recovery on ${targetWords(report.target)}`,
      '',
      ...section('Settled', 'add', resolved, ({ verdict }) => SETTLED[verdict ?? 'found'], options),
      ...section('Rolled back', 'remove', rolled_back, gone, options),
      ...section('Abandoned', 'warning', abandoned, closed, options),
      ...section('Still open', 'error', unresolved, ({ verdict }) => OPEN[verdict ?? 'unreadable'], options),
    ]) +
    (diagnostics === '' ? '' : `${diagnostics}\n`) +
    block([painter(options.color)('bold', `${summaryOf(report)}.`), `Log head: ${report.head ?? 'none'}`])
  );
}

function section(
  title: string,
  ink: Ink,
  entries: readonly RecoverEntry[],
  words: (entry: RecoverEntry) => string,
  options: HumanOptions,
): readonly string[] {
  if (entries.length === 0) return [];
  const heading = painter(options.color)(ink, `${title} (${entries.length})`);
  return [heading, ...entries.flatMap((entry) => entryLines(entry, words(entry), options)), ''];
}

function entryLines({ urn, address, resource_id, hint }: RecoverEntry, word: string, options: HumanOptions) {
  const id = resource_id === null ? '' : ` (${escapeText(resource_id)})`;
  return [
    `  ${escapeText(address)}  ${escapeText(urn)}`,
    ...hanging(`${word}${id}`, '      ', options.width),
    ...(hint === null ? [] : hanging(escapeText(hint), '      ', options.width)),
  ];
}

function summaryOf({ resolved, unresolved, rolled_back, abandoned }: RecoverReport): string {
  const counts = [
    ...(resolved.length === 0 ? [] : [`${resolved.length} settled`]),
    ...(rolled_back.length === 0 ? [] : [`${rolled_back.length} rolled back`]),
    ...(abandoned.length === 0 ? [] : [`${abandoned.length} abandoned`]),
    ...(unresolved.length === 0 ? [] : [`${count(unresolved.length, 'request')} still open`]),
  ];
  return counts.length === 0 ? 'Nothing is open' : counts.join(', ');
}
