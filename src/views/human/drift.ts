import type { Verdict } from '../../core/plan.ts';
import { type DriftEntry, type DriftReport, hasDrift } from '../../core/reports.ts';
import { block, count, escapeText, paragraph } from '../text.ts';
import { renderDiagnostics } from './diagnostics.ts';
import { targetWords } from './plan.ts';
import { type HumanOptions, type Ink, painter } from './style.ts';
import { diffTexts } from './values.ts';

type Group = Verdict | 'ignored';

/** In the order in which people look at them. */
const GROUPS: readonly (readonly [Group, string, Ink])[] = [
  ['missing', 'Missing: owned, and gone', 'remove'],
  ['modified', 'Modified: not as it was last desired', 'change'],
  ['unchecked', 'Unchecked: could not be read, so nothing is known', 'warning'],
  ['untracked', 'Untracked: declared and live, and not owned', 'change'],
  ['not_managed', 'Not managed: declared, neither live nor owned', 'info'],
  ['ignored', 'Ignored', 'dim'],
  ['in_sync', 'In sync', 'add'],
];

/** Drift for a person: what differs, by verdict, and how many there are of each. */
export function renderDrift(report: DriftReport, options: HumanOptions): string {
  const shown = GROUPS.filter(([group]) => options.verbose || group !== 'in_sync');
  const lines = shown.flatMap(([group, title, ink]) => groupLines(report, group, title, ink, options));
  const diagnostics = renderDiagnostics(report.diagnostics, options);
  const scope = report.stack === null ? '' : ` of stack ${escapeText(report.stack)}`;
  return (
    block([`Drift${scope} on ${targetWords(report.target)}`, '', ...lines]) +
    (diagnostics === '' ? '' : `${diagnostics}\n`) +
    block(summaryLines(report, options))
  );
}

/** Of an entry: what its whole deviation is put under. */
export function groupOf(entry: DriftEntry): Group {
  return entry.ignored === null ? entry.drift : 'ignored';
}

function groupLines(
  report: DriftReport,
  group: Group,
  title: string,
  ink: Ink,
  options: HumanOptions,
): readonly string[] {
  const entries = report.resources.filter((entry) => groupOf(entry) === group);
  if (entries.length === 0) return [];
  const paint = painter(options.color);
  return [
    paint(ink, `${title} (${entries.length})`),
    ...entries.flatMap((entry) => entryLines(entry, report, options)),
    '',
  ];
}

function entryLines(entry: DriftEntry, report: DriftReport, options: HumanOptions): readonly string[] {
  const stack = report.stack === null ? `  (stack ${escapeText(entry.stack)})` : '';
  return [
    `  ${escapeText(entry.urn)}${stack}`,
    ...diffTexts(entry.diff, 'compare').map((text) => `      ${text}`),
    ...(entry.why === null ? [] : paragraph(entry.why, '      ', options.width)),
    ...(entry.purge_time === null ? [] : [`      deleted; it can be restored until ${escapeText(entry.purge_time)}`]),
    ...ignoredTexts(entry).flatMap((text) => paragraph(text, '      ', options.width)),
  ];
}

/** Of a whole deviation the group says that it is ignored. */
function ignoredTexts({ drift, ignored, ignored_fields }: DriftEntry): readonly string[] {
  if (ignored !== null) return [`${drift}: ${ignored}`];
  return Object.entries(ignored_fields).map(([field, reason]) => `${field} is ignored: ${reason}`);
}

const COUNTED: readonly (readonly [Group, string])[] = [
  ['in_sync', 'in sync'],
  ['missing', 'missing'],
  ['modified', 'modified'],
  ['untracked', 'untracked'],
  ['not_managed', 'not managed'],
  ['unchecked', 'unchecked'],
  ['ignored', 'ignored'],
];

/** `2 in sync, 1 missing`. */
export function driftCounts({ summary }: DriftReport): string {
  return COUNTED.filter(([group]) => summary[group] > 0)
    .map(([group, words]) => `${summary[group]} ${words}`)
    .join(', ');
}

function summaryLines(report: DriftReport, options: HumanOptions): readonly string[] {
  const paint = painter(options.color);
  if (report.resources.length === 0) return ['Nothing is owned here, so there is nothing to compare.'];
  const unchecked = report.summary.unchecked;
  return [
    paint('bold', `${hasDrift(report) ? 'Drift' : 'No drift'}: ${driftCounts(report)}.`),
    ...(unchecked === 0 ? [] : [`${count(unchecked, 'resource')} could not be checked; the rest was.`]),
  ];
}
