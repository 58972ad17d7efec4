import type { HistoryEntry } from '../core/reports.ts';
import type { HasHistory, HistoryRow } from '../eventlog/history.ts';
import { newestRows, startWindow } from '../eventlog/newest.ts';
import { renderHistory } from '../views/human/history.ts';
import { rowsDocument } from '../views/json/log.ts';
import { block } from '../views/text.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { historyEntry } from './log-rows.ts';
import { number } from './options.ts';
import { locate } from './place.ts';
import { withLogs } from './reading.ts';
import type { WorkflowCall } from './workflow-types.ts';

/** `infra log show`: the rows, of every target, in the order in which they stand. */
export async function showRows(call: WorkflowCall): Promise<ExitCode> {
  const { host, flags, invocation, output } = call;
  const limit = number(invocation.options, 'limit') ?? null;
  const place = await locate(host, flags, false);
  const rows = await withLogs(call, place, ({ log, parts }) => {
    const isFiltered = flags.stack !== null || flags.targets.length > 0;
    return limit === null || isFiltered ? filtered(log, flags, limit) : newestRows(parts, limit);
  });
  const entries: readonly HistoryEntry[] = rows.map(historyEntry);
  for (const { item } of entries) if (item.kind === 'fact') output.stream({ type: 'fact', provider_fact: item.fact });
  await output.result({
    diagnostics: [],
    human: (options) => (entries.length === 0 ? block(['There is no such row.']) : renderHistory(entries, options)),
    document: () => rowsDocument(entries),
  });
  return EXIT.done;
}

/** What is asked about is all that is parsed of a log's own facts. */
async function filtered(
  log: HasHistory,
  { stack, targets }: Pick<WorkflowCall['flags'], 'stack' | 'targets'>,
  limit: number | null,
): Promise<readonly HistoryRow[]> {
  const isWanted = rowFilter(stack, targets);
  const window = startWindow(limit);
  const areUrns = targets.length > 0 && targets.every((target) => URN.test(target));
  await log.history(
    (row) => {
      if (isWanted(row)) window.add(row);
    },
    (urn, of) => (stack === null || of === stack) && (!areUrns || targets.includes(urn)),
  );
  return window.rows();
}

/** No address of a step looks so. */
const URN = /^[a-z]+:[a-z]+:/;

/** An outcome belongs to what its intent was about. */
function rowFilter(stack: string | null, targets: readonly string[]): (row: HistoryRow) => boolean {
  if (stack === null && targets.length === 0) return () => true;
  const intents = new Set<number>();
  const fits = (subject: { readonly stack: string; readonly urn: string; readonly address: string | null }) =>
    (stack === null || subject.stack === stack) &&
    (targets.length === 0 || targets.some((target) => isNamed(subject, target)));
  return ({ entry: { item, sequence } }) => {
    switch (item.kind) {
      case 'fact':
        return fits({ ...item.fact, address: item.fact.step ?? null });
      case 'intent':
        if (!fits(item.intent)) return false;
        if (sequence !== null) intents.add(sequence);
        return true;
      case 'outcome':
        return intents.has(item.outcome.intent_sequence);
      case 'nothing':
        return false;
    }
  };
}

function isNamed({ urn, address }: { readonly urn: string; readonly address: string | null }, target: string): boolean {
  return urn === target || address === target || address?.startsWith(`${target}[`) === true;
}
