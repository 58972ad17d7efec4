import { combineModels } from './combine-models.ts';
import type { EventLog, LogState } from './event-log.ts';
import type { HistoryRow, WantsUrn } from './history.ts';
import type { InspectableLog } from './inspectable-log.ts';

/** What of a log is needed to fold it beside another one. */
export type ReadableLog = Pick<EventLog, 'url' | 'read'>;

/**
 * One log to the engine: ownership is folded from all of them, everything else (open intents, facts under a digest,
 * head, chain, locks, rows written) is the writable one's alone. Who wins between logs: see combineModels; the others
 * in the order given, the writable one last.
 */
export function combineLogs(writable: EventLog, others: readonly ReadableLog[]): EventLog {
  if (others.length === 0) return writable;
  return {
    url: writable.url,
    writable: writable.writable,
    read: async (target) => {
      const [own, ...further] = await Promise.all([writable, ...others].map((log) => log.read(target)));
      if (own === undefined) throw new TypeError('a combined log has a writable one');
      return combined(own, further);
    },
    verify: () => writable.verify(),
    lock: (stacks, timeoutMs) => writable.lock(stacks, timeoutMs),
    append: (context, rows) => writable.append(context, rows),
    head: () => writable.head(),
  };
}

/** The same for logs that can be looked into; the history is the others' in the order given, then the writable one's. */
export function combineInspectableLogs(writable: InspectableLog, others: readonly InspectableLog[]): InspectableLog {
  if (others.length === 0) return writable;
  return {
    ...combineLogs(writable, others),
    readAt: async (target, at) => {
      const [own, ...further] = await Promise.all([writable, ...others].map((log) => log.readAt(target, at)));
      if (own === undefined) throw new TypeError('a combined log has a writable one');
      return combined(own, further);
    },
    history: async (onRow: (row: HistoryRow) => void, wants?: WantsUrn) => {
      for (const log of [...others, writable]) await log.history(onRow, wants);
    },
  };
}

function combined(own: LogState, others: readonly LogState[]): LogState {
  const { model, marks } = combineModels([...others, own]);
  const diagnostics = [...others, own].flatMap((state) => state.diagnostics);
  const targets = [...new Set([...others, own].flatMap((state) => state.targets))].sort();
  return { ...own, model, marks, targets, diagnostics };
}
