import type { RecoverEntry, RecoverReport, RecoverVerdict } from '../../core/recover-report.ts';
import { block, count, escapeText, hanging } from '../text.ts';
import { renderDiagnostics } from './diagnostics.ts';
import { targetWords } from './plan.ts';
import { type HumanOptions, type Ink, painter } from './style.ts';

function settledWords({ operation, happened }: RecoverEntry): string {
  if (operation === 'delete') return happened === true ? 'it is gone, which is recorded' : 'it was not deleted: closed';
  if (happened === true) return 'it happened, and is recorded';
  return operation === 'create' ? 'it had no effect, and is closed' : 'it did not happen, or not in all: closed';
}

const LAST_SEEN: Readonly<Record<RecoverVerdict, string>> = {
  found: 'closed by hand, though it is there',
  not_found: 'closed by hand; nothing is to be seen of it',
  unreadable: 'closed by hand, unread',
  conflict: 'closed by hand; its labels are contradictory',
};

const OPEN: Readonly<Record<RecoverVerdict, string>> = {
  found: 'it is there, but its request may still be under way',
  not_found: 'nothing is to be seen of it, which proves nothing',
  unreadable: 'it could not be read',
  conflict: 'what was found contradicts what was asked for',
};

/** What a rollback leaves; a diagnostic says why. */
function isKept({ operation, happened }: RecoverEntry): boolean {
  return operation === 'delete' && happened === false;
}

/** What became of interrupted requests, for a person. */
export function renderRecovery(report: RecoverReport, options: HumanOptions): string {
  const { resolved, unresolved, rolled_back, abandoned } = report;
  const diagnostics = renderDiagnostics(report.diagnostics, options);
  const gone = () => 'undone';
  const open = unresolved.filter((entry) => !isKept(entry));
  return (
    block([
      `Recovery on ${targetWords(report.target)}`,
      '',
      ...section('Settled', 'add', resolved, settledWords, options),
      ...section('Rolled back', 'remove', rolled_back, gone, options),
      ...section('Abandoned', 'warning', abandoned, ({ verdict }) => LAST_SEEN[verdict], options),
      ...section('Kept', 'error', unresolved.filter(isKept), () => 'not undone', options),
      ...section('Still open', 'error', open, ({ verdict }) => OPEN[verdict], options),
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
  const kept = unresolved.filter(isKept).length;
  const open = unresolved.length - kept;
  const counts = [
    ...(resolved.length === 0 ? [] : [`${resolved.length} settled`]),
    ...(rolled_back.length === 0 ? [] : [`${rolled_back.length} rolled back`]),
    ...(abandoned.length === 0 ? [] : [`${abandoned.length} abandoned`]),
    ...(kept === 0 ? [] : [`${kept} kept`]),
    ...(open === 0 ? [] : [`${count(open, 'request')} still open`]),
  ];
  return counts.length === 0 ? 'Nothing is open' : counts.join(', ');
}
