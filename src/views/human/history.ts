import type { HistoryEntry } from '../../core/reports.ts';
import { block, escapeText, pad } from '../text.ts';
import { type HumanOptions, painter } from './style.ts';

/** Rows of the log, one after the other. */
export function renderHistory(entries: readonly HistoryEntry[], options: HumanOptions): string {
  const width = Math.max(0, ...entries.map(({ sequence }) => String(sequence ?? '-').length));
  return block(entries.flatMap((entry) => entryLines(entry, width, options)));
}

function entryLines(entry: HistoryEntry, width: number, options: HumanOptions): readonly string[] {
  const paint = painter(options.color);
  const place = String(entry.sequence ?? '-').padStart(width);
  const when = pad(escapeText(entry.recordedAt ?? '(no time)'), 24);
  const who = entry.actor === null ? '' : paint('dim', `  by ${escapeText(entry.actor)}`);
  const [what, ...details] = wordsOf(entry).map(escapeText);
  return [`${place}  ${when}  ${what ?? ''}${who}`, ...details.map((detail) => `${' '.repeat(width + 28)}${detail}`)];
}

function wordsOf({ item }: HistoryEntry): readonly string[] {
  switch (item.kind) {
    case 'fact':
      return factWords(item.fact);
    case 'intent':
      return [`about to ${item.operation} ${item.urn}`, `step ${item.address}`];
    case 'outcome': {
      const code = item.code === null ? '' : ` (${item.code})`;
      const operation = item.operationName === null ? '' : `, operation ${item.operationName}`;
      return [`row ${item.intentSequence} is ${item.status}${code}${operation}`];
    }
    case 'other':
      return [item.type];
  }
}

type Fact = Extract<HistoryEntry['item'], { kind: 'fact' }>['fact'];

function factWords(fact: Fact): readonly string[] {
  const details = [
    `stack ${fact.stack}`,
    ...(fact.step === undefined ? [] : [`step ${fact.step}`]),
    `execution ${fact.execution_id}`,
    ...(fact.resource_id === undefined ? [] : [`id ${fact.resource_id}`]),
    ...(fact.protect === undefined ? [] : [`protect: ${fact.protect}`]),
    ...(fact.digest === undefined ? [] : [`digest ${fact.digest.slice(0, 12)}`]),
  ];
  return [
    `${factVerb(fact)} ${fact.urn}`,
    ...(fact.renamed_from === undefined ? [] : [`renamed from ${fact.renamed_from}`]),
    ...(fact.renamed_to === undefined ? [] : [`renamed to ${fact.renamed_to}`]),
    details.join(', '),
  ];
}

function factVerb({ verb, outcome, forgotten, renamed_to, origin }: Fact): string {
  if (forgotten === true) return 'given up';
  if (renamed_to !== undefined) return 'renamed';
  if (outcome === 'planned') return `planned: ${verb}`;
  if (outcome === 'changed') return origin === 'created' ? 'created or changed' : 'changed';
  if (outcome === 'noop') return 'found as desired';
  return outcome;
}
