import type { Diagnostic } from '../../core/diagnostics.ts';
import type { Difference } from '../../core/events.ts';
import type { AppliedStep, ApplyReport, Outcome } from '../../core/plan.ts';
import { block, columnWidth, count, displayWidth, escapeText, hanging, pad } from '../text.ts';
import { diagnosticLines, renderDiagnostics } from './diagnostics.ts';
import { doneWords, isNotStarted, type OutcomeClass, outcomeClass } from './outcome.ts';
import { applyCommandOf, targetWords } from './plan.ts';
import { type HumanOptions, type Ink, painter } from './style.ts';
import { duration, SIGNS, subjectOf } from './words.ts';

/** Finished steps beyond this many are counted only; what was not done is always listed. */
const DONE_LISTED = 50;
const ADDRESS_COLUMN = 32;
const INKS: Readonly<Record<OutcomeClass, Ink>> = { done: 'add', idle: 'dim', undone: 'error', open: 'warning' };

/** What an apply did, what it did not and why, what is uncertain, and how to go on. */
export function renderApply(report: ApplyReport, options: HumanOptions): string {
  const lines = [
    escapeText(
      `${TITLES[report.command]} ${report.playbook.path} on ${targetWords(report.target)}, execution ${report.execution_id}`,
    ),
    '',
    ...section('Done', report, 'done', options),
    ...section('Not done', report, 'undone', options),
    ...section('Not known or not finished yet', report, 'open', options),
    ...(options.verbose ? section('Nothing to do', report, 'idle', options) : []),
  ];
  const diagnostics = renderDiagnostics(report.diagnostics, options);
  return (
    block(lines) +
    (diagnostics === '' ? '' : `${diagnostics}\n`) +
    block([...resultLines(report, options), ...continuation(report, options)])
  );
}

const TITLES = { plan: 'Apply of', apply: 'Apply of', adopt: 'Adoption of', destroy: 'Destruction of' } as const;

function section(title: string, report: ApplyReport, wanted: OutcomeClass, options: HumanOptions): readonly string[] {
  const steps = report.steps.filter((step) => outcomeClass(step) === wanted);
  if (steps.length === 0) return [];
  const listed = wanted === 'done' && !options.verbose ? steps.slice(0, DONE_LISTED) : steps;
  const column = columnWidth(
    listed.map((step) => escapeText(step.address)),
    ADDRESS_COLUMN,
  );
  const hidden = steps.length - listed.length;
  return [
    painter(options.color)('bold', `${title} (${steps.length}):`),
    ...listed.flatMap((step) => stepLines(step, column, options)),
    ...(hidden === 0 ? [] : [`  … and ${hidden} more (-v lists them all)`]),
    '',
  ];
}

function stepLines(step: AppliedStep, column: number, options: HumanOptions): readonly string[] {
  const paint = painter(options.color);
  const kind = outcomeClass(step);
  const took = step.duration_ms > 0 ? `, ${duration(step.duration_ms)}` : '';
  const words = `${doneWords(step)}: ${subjectOf(step).text}${took}`;
  const address = escapeText(step.address);
  const sign = `  ${paint(INKS[kind], signOf(step))}`;
  const start = pad(address, column);
  const fits = displayWidth(`    ${start}  ${words}`) <= options.width;
  const head = fits
    ? [`${sign} ${start}  ${words}`]
    : [`${sign} ${address}`, ...hanging(words, '      ', options.width)];
  const frame = { indent: '      ', width: options.width, paint, address: step.address, source: step.source };
  const told = step.diagnostics.filter(
    (item) => options.verbose || item.severity !== 'note' || (kind !== 'done' && item.code !== 'NOT_VISIBLE'),
  );
  return [...head, ...reasonLines(step), ...told.flatMap((item) => diagnosticLines({ ...item, urn: null }, frame))];
}

function signOf(step: AppliedStep): string {
  if (step.outcome === 'failed' || step.outcome === 'refused' || step.outcome === 'blocked') return '!';
  return step.outcome === 'uncertain' || step.outcome === 'pending' ? '?' : SIGNS[step.change];
}

function reasonLines(step: AppliedStep): readonly string[] {
  const held = step.outcome === 'held' && step.held !== null ? [`      held: ${escapeText(step.held)}`] : [];
  const told = step.diagnostics.some((item) => item.operation === step.operation);
  const running = outcomeClass(step) === 'open' && step.operation !== null && !told;
  return running ? [...held, `      operation: ${escapeText(step.operation ?? '')}`] : held;
}

const COUNTED: readonly (readonly [Outcome, string])[] = [
  ['changed', 'changed'],
  ['deleted', 'deleted'],
  ['adopted', 'adopted'],
  ['noop', 'already as declared'],
  ['absent', 'already gone'],
  ['read', 'read'],
  ['held', 'held'],
  ['blocked', 'blocked'],
  ['failed', 'failed'],
  ['refused', 'refused'],
  ['rolled_back', 'rolled back'],
  ['pending', 'still running'],
  ['uncertain', 'uncertain'],
];

function resultLines(report: ApplyReport, options: HumanOptions): readonly string[] {
  const counts = COUNTED.filter(([outcome]) => report.summary[outcome] > 0).map(
    ([outcome, words]) => `${report.summary[outcome]} ${words}`,
  );
  const unstarted = report.steps.filter(isNotStarted).length;
  const skipped = report.summary.skipped - unstarted;
  if (unstarted > 0) counts.push(`${unstarted} not started`);
  if (skipped > 0) counts.push(`${skipped} skipped`);
  const text = `Result: ${counts.length === 0 ? 'nothing to do' : counts.join(', ')}.`;
  return [
    painter(options.color)('bold', text),
    ...(report.head === null ? [] : [`Log head: ${escapeText(report.head)}`]),
  ];
}

const UNFINISHED: ReadonlySet<Outcome> = new Set<Outcome>([
  'failed',
  'blocked',
  'refused',
  'rolled_back',
  'pending',
  'uncertain',
]);
/** What the same plan can still bring about; the rest needs another one. */
const RESUMABLE: ReadonlySet<Outcome> = new Set<Outcome>(['failed', 'rolled_back', 'pending', 'uncertain']);

function continuation(report: ApplyReport, options: HumanOptions): readonly string[] {
  const left = report.steps.filter((step) => UNFINISHED.has(step.outcome) || isNotStarted(step));
  if (left.length === 0) return heldHint(report);
  if (!left.some((step) => RESUMABLE.has(step.outcome) || isNotStarted(step)))
    return [
      '',
      'What is left was refused or is blocked: plan again once its reason is gone, and confirm the new digest.',
    ];
  const command = applyCommandOf(report, options);
  const uncertain =
    report.summary.uncertain > 0
      ? ['What is uncertain is settled first, by reading; `infra recover` does only that.']
      : [];
  if (command === null || report.digest === null) return uncertain;
  return [
    '',
    ...uncertain,
    'To go on with what is left, as long as nothing else moved:',
    `  ${command} --confirm ${report.digest}`,
  ];
}

function heldHint(report: ApplyReport): readonly string[] {
  return report.summary.held === 0
    ? []
    : [`${count(report.summary.held, 'step')} held: an apply leaves held steps alone.`];
}

/** Why nothing was sent and, where the reviewed plan is at hand, what differs from it. */
export function renderRefusal(
  diagnostics: readonly Diagnostic[],
  differences: readonly Difference[],
  options: HumanOptions,
): string {
  const told = renderDiagnostics(diagnostics, options);
  if (differences.length === 0) return told;
  return `${told}\n${block(['What differs from the reviewed plan:', ...table(differences), '', 'Review the new plan, then confirm its digest.'])}`;
}

/** Differences beyond this many are counted only; the JSON has them all. */
const DIFFERENCES_LISTED = 30;
const COLUMNS = ['address', 'field', 'then', 'now'] as const;

function table(differences: readonly Difference[]): readonly string[] {
  const hidden = differences.length - DIFFERENCES_LISTED;
  const rows = [
    COLUMNS,
    ...differences.slice(0, DIFFERENCES_LISTED).map((row) => COLUMNS.map((key) => escapeText(row[key]))),
  ];
  const widths = COLUMNS.map((_, index) =>
    columnWidth(
      rows.map((row) => row[index] ?? ''),
      ADDRESS_COLUMN,
    ),
  );
  return [
    ...rows.map((row) => `  ${row.map((cell, index) => pad(cell, widths[index] ?? 0)).join('  ')}`),
    ...(hidden > 0 ? [`  … and ${hidden} more (--format json lists them all)`] : []),
  ];
}
